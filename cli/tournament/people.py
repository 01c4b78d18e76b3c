"""``register``, ``check-in``, ``seed``, ``apart``, ``penalty``, ``erase`` and what else is about people."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, console, print_json, print_table
from cli.tournament.asking import (
    DEFAULT_BY,
    By,
    CommandId,
    EntryNumber,
    Event,
    Reason,
    actor_of,
    carry_out,
    entries_in,
    made_id,
    pair_in,
)
from cli.tournament.look import ratings_of
from cli.tournament.people_file import people_in
from cli.tournament.present import entrant_fields
from engine.kernel.refusal import Kind, Refusal
from engine.tournament import commands as c
from engine.tournament.limits import ENTRIES_AT_ONCE
from services.kit.wire.house import HouseClients

Pair = Annotated[str, typer.Argument(metavar="PAIR", help="Two entrants: 3:9.")]


def register(
    event: Event,
    name: Annotated[str, typer.Option(help="Of one person.")] = "",
    contact: Annotated[str, typer.Option(help="E-mail or the like: tells two of one name apart.")] = "",
    alias: Annotated[str, typer.Option(help="The name for public pages.")] = "",
    player: Annotated[str, typer.Option(help="An opaque id that the house knows, or bot:LEVEL:NUMBER.")] = "",
    file: Annotated[Path | None, typer.Option(help="A CSV file: name,contact,alias.")] = None,
    unranked: Annotated[bool, typer.Option("--unranked", help="They fill tables and are not ranked.")] = False,
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Enter one person, or a file of them."""
    if (file is None) == (not name and not player):
        raise Refusal("bad_people", "Say --name of one person, or --file of many.", Kind.INVALID)
    people = people_in(file) if file else [pb.Person(player=player, name=name, contact=contact, alias=alias)]
    asked = made_id(command_id)
    entrants = ask(
        server, lambda clients: enter(clients, event, people, by, asked, unranked=unranked, reason=reason)
    )  # fmt: skip
    if as_json:
        print_json({"event": event, "id": asked, "entrants": [entrant_fields(each) for each in entrants]})
        return
    rows = [(each.entry, each.name, each.player, each.standing) for each in entrants]
    print_table("Entered", ["entrant", "name", "player", "is"], rows)


async def enter(
    clients: HouseClients,
    event: str,
    people: list[pb.Person],
    by: str,
    command_id: str,
    *,
    unranked: bool = False,
    reason: str = "",
) -> list[pb.Entrant]:
    """All of them, as many at once as a command takes; a repeat under the same id goes on where it broke off."""
    entrants: list[pb.Entrant] = []
    for part, first in enumerate(range(0, len(people), ENTRIES_AT_ONCE)):
        named = people[first : first + ENTRIES_AT_ONCE]
        own_id = f"{command_id}-{part}" if part else command_id
        answer = await clients.tournament.register(event, own_id, actor_of(by), named, unranked=unranked, reason=reason)
        entrants.extend(answer.entrants)
    return entrants


def check_in(
    event: Event,
    entry: Annotated[list[int], typer.Option("--entry", min=1, help="As often as needed.")] = [],  # noqa: B006 - Typer only reads it
    everybody: Annotated[bool, typer.Option("--all", help="Everybody who is in.")] = False,
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Say who is there. Only they are paired, unless the configuration asks for no check-in."""
    if everybody == bool(entry):
        raise Refusal("bad_entries", "Name entrants with --entry, or say --all.", Kind.INVALID)
    carry_out(event, c.CheckIn(tuple(entry), reason), by, command_id, server, as_json=as_json)


def check_out(
    event: Event,
    entry: Annotated[list[int], typer.Option("--entry", min=1, help="As often as needed.")],
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Say who is not there: they are not paired until they check in again."""
    carry_out(event, c.CheckOut(tuple(entry), reason), by, command_id, server, as_json=as_json)


def seed(
    event: Event,
    order: Annotated[str, typer.Argument(metavar="[ENTRIES]", help="3,1,2: the best first; the rest follow.")] = "",
    by_rating: Annotated[bool, typer.Option("--by-rating", help="In the order of the ratings of all games.")] = False,
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Seed the field, before the first round."""
    if bool(order) == by_rating:
        raise Refusal("bad_option", "Name the entrants, the best first, or say --by-rating.", Kind.INVALID)
    entries = ask(server, lambda clients: _by_rating(clients, event)) if by_rating else entries_in(order)
    carry_out(event, c.SetSeeds(entries, reason), by, command_id, server, as_json=as_json)


async def _by_rating(clients: HouseClients, event: str) -> tuple[int, ...]:
    """The rated entrants, the best first."""
    entrants = (await clients.tournament.tournament(event)).entrants
    entry_of = {each.player: each.entry for each in entrants if each.standing != "withdrawn"}
    return tuple(entry_of[each.player] for each in await ratings_of(clients, "") if each.player in entry_of)


def apart(
    event: Event,
    pair: Pair,
    points: Annotated[int, typer.Option(min=0, help="Points of spread it is worth; 0: whenever possible.")] = 0,
    first: Annotated[int, typer.Option("--from", min=1, help="The first round it holds in.")] = 1,
    last: Annotated[int, typer.Option("--to", min=0, help="The last round; 0: to the end.")] = 0,
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Keep two entrants from one table: a family, a club."""
    command = c.KeepApart(pair_in(pair), points, first, last, reason)
    carry_out(event, command, by, command_id, server, as_json=as_json)


def together(
    event: Event,
    pair: Pair,
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Let two meet again who were kept apart."""
    carry_out(event, c.LetMeet(pair_in(pair), reason), by, command_id, server, as_json=as_json)


def fix_table(
    event: Event,
    entry: EntryNumber,
    table: Annotated[int, typer.Argument(metavar="TABLE", min=0, help="Its number; 0: any.")],
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Give somebody the same table in every round."""
    carry_out(event, c.FixTable(entry, table, reason), by, command_id, server, as_json=as_json)


def heats(
    event: Event,
    entry: EntryNumber,
    numbers: Annotated[str, typer.Argument(metavar="HEATS", help="1,3")],
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Say which heats of the stage somebody plays."""
    carry_out(event, c.EnterHeats(entry, entries_in(numbers, "Heats"), reason), by, command_id, server, as_json=as_json)


def penalty(
    event: Event,
    entry: EntryNumber,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="warning, points, table_loss or disqualification.")],
    points: Annotated[str, typer.Option(help="What is taken away: 3, 1/2.")] = "0",
    round_number: Annotated[int, typer.Option("--round", min=0, help="0 is the newest.")] = 0,
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Give a penalty; standings and pairings count it at once."""
    command = c.Penalise(entry, kind, points, round_number, reason)
    carry_out(event, command, by, command_id, server, as_json=as_json)


def revoke(
    event: Event,
    number: Annotated[int, typer.Argument(metavar="PENALTY", min=1, help="The number of the penalty.")],
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Take a penalty back."""
    carry_out(event, c.RevokePenalty(number, reason), by, command_id, server, as_json=as_json)


def erase(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="The opaque id.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Forget a person's name and contact for ever. Logs and archives keep the id and still verify."""
    if not yes and not sys.stdin.isatty():
        raise Refusal("bad_option", "This cannot be undone: say --yes.", Kind.INVALID)
    if not yes:
        typer.confirm(f"Forget who {player} is, for ever?", abort=True, err=True)
    before = ask(server, lambda clients: clients.tournament.erase(player))
    if as_json:
        print_json({"player": player, "duplicate": before})
    else:
        console.print(f"{player} is {'already ' if before else ''}forgotten.", markup=False)
