"""One bot in one seat, as a client: it watches as its seat, and acts when it is asked for.

Its command ids count its moves, so after a lost answer or a restart it sends the same move under the same id, and the
match has it once.

A bot with a pace lets its move wait, so that people can follow. It goes on reading meanwhile: while the time of its
move has not come, news come first, and a move that is not asked for any more is not made.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
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
from engine.kernel.ports import Clock, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Instant, Revision, Seat, SeatView, instant_of
from services.kit.clock import SystemClock
from services.kit.wire.clients import MatchClient, SpectatorClient

RETRY_S = (0.1, 0.2, 0.5, 1.0)
"""Pauses while a service cannot be reached; the last one repeats until the caller's deadline ends it all."""

MS: int = 1000
"""Microseconds in a millisecond."""

SHARE_OF_CLOCK = 4
"""A pace never takes more than one part in so many of the time that its seat has left."""

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
        *,
        pace_ms: int = 0,
        clock: Clock | None = None,
    ) -> None:
        self._game = game
        self._match_id = match_id
        self._mirror = Mirror(game, seat)
        self._brain = brain
        self._seed = seed
        self._matches = matches
        self._spectators = spectators
        self._on_move = on_move
        self._pace_us = pace_ms * MS
        self._clock = clock or SystemClock()
        self._due: Instant = 0
        """When its move is to be made; 0 while none is asked for."""
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
                    self._due = 0
                elif self._due and await self._is_behind(viewer):
                    self._due = 0  # what has happened meanwhile says what is asked now
                after = self._mirror.revision
                async with (
                    aclosing(self._spectators.facts(self._match_id, viewer, after=after)) as facts,
                    aclosing(self._between_moves(facts)) as news,
                ):
                    current = False
                    async for fact in news:
                        tries = 0
                        if not current:
                            # Asked for when the stream has begun: whatever is recalled on it is not newer than this.
                            self._newest = await self._newest_for(viewer)
                            current = True
                        self._take(fact)
                if self._mirror.revision and self._mirror.state.seed:
                    return
            except Unavailable as error:
                logger.debug("bot_waits", match=self._match_id, reason=error.code)
            await asyncio.sleep(RETRY_S[min(tries, len(RETRY_S) - 1)])
            tries += 1

    async def _newest_for(self, viewer: SeatView) -> Revision:
        return (await self._spectators.snapshot(self._match_id, viewer)).newest

    async def _is_behind(self, viewer: SeatView) -> bool:
        return self._mirror.revision < await self._newest_for(viewer)

    async def _between_moves(self, facts: AsyncGenerator[Fact, None]) -> AsyncGenerator[Fact, None]:
        """``facts`` as they come; between two of them our move, once it is due."""
        coming = asyncio.create_task(_next(facts))
        try:
            while True:
                await self._fact_or_due(coming)
                if not coming.done():
                    await self._move()
                    continue
                fact = coming.result()
                if fact is None:
                    return
                yield fact
                coming = asyncio.create_task(_next(facts))
        finally:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)

    async def _fact_or_due(self, coming: asyncio.Task[Fact | None]) -> None:
        """Until the next fact is there, or else the time of our move."""
        if not self._due:
            await asyncio.wait({coming})
        elif self._clock.now() < self._due:
            due = asyncio.ensure_future(self._clock.sleep_until(self._due))
            try:
                await asyncio.wait({coming, due}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                due.cancel()

    def _take(self, fact: Fact) -> None:
        sight = lot_named(f"{self._seed}/see/{fact.revision}")

        def see(event: Named, state: MatchState[Any]) -> None:
            if fact.revision > self._seen and not is_official(event):
                self._brain.see(event, state.game, sight)

        self._mirror.take(fact, see)
        self._seen = max(self._seen, fact.revision)
        if fact.revision < self._newest:
            return  # the past: it has been answered, and may have holes where there was a choice
        if not self._is_asked():
            self._due = 0
            return
        now = self._clock.now()
        due = now + self._patience_us(max(now, instant_of(fact.at)))  # the house's clock may be ahead of ours
        self._due = min(self._due, due) if self._due else due

    def _is_asked(self) -> bool:
        """Whether the match waits for a move of ours that is not under way."""
        mirror = self._mirror
        pending = mirror.pending
        ours = isinstance(pending, Seats) and mirror.seat in pending.seats
        return ours and not mirror.state.timing.paused and mirror.moves + 1 != self._sent

    def _patience_us(self, now: Instant) -> int:
        """How long our move may wait: the pace, where the clock leaves enough for it."""
        timing = self._mirror.state.timing
        if not timing.deadline:
            return self._pace_us
        return min(self._pace_us, timing.left_us(self._mirror.seat, now, pending=True) // SHARE_OF_CLOCK)

    async def _move(self) -> None:
        self._due = 0
        seat = self._mirror.seat
        move = self._mirror.moves + 1
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


async def _next(facts: AsyncGenerator[Fact, None]) -> Fact | None:
    """``None`` when they have ended."""
    return await anext(facts, None)
