"""Matches as they become complete: the log of matches is followed for the lines that close one.

Nothing is kept: whoever waits has looked into the log first, and the past is not read again.
"""

import asyncio
from contextlib import aclosing

import msgspec

from engine.kernel.official import RevealSeed
from engine.kernel.ports import Log, Position, Stored


class Closings:
    """``begin`` before anybody looks into the log, then ``run``: so no closing is between the two."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._after: list[Position] = []
        self._waiting: dict[str, list[asyncio.Event]] = {}

    async def begin(self) -> None:
        """From here on closings are noticed. Raises ``Unavailable``."""
        self._after = [(await self._log.bounds(partition)).last for partition in range(self._log.partitions)]

    async def run(self) -> None:
        """Follow the log for ever."""
        await asyncio.gather(*(self._follow(partition) for partition in range(self._log.partitions)))

    def wait_for(self, match_id: str) -> asyncio.Event:
        """Set when the match is complete. Ask for it, then look whether it is already; ``leave`` it afterwards."""
        closed = asyncio.Event()
        self._waiting.setdefault(match_id, []).append(closed)
        return closed

    def leave(self, match_id: str, closed: asyncio.Event) -> None:
        waiting = self._waiting[match_id]
        waiting.remove(closed)
        if not waiting:
            del self._waiting[match_id]

    async def _follow(self, partition: int) -> None:
        async with aclosing(self._log.follow(partition, after=self._after[partition])) as news:
            async for batch in news:
                for stored in batch:
                    self._take(stored)

    def _take(self, stored: Stored) -> None:
        try:
            heading = _headings.decode(stored.line)
        except (msgspec.MsgspecError, ValueError):
            return  # no commit closes anything; whoever reads the match is told
        if heading.command.type == RevealSeed.name:
            for closed in self._waiting.get(heading.match, ()):
                closed.set()


class _Command(msgspec.Struct, frozen=True):
    type: str


class _Heading(msgspec.Struct, frozen=True):
    match: str
    command: _Command


_headings = msgspec.json.Decoder(_Heading)
