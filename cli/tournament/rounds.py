"""``pair``, ``extend``, ``cut`` and ``comment``: what is said of a round before and while it is played."""

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
    actor_of,
    carry_out,
    entries_in,
    made_id,
    pair_in,
    send,
)
from cli.tournament.present import print_round
from engine.kernel.durations import milliseconds
from engine.kernel.limits import TURN_MS_MAX
from engine.kernel.refusal import Kind, Refusal
from engine.tournament import commands as c
from services.kit.paper.figures import round_fields
from services.kit.wire.house import HouseClients


def pair(
    event: Event,
    swap: Annotated[list[str], typer.Option("--swap", help="3:9 change places in the draft; as often as needed.")] = [],  # noqa: B006 - Typer only reads it
    discard: Annotated[bool, typer.Option("--discard", help="Throw the draft away.")] = False,
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Draft the next round with the next seed of the chain, and show it. Nothing is public before ``publish``."""
    if discard and swap:
        raise Refusal("bad_option", "A draft is discarded or edited, not both.", Kind.INVALID)
    if discard:
        carry_out(event, c.DiscardDraft(reason), by, command_id, server, as_json=as_json)
        return
    pairs = [pair_in(text) for text in swap]
    name = made_id(command_id)

    async def use(clients: HouseClients) -> pb.GetRoundResponse:
        if not pairs:
            await _draft(clients, event, name, by, reason)
        for number, entries in enumerate(pairs):
            own_id = f"{name}-{number}" if number else name
            await send(clients, event, c.SwapInDraft(entries, reason), by, own_id)
        return await clients.tournament.round(event, draft=True)

    drafted = ask(server, use)
    if as_json:
        print_json({"event": event, "id": name, **round_fields(drafted)})
        return
    print_round(drafted, names_too=False)
    console.print(
        f"Edit: tavolata tournament pair {event} --swap A:B. Then: tavolata tournament publish {event}",
        markup=False,
        soft_wrap=True,
    )


async def _draft(clients: HouseClients, event: str, command_id: str, by: str, reason: str) -> None:
    """Raises ``Refusal``; where a draft is in the way, it says what can be done with that."""
    try:
        await clients.tournament.draft_round(event, command_id, actor_of(by), reason=reason)
    except Refusal as refusal:
        if refusal.code != "draft_exists":
            raise
        sentence = (
            f"{refusal.sentence.partition(';')[0].rstrip('.')} already. Look at it: tavolata tournament round {event} "
            f"--draft; throw it away: tavolata tournament pair {event} --discard; let it stand: tavolata tournament "
            f"publish {event}."
        )
        raise Refusal("draft_exists", sentence, Kind.EXISTS) from refusal


def extend(
    event: Event,
    time: Annotated[str, typer.Argument(metavar="TIME", help="10m, 1h30m.")],
    table: Annotated[int, typer.Option(min=0, help="Only this table.")] = 0,
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Give the round, or one table of it, more time."""
    try:
        ms = milliseconds(time, TURN_MS_MAX)
    except ValueError as error:
        raise Refusal("bad_duration", f"{str(error)[:1].upper()}{str(error)[1:]}.", Kind.INVALID) from error
    carry_out(event, c.ExtendClock(ms, table, reason), by, command_id, server, as_json=as_json)


def cut(
    event: Event,
    tied: Annotated[str, typer.Option("--tied", help="3,9,4: who is tied at the line, as a play-off has it.")] = "",
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """End the stage; the best of it make up the next."""
    carry_out(event, c.MakeCut(entries_in(tied), reason), by, command_id, server, as_json=as_json)


def comment(
    event: Event,
    text: Annotated[str, typer.Argument(metavar="TEXT")],
    by: By = DEFAULT_BY,
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Write a note into the log of the event."""
    carry_out(event, c.Comment(text), by, command_id, server, as_json=as_json)
