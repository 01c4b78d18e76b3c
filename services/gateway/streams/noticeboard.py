"""Every event as it stands, on one board for all who follow one.

One upstream tells of all events of the house, however many readers there are. It begins with the first reader and goes
on until the gateway stops. A reader keeps the last revision it has been told and looks again after each beat, so a slow
one skips what is outdated. What changed while the upstream was broken is told when it is there again, for it begins
with how everything stands.
"""

import asyncio
import random
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import structlog
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision
from services.gateway.streams.frames import HEARTBEAT, Frame, farewell, frame
from services.kit.paper.figures import fields_of
from services.kit.pulse import Pulse
from services.kit.wire.tournament import TournamentClient

RETRY_SECONDS: Final = 0.5
HEARTBEAT_SECONDS: Final = 15.0
"""What stands between us and a reader may give up a connection that is silent for longer than a minute or so."""

AWAY: Final = frame("away", 0, {})
"""The house cannot be reached just now. What is missed meanwhile will be told."""

logger = structlog.get_logger()


class Noticeboard:
    """``follow`` is one reader; ``close`` sends all of them away."""

    def __init__(self, tournament: TournamentClient) -> None:
        self._tournament = tournament
        self._latest: dict[str, Frame] = {}
        self._pulse = Pulse()
        self._upstream: asyncio.Task[None] | None = None
        self._away = False
        self._stopped = False

    async def opened(self, event: str) -> None:
        """Whether there is such an event. Raises ``Refusal``, ``Unavailable`` or ``Failed``."""
        if self._stopped:
            raise Unavailable("service_stopping", "The service is being stopped; ask again in a moment.")
        if event not in self._latest:
            self._put((await self._tournament.tournament(event)).tournament)
        if self._upstream is None:
            self._upstream = asyncio.create_task(self._run())

    async def follow(self, event: str, after: Revision | None) -> AsyncGenerator[Frame, None]:
        """How an event stands, unless that is known already, and how it stands after each change. For one that has been
        ``opened``; it ends when the gateway stops.
        """
        told = after or 0
        if told > self._latest[event].revision:
            told = 0  # of another time of this house
        told_away = False
        while True:
            now = self._latest[event]
            if now.revision > told:
                told = now.revision
                yield now
            elif self._stopped:
                yield farewell(random.randrange(200, 2_000))  # noqa: S311 - so that not all come at once
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
                async with aclosing(self._tournament.watch()) as changes:
                    async for each in changes:
                        self._tell_away(False)
                        self._put(each)
            except (Unavailable, Refusal, Failed) as error:
                logger.info("events_away", error=str(error))
            except Exception as error:  # one event that cannot be told must not keep all others from being told
                logger.error("internal_error", error_id=uuid.uuid4().hex[:12], exc_info=error)
            self._tell_away(True)
            await asyncio.sleep(RETRY_SECONDS)

    def _put(self, event: pb.Tournament) -> None:
        before = self._latest.get(event.tournament_id)
        if before is None or before.revision < event.revision:
            self._latest[event.tournament_id] = notice(event)
            self._pulse.beat()

    def _tell_away(self, away: bool) -> None:
        if away != self._away:
            self._away = away
            self._pulse.beat()

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
