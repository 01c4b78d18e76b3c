"""Every event as it stands, on one board: for all who follow one, for the lobby, and for whoever has to know whether an
answer is still of now.

One upstream tells of all events of the house, however many readers there are. It begins with the first reader and goes
on until the gateway stops. A reader keeps the last change it has been told and looks again after each beat, so a slow
one skips what is outdated. What changed while the upstream was broken is told when it is there again, for it begins
with how everything stands.
"""

import asyncio
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import msgspec
import structlog
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision
from services.gateway.streams.frames import HEARTBEAT, Frame, farewell, frame
from services.kit.access.carried import nobodys_context
from services.kit.paper.figures import fields_of
from services.kit.pulse import Latest, Pulse
from services.kit.wire.tournament import TournamentClient

RETRY_SECONDS: Final = 0.5
HEARTBEAT_SECONDS: Final = 15.0
"""What stands between us and a reader may give up a connection that is silent for longer than a minute or so."""

AWAY: Final = frame("away", 0, {})
"""The house cannot be reached just now. What is missed meanwhile will be told."""

logger = structlog.get_logger()


class Posted(msgspec.Struct, frozen=True):
    event: pb.Tournament
    frame: Frame


class Noticeboard:
    """``follow`` is one reader; ``close`` sends all of them away."""

    def __init__(self, tournament: TournamentClient) -> None:
        self._tournament = tournament
        self._latest: Latest[str, Posted] = Latest()
        self._pulse = Pulse()
        self._upstream: asyncio.Task[None] | None = None
        self.there = False
        """Whether all events are here, and every change comes in."""
        self._away = False
        """Whether the upstream was tried in vain, or has broken."""
        self._stopped = False

    async def opened(self, event: str) -> None:
        """Whether there is such an event. Raises ``Refusal``, ``Unavailable`` or ``Failed``."""
        if self._stopped:
            raise Unavailable("service_stopping", "The service is being stopped; ask again in a moment.")
        if self._latest.get(event) is None:
            self._put((await self._tournament.tournament(event)).tournament)
        self.begin()

    def begin(self) -> None:
        """The upstream, if nobody has begun it."""
        if self._upstream is None and not self._stopped:
            self._upstream = asyncio.create_task(self._run(), context=nobodys_context())

    def name(self, event: str) -> str:
        """Of an event that has been ``opened``."""
        return self._now(event).event.name

    def revision(self, event: str) -> Revision | None:
        """That an event stands at, as far as anybody here has been told; None for one that nobody has heard of."""
        posted = self._latest.get(event)
        return None if posted is None else posted.event.revision

    def change(self) -> int:
        """A number that is another one after a change of any event."""
        return next((change for change, _ in self._latest.since(0)), 0)

    async def all(self) -> AsyncGenerator[list[pb.Tournament], None]:
        """All events, and then those that have changed since, again and again, the oldest change first.

        Raises ``Unavailable`` while the house cannot be reached, and when the gateway stops.
        """
        self.begin()
        seen = -1
        while True:
            if self._away or self._stopped:
                raise Unavailable("service_unavailable", "The events are not told just now.")
            news = list(self._latest.since(max(seen, 0))) if self.there else []
            if news or (self.there and seen < 0):
                seen = news[0][0] if news else 0
                yield [posted.event for _, posted in reversed(news)]
            else:
                await self._pulse.wait()

    async def follow(self, event: str, after: Revision | None) -> AsyncGenerator[Frame, None]:
        """How an event stands, unless that is known already, and how it stands after each change. For one that has been
        ``opened``; it ends when the gateway stops.
        """
        told = after or 0
        if told > self._now(event).event.revision:
            told = 0  # of another time of this house
        told_away = False
        while True:
            now = self._now(event).frame
            if now.revision > told:
                told = now.revision
                yield now
            elif self._stopped:
                yield farewell()
                return
            elif self._away != told_away:
                told_away = self._away
                yield AWAY if told_away else now
            elif not await self._news():
                yield HEARTBEAT

    async def close(self) -> None:
        """Every reader is told to come again, and the upstream is ended."""
        self._stopped = True
        self._pulse.beat()
        if self._upstream is not None:
            self._upstream.cancel()
            await asyncio.gather(self._upstream, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            try:
                for event in reversed([each async for each in self._tournament.tournaments()]):
                    self._put(event)
                self._tell(there=True, away=False)
                async with aclosing(self._tournament.watch()) as changes:
                    async for each in changes:
                        self._put(each)
            except (Unavailable, Refusal, Failed) as error:
                logger.info("events_away", error=str(error))
            except Exception as error:  # one event that cannot be told must not keep all others from being told
                logger.error("internal_error", error_id=uuid.uuid4().hex[:12], exc_info=error)
            self._tell(there=False, away=True)
            await asyncio.sleep(RETRY_SECONDS)

    def _put(self, event: pb.Tournament) -> None:
        before = self._latest.get(event.tournament_id)
        if before is None or before.event.revision < event.revision:
            self._latest.put(event.tournament_id, Posted(event, notice(event)))
            self._pulse.beat()

    def _tell(self, *, there: bool, away: bool) -> None:
        if (there, away) != (self.there, self._away):
            self.there, self._away = there, away
            self._pulse.beat()

    def _now(self, event: str) -> Posted:
        posted = self._latest.get(event)
        assert posted is not None, "it has been opened"
        return posted

    async def _news(self) -> bool:
        """False if nothing came in all the time until a heartbeat is due."""
        try:
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                await self._pulse.wait()
        except TimeoutError:
            return False
        return True


def notice(event: pb.Tournament) -> Frame:
    return frame("tournament", event.revision, fields_of(event), has_id=True)
