"""``status``: how a round is getting on, as one answer or as a screen that follows it.

The screen asks again when the event says that it has changed, and once in a while, for clocks run without events.
"""

import asyncio
import sys
from collections.abc import Callable
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, console, print_json, table_of
from cli.tournament.asking import Event
from cli.tournament.present import fields_of
from engine.kernel.durations import duration_text
from engine.kernel.ports import Unavailable
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
            console.print(screen_of(found, datetime.now(UTC)))
        return
    ask(server, lambda clients: _follow(clients, event))


def screen_of(found: pb.GetStatusResponse, now: datetime) -> RenderableType:
    """Everything on one screen."""
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
    if found.expected_end:
        span = f"{clock_time(found.earliest_end)} to {clock_time(found.latest_end)}"
        lines.append(Text(f"forecast  over at {clock_time(found.expected_end)} (nine in ten: {span})"))
    if found.waits_for:
        lines.append(Text(f"waits for {found.waits_for.replace('_', ' ')}"))
    if found.slowest:
        rows = [(each.number, duration_text(each.playing_ms // 1000 * 1000), each.match_id) for each in found.slowest]
        return Group(*lines, table_of("Playing longest", ["table", "for", "match"], rows))
    return Group(*lines)


def clock_time(at: str) -> str:
    """``2026-05-01T17:04:05.000000Z`` → ``17:04 UTC``."""
    return f"{at[11:16]} UTC" if len(at) >= 16 else at


def _bar(found: pb.GetStatusResponse) -> Text:
    parts = [(found.done, "done", "●"), (found.open, "playing", "◐"), (found.waiting, "waiting", "○")]
    total = max(1, sum(count for count, _, _ in parts))
    width = min(total, 48)
    marks = "".join(sign * (count * width // total) for count, _, sign in parts)
    told = ", ".join(f"{count} {name}" for count, name, _ in parts if count)
    disputed = f", {found.disputed} disputed" if found.disputed else ""
    return Text(f"tables    {marks} {told}{disputed}")


def _left(ends_at: str, now: datetime) -> str:
    with suppress(ValueError):
        seconds = int((datetime.fromisoformat(ends_at) - now).total_seconds())
        return f"{duration_text(seconds * 1000)} left" if seconds >= 0 else f"over for {duration_text(-seconds * 1000)}"
    return ends_at


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
                screen.update(screen_of(found, datetime.now(UTC)), refresh=True)
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
