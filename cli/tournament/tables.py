"""``result``, ``correct``, ``adjudicate``, ``void``, ``survivors``, ``no-show`` and ``substitute``."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Annotated

import typer
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, note
from cli.tournament.asking import (
    DEFAULT_BY,
    By,
    CommandId,
    EntryNumber,
    Event,
    Reason,
    Receipt,
    RoundNumber,
    TableNumber,
    carry_out,
    entries_in,
    made_id,
    print_receipt,
    receipt_of,
    seated_at,
    table_of,
)
from engine.tournament import commands as c
from engine.tournament.played import Seated
from services.kit.wire.house import HouseClients

Scores = Annotated[
    str, typer.Argument(metavar="[SCORES]", help="61,58,40,12: in seat order, without those who did not come.")
]
Places = Annotated[str, typer.Option("--places", help="1,2,2,4 in seat order, where the scores do not say it.")]


def result(
    event: Event,
    number: RoundNumber,
    table: TableNumber,
    scores: Scores = "",
    places: Places = "",
    ended: Annotated[str, typer.Option(help="How the game ended, a word of the game's.")] = "",
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Enter the result of a table that was not played in this house."""

    def command(seated: tuple[Seated, ...]) -> c.Command:
        return c.ReportResult(number, table, seated, ended, reason=reason)

    _with_result(event, number, table, scores, places, command, by, command_id, server, as_json=as_json)


def correct(
    event: Event,
    number: RoundNumber,
    table: TableNumber,
    scores: Scores = "",
    places: Places = "",
    ended: Annotated[str, typer.Option(help="How the game ended, a word of the game's.")] = "",
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Correct a result in any round; says every published number that changes. No published pairing does."""

    def command(seated: tuple[Seated, ...]) -> c.Command:
        return c.CorrectResult(number, table, seated, ended, reason)

    _with_result(event, number, table, scores, places, command, by, command_id, server, as_json=as_json)


def adjudicate(
    event: Event,
    number: RoundNumber,
    table: TableNumber,
    scores: Scores = "",
    places: Places = "",
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Decide the result of a table that has none."""

    def command(seated: tuple[Seated, ...]) -> c.Command:
        return c.Adjudicate(number, table, seated, reason)

    _with_result(event, number, table, scores, places, command, by, command_id, server, as_json=as_json)


def void(
    event: Event,
    number: RoundNumber,
    table: TableNumber,
    award: Annotated[str, typer.Option(help="No replay; each has these points: average, win, half, 3, 5/2.")] = "",
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Let a table not count: another match is opened, or with --award the round goes on without it."""
    command = c.VoidTable(number, table, replay=not award, points=award or "average", reason=reason)
    carry_out(event, command, by, command_id, server, as_json=as_json)


def survivors(
    event: Event,
    number: RoundNumber,
    table: TableNumber,
    entries: Annotated[str, typer.Argument(metavar="ENTRIES", help="3,9")],
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Say who goes on from a drawn table of an elimination."""
    command = c.NameSurvivors(number, table, entries_in(entries), reason)
    carry_out(event, command, by, command_id, server, as_json=as_json)


def no_show(
    event: Event,
    number: RoundNumber,
    table: TableNumber,
    entry: EntryNumber,
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Say that somebody did not come: the table plays without, and they check in again for the next round."""
    carry_out(event, c.MarkNoShow(number, table, entry, reason), by, command_id, server, as_json=as_json)


def substitute(
    event: Event,
    number: RoundNumber,
    table: TableNumber,
    entry: EntryNumber,
    instead: Annotated[int, typer.Argument(metavar="INSTEAD", min=1, help="Who plays there instead.")],
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Let another entrant take a seat over, with what it holds if its match is open; two of one table change seats."""
    carry_out(event, c.Substitute(number, table, entry, instead, reason), by, command_id, server, as_json=as_json)


def _with_result(
    event: str,
    number: int,
    table: int,
    scores: str,
    places: str,
    command: Callable[[tuple[Seated, ...]], c.Command],
    by: str,
    command_id: str,
    server: str,
    *,
    as_json: bool,
) -> None:
    name = made_id(command_id)

    async def use(clients: HouseClients) -> tuple[Receipt, tuple[str, ...]]:
        found = table_of(await clients.tournament.round(event, number), table)
        seated = seated_at(found, scores, places)
        return await receipt_of(clients, event, command(seated), by, name), doubts(found, seated)

    receipt, sentences = ask(server, use)
    for sentence in sentences:
        note(sentence)
    print_receipt(receipt, as_json=as_json)


def doubts(table: pb.Table, seated: Sequence[Seated]) -> tuple[str, ...]:
    """What may be a slip of the pen in a result that can be: it is entered, and said."""
    names = {place.entry: f"{place.name or place.player} ({place.entry})" for place in table.places}
    found = [f"Note: {names[each.entry]} has {each.score} points." for each in seated if each.score < 0]
    by_place = sorted(seated, key=lambda each: (each.place, -each.score))
    for better, worse in pairwise(by_place):
        if better.place < worse.place and better.score < worse.score:
            found.append(
                f"Note: {names[better.entry]} is placed {better.place} with {better.score}, before "
                f"{names[worse.entry]}, who is placed {worse.place} with {worse.score}."
            )
    return tuple(found)
