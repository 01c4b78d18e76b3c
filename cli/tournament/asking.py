"""What the commands of an organiser share: their arguments, how a command is sent, and what is said when it is a fact.

An organiser's action is a command of the engine with a reason. Its id is the caller's, so a script that repeats a call
under the same ``--id`` has done it once.
"""

import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
import typer
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.client import ask
from cli.output import console, print_json
from cli.tournament.changes import change_fields, names_for, print_changes
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip
from engine.tournament.actors import ORGANISER, PLAYER
from engine.tournament.commands import COMMANDS, Command
from engine.tournament.played import Entry, Seated
from services.kit.wire.house import HouseClients

Event = Annotated[str, typer.Argument(metavar="EVENT", help="The id of an event.")]
RoundNumber = Annotated[int, typer.Argument(metavar="ROUND", min=1, help="The number of a round.")]
TableNumber = Annotated[int, typer.Argument(metavar="TABLE", min=1, help="The number of a table.")]
EntryNumber = Annotated[int, typer.Argument(metavar="ENTRY", min=1, help="The number of an entrant.")]
By = Annotated[str, typer.Option("--by", help="Who asks: an organiser's name, or player:ENTRY.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; it stands in the log.")]
CommandId = Annotated[str, typer.Option("--id", help="Kept for retries; made up if it is left out.")]
DEFAULT_BY = "organiser"

_NUMBER = re.compile(r"-?[0-9]{1,9}")


def actor_of(by: str) -> str:
    """``organiser:ana`` for ``ana``; ``player:7`` as it is."""
    if re.fullmatch(rf"{PLAYER}[1-9][0-9]*", by):
        return by
    return f"{ORGANISER}{by}"


def made_id(command_id: str) -> str:
    """The caller's id, or one that nobody else has."""
    return command_id or f"c{secrets.token_hex(8)}"


def json_of(command: Command) -> str:
    """The stored form of a command, as the service takes it."""
    return msgspec.json.encode(COMMANDS.encode(command)).decode()


class Receipt(NamedTuple):
    """A command that is a fact, and the names of whom it changes something for."""

    event: str
    command_id: str
    response: pb.CommandResponse
    names: Mapping[int, str]


async def send(clients: HouseClients, event: str, command: Command, by: str, command_id: str) -> pb.CommandResponse:
    """Raises ``Refusal``; nothing has changed then."""
    return await clients.tournament.command(event, command_id, actor_of(by), json_of(command))


async def receipt_of(clients: HouseClients, event: str, command: Command, by: str, command_id: str) -> Receipt:
    """Raises ``Refusal``; nothing has changed then."""
    response = await send(clients, event, command, by, command_id)
    return Receipt(event, command_id, response, await names_for(clients, event, response.changes))


def carry_out(event: str, command: Command, by: str, command_id: str, server: str, *, as_json: bool) -> None:
    """Send one command and print its receipt. Raises ``Refusal``."""
    name = made_id(command_id)
    print_receipt(ask(server, lambda clients: receipt_of(clients, event, command, by, name)), as_json=as_json)


def print_receipt(receipt: Receipt, *, as_json: bool) -> None:
    """That the command is a fact, what it made happen, and every published number that is another one now."""
    if as_json:
        print_json(receipt_fields(receipt))
        return
    response = receipt.response
    happened = ", ".join(_words(each) for each in response.events)
    before = "accepted before, as" if response.duplicate else "accepted as"
    console.print(f"{before} revision {response.revision}{f': {happened}' if happened else ''}", markup=False)
    print_changes(response.changes, receipt.names)


def receipt_fields(receipt: Receipt) -> dict[str, Any]:
    response = receipt.response
    return {
        "event": receipt.event,
        "id": receipt.command_id,
        "revision": response.revision,
        "duplicate": response.duplicate,
        "events": list(response.events),
        "changes": [change_fields(change, receipt.names) for change in response.changes],
    }


def entries_in(text: str, what: str = "Entrants") -> tuple[Entry, ...]:
    """``3,1,2`` → (3, 1, 2). Raises ``Refusal``."""
    parts = text.split(",") if text else []
    if not all(part.isascii() and part.isdigit() and 0 < int(part) < 10**6 for part in parts):
        raise Refusal("bad_entries", f"{what} are numbers with commas between, not {clip(text)}.", Kind.INVALID)
    return tuple(map(int, parts))


def pair_in(text: str) -> tuple[Entry, Entry]:
    """``3:9`` → (3, 9). Raises ``Refusal``."""
    first, _, second = text.partition(":")
    if not (first.isascii() and first.isdigit() and second.isascii() and second.isdigit()):
        raise Refusal("bad_entries", f"Two entrants are written 3:9, not {clip(text)}.", Kind.INVALID)
    return int(first[:9]), int(second[:9])


def scores_in(text: str) -> tuple[int, ...]:
    """``61,58,40`` → (61, 58, 40). Raises ``Refusal``."""
    parts = text.split(",")
    if not all(_NUMBER.fullmatch(part) for part in parts):
        raise Refusal("bad_scores", f"Scores are integers with commas between, not {clip(text)}.", Kind.INVALID)
    return tuple(map(int, parts))


def seated_at(table: pb.Table, scores: str, places: str) -> tuple[Seated, ...]:
    """The result of a table from what was typed: scores in seat order, places if they do not follow from these.

    Places alone keep the scores that stand. Raises ``Refusal`` unless there is one for each who came.
    """
    came = [place for place in table.places if not place.no_show]
    totals = scores_in(scores) if scores else tuple(int(place.score) for place in came)
    ranks = scores_in(places) if places else places_of(totals)
    if not scores and not places:
        raise Refusal("bad_scores", "Say the scores in seat order, or --places.", Kind.INVALID)
    if len(totals) != len(came) or len(ranks) != len(came):
        names = ", ".join(f"{place.name or place.player} ({place.entry})" for place in came)
        raise Refusal(
            "bad_scores", f"Table {table.number} has {len(came)} who came, in seat order: {names}.", Kind.INVALID
        )
    return tuple(Seated(place.entry, rank, total) for place, rank, total in zip(came, ranks, totals, strict=True))


def places_of(scores: Sequence[int]) -> tuple[int, ...]:
    """The most points are first, equal ones share a place: (61, 58, 58, 12) → (1, 2, 2, 4)."""
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def table_of(found: pb.GetRoundResponse, number: int) -> pb.Table:
    """Raises ``Refusal`` for a table that the round has not."""
    for table in found.tables:
        if table.number == number:
            return table
    raise Refusal("unknown_table", f"Round {found.round} has no table {number}.", Kind.MISSING)


def _words(event: str) -> str:
    """``tournament.round_published`` → ``round published``."""
    return event.rpartition(".")[2].replace("_", " ")
