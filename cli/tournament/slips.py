"""``results``: a stack of result slips, typed into a file: ``table,61,58,40,12`` a line, scores in seat order.

The whole file is checked against the round before anything is sent. Each table is a command of its own under an id that
follows from ``--id``, so a file that is sent again enters what was missing and nothing twice.
"""

import csv
from pathlib import Path
from typing import Annotated

import typer
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, console, print_json
from cli.tournament.asking import (
    DEFAULT_BY,
    By,
    CommandId,
    Event,
    Reason,
    RoundNumber,
    made_id,
    seated_at,
    send,
    table_of,
)
from engine.kernel.refusal import Kind, Refusal
from engine.tournament import commands as c
from engine.tournament.limits import ENTRANTS_MAX
from engine.tournament.played import Seated
from services.kit.wire.house import HouseClients

BYTES_MAX = 200 * ENTRANTS_MAX
"""Of the file: more than a line for each entrant is no file of results."""
NAMED_MAX = 20
"""Bad lines in one sentence."""


def results(
    event: Event,
    number: RoundNumber,
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", help="table,61,58,40,12 a line; scores in seat order.")],
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Enter the results of many tables from a file. What has a result already is passed over, and named."""
    name = made_id(command_id)

    async def use(clients: HouseClients) -> tuple[list[int], list[int]]:
        slips = slips_in(file, await clients.tournament.round(event, number))
        entered, kept = [], []
        for table, seated in slips:
            command = c.ReportResult(number, table, seated, reason=reason)
            try:
                await send(clients, event, command, by, f"{name}-{table}")
                entered.append(table)
            except Refusal as refusal:
                if refusal.code not in ("has_result", "round_closed"):
                    raise
                kept.append(table)
        return entered, kept

    entered, kept = ask(server, use)
    if as_json:
        print_json({"event": event, "round": number, "id": name, "entered": entered, "had_a_result": kept})
        return
    console.print(f"{len(entered)} results entered", markup=False)
    if kept:
        console.print(f"had a result, which stands: table {', '.join(map(str, kept))}; see correct", markup=False)


def slips_in(file: Path, shown: pb.GetRoundResponse) -> list[tuple[int, tuple[Seated, ...]]]:
    """Tables and their results in the order of the file. Raises ``Refusal`` (``bad_results``) naming every bad line."""
    if file.stat().st_size > BYTES_MAX:
        raise _bad(f"{file} has more than {BYTES_MAX} bytes")
    try:
        text = file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _bad(f"{file} is no UTF-8 text; save it as CSV UTF-8") from error
    slips: dict[int, tuple[Seated, ...]] = {}
    wrong: list[str] = []
    separator = ";" if ";" in text.partition("\n")[0] else ","
    for line, row in enumerate(csv.reader(text.splitlines(), delimiter=separator), 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (line == 1 and cells[0].lower() == "table"):
            continue
        try:
            table, seated = _slip(cells, shown)
        except Refusal as refusal:
            wrong.append(f"line {line}: {refusal.sentence.rstrip('.')}")
            continue
        if table in slips:
            wrong.append(f"line {line}: table {table} stands twice")
        slips[table] = seated
    if wrong:
        more = f"; and {len(wrong) - NAMED_MAX} more" if len(wrong) > NAMED_MAX else ""
        raise _bad(f"{file} cannot be taken: {'; '.join(wrong[:NAMED_MAX])}{more}")
    if not slips:
        raise _bad(f"{file} has no results")
    return list(slips.items())


def _slip(cells: list[str], shown: pb.GetRoundResponse) -> tuple[int, tuple[Seated, ...]]:
    while cells and not cells[-1]:  # a spreadsheet fills short rows up
        cells = cells[:-1]
    if not (cells[0].isascii() and cells[0].isdigit() and len(cells[0]) < 7):
        raise Refusal("bad_results", f"{cells[0]!r} is no number of a table", Kind.INVALID)
    table = table_of(shown, int(cells[0]))
    return table.number, seated_at(table, ",".join(cells[1:]), "")


def _bad(sentence: str) -> Refusal:
    return Refusal("bad_results", f"{sentence}.", Kind.INVALID)
