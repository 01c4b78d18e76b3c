"""``status``: how a round is getting on, as one answer or as a screen that follows it.

The screen asks again when the event says that it has changed, and once in a while, for clocks run without events.
"""

import asyncio
import sys
from collections.abc import Callable
from contextlib import aclosing, suppress
from datetime import datetime
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, console, print_json, table_of
from cli.tournament.asking import Event
from cli.tournament.times import here_and_now, local_time, seconds_left, span
from engine.kernel.durations import duration_text
from engine.kernel.ports import Unavailable
from services.kit.paper.figures import fields_of
from services.kit.wire.house import HouseClients

PAUSE_S = 0.5
"""Between two questions at least, however much happens."""
LOOK_S = 5.0
"""After which a forecast is old though nothing has happened."""
TICK_S = 1.0
"""A clock shows seconds."""


def status(
    event: Event,
    once: Annotated[bool, typer.Option("--once", help="One answer, no screen.")] = False,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """How the event is getting on; on a terminal, live until the event is finished or Ctrl-C."""
    if as_json or once or not sys.stdout.isatty():
        found = ask(server, lambda clients: clients.tournament.status(event))
        if as_json:
            print_json(fields_of(found))
        else:
            console.print(screen_of(found, here_and_now()))
        return
    ask(server, lambda clients: _follow(clients, event))


def screen_of(found: pb.GetStatusResponse, now: datetime) -> RenderableType:
    """Everything on one screen; ``now`` says by its time zone where the reader is."""
    event = found.tournament
    lines = [Text(f"{event.name} ({event.tournament_id}) · {event.phase}", style="bold")]
    stage = f"{event.stage_name}, " if event.stage_name else ""
    if event.round:
        lines.append(Text(f"{stage}round {event.round} is {event.round_phase}; {event.entrants} entrants are in"))
        lines.append(_bar(found))
    else:
        lines.append(Text(f"{stage}{event.entrants} entrants are in; no round yet"))
    if event.drafted:
        lines.append(Text("A draft waits to be published."))
    if found.ends_at:
        lines.append(Text(f"clock     {_left(found.ends_at, now)}"))
    elif found.left_ms:
        lines.append(Text(f"clock     paused, {span(found.left_ms)} left"))
    if found.expected_end:
        middle, first, last = (local_time(at, now) for at in (found.expected_end, found.earliest_end, found.latest_end))
        lines.append(Text(f"forecast  over at {middle} (nine in ten: {first} to {last})"))
    if found.waits_for:
        lines.append(Text(f"waits for {found.waits_for.replace('_', ' ')}"))
    if found.slowest:
        rows = [(each.number, duration_text(each.playing_ms // 1000 * 1000), each.match_id) for each in found.slowest]
        return Group(*lines, table_of("Playing longest", ["table", "for", "match"], rows))
    return Group(*lines)


def _bar(found: pb.GetStatusResponse) -> Text:
    parts = [(found.done, "done", "●"), (found.open, "playing", "◐"), (found.waiting, "waiting", "○")]
    total = max(1, sum(count for count, _, _ in parts))
    width = min(total, 48)
    marks = "".join(sign * (count * width // total) for count, _, sign in parts)
    told = ", ".join(f"{count} {name}" for count, name, _ in parts if count)
    disputed = f", {found.disputed} disputed" if found.disputed else ""
    return Text(f"tables    {marks} {told}{disputed}")


def _left(ends_at: str, now: datetime) -> str:
    seconds = seconds_left(ends_at, now)
    if seconds is None:
        return ends_at
    if seconds < 0:
        return f"over for {duration_text(-seconds * 1000)}"
    return f"ends {local_time(ends_at, now)}, {duration_text(seconds * 1000)} left"


async def _follow(clients: HouseClients, event: str) -> None:
    changed = asyncio.Event()
    changed.set()
    watcher = asyncio.create_task(_tell(clients, event, changed.set))
    found: pb.GetStatusResponse | None = None
    asked = 0.0
    clock = asyncio.get_running_loop().time
    try:
        with Live(console=console, auto_refresh=False) as screen:
            while found is None or found.tournament.phase != "finished":
                if found is None or clock() - asked > (PAUSE_S if changed.is_set() else LOOK_S):
                    changed.clear()
                    asked = clock()
                    found = await clients.tournament.status(event)
                screen.update(screen_of(found, here_and_now()), refresh=True)
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), TICK_S)
                await asyncio.sleep(PAUSE_S if changed.is_set() else 0)
    finally:
        watcher.cancel()
        await asyncio.gather(watcher, return_exceptions=True)


async def _tell(clients: HouseClients, event: str, changed: Callable[[], None]) -> None:
    """For ever, over whatever breaks on the way."""
    while True:
        with suppress(Unavailable):
            async with aclosing(clients.tournament.watch(event)) as changes:
                async for _ in changes:
                    changed()
        await asyncio.sleep(PAUSE_S)
