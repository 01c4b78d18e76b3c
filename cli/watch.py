"""``watch`` and ``replay``: a match as one viewer may know it, live or at any revision, from a house or from a file."""

from contextlib import aclosing
from pathlib import Path
from typing import Annotated

import typer
from tavolata.spectator.v1 import spectator_pb2

from cli.client import ask
from cli.exports import fold_file
from cli.output import DEFAULT_LANGUAGE, DEFAULT_SERVER, Json, Language, Server, note, print_json
from cli.present import fact_fields, print_fact, print_snapshot, snapshot_fields
from engine.kernel.catalogue import language_named
from engine.kernel.facts import Fact
from engine.kernel.value import Referee, Revision
from services.kit.lookers import Caster, Looker, looker_named
from services.kit.wire.house import HouseClients
from services.kit.wire.lasting import lasting_facts

AsViewer = Annotated[str, typer.Option("--as", help="spectator, seat:N, referee or caster.")]


def add_to(app: typer.Typer) -> None:
    app.command()(watch)
    app.command()(replay)


def watch(
    match_id: Annotated[str, typer.Argument(metavar="MATCH", help="The id of a match.")],
    as_viewer: AsViewer = "spectator",
    after: Annotated[int, typer.Option(min=0, help="Go on behind this revision.")] = 0,
    language: Language = DEFAULT_LANGUAGE,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Follow a match live, from any revision; ends when the match is complete."""
    viewer = looker_named(as_viewer)
    ask(server, lambda clients: _watch(clients, match_id, viewer, after, language, as_json))


async def _watch(
    clients: HouseClients, match_id: str, viewer: Looker, after: Revision, language: str, as_json: bool
) -> None:
    async with aclosing(lasting_facts(clients.spectator, match_id, viewer, after=after, language=language)) as facts:
        async for fact in facts:
            if as_json:
                print_json(fact_fields(fact))
            else:
                print_fact(fact)


def replay(
    match_or_file: Annotated[str, typer.Argument(metavar="MATCH|FILE", help="A match of the house, or an export.")],
    at: Annotated[int, typer.Option(min=0, help="The revision to stop at; 0 is the last.")] = 0,
    as_viewer: AsViewer = "spectator",
    svg: Annotated[Path | None, typer.Option(help="Write the board to this file.")] = None,
    language: Language = DEFAULT_LANGUAGE,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Show a match as it stood at any revision, and how it came there."""
    looker = looker_named(as_viewer)
    if Path(match_or_file).is_file():
        viewer = Referee() if isinstance(looker, Caster) else looker  # what is complete is kept behind nothing
        facts, snapshot = fold_file(Path(match_or_file), viewer, at, language_named(language))
    else:
        facts, snapshot = ask(server, lambda clients: _past(clients, match_or_file, looker, at, language))
    if svg is not None:
        svg.write_text(snapshot.svg, "utf-8")
    if as_json:
        print_json({"facts": [fact_fields(fact) for fact in facts], "snapshot": snapshot_fields(snapshot)})
        return
    for fact in facts:
        print_fact(fact)
    print_snapshot(snapshot)
    if svg is not None:
        note(f"The board is in {svg}.")


async def _past(
    clients: HouseClients, match_id: str, viewer: Looker, at: Revision, language: str
) -> tuple[list[Fact], spectator_pb2.Position]:
    snapshot = await clients.spectator.snapshot(match_id, viewer, revision=at, language=language)
    facts: list[Fact] = []
    async with aclosing(clients.spectator.facts(match_id, viewer, language=language)) as stream:
        async for fact in stream:
            facts.append(fact)
            if fact.revision == snapshot.revision:
                break
    return facts, snapshot
