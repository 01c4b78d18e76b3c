"""Which matches of a game are open, as the log tells it: first its past, then each new line.

The past is not read again by every host that starts. Now and then a host leaves a bookmark beside the log: a line, and
which matches were open when all was read up to it. The next host goes on behind that line, if the log still has it.
"""

from collections.abc import Callable
from contextlib import aclosing
from itertools import chain
from typing import Final

import structlog

from engine.kernel.commit import line_hash
from engine.kernel.ports import Bounds, Failed, Log, Position, Stored, Unavailable
from engine.kernel.refusal import Refusal
from services.kit.beats import BOOKMARK_VERSION, Beats, Bookmark
from services.kit.chores import reason_of
from services.kit.pulse import Pulse
from services.kit.telemetry import MATCHES_OPEN
from services.rules.heading import Heading, heading_of

BOOKMARK_LINES: Final = 20_000
"""Of the game, in one partition, from one bookmark to the next: a host that starts reads no more than about as many."""

logger = structlog.get_logger()


class OpenMatches:
    """Of one game. Folds nothing: a match is open from its first line to the one that reveals its seed.

    Without ``beats`` there are no bookmarks. ``lines_between`` two of them is ``BOOKMARK_LINES``.
    """

    def __init__(self, log: Log, game: str, beats: Beats | None = None) -> None:
        self._log = log
        self._game = game
        self._beats = beats
        self._partitions = tuple(_Partition() for _ in range(log.partitions))
        self._pulse = Pulse()
        self._count = MATCHES_OPEN.labels(game)
        self.lines_between = BOOKMARK_LINES

    async def reach(self) -> None:
        """Ask the leader of every partition. Raises ``Unavailable``."""
        for partition in range(self._log.partitions):
            await self._log.bounds(partition, game=self._game)

    async def follow(self, partition: int, found: Callable[[str], None], news: Callable[[Heading], None]) -> None:
        """For ever. ``found`` is told of each match that the past has left open, ``news`` of each line after that."""
        known = self._partitions[partition]
        after, bounds = await self._begin(partition)
        if bounds.last > after:
            async with aclosing(self._log.follow(partition, after=after, game=self._game)) as past:
                async for batch in past:
                    for stored in batch:
                        if stored.position <= bounds.last:
                            known.note(stored)
                    if batch[-1].position >= bounds.last:
                        break
        self._has_read(known, bounds.last)
        for match_id in sorted(known.open):
            found(match_id)
        await self._leave_bookmark(partition, bounds.epoch)
        async with aclosing(self._log.follow(partition, after=bounds.last, game=self._game)) as lines:
            async for batch in lines:
                for stored in batch:
                    heading = known.note(stored)
                    if heading is not None:
                        news(heading)
                    self._has_read(known, stored.position)
                await self._leave_bookmark(partition, bounds.epoch)

    async def all(self) -> list[str]:
        """The open matches, sorted, once all has been read that is in the log now. Raises ``Unavailable``."""
        for partition, known in enumerate(self._partitions):
            end = (await self._log.bounds(partition, game=self._game)).last
            while known.read < end:
                await self._pulse.wait()
        return sorted(chain.from_iterable(known.open for known in self._partitions))

    def _has_read(self, known: "_Partition", position: Position) -> None:
        known.read = position
        self._pulse.beat()
        self._count.set(sum(len(each.open) for each in self._partitions))

    # -- bookmarks -------------------------------------------------------------------------------------------------

    async def _begin(self, partition: int) -> tuple[Position, Bounds]:
        """Behind which line the past is to be read, and where it ends. What a bookmark tells is known then."""
        bookmark = await self._bookmark(partition)
        bounds = await self._log.bounds(partition, game=self._game)
        if bookmark is None:
            return 0, bounds
        if not await self._holds(bookmark, bounds):
            logger.warning("bookmark_of_another_log", game=self._game, partition=partition, position=bookmark.position)
            return 0, bounds
        self._partitions[partition].open.update(bookmark.left_open)
        return bookmark.position, bounds

    async def _bookmark(self, partition: int) -> Bookmark | None:
        """What a host before has left; ``None`` also where that is not to be had now, since it can be done without."""
        if self._beats is None:
            return None
        try:
            return await self._beats.bookmark(self._game, partition)
        except (Unavailable, Failed) as error:
            logger.info("no_bookmark", game=self._game, partition=partition, reason=reason_of(error))
            return None

    async def _holds(self, bookmark: Bookmark, bounds: Bounds) -> bool:
        """Whether the log still has the line that the bookmark lies at. Raises ``Unavailable``."""
        if bookmark.epoch != bounds.epoch or not 0 < bookmark.position <= bounds.last:
            return False
        try:
            lines = await self._log.read(bookmark.match, after=bookmark.position - 1, limit=1)
        except Refusal:  # no match has such a name
            return False
        return [(each.position, line_hash(each.line)) for each in lines] == [(bookmark.position, bookmark.line)]

    async def _leave_bookmark(self, partition: int, epoch: str) -> None:
        """If enough has been read since the last one. One that the log does not take is not missed."""
        known = self._partitions[partition]
        if self._beats is None or known.newest is None or known.unmarked < self.lines_between:
            return
        match, at = known.newest
        bookmark = Bookmark(BOOKMARK_VERSION, epoch, at.position, match, line_hash(at.line), tuple(sorted(known.open)))
        known.unmarked = 0
        try:
            await self._beats.leave(self._game, partition, bookmark)
        except (Unavailable, Failed) as error:
            logger.info("no_bookmark", game=self._game, partition=partition, reason=reason_of(error))


class _Partition:
    """What is known of one partition."""

    def __init__(self) -> None:
        self.open: set[str] = set()
        self.read: Position = 0
        """How far, of what is shown to others: nothing of the past before all of it."""
        self.newest: tuple[str, Stored] | None = None
        """The last line that was a commit, and its match: what lies behind it has changed nothing."""
        self.unmarked = 0
        """Lines since the last bookmark."""

    def note(self, stored: Stored) -> Heading | None:
        self.unmarked += 1
        heading = heading_of(stored)
        if heading is None:
            return None
        self.newest = heading.match, stored
        if heading.closes:
            self.open.discard(heading.match)
        else:
            self.open.add(heading.match)
        return heading
