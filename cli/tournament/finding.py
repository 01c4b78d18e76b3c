"""``find``, ``entrant`` and ``bracket``: where somebody is, what they have played, and who goes on where."""

from typing import Annotated

import typer
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, console, print_json, print_table
from cli.tournament.asking import EntryNumber, Event
from cli.tournament.look import StageNumber
from cli.tournament.present import PEOPLE_OF_A_TABLE, place_text, table_state
from services.kit.paper.figures import fields_of, figure, line_fields


def find(
    text: Annotated[str, typer.Argument(metavar="NAME", help="A part of a public name, as you would type it.")],
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Players by their public name: the events they have entered, and the table they sit at now."""
    found = ask(server, lambda clients: clients.tournament.find_players(text)).players
    if as_json:
        print_json([fields_of(each) for each in found])
        return
    rows = [
        (each.name, event.tournament_id, event.name, event.entry, event.standing, seat_text(event))
        for each in found
        for event in each.entered
    ]
    print_table("Players", ["name", "event", "", "no.", "is", "sits at"], rows)


def seat_text(event: pb.Entered) -> str:
    """``round 2, table 7, seat 3``; empty for who sits nowhere. People count seats from 1."""
    now = event.now
    return f"round {now.round}, table {now.table}, seat {now.seat}" if event.HasField("now") else ""


def entrant(event: Event, entry: EntryNumber, server: Server = DEFAULT_SERVER, as_json: Json = False) -> None:
    """One entrant: where to sit, the place in the standings, and round by round table, opponents, place and points."""
    found = ask(server, lambda clients: clients.tournament.entrant(event, entry))
    if as_json:
        line = line_fields(found.line, found.keys) if found.HasField("line") else None
        print_json(fields_of(found) | {"line": line})
        return
    who = found.entrant
    place = f", place {found.line.place}" if found.line.place else ""
    there = "" if who.present else ", not checked in"
    console.print(f"{who.name} ({who.entry}) is {who.standing}{there}{place}.", markup=False)
    if found.HasField("seat"):
        seat = found.seat
        sentence = f"Round {seat.round} is {seat.round_phase}: table {seat.table}, seat {seat.seat}."
        console.print(sentence, markup=False)
    rows = [
        (
            each.round,
            each.table.number or each.kind,
            PEOPLE_OF_A_TABLE.join(map(place_text, each.table.places)),
            figure(each.points),
        )
        for each in found.history
    ]
    print_table("Rounds", ["round", "table", "in seat order", "points"], rows)


def bracket(event: Event, stage: StageNumber = 0, server: Server = DEFAULT_SERVER, as_json: Json = False) -> None:
    """An elimination: its tables round by round, who goes on to which table, and the rounds to come."""
    found = ask(server, lambda clients: clients.tournament.bracket(event, stage=stage))
    if as_json:
        print_json(fields_of(found))
        return
    if not found.rounds:
        console.print("Nobody knows yet how many will play.")
    for number, each in enumerate(found.rounds, 1):
        what = f"{each.entrants} entrants, tables of {', '.join(map(str, each.sizes))}"
        title = "Final" if number == len(found.rounds) else f"Round {number} of {found.name}"
        console.print(f"{title} is {each.phase}: {what}.", markup=False, soft_wrap=True)
        onwards = {going.entry: going.to_table for going in each.going}
        rows = [
            (table.number, table_state(table), PEOPLE_OF_A_TABLE.join(place_text(place) for place in table.places),
             ", ".join(onwards_text(place, onwards) for place in table.places if place.entry in onwards))
            for table in each.tables
        ]  # fmt: skip
        if rows:
            print_table(title, ["table", "is", "in seat order", "go on"], rows)
        if each.byes:
            names = ", ".join(f"{bye.name} ({bye.entry})" for bye in each.byes)
            console.print(f"Bye: {names}", markup=False)


def onwards_text(place: pb.Place, onwards: dict[int, int]) -> str:
    """``Ana to table 2``; ``Ana`` while the next round is not published."""
    table = onwards[place.entry]
    return f"{place.name} to table {table}" if table else place.name
