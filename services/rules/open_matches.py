"""Which matches of a game are open, as the log tells it: first its past in one pass, then each new line."""

from collections.abc import Callable
from contextlib import aclosing

from engine.kernel.ports import Log, Position
from services.kit.pulse import Pulse
from services.kit.telemetry import MATCHES_OPEN
from services.rules.heading import Heading, heading_of


class OpenMatches:
    """Of one game. Folds nothing: a match is open from its first line to the one that reveals its seed."""

    def __init__(self, log: Log, game: str) -> None:
        self._log = log
        self._game = game
        self._open: set[str] = set()
        self._read: list[Position] = [0] * log.partitions
        self._pulse = Pulse()
        self._count = MATCHES_OPEN.labels(game)

    async def reach(self) -> None:
        """Ask the leader of every partition. Raises ``Unavailable``."""
        for partition in range(self._log.partitions):
            await self._log.bounds(partition, game=self._game)

    async def follow(self, partition: int, found: Callable[[str], None], news: Callable[[Heading], None]) -> None:
        """For ever. ``found`` is told of each match that the past has left open, ``news`` of each line after that."""
        end = (await self._log.bounds(partition, game=self._game)).last
        left_open: set[str] = set()
        if end:
            async with aclosing(self._log.follow(partition, after=0, game=self._game)) as past:
                async for batch in past:
                    for stored in batch:
                        heading = heading_of(stored)
                        if heading is not None:
                            _note(left_open, heading)
                    read = batch[-1].position
                    if read >= end:
                        break
        self._open |= left_open
        self._has_read(partition, end)
        for match_id in sorted(left_open):
            found(match_id)
        async with aclosing(self._log.follow(partition, after=end, game=self._game)) as lines:
            async for batch in lines:
                for stored in batch:
                    heading = heading_of(stored)
                    if heading is not None:
                        _note(self._open, heading)
                        news(heading)
                    self._has_read(partition, stored.position)

    async def all(self) -> list[str]:
        """The open matches, sorted, once all has been read that is in the log now. Raises ``Unavailable``."""
        for partition in range(self._log.partitions):
            end = (await self._log.bounds(partition, game=self._game)).last
            while self._read[partition] < end:
                await self._pulse.wait()
        return sorted(self._open)

    def _has_read(self, partition: int, position: Position) -> None:
        self._read[partition] = position
        self._pulse.beat()
        self._count.set(len(self._open))


def _note(matches: set[str], heading: Heading) -> None:
    if heading.closes:
        matches.discard(heading.match)
    else:
        matches.add(heading.match)
