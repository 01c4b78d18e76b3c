"""All who watch one match as the same viewer in the same language.

An audience has one upstream and a list of encoded frames; a reader is a cursor on that list. So a frame is encoded
once, a slow reader costs nothing, and none has a queue that could overflow. A reader that has fallen behind the list
is told the position anew (``reset``) and goes on from there.

What happened before a reader came it is told by an upstream of its own, where the list does not hold it. In a game of
memory it never does: what may be looked back at while it runs is the spectator service's to say, and not what happens
to have been kept here (docs/decisions/0018-a-closed-past.md).
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Final

from tavolata.spectator.v1 import spectator_pb2

from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, Viewer
from services.gateway.streams.frames import HEARTBEAT, Frame, end_frame, fact_frame, farewell, frame, trouble_frame
from services.gateway.streams.positions import position_frame
from services.kit.pulse import Pulse
from services.kit.wire.clients import SpectatorClient

FRAMES_KEPT: Final = 1_024
"""Of one audience at least; more revisions than most matches have."""

HEARTBEAT_SECONDS: Final = 15.0
RETRY_SECONDS: Final = (0.1, 0.2, 0.5, 1.0)

AWAY: Final = frame("away", 0, {})
"""The house cannot be reached just now. What is missed meanwhile will be told."""


class Audience:
    """``run`` keeps it told until the match is complete; ``follow`` is one reader."""

    def __init__(
        self, spectator: SpectatorClient, match: str, viewer: Viewer, language: str, *, after: Revision | None = None
    ) -> None:
        """``after`` is for an audience of one: it is told from there, by the spectator service itself."""
        self._spectator = spectator
        self._match = match
        self._viewer = viewer
        self._language = language
        self._after = after
        self._pulse = Pulse()
        self._frames: list[Frame] = []
        self._head: Revision = 0
        """Of the newest fact; the frames lead up to it without a gap."""
        self._position: Frame | None = None
        self._open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._past_is_open = True
        self._complete = False
        self._away = False
        self._stopped = False
        self._failure: Refusal | Failed | None = None
        self.game = ""
        """The key of its game, once there is something to see."""
        self.readers = 0

    async def opened(self) -> bool:
        """When there is something to see: whether its past is open. Raises what the house says about the match."""
        await asyncio.shield(self._open)
        return self._past_is_open

    def stop(self) -> None:
        """Readers are sent away; they will come again."""
        self._stopped = True
        self._pulse.beat()

    # -- upstream --------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        positions = asyncio.create_task(self._persist(self._take_positions))
        try:
            await asyncio.wait({positions, self._open}, return_when=asyncio.FIRST_COMPLETED)
            if self._open.done() and self._failure is None:
                await self._persist(self._take_facts)
            await positions
        finally:
            positions.cancel()
            self._complete = True
            self._pulse.beat()

    async def _persist(self, take: Callable[[], Awaitable[None]]) -> None:
        """Until ``take`` has come to its end: whatever breaks is taken up again where it was."""
        tries = 0
        while self._failure is None:
            before = self._head, self._position
            try:
                await take()
                return
            except Unavailable as error:
                if not self._open.done():
                    self._fail(error)
                    return
                tries = 0 if before != (self._head, self._position) else tries + 1
                self._tell_away(True)
                await asyncio.sleep(RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)])
            except (Refusal, Failed) as error:
                self._fail(error)

    async def _take_positions(self) -> None:
        positions = self._spectator.positions(self._match, self._viewer, language=self._language)
        async with aclosing(positions):
            async for position in positions:
                self._position = position_frame(position)
                self._tell_away(False)
                if not self._open.done():
                    self._begin(position)
                self._pulse.beat()

    def _begin(self, position: spectator_pb2.Position) -> None:
        self.game = position.game
        self._past_is_open = position.past_is_open
        if self._after is not None:
            self._head = min(self._after, position.revision)
        else:
            self._head = max(0, position.revision - FRAMES_KEPT) if self._past_is_open else position.revision
        self._open.set_result(None)

    async def _take_facts(self) -> None:
        facts = self._spectator.facts(self._match, self._viewer, after=self._head, language=self._language)
        async with aclosing(facts):
            async for fact in facts:
                self._frames.append(fact_frame(fact))
                self._head = fact.revision
                if len(self._frames) > 2 * FRAMES_KEPT:
                    del self._frames[:FRAMES_KEPT]
                self._pulse.beat()

    def _tell_away(self, away: bool) -> None:
        if away != self._away:
            self._away = away
            self._pulse.beat()

    def _fail(self, error: Refusal | Failed | Unavailable) -> None:
        if not self._open.done():
            self._open.set_exception(error)
            self._open.exception()  # seen: nobody may be waiting
        self._failure = error if not isinstance(error, Unavailable) else Failed(error.code, error.sentence)
        self._pulse.beat()

    # -- readers ---------------------------------------------------------------------------------------------------

    async def follow(self, after: Revision | None) -> AsyncGenerator[Frame, None]:
        """Every fact behind ``after`` once and in order, and the position whenever it has changed.

        Without ``after``, or with one that has not been yet, first the position and then what follows it.
        """
        await self.opened()
        shown = 0
        cursor = after
        if cursor is None or cursor > max(self._head, self._at):
            cursor, shown = self._at, self._at
            yield self._now if after is None else _reset(self._now)
        if self._after is None and (cursor < self._first - 1 or (cursor < self._head and not self._past_is_open)):
            async with aclosing(self._past(cursor)) as past:
                async for each in past:
                    cursor = each.revision
                    yield each
        told_away = False
        while True:
            if cursor < self._first - 1:
                cursor = shown = self._at
                yield _reset(self._now)
            elif cursor < self._head:
                yield self._frames[cursor + 1 - self._first]
                cursor += 1
            elif self._at > shown and cursor >= self._at:
                shown = self._at
                yield self._now
            elif self._stopped:
                yield farewell(random.randrange(200, 2_000))  # noqa: S311 - so that not all come at once
                return
            elif self._failure is not None:
                yield trouble_frame(self._failure.code, self._failure.sentence)
                return
            elif self._complete:
                yield end_frame(cursor)
                return
            elif self._away != told_away:
                told_away = self._away
                yield AWAY if told_away else self._now
            elif not await self._news():
                yield HEARTBEAT

    async def _past(self, after: Revision) -> AsyncGenerator[Frame, None]:
        facts = self._spectator.facts(self._match, self._viewer, after=after, language=self._language)
        async with aclosing(facts):
            async for fact in facts:
                yield fact_frame(fact)
                if fact.revision >= self._head:
                    return

    async def _news(self) -> bool:
        """False if nothing came in all the time until a heartbeat is due."""
        try:
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                await self._pulse.wait()
        except TimeoutError:
            return False
        return True

    @property
    def _first(self) -> Revision:
        """Of the frames that are here; the one after the head if there are none."""
        return self._head + 1 - len(self._frames)

    @property
    def _now(self) -> Frame:
        assert self._position is not None
        return self._position

    @property
    def _at(self) -> Revision:
        return self._now.revision


def _reset(position: Frame) -> Frame:
    """A position for a reader that has lost its place: it goes on from this revision, whatever it had before."""
    return Frame(
        position.revision,
        position.sse.replace(b"event: position\n", b"event: reset\nid: %d\n" % position.revision, 1),
        position.line.replace(b'"event":"position"', b'"event":"reset"', 1),
    )
