"""The log in memory: the same contract as the real one, for tests and for the simulated house.

No threads, no time, no randomness: it runs on whatever event loop it is called on. It keeps nothing.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Final

from engine.kernel.ports import Appended, Bounds, Conflict, Position, Stored, Unavailable, Whole
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import check_id
from services.kit.family import MATCHES, Family
from services.kit.line_head import line_head
from services.kit.partition import partition_of

PAGE_LINES: Final = 1024
"""Handed on at once, as by the real log."""


class _Partition:
    """Every line in order; the position of a line is its place, counted from 1."""

    def __init__(self) -> None:
        self.lines: list[Stored] = []
        self.games: list[str] = []
        self.bytes = 0
        self.news = asyncio.Event()

    def append(self, game: str, line: bytes) -> Stored:
        stored = Stored(len(self.lines) + 1, line)
        self.lines.append(stored)
        self.games.append(game)
        self.bytes += len(line)
        # Each waiting follower holds the event it saw: one that comes now waits for the next line, not for this one.
        self.news.set()
        self.news = asyncio.Event()
        return stored


class MemoryLog:
    """``bytes_max`` bounds one partition (bytes of lines; 0: no bound); beyond it ``append`` finds the log full."""

    def __init__(
        self, partitions: int = 1, *, epoch: str = "memory", bytes_max: int = 0, family: Family = MATCHES
    ) -> None:
        partition_of("", partitions)
        self._partitions = tuple(_Partition() for _ in range(partitions))
        self._matches: dict[str, list[Stored]] = {}
        self._games: dict[str, str] = {}
        self._epoch = epoch
        self._bytes_max = bytes_max
        self._family = family

    @property
    def partitions(self) -> int:
        return len(self._partitions)

    async def whole(self, match: str) -> Whole:
        """See ``ports.Log``. Raises ``Refusal`` for a malformed id."""
        lines = await self.read(match, after=0)
        return Whole(tuple(stored.line for stored in lines), lines[-1].position if lines else 0)

    async def read(self, match: str, *, after: Position, limit: int = 0) -> tuple[Stored, ...]:
        """See ``ports.Log``. Raises ``Refusal`` for a malformed id."""
        check_id(f"{self._family.noun} id", match)
        await asyncio.sleep(0)
        behind = [stored for stored in self._matches.get(match, ()) if stored.position > after]
        return tuple(behind[:limit] if limit else behind)

    async def last(self, match: str) -> Stored | None:
        """See ``ports.Log``. Raises ``Refusal`` for a malformed id."""
        check_id(f"{self._family.noun} id", match)
        await asyncio.sleep(0)
        lines = self._matches.get(match)
        return lines[-1] if lines else None

    async def append(self, game: str, match: str, line: bytes, *, expected: Position) -> Appended:
        """See ``ports.Log``. Raises ``Refusal`` (``commit_too_large``) and ``BadLine`` as ``line_head`` does."""
        line_head(self._family, game, match, line)
        # A real log answers later. Giving way here lets the races of callers happen in tests, too.
        await asyncio.sleep(0)
        lines = self._matches.get(match, [])
        same_game = self._games.get(match, game) == game
        if not same_game or expected != (lines[-1].position if lines else 0):
            behind = next((stored for stored in lines if stored.position > expected), None)
            if same_game and behind is not None and behind.line == line:
                return Appended(behind.position, repeated=True)
            raise Conflict(f"{self._family.noun} {match} has moved on since position {expected}")
        partition = self._partitions[partition_of(match, self.partitions)]
        if self._bytes_max and partition.bytes + len(line) > self._bytes_max:
            raise Unavailable("log_full", "The log is full; nothing can be appended until it is given more room.")
        stored = partition.append(game, line)
        self._matches.setdefault(match, lines).append(stored)
        self._games[match] = game
        return Appended(stored.position, repeated=False)

    async def follow(
        self, partition: int, *, after: Position, game: str | None = None
    ) -> AsyncGenerator[Sequence[Stored], None]:
        """See ``ports.Log``. Raises ``Refusal`` (``log_rewound``) for a position behind the log's end."""
        source = self._partitions[partition]
        if after > len(source.lines):
            raise Refusal(
                "log_rewound", f"Position {after} lies behind the end of the log, {len(source.lines)}.", Kind.STALE
            )
        place = after
        while True:
            if place == len(source.lines):
                await source.news.wait()
            end = min(len(source.lines), place + PAGE_LINES)
            page = [source.lines[at] for at in range(place, end) if game in (None, source.games[at])]
            place = end
            if page:
                yield page

    async def bounds(self, partition: int, *, game: str | None = None) -> Bounds:
        """See ``ports.Log``."""
        source = self._partitions[partition]
        last = len(source.lines)
        while game is not None and last and source.games[last - 1] != game:
            last -= 1
        return Bounds(self._epoch, last)
