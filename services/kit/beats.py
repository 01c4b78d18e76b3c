"""When a game's rules hosts were last there: one instant a game, kept where the log is kept.

Every replica writes over the same instant, so it says when *any* of them was there. It is no history: only its newest
value is kept, and losing it costs nobody more than the time of one absence.
"""

import asyncio
from typing import Protocol

from engine.kernel.value import Instant


class Beats(Protocol):
    """Raises ``Unavailable``."""

    async def last(self, game: str) -> Instant:
        """The newest beat of any host of a game; 0 if there has never been one."""
        ...

    async def beat(self, game: str, at: Instant) -> None:
        """A host of the game was there at this instant."""
        ...


class MemoryBeats:
    """The port in memory: for tests, and for the simulated house."""

    def __init__(self) -> None:
        self._beats: dict[str, Instant] = {}

    async def last(self, game: str) -> Instant:
        await asyncio.sleep(0)
        return self._beats.get(game, 0)

    async def beat(self, game: str, at: Instant) -> None:
        await asyncio.sleep(0)
        self._beats[game] = at
