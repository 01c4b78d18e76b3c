"""``audit``: is the log of the running house still what it was? Asked of the log itself, past every service."""

import asyncio
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from cli.cores import Cores
from cli.log_place import HouseFolder, log_connection, open_house
from cli.output import FAILED, Json, console, note, print_error, print_json, print_table
from cli.progress import Progress
from engine.kernel.refusal import Kind, Refusal
from services.kit.config import Settings

if TYPE_CHECKING:
    from cli.audit_checked import Decided, Finding
    from cli.audit_replicas import Compared


def add_to(app: typer.Typer) -> None:
    app.command()(audit)


def audit(data: HouseFolder = None, as_json: Json = False) -> None:
    """Read every line on every node, compare them, and decide every match and event again.

    Exit code 1 if anything is not as it must be.
    """
    here = open_house(data)
    with Progress() as progress:
        compared, decided = asyncio.run(_audit(here, progress))
    findings = _findings(compared, decided)
    if as_json:
        print_json(_fields(compared, decided, findings))
    else:
        _print(compared, decided)
        for each in findings:
            print_error(each.code, each.sentence, as_json=False)
        if not findings:
            note("Everything holds.")
    if findings:
        raise typer.Exit(FAILED)


async def _audit(here: Settings, progress: Progress) -> tuple[list["Compared"], "Decided"]:
    from cli.audit_checked import Decided, check_some
    from cli.audit_decided import Deciding
    from cli.audit_replicas import compare_stream
    from services.kit.jetstream.backup import streams_of_the_house
    from services.kit.jetstream.beats import BEATS

    compared: list[Compared] = []
    decided = Decided()
    async with log_connection(here) as connection, Cores(check_some) as cores:
        # Beats are no history: only the newest is kept, and it changes each second.
        streams = [stream for stream in await streams_of_the_house(connection) if stream != BEATS]
        if not streams:
            raise Refusal("no_log", f"There is no log at {here.nats_url}.", Kind.MISSING)
        for stream in streams:
            deciding = Deciding(stream, cores)
            compared.append(await compare_stream(connection, stream, deciding.take, progress))
            decided += await deciding.finish(here, compared[-1].things, progress)
    return compared, decided


def _findings(compared: Sequence["Compared"], decided: "Decided") -> list["Finding"]:
    """Each damage once: what was found by comparing nodes is not told again as a match that does not hold there."""
    found = list(chain.from_iterable(each.findings for each in compared))
    told = {(each.stream, each.thing, node) for each in found for node in each.node.split(", ")}
    return found + [
        each
        for each in decided.findings
        if not all((each.stream, each.thing, node) in told for node in each.node.split(", "))
    ]


def _fields(compared: Sequence["Compared"], decided: "Decided", findings: Sequence["Finding"]) -> dict[str, Any]:
    return {
        "holds": not findings,
        "streams": [
            {"stream": each.stream, "lines": each.lines, "nodes": each.nodes, "things": len(each.things)}
            for each in compared
        ],
        "complete": decided.complete,
        "running": decided.running,
        "commits": decided.commits,
        "draws": decided.draws,
        "findings": [msgspec.to_builtins(each) for each in findings],
    }


def _print(compared: Sequence["Compared"], decided: "Decided") -> None:
    rows = [(each.stream, len(each.things), each.lines, ", ".join(each.nodes)) for each in compared]
    print_table("Read on every node", ("stream", "matches or events", "lines", "nodes"), rows)
    console.print(
        f"{decided.complete} complete and {decided.running} running: {decided.commits} commits chained and decided "
        f"again, {decided.draws} draws drawn again",
        markup=False,
        soft_wrap=True,
    )
