"""The audiences of a gateway: found, begun, and given up when nobody has been there for a while."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, SeatView, Viewer
from services.gateway.streams.audience import Audience
from services.kit.telemetry import WATCHERS
from services.kit.wire.clients import SpectatorClient

IDLE_SECONDS: Final = 30.0
"""An audience without readers goes on so long: a page that is reloaded finds it as it was."""


class Hub:
    """``join`` gives an audience to one reader; ``close`` sends all readers away."""

    def __init__(self, spectator: SpectatorClient) -> None:
        self._spectator = spectator
        self._audiences: dict[tuple[str, Viewer, str], Audience] = {}
        self._tasks: dict[Audience, asyncio.Task[None]] = {}
        self._closed = False

    @asynccontextmanager
    async def join(
        self, match: str, viewer: Viewer, language: str, after: Revision | None = None
    ) -> AsyncGenerator[Audience, None]:
        """Raises ``Refusal``, ``Unavailable`` or ``Failed``, before anything has been told."""
        if self._closed:
            raise Unavailable("service_stopping", "The service is being stopped; ask again in a moment.")
        key = (match, viewer, language)
        audience = self._audiences.get(key)
        if audience is None:
            audience = self._audiences[key] = self._begin(Audience(self._spectator, match, viewer, language))
        audience.readers += 1
        try:
            past_is_open = await audience.opened()
            if past_is_open or not isinstance(viewer, SeatView):
                WATCHERS.labels("gateway").inc()
                yield audience
                return
        except (Refusal, Unavailable, Failed):
            self._forget(key, audience)
            raise
        finally:
            audience.readers -= 1
            if not audience.readers:
                asyncio.get_running_loop().call_later(IDLE_SECONDS, self._retire, key, audience)
        # What is told once is told to one: a reader in a seat of a game of memory shares nothing.
        alone = self._begin(Audience(self._spectator, match, viewer, language, after=after))
        try:
            await alone.opened()
            WATCHERS.labels("gateway").inc()
            yield alone
        finally:
            self._end(alone)

    def game_of(self, match: str) -> str:
        """The key of a game, if somebody is watching the match; else empty."""
        return next((each.game for (name, _, _), each in self._audiences.items() if name == match), "")

    async def close(self) -> None:
        """Every reader is told to come again, and the upstreams are ended."""
        self._closed = True
        for audience in list(self._tasks):
            audience.stop()
        await asyncio.sleep(0)  # the readers say goodbye first
        for audience in list(self._tasks):
            self._end(audience)

    def _begin(self, audience: Audience) -> Audience:
        task = self._tasks[audience] = asyncio.create_task(audience.run())
        task.add_done_callback(lambda _: self._tasks.pop(audience, None))
        return audience

    def _retire(self, key: tuple[str, Viewer, str], audience: Audience) -> None:
        if not audience.readers:
            self._forget(key, audience)

    def _forget(self, key: tuple[str, Viewer, str], audience: Audience) -> None:
        if self._audiences.get(key) is audience:
            del self._audiences[key]
        self._end(audience)

    def _end(self, audience: Audience) -> None:
        task = self._tasks.get(audience)
        if task is not None:
            task.cancel()
