"""``simulate``: a whole event with bots on the running house, the organiser's steps taken by themselves.

The bots sit down because their player ids ask for them; what the event does with their results is what it does with
anybody's.
"""

import asyncio
import hashlib
import secrets
import shlex
import sys
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Annotated, Self

import typer
from rich.live import Live
from rich.text import Text
from tavolata.tournament.v1 import tournament_pb2 as pb

from bots.attendant import BOT, asked_of
from bots.brains import brain_named
from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, console, errors, note, print_json
from cli.tournament.asking import DEFAULT_BY, By
from cli.tournament.organiser import Organiser
from cli.tournament.present import event_fields, standings_table
from cli.tournament.setup import configuration_in
from engine.games import find_game
from engine.tournament.config import Config, config_of
from engine.tournament.limits import ENTRANTS_MAX
from services.kit.paper.figures import standings_fields, standings_title
from services.kit.wire.house import HouseClients


def simulate(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The configuration.")],
    players: Annotated[int, typer.Option(min=2, max=ENTRANTS_MAX, help="How many enter.")],
    bots: Annotated[str, typer.Option(help="greedy, random, or a bot that all its games have.")] = "random",
    seed: Annotated[str, typer.Option(help="Any text; on one house the same text is the same event.")] = "",
    by: By = DEFAULT_BY,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Play a whole event with bots on the running house."""
    text = configuration_in(file)
    check_bots(config_of(text), bots)
    seed = seed or secrets.token_hex(4)
    event = f"sim-{event_name(f'{seed}/{bots}/{players}/{text}')}"

    async def use(clients: HouseClients) -> tuple[pb.Tournament, pb.GetStandingsResponse]:
        with Progress() as progress:
            organiser = Organiser(clients, event, by, progress.event)
            await organiser.open(text, bot_people(players, bots))
            await organiser.run()
        found = (await clients.tournament.tournament(event)).tournament
        return found, await clients.tournament.standings(event)

    try:
        found, standings = ask(server, use)
    except (KeyboardInterrupt, asyncio.CancelledError):
        again = ["tavolata", "tournament", "simulate", str(file), "--players", str(players), "--bots", bots]
        again += ["--seed", seed, *(["--by", by] if by != DEFAULT_BY else []), "--server", server]
        note(f"{event} stands where it was interrupted. To go on: {shlex.join(again)}")
        raise
    if as_json:
        print_json({"tournament": event_fields(found), "standings": standings_fields(standings)})
        return
    console.print(standings_table(standings, f"{found.name} ({event}): {standings_title(standings)}"))
    console.print(f"tavolata tournament export {event} --dir {event}", markup=False, soft_wrap=True)


def event_name(seed: str) -> str:
    """Six hex digits that follow from the text."""
    return hashlib.sha256(seed.encode()).hexdigest()[:6]


def bot_people(count: int, level: str) -> list[pb.Person]:
    """Entrants whose ids ask for bots, each id another one."""
    return [pb.Person(player=f"{BOT}{level}:{number}", name=f"Bot {number}") for number in range(1, count + 1)]


def check_bots(config: Config, level: str) -> None:
    """Raises ``Refusal`` for a game that is not there, or that has no such bot."""
    for stage in config.stages:
        for game in stage.games:
            brain_named(asked_of(f"{BOT}{level}").level, find_game(game), 0)


class Progress:
    """One line on stderr, and only on a terminal: stage, round, tables."""

    def __init__(self) -> None:
        self._live = Live(console=errors, auto_refresh=False, transient=True) if sys.stderr.isatty() else None
        self._event = pb.Tournament()
        self._tables: Counter[str] = Counter()

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def event(self, event: pb.Tournament) -> None:
        """The event as it stands."""
        self._event = event
        self.show()

    def table(self, what: str) -> None:
        """Something happened at a table: ``began``, ``moved`` or ``ended``."""
        self._tables[what] += 1
        self.show()

    def show(self) -> None:
        if self._live is not None:
            self._live.update(Text(self.line()), refresh=True)

    def line(self) -> str:
        event, tables = self._event, self._tables
        where = f"{event.stage_name} · round {event.round} {event.round_phase}" if event.round else event.phase
        told = f" · {tables['ended']} of {tables['began']} tables · {tables['moved']} moves" if tables else ""
        return f"{where}{told}"
