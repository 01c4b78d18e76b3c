"""One bot in one seat, as a client: it watches as its seat, and acts when it is asked for.

Its command ids count its moves, so after a lost answer or a restart it sends the same move under the same id, and the
match has it once.
"""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import msgspec
import structlog

from bots.brains import AnyBrain, lot_named
from bots.mirror import Mirror
from engine.kernel.codec import Named
from engine.kernel.facts import Fact
from engine.kernel.game import AnyGame, Seats
from engine.kernel.match import MatchState, is_official
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Seat, SeatView
from services.kit.wire.clients import MatchClient, SpectatorClient

RETRY_S = (0.1, 0.2, 0.5, 1.0)
"""Pauses while a service cannot be reached; the last one repeats until the caller's deadline ends it all."""

TOO_LATE = frozenset(
    {
        "match_over",
        "seat_has_left",
        "not_your_turn",
        "luck_pending",
        "house_pending",
        "match_paused",
        "time_called",
    }
)
"""Somebody left, the clock was quicker, or a director stopped the match."""

logger = structlog.get_logger()


class Player:
    """Plays one seat of one match to its end, through whatever breaks on the way."""

    def __init__(
        self,
        game: AnyGame,
        match_id: str,
        seat: Seat,
        brain: AnyBrain,
        seed: str,
        matches: MatchClient,
        spectators: SpectatorClient,
        on_move: Callable[[], None] = lambda: None,
    ) -> None:
        self._game = game
        self._match_id = match_id
        self._mirror = Mirror(game, seat)
        self._brain = brain
        self._seed = seed
        self._matches = matches
        self._spectators = spectators
        self._on_move = on_move
        self._sent = 0
        self._seen = 0
        """The newest revision that the brain has seen; it sees each once, whatever the mirror is told again."""
        self._newest = 0

    async def play(self) -> None:
        """Returns when the match is complete. Raises ``Refusal`` if a move of ours is refused: that is a fault of ours;
        ``Failed`` if the match is damaged.
        """
        viewer = SeatView(self._mirror.seat)
        tries = 0
        while True:
            try:
                if not self._game.past_is_open:
                    # What is recalled of a closed past leads to the present only from the beginning.
                    self._mirror = Mirror(self._game, viewer.seat)
                after = self._mirror.revision
                async with aclosing(self._spectators.facts(self._match_id, viewer, after=after)) as facts:
                    current = False
                    async for fact in facts:
                        tries = 0
                        if not current:
                            # Asked for when the stream has begun: whatever is recalled on it is not newer than this.
                            self._newest = (await self._spectators.snapshot(self._match_id, viewer)).newest
                            current = True
                        await self._answer(fact)
                if self._mirror.revision and self._mirror.state.seed:
                    return
            except Unavailable as error:
                logger.debug("bot_waits", match=self._match_id, reason=error.code)
            await asyncio.sleep(RETRY_S[min(tries, len(RETRY_S) - 1)])
            tries += 1

    async def _answer(self, fact: Fact) -> None:
        sight = lot_named(f"{self._seed}/see/{fact.revision}")

        def see(event: Named, state: MatchState[Any]) -> None:
            if fact.revision > self._seen and not is_official(event):
                self._brain.see(event, state.game, sight)

        self._mirror.take(fact, see)
        self._seen = max(self._seen, fact.revision)
        if fact.revision < self._newest:
            return  # the past: it has been answered, and may have holes where there was a choice
        pending = self._mirror.pending
        seat = self._mirror.seat
        if not isinstance(pending, Seats) or seat not in pending.seats or self._mirror.state.timing.paused:
            return
        move = self._mirror.moves + 1
        if move == self._sent:
            return  # others moved meanwhile; ours is under way
        command = self._brain.choose(self._mirror.state.game, lot_named(f"{self._seed}/{move}"))
        text = msgspec.json.encode(self._game.commands.encode(command)).decode()
        if await self._send(f"bot-{seat}-{move}", text):
            self._sent = move
            self._on_move()

    async def _send(self, command_id: str, text: str) -> bool:
        """Whether the move is a fact; if not, a newer fact says what is asked now, and is on its way."""
        tries = 0
        while True:
            try:
                await self._matches.act(self._match_id, command_id, self._mirror.seat, text)
                return True
            except Unavailable as error:
                logger.debug("bot_waits", match=self._match_id, reason=error.code)
                await asyncio.sleep(RETRY_S[min(tries, len(RETRY_S) - 1)])
                tries += 1
            except Refusal as error:
                if error.code in TOO_LATE:
                    return False
                raise
