"""One match, and what a bot asks of the services, without a wire: time moves when the test says so."""

import asyncio
from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any

import msgspec

from bots.brains import RandomBrain
from bots.player import Player
from engine.games import find_game
from engine.kernel.codec import Named, Recorded
from engine.kernel.commit import HOST, decode_line, seat_actor
from engine.kernel.facts import Fact, fact_of
from engine.kernel.game import Seats
from engine.kernel.ports import Unavailable
from engine.kernel.value import Revision, Seat, Viewer
from services.kit.pulse import Pulse
from tests.kit.table import Table
from tests.services.curtains import Watch

REST_STEPS = 50
"""Turns of the event loop in which everybody who was woken has done what follows."""


class OneTable:
    """The rules and the spectators of one match of two seats."""

    def __init__(self, game: str, turn_ms: int = 0) -> None:
        self.clock = Watch()
        self.start = self.clock.now()
        self.table = Table(find_game(game))
        self.table.now = self.start
        self.table.open(2, turn_ms=turn_ms).settle()
        pending = self.table.pending
        assert isinstance(pending, Seats)
        self.seat: Seat = pending.seats[0]
        self.moves: list[tuple[int, str]] = []
        """Of the bot, refused ones included: milliseconds since the start, command id."""
        self.is_away = False
        self._news = Pulse()

    def bot(self, pace_ms: int) -> Player:
        """In the first seat that is asked."""
        game = self.table.match.game
        services: Any = self
        brain = RandomBrain(game, self.seat)
        return Player(game, "m-test", self.seat, brain, "lots", services, services, pace_ms=pace_ms, clock=self.clock)

    async def after(self, ms: int) -> list[tuple[int, str]]:
        """The moves of the bot when so much more time has passed."""
        await rest()
        self.clock.forward(ms)
        await rest()
        return self.moves

    def say(self, actor: str, command: Named | Recorded, command_id: str = "") -> None:
        """A command at the time of the clock, and what the house does after it."""
        self.table.now = self.clock.now()
        self.table.say(actor, command, command_id)
        self.table.settle()
        self._news.beat()

    def direct(self, command: Named) -> None:
        self.say(HOST, command)

    def other_moves(self) -> None:
        """The first legal move of the other seat."""
        game, other = self.table.match.game, 1 - self.seat
        self.say(seat_actor(other), next(iter(game.legal(self.table.state.game, other))))

    def close(self) -> None:
        self.table.close()
        self._news.beat()

    def hang_up(self) -> None:
        """Nobody answers until ``is_away`` is false again."""
        self.is_away = True
        self._news.beat()

    # -- as the clients have it ------------------------------------------------------------------------------------

    async def facts(self, match_id: str, viewer: Viewer, *, after: Revision) -> AsyncGenerator[Fact, None]:
        came, cursor = len(self.table.lines), after
        while True:
            self._answer()
            while cursor < len(self.table.lines):
                commit = decode_line(self.table.lines[cursor])
                recalled = cursor < came and not self.table.match.game.past_is_open
                yield fact_of(self.table.match, commit, viewer, now=self.table.state if recalled else None)
                cursor += 1
            if self.table.state.seed:
                return
            await self._news.wait()

    async def snapshot(self, match_id: str, viewer: Viewer) -> Any:
        self._answer()
        return SimpleNamespace(newest=self.table.history.revision)

    async def act(self, match_id: str, command_id: str, seat: Seat, command_json: str) -> None:
        self._answer()
        self.moves.append(((self.clock.now() - self.start) // 1000, command_id))
        self.say(seat_actor(seat), msgspec.json.decode(command_json, type=Recorded), command_id)

    def _answer(self) -> None:
        if self.is_away:
            raise Unavailable("service_unavailable", "It is away.")


async def rest() -> None:
    for _ in range(REST_STEPS):
        await asyncio.sleep(0)
