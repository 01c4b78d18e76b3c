"""What a game's rules hosts leave beside the log for those that come after: when they were last there, and how far
they had read.

Beats: every replica writes over the same instant, so it says when *any* of them was there. It is no history: only its
newest value is kept, and losing it costs nobody more than the time of one absence. Bookmarks: of each partition, too,
only the newest is kept, and whoever finds none reads the log from its start.
"""

import asyncio
from typing import Protocol

from engine.kernel.ports import Position
from engine.kernel.value import Instant, Value

BOOKMARK_VERSION = 1
"""Of what a bookmark means; one of another version is none."""


class Bookmark(Value, frozen=True):
    """Which matches of a game were open in one partition when all was read up to the line at ``position``.

    ``epoch`` is that of the partition; the line is one of ``match`` and has the hash ``line``: so a log that lost its
    end, and has grown again since, is known for another.
    """

    version: int
    epoch: str
    position: Position
    match: str
    line: str
    left_open: tuple[str, ...]


class Beats(Protocol):
    """Raises ``Unavailable``, and ``Failed`` for a user who may not."""

    async def last(self, game: str) -> Instant:
        """The newest beat of any host of a game; 0 if there has never been one."""
        ...

    async def beat(self, game: str, at: Instant) -> None:
        """A host of the game was there at this instant."""
        ...

    async def bookmark(self, game: str, partition: int) -> Bookmark | None:
        """The bookmark that was left last; ``None`` if there is none of this version."""
        ...

    async def leave(self, game: str, partition: int, bookmark: Bookmark) -> None:
        """Leave a bookmark in the place of the one before, whoever left that and wherever it lay."""
        ...


class MemoryBeats:
    """The port in memory: for tests, and for the simulated house."""

    def __init__(self) -> None:
        self._beats: dict[str, Instant] = {}
        self._bookmarks: dict[tuple[str, int], Bookmark] = {}

    async def last(self, game: str) -> Instant:
        await asyncio.sleep(0)
        return self._beats.get(game, 0)

    async def beat(self, game: str, at: Instant) -> None:
        await asyncio.sleep(0)
        self._beats[game] = at

    async def bookmark(self, game: str, partition: int) -> Bookmark | None:
        await asyncio.sleep(0)
        return self._bookmarks.get((game, partition))

    async def leave(self, game: str, partition: int, bookmark: Bookmark) -> None:
        await asyncio.sleep(0)
        self._bookmarks[game, partition] = bookmark
