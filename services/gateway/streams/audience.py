"""All who watch one match as the same viewer in the same language.

An audience has one upstream of facts, one of positions, and a list of encoded frames; a reader is a place on that list
(``services/gateway/streams/place.py``). So a frame is encoded once, a slow reader costs nothing, and none has a queue
that could overflow.

What happened before a reader came it is told by an upstream of its own, where the list does not hold it. In a game of
memory it never does: what may be looked back at while it runs is the spectator service's to say, and not what happens
to have been kept here (docs/decisions/0018-a-closed-past.md).
"""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Final

import structlog
from tavolata.spectator.v1 import spectator_pb2

from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, SeatView
from services.gateway.streams.frames import Frame, fact_frame, frame
from services.gateway.streams.positions import patch_frame, position_frame
from services.kit.lookers import Looker
from services.kit.pulse import Pulse
from services.kit.wire.clients import SpectatorClient

FRAMES_KEPT: Final = 1_024
"""Of one audience at least; more revisions than most matches have."""

HEARTBEAT_SECONDS: Final = 15.0
RETRY_SECONDS: Final = (0.1, 0.2, 0.5, 1.0)

OPEN_SECONDS: Final = 2.0
"""For the house to show a match. Who is told to ask again then finds it shown: the audience goes on opening."""

TOGETHER_SECONDS: Final = 0.025
"""A fact waits so long for its position, and a position for its facts: then a reader is woken once for both."""

BEHIND_TRIES: Final = 8
"""How often a house that knows less than it has told is asked again before it is taken for one that begins anew."""

AWAY: Final = frame("away", 0, {})
"""What a stream that is about no single match says while the house cannot be reached."""

logger = structlog.get_logger()


