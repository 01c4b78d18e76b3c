"""``export`` and ``verify``: the log's own lines, and whether they hold."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from tavolata.scoring.v1 import scoring_pb2
from tavolata.spectator.v1 import spectator_pb2

from cli.client import ask
from cli.output import DEFAULT_SERVER, FAILED, Json, Server, console, note, print_error, print_json
from engine.games import game_of_rules
from engine.kernel.commit import BadLine, Commit, decode_line
from engine.kernel.facts import Fact, fact_of
from engine.kernel.history import AnyHistory, BrokenLog, History
from engine.kernel.limits import EXPORT_BYTES_MAX
from engine.kernel.match import Match, MatchState
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, Viewer, instant_of
from engine.luck.verifier import DealReport, Report, VerificationFailed, compare
from engine.luck.verifier import verify as verify_lines
from services.kit.wire.house import HouseClients
from services.spectator.servicer import message_of
from services.spectator.snapshot import snapshot_of


def add_to(app: typer.Typer) -> None:
    app.command()(export)
    app.command()(verify)


def export(
    match_id: Annotated[str, typer.Argument(metavar="MATCH", help="The id of a complete match.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The file; without it, stdout.")] = None,
    server: Server = DEFAULT_SERVER,
) -> None:
    """Write the lines of the log, byte for byte."""
    lines = ask(server, lambda clients: clients.spectator.export(match_id))
    content = b"".join(line + b"\n" for line in lines)
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        output.write_bytes(content)
        note(f"{len(lines)} lines are in {output}.")


def verify(
    matches: Annotated[list[str] | None, typer.Argument(metavar="[MATCH|FILE]...", help="Exports, or matches.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every ended match of the house.")] = False,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Check chain, commitment, every draw and every decision. A file needs no house.

    Tables of one deal that are given together must have met the same cards.
    """
    if every == bool(matches):
        raise Refusal("nothing_to_verify", "Name matches or files to verify, or say --all.", Kind.INVALID)
    names = _ended(server) if every else matches or []
    failed = 0
    reports: list[Report] = []
    for name in names:
        try:
            report = verify_lines(_lines(name, server), game_of_rules)
        except VerificationFailed as failure:
            failed += 1
            if as_json:
                print_json({"match": name, "holds": False, "line": failure.line_number, "code": failure.code,
                            "sentence": failure.sentence})  # fmt: skip
            else:
                print_error(failure.code, f"{name}, line {failure.line_number}: {failure.sentence}", as_json=False)
            continue
        reports.append(report)
        _print_report(name, report, as_json=as_json)
    for deal in compare(reports):
        failed += not deal.same_cards
        _print_deal(deal, as_json=as_json)
    if failed:
        raise typer.Exit(FAILED)


def fold_file(path: Path, viewer: Viewer, at: Revision, language: str) -> tuple[list[Fact], spectator_pb2.Position]:
    """The facts of an export up to a revision (0: the last), and the position there. Raises ``Refusal`` for a bad file.

    The clocks are read as they stood when that revision came about.
    """
    history: AnyHistory | None = None
    facts: list[Fact] = []
    reached: tuple[Commit, MatchState[Any]] | None = None
    for number, line in enumerate(_lines_of_file(path), start=1):
        try:
            if history is None:
                first = decode_line(line)
                history = History(Match(game_of_rules(first.rules)), first.match)
            commit = history.accept(line, number)
        except (BadLine, BrokenLog) as error:
            raise Refusal("bad_line", f"{path}, line {number}: {error}.", Kind.INVALID) from error
        if not at or commit.revision <= at:
            facts.append(fact_of(history.match, commit, viewer, language))
            reached = commit, history.state
    if history is None or reached is None:
        raise Refusal("empty_export", f"{path} holds no match.", Kind.INVALID)
    if at > history.revision:
        raise Refusal("no_such_revision", f"The match has {history.revision} revisions; there is no {at}.")
    commit, state = reached
    snapshot = snapshot_of(
        history.match, state, commit, viewer, language,
        newest=history.revision, present=history.state, now=instant_of(commit.at),
    )  # fmt: skip
    return facts, message_of(snapshot, with_view=True)


def _print_report(name: str, report: Report, *, as_json: bool) -> None:
    if as_json:
        print_json({"match": name, "holds": True, **msgspec.to_builtins(report)})
        return
    console.print(
        f"{name} holds: {report.commits} commits chained, {report.decisions} decisions decided again, "
        f"{report.draws} draws drawn again; root {report.root_hash[:16]}",
        markup=False,
        soft_wrap=True,
    )


def _print_deal(report: DealReport, *, as_json: bool) -> None:
    sentence = f"{len(report.matches)} of {report.deal.tables} tables of {report.deal.group}"
    if as_json:
        print_json({"deal": report.deal.id, "holds": report.same_cards, "matches": report.matches})
    elif report.same_cards:
        console.print(f"{sentence} met the same cards", markup=False, soft_wrap=True)
    else:
        print_error("other_cards", f"{sentence} did not all meet the same cards.", as_json=False)


def _ended(server: str) -> list[str]:
    async def use(clients: HouseClients) -> list[str]:
        return [match.match_id async for match in clients.scoring.matches(status=scoring_pb2.STATUS_ENDED)]

    return ask(server, use)


def _lines(name: str, server: str) -> Iterator[bytes]:
    if Path(name).is_file():
        return _lines_of_file(Path(name))
    if "/" in name or name.endswith(".jsonl"):
        raise Refusal("no_such_file", f"There is no file {name}.", Kind.MISSING)
    return iter(ask(server, lambda clients: clients.spectator.export(name)))


def _lines_of_file(path: Path) -> Iterator[bytes]:
    size = path.stat().st_size
    if size > EXPORT_BYTES_MAX:
        raise Refusal(
            "export_too_large", f"{path} has {size} bytes; an export has at most {EXPORT_BYTES_MAX}.", Kind.INVALID
        )
    with path.open("rb") as file:
        yield from (line.removesuffix(b"\n") for line in file)
