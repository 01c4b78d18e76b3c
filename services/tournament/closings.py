"""Matches as they become complete: the log of matches is followed for the lines that close one, while somebody waits.

Nothing is kept: whoever waits looks into the log when the following has begun, and the past is not read again.
"""

import asyncio
from contextlib import aclosing

import msgspec
import structlog

from engine.kernel.official import RevealSeed
from engine.kernel.ports import Log, Unavailable
from services.kit.partition import partition_of

RETRY_S = 0.5

logger = structlog.get_logger()


class Closings:
    """``run`` beside whoever waits."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._waiting: dict[str, list[asyncio.Event]] = {}
        self._partitions = [_Partition() for _ in range(log.partitions)]

    async def run(self) -> None:
        """For ever: follow each partition in which somebody waits for a match."""
        await asyncio.gather(*(self._follow(number, partition) for number, partition in enumerate(self._partitions)))

    async def wait_for(self, match_id: str) -> asyncio.Event:
        """Set when the match is complete. Ask for it, then look whether it is already; ``leave`` it afterwards."""
        closed = asyncio.Event()
        self._waiting.setdefault(match_id, []).append(closed)
        partition = self._partition(match_id)
        partition.waiting += 1
        partition.wanted.set()
        try:
            await partition.begun.wait()
        except asyncio.CancelledError:
            self.leave(match_id, closed)
            raise
        return closed

    def leave(self, match_id: str, closed: asyncio.Event) -> None:
        self._partition(match_id).waiting -= 1
        waiting = self._waiting[match_id]
        waiting.remove(closed)
        if not waiting:
            del self._waiting[match_id]

    def _partition(self, match_id: str) -> "_Partition":
        return self._partitions[partition_of(match_id, self._log.partitions)]

    async def _follow(self, number: int, partition: "_Partition") -> None:
        while True:
            await partition.wanted.wait()
            try:
                end = (await self._log.bounds(number)).last
            except Unavailable as error:
                logger.info("closings_wait", reason=error.code)
                await asyncio.sleep(RETRY_S)
                continue
            partition.begun.set()
            async with aclosing(self._log.follow(number, after=end)) as news:
                async for page in news:
                    if not partition.waiting:
                        partition.wanted.clear()
                        partition.begun.clear()
                        break
                    for stored in page:
                        self._look_at(stored.line)

    def _look_at(self, line: bytes) -> None:
        try:
            heading = _headings.decode(line)
        except (msgspec.MsgspecError, ValueError):
            return  # no commit closes anything; whoever reads the match is told
        if heading.command.type == RevealSeed.name:
            for closed in self._waiting.get(heading.match, ()):
                closed.set()


class _Partition:
    def __init__(self) -> None:
        self.waiting = 0
        """How many wait for a match in it."""
        self.wanted = asyncio.Event()
        self.begun = asyncio.Event()
        """It is followed: what closes from now on is noticed."""


class _Command(msgspec.Struct, frozen=True):
    type: str


class _Heading(msgspec.Struct, frozen=True):
    match: str
    command: _Command


_headings = msgspec.json.Decoder(_Heading)
