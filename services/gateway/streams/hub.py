"""The audiences of a gateway: found, begun, and given up when nobody has been there for a while."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final, TypeAlias

from engine.kernel.ports import Unavailable
from engine.kernel.value import Revision, Spectator
from services.gateway.streams.audience import Audience
from services.gateway.streams.place import Place
from services.kit.access.carried import carried, nobodys_context
from services.kit.lookers import Looker
from services.kit.telemetry import WATCHERS
from services.kit.wire.clients import SpectatorClient

IDLE_SECONDS: Final = 30.0
"""An audience without readers goes on so long: a page that is reloaded finds it as it was."""

GAMES_KNOWN: Final = 50_000
"""Matches of which it is remembered what they are a match of."""

Key: TypeAlias = tuple[str, Looker, str, str]
"""Match, viewer, language, and of all but spectators the token they came with: who shows another shares nothing with
them, for the house decides what each is told, and for how long.
"""


class Hub:
    """``join`` gives one reader a place; ``close`` sends all readers away."""

    def __init__(self, spectator: SpectatorClient) -> None:
        self._spectator = spectator
        self._audiences: dict[Key, Audience] = {}
        self._tasks: dict[Audience, asyncio.Task[None]] = {}
        self._retiring: dict[Audience, asyncio.TimerHandle] = {}
        self._games: dict[str, str] = {}
        self._closed = False

    @asynccontextmanager
    async def join(
        self, match: str, viewer: Looker, language: str, after: Revision | None = None, *, patches: bool = False
    ) -> AsyncGenerator[Place, None]:
        """Raises ``Refusal``, ``Unavailable`` or ``Failed``, before anything has been told."""
        if self._closed:
            raise Unavailable("service_stopping", "The service is being stopped; ask again in a moment.")
        key = _key(match, viewer, language)
        shared = self._audiences.get(key) or self._begin(key, Audience(self._spectator, match, viewer, language))
        self._enter(shared)
        try:
            await shared.opened()
            if not shared.is_private:
                self._note(shared)
                yield Place(shared, after, patches=patches)
                return
        finally:
            self._leave(shared)
        alone = self._begin(None, Audience(self._spectator, match, viewer, language, alone=True, after=after))
        try:
            await alone.opened()
            self._note(alone)
            yield Place(alone, after, patches=patches)
        finally:
            self._end(alone)

    async def game_of(self, match: str, viewer: Looker) -> str:
        """The key of the game of a match. Raises as ``join``."""
        known = self._games.get(match)
        if known is None:
            known = (await self._spectator.snapshot(match, viewer)).game
            self._remember(match, known)
        return known

    def head(self, match: str, viewer: Looker, language: str) -> Revision | None:
        """The newest revision that readers here have been told of; None if there is no such audience."""
        audience = self._audiences.get(_key(match, viewer, language))
        return None if audience is None else audience.head

    async def close(self) -> None:
        """Every reader is told to come again, and the upstreams are ended."""
        self._closed = True
        for timer in self._retiring.values():
            timer.cancel()
        tasks = list(self._tasks.values())
        for audience, task in self._tasks.items():
            audience.stop()
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, key: Key | None, audience: Audience) -> Audience:
        if key is not None:
            self._audiences[key] = audience
        context = nobodys_context() if isinstance(audience.viewer, Spectator) else None
        task = self._tasks[audience] = asyncio.create_task(audience.run(), context=context)

        def over(_: asyncio.Task[None]) -> None:
            self._tasks.pop(audience, None)
            if not audience.complete:
                self._forget(audience)  # who comes next begins another

        task.add_done_callback(over)
        return audience

    def _enter(self, audience: Audience) -> None:
        audience.readers += 1
        timer = self._retiring.pop(audience, None)
        if timer is not None:
            timer.cancel()

    def _leave(self, audience: Audience) -> None:
        audience.readers -= 1
        if not audience.readers and not self._closed:
            later = asyncio.get_running_loop().call_later
            self._retiring[audience] = later(IDLE_SECONDS, self._forget, audience)

    def _forget(self, audience: Audience) -> None:
        """Nobody else is let in; it is ended when nobody is in it."""
        for key in [key for key, each in self._audiences.items() if each is audience]:
            del self._audiences[key]
        timer = self._retiring.pop(audience, None)
        if timer is not None:
            timer.cancel()
        self._end(audience)

    def _end(self, audience: Audience) -> None:
        task = self._tasks.get(audience)
        if task is not None:
            task.cancel()

    def _note(self, audience: Audience) -> None:
        WATCHERS.labels("gateway").inc()
        self._remember(audience.match, audience.game)

    def _remember(self, match: str, game: str) -> None:
        if len(self._games) >= GAMES_KNOWN:
            self._games.clear()
        self._games[match] = game


def _key(match: str, viewer: Looker, language: str) -> Key:
    return match, viewer, language, "" if isinstance(viewer, Spectator) else carried()