class Audience:
    """``run`` keeps it told until the match is complete, or until nothing more can be told."""

    def __init__(
        self,
        spectator: SpectatorClient,
        match: str,
        viewer: Looker,
        language: str,
        *,
        alone: bool = False,
        after: Revision | None = None,
    ) -> None:
        """``alone`` is for an audience of one: it is told from ``after`` on, by the spectator service itself."""
        self.match = match
        self.alone = alone
        self._spectator = spectator
        self.viewer = viewer
        self._language = language
        self._after = after
        self._pulse = Pulse()
        self._together: asyncio.TimerHandle | None = None
        self.listeners: set[Callable[[], object]] = set()
        """Are called after every beat, one after the other; none may wait, or raise."""
        self._sweep: asyncio.Handle | None = None
        self._frames: list[Frame] = []
        self.head: Revision = 0
        """Of the newest fact; the frames lead up to it without a gap."""
        self._before: spectator_pb2.Position | None = None
        self._position: spectator_pb2.Position | None = None
        self.at: Revision = 0
        """Of the newest position."""
        self._shown: Frame | None = None
        self._patch: Frame | None = None
        self._is_patched = False
        self.batches: dict[tuple[int, Revision, Revision, bool], Frame] = {}
        """What is new to the readers at one place, put together once for all of them; emptied when there is more."""
        self._open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.past_is_open = True
        """As the match stood when the audience was opened."""
        self.epoch = 0
        """Another one when the house has begun anew, and nothing that was told holds any more."""
        self.heartbeats = 0
        self.away = False
        self.complete = False
        self.stopped = False
        self.failure: Refusal | Failed | None = None
        self.game = ""
        """The key of its game, once there is something to see."""
        self.readers = 0

    async def opened(self) -> None:
        """When there is something to see. Raises what the house says about the match, or ``Unavailable``."""
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                await asyncio.shield(self._open)
        except TimeoutError:
            raise Unavailable("deadline_exceeded", "The house has not answered yet; ask again in a moment.") from None

    @property
    def is_private(self) -> bool:
        """What is told once is told to one: in a game of memory a reader in a seat shares nothing."""
        return isinstance(self.viewer, SeatView) and not self.past_is_open

    @property
    def is_over(self) -> bool:
        """Nothing more is told from here."""
        return self.stopped or self.complete or self.failure is not None

    def stop(self) -> None:
        """Readers are sent away; they will come again."""
        self.stopped = True
        self._beat()

    # -- what readers look at --------------------------------------------------------------------------------------

    @property
    def first(self) -> Revision:
        """Of the frames that are here; the one after the head if there are none."""
        return self.head + 1 - len(self._frames)

    def fact(self, revision: Revision) -> Frame:
        return self._frames[revision - self.first]

    @property
    def position(self) -> Frame:
        """The newest one, whole: encoded if anybody is to be told so much."""
        if self._shown is None:
            assert self._position is not None, "nobody reads before the audience is open"
            self._shown = position_frame(self._position)
        return self._shown

    def patched(self, shown: Revision) -> Frame:
        """The newest position for a reader that has been shown the one at ``shown``; whole, if it was another."""
        if not self._is_patched:
            self._is_patched = True
            assert self._position is not None
            self._patch = None if self._before is None else patch_frame(self._before, self._position)
        return self._patch if self._patch is not None and self._before_at == shown else self.position

    @property
    def _before_at(self) -> Revision:
        return 0 if self._before is None else self._before.revision

    async def past(self, after: Revision) -> AsyncGenerator[Frame, None]:
        """The facts behind ``after`` up to the head, asked for anew. Raises ``Refusal``, ``Failed``."""
        tries = 0
        while after < self.head:
            facts = self._spectator.facts(self.match, self.viewer, after=after, language=self._language)
            try:
                async with aclosing(facts):
                    async for fact in facts:
                        yield fact_frame(fact)
                        after, tries = fact.revision, 0
                        if after >= self.head:
                            return
                return
            except Unavailable:
                await asyncio.sleep(_pause(tries))
                tries += 1

    def news(self) -> Awaitable[None]:
        """Look first, then wait, with nothing awaited in between."""
        return self._pulse.wait()

    # -- upstream --------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Ends when there is nothing more to tell; readers are told why."""
        tasks = {asyncio.create_task(self._persist(self._take_positions))}
        try:
            done, _ = await asyncio.wait({*tasks, self._open}, return_when=asyncio.FIRST_COMPLETED)
            if not self._open.done():
                done.pop().result()
            if self.failure is None and self._open.done() and (self.alone or not self.is_private):
                tasks.add(asyncio.create_task(self._persist(self._take_facts)))
                tasks.add(asyncio.create_task(self._keep_alive()))
                await self._until_over(tasks)
                self.complete = self.failure is None
        except Exception as error:
            error_id = uuid.uuid4().hex[:12]
            logger.error("internal_error", error_id=error_id, match=self.match, exc_info=error)
            self._fail(Failed("internal_error", f"Something went wrong on our side (error {error_id})."))
        finally:
            self.stopped = not self.complete and self.failure is None
            if not self._open.done():
                self._open.set_exception(Unavailable("service_stopping", "The service is being stopped; ask again."))
                self._open.exception()  # seen: nobody may be waiting
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._beat()

    async def _until_over(self, tasks: set[asyncio.Task[None]]) -> None:
        """Both upstreams have ended, or one has failed. The third task never ends."""
        running = set(tasks)
        while self.failure is None and len(running) > 1:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()

    async def _persist(self, take: Callable[[], Awaitable[None]]) -> None:
        """Until ``take`` has come to its end: whatever breaks is taken up again where it was."""
        tries = 0
        while self.failure is None:
            before = self.head, self._position
            try:
                await take()
                return
            except Unavailable as error:
                if not self._open.done():
                    self._fail(error)
                    return
            except Refusal as error:
                if error.code != "no_such_revision" or not self._open.done():
                    self._fail(error)
                    return
                if tries >= BEHIND_TRIES:
                    self._begin_anew()
            except Failed as error:
                self._fail(error)
                return
            tries = 0 if before != (self.head, self._position) else tries + 1
            await asyncio.sleep(_pause(tries))

    async def _take_positions(self) -> None:
        positions = self._spectator.positions(self.match, self.viewer, language=self._language)
        try:
            async with aclosing(positions):
                async for position in positions:
                    self._show(position)
        except Unavailable:
            self._tell_away(True)
            raise
        if self._position is None or not self._position.complete:
            raise Unavailable("service_stopping", "The stream has ended before the match.")

    def _show(self, position: spectator_pb2.Position) -> None:
        self._before, self._position = self._position, position
        self.at, self._shown = position.revision, None
        self.batches.clear()
        self._patch, self._is_patched = None, False
        self._tell_away(False)  # a stream that is there again begins with a position
        if not self._open.done():
            self._begin(position)
        self._beat_together()

    def _begin(self, position: spectator_pb2.Position) -> None:
        self.game = position.game
        self.past_is_open = position.past_is_open
        if self.alone and self._after is not None:
            self.head = min(self._after, position.revision)
        else:
            self.head = max(0, position.revision - FRAMES_KEPT) if self.past_is_open else position.revision
        self._open.set_result(None)

    def _begin_anew(self) -> None:
        """The house has been set back, and tells other things than it did: readers lose their place."""
        self.epoch += 1
        self._frames.clear()
        self.batches.clear()
        self._before = None
        self.head = self.at
        self._beat()

    async def _take_facts(self) -> None:
        facts = self._spectator.facts(self.match, self.viewer, after=self.head, language=self._language)
        async with aclosing(facts):
            async for fact in facts:
                self._frames.append(fact_frame(fact))
                self.head = fact.revision
                self.batches.clear()
                if len(self._frames) > 2 * FRAMES_KEPT:
                    del self._frames[:FRAMES_KEPT]
                self._beat_together()

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            self.heartbeats += 1
            self._beat()

    def _tell_away(self, away: bool) -> None:
        if away != self.away:
            self.away = away
            self._beat()

    def _fail(self, error: Refusal | Failed | Unavailable) -> None:
        if not self._open.done():
            self._open.set_exception(error)
            self._open.exception()  # seen: nobody may be waiting
        self.failure = error if not isinstance(error, Unavailable) else Failed(error.code, error.sentence)
        self._beat()

    def _beat_together(self) -> None:
        if self.head == self.at:
            self._beat()
        elif self._together is None:
            self._together = asyncio.get_running_loop().call_later(TOGETHER_SECONDS, self._beat)

    def _beat(self) -> None:
        if self._together is not None:
            self._together.cancel()
            self._together = None
        self._pulse.beat()
        if self._sweep is None:
            self._sweep = asyncio.get_running_loop().call_soon(self._call_all)

    def _call_all(self) -> None:
        """In the next turn of the loop: what beats several times in one is told together."""
        self._sweep = None
        for heard in tuple(self.listeners):
            heard()


def _pause(tries: int) -> float:
    return RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)]
