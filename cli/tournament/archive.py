"""``export``, ``verify`` and ``verify-pairing``: an event on paper, in files, and checked.

Checking loads the whole engine, with what draws rounds: it is loaded when something is checked, so that the other
commands start in half the time.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.client import ask
from cli.output import DEFAULT_SERVER, FAILED, Json, Server, console, note, print_error, print_json
from cli.tournament.asking import Event, RoundNumber
from engine.kernel.refusal import Kind, Refusal
from engine.luck.verifier import VerificationFailed
from engine.tournament.state import RoundState
from services.kit.paper.archive import Archive, archive_of, document_of
from services.kit.paper.figures import figure
from services.kit.paper.pages import round_page, standings_page
from services.kit.paper.sheets import pairings_sheet, standings_sheet
from services.kit.wire.house import HouseClients

if TYPE_CHECKING:
    from cli.tournament.audit import RoundReport, TournamentReport

BEFORE_A_ROUND = {
    "created": "the registration has not been opened",
    "registration": "the registration is open",
    "ready": "no round is published",
    "running": "no round is published",
}
"""By the phase of the event."""


def export(
    event: Event,
    folder: Annotated[Path, typer.Option("--dir", help="The folder for the files; made if it is not there.")],
    separator: Annotated[str, typer.Option(help="Between the cells of CSV: ; or ,")] = ",",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Write standings and pairings as CSV, JSON and pages to print, and the log as it is."""
    if separator not in (",", ";"):
        raise Refusal("bad_option", "Cells have ; or , between them.", Kind.INVALID)
    archive = ask(server, lambda clients: archive_of(clients.tournament, event))
    files = write_archive(archive, folder, separator)
    if as_json:
        print_json({"event": event, "files": [str(file) for file in files]})
        return
    for file in files:
        console.print(str(file), markup=False, soft_wrap=True)
    note(f"{len(files)} files are in {folder}.")


def write_archive(archive: Archive, folder: Path, separator: str) -> list[Path]:
    """The files that were written, in order."""
    event = archive.found.tournament
    name = event.tournament_id
    contents: dict[str, bytes] = {f"{name}.jsonl": b"".join(line + b"\n" for line in archive.log)}
    contents[f"{name}.json"] = msgspec.json.format(msgspec.json.encode(document_of(archive)), indent=1) + b"\n"
    for found in archive.standings:
        label = "final" if found.final else f"stage-{found.stage + 1}"
        contents[f"{name}-standings-{label}.csv"] = standings_sheet(found, separator)
        contents[f"{name}-standings-{label}.html"] = standings_page(event, found).encode()
    for each in archive.rounds:
        contents[f"{name}-round-{each.round}.csv"] = pairings_sheet(each, separator)
        contents[f"{name}-round-{each.round}.html"] = round_page(event, each).encode()
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for file_name, content in contents.items():
        path = folder / file_name
        path.write_bytes(content)
        files.append(path)
    return files


def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.jsonl...", help="Archived logs of events.")],
    as_json: Json = False,
) -> None:
    """Decide every commit of an archived event again and draw every draft again. Needs no house."""
    from cli.tournament.audit import verify_tournament

    failed = 0
    for file in files:
        try:
            report = verify_tournament(lines_of(file))
        except VerificationFailed as failure:
            failed += 1
            _print_failure(file, failure, as_json=as_json)
            continue
        if as_json:
            print_json({"file": str(file), "holds": True, **msgspec.to_builtins(report)})
        else:
            console.print(f"{file} {report_text(report)}", markup=False, soft_wrap=True)
    if failed:
        raise typer.Exit(FAILED)


def report_text(report: "TournamentReport") -> str:
    far = "" if report.finished else " as far as it goes"
    return (
        f"holds{far}: {report.commits} commits chained and decided again, {report.drafts} drafts drawn again, "
        f"{report.rounds} rounds, {report.tables} tables, {report.results} results, {report.entrants} entrants; "
        f"root {report.root_hash[:16]}; {where_it_ends(report)}"
    )


def where_it_ends(report: "TournamentReport") -> str:
    """Nothing in a log shows that lines behind its last are missing; but where the event stands, it shows."""
    if report.finished:
        return "the event is finished"
    if report.round:
        return f"round {report.round} is {report.round_phase}; the event is not finished"
    return f"{BEFORE_A_ROUND[report.phase]}; the event is not finished"


def verify_pairing(event: Event, number: RoundNumber, server: Server = DEFAULT_SERVER, as_json: Json = False) -> None:
    """Draw a published round again on this machine, from the log alone, and compare it with what the house shows."""
    from cli.tournament.audit import final_state, verify_round

    async def use(clients: HouseClients) -> tuple[list[bytes], pb.GetRoundResponse]:
        return await clients.tournament.export(event), await clients.tournament.round(event, number)

    lines, shown = ask(server, use)
    report = verify_round(lines, number)
    check_shown(final_state(lines).rounds[number - 1], shown)
    if as_json:
        print_json({"event": event, "holds": True, **msgspec.to_builtins(report)})
        return
    console.print(pairing_text(report), markup=False, soft_wrap=True)


def check_shown(folded: RoundState, shown: pb.GetRoundResponse) -> None:
    """Raises ``VerificationFailed`` if the house shows other tables than its log has."""
    ours = {table.number: table.entries for table in folded.tables}
    theirs = {table.number: tuple(place.entry for place in table.places) for table in shown.tables}
    for number in sorted(ours.keys() | theirs.keys()):
        if ours.get(number) != theirs.get(number):
            raise VerificationFailed(0, "shown_otherwise", f"The house shows another table {number} than its log has.")


def pairing_text(report: "RoundReport") -> str:
    by = f"drawn again by {report.engine}" if report.searched else f"planned again by {report.engine}"
    edits = f", edited {report.edits} times by an organiser" if report.edits else ""
    drafts = f"; the last of {report.drafts} drafts" if report.drafts > 1 else ""
    return (
        f"Round {report.round} holds: {len(report.pods)} tables and {len(report.byes)} byes, {by}{edits}{drafts}.\n"
        f"quality: {report.repeats} repeated meetings ({report.repeats_bound} at least), spread "
        f"{figure(report.spread)} ({figure(report.spread_bound)} if nobody minded meeting again)\n"
        f"seed:    {report.seed}\n"
        f"follows: {report.seed_before}"
    )


def lines_of(file: Path) -> list[bytes]:
    """The lines of a file, without their line feeds."""
    return file.read_bytes().removesuffix(b"\n").split(b"\n")


def _print_failure(file: Path, failure: VerificationFailed, *, as_json: bool) -> None:
    if as_json:
        print_json({"file": str(file), "holds": False, "line": failure.line_number, "code": failure.code,
                    "sentence": failure.sentence})  # fmt: skip
    else:
        print_error(failure.code, f"{file}, line {failure.line_number}: {failure.sentence}", as_json=False)
