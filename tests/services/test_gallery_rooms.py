"""The gallery when people come and lines arrive at the same moment."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress

import pytest

from engine.games import find_game
from engine.kernel.ports import Position, Stored
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, Spectator
from services.kit.clock import SystemClock
from services.kit.memory_log import MemoryLog
from services.kit.read_model import ReadModel
from services.spectator.app import FEED_VERSION, Gallery
from services.spectator.feed import Feed
from services.spectator.tables import TABLES
from tests.kit.nats import DEADLINE_S, until
from tests.kit.table import play

M = "m-1"
GAME = "just4fun"
LINES = play(find_game(GAME), 2, {}, 1).lines


class Nobody:
    """A feed that nobody hears."""

    async def publish(self, subject: str, payload: bytes) -> None:
        pass

    async def flush(self) -> None:
        pass


class HeldLog(MemoryLog):
    """Answers a read with what it knew when it was asked, and not before it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[asyncio.Event] = []
        self.free = False

    async def read(self, match: str, *, after: Position, limit: int = 0) -> tuple[Stored, ...]:
        lines = await super().read(match, after=after, limit=limit)
        if not self.free:
            gate = asyncio.Event()
            self.held.append(gate)
            await gate.wait()
        return lines

    async def asked(self, times: int) -> None:
        """Returns when so many reads wait."""
        await until(lambda: len(self.held) >= times, f"the log is asked {times} times")

    def let_all_go(self) -> None:
        self.free = True
        for gate in self.held:
            gate.set()

    async def fill(self, first: int, last: int) -> None:
        """Append the lines of revisions ``first`` to ``last``."""
        for line in LINES[first - 1 : last]:
            await self.append(GAME, M, line, expected=(await super().bounds(0)).last)


@asynccontextmanager
async def gallery_on(log: MemoryLog) -> AsyncIterator[Gallery]:
    checkpoint = ReadModel("sqlite://", "feed", FEED_VERSION, TABLES)
    gallery = Gallery(log, Feed(Nobody(), log), checkpoint, SystemClock())
    await gallery.prepare()
    running = asyncio.create_task(gallery.run())
    try:
        yield gallery
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await checkpoint.close()


async def revisions(gallery: Gallery) -> list[Revision]:
    """What one reader reads to the end of the match."""
    async with aclosing(gallery.facts(M, Spectator(), 0)) as facts:
        return [fact.revision async for fact in facts]


async def some_turns() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


ALL = list(range(1, len(LINES) + 1))


async def test_a_line_that_comes_while_a_room_is_being_entered_is_not_missed() -> None:
    log = HeldLog()
    await log.fill(1, 1)
    async with gallery_on(log) as gallery, asyncio.timeout(DEADLINE_S):
        reading = asyncio.create_task(revisions(gallery))
        await log.asked(1)
        log.held[0].set()  # there is such a match
        await some_turns()
        await log.fill(2, len(LINES))  # its history has been asked for, and says nothing of these
        await asyncio.sleep(0.05)  # the checkpoint of the feed is written on a thread
        log.let_all_go()
        assert await reading == ALL


async def test_two_who_come_one_after_the_other_sit_in_one_room() -> None:
    log = HeldLog()
    async with gallery_on(log) as gallery, asyncio.timeout(DEADLINE_S):
        too_early = asyncio.create_task(revisions(gallery))
        await log.asked(1)
        waiting = asyncio.create_task(revisions(gallery))
        await some_turns()
        await log.fill(1, 1)
        log.held[0].set()
        with pytest.raises(Refusal, match="unknown_match"):
            await too_early
        late = asyncio.create_task(revisions(gallery))
        await log.asked(2)
        log.let_all_go()
        await some_turns()
        await log.fill(2, len(LINES))
        assert await waiting == await late == ALL


async def test_a_match_that_is_not_there_leaves_nothing_behind() -> None:
    log = MemoryLog()
    async with gallery_on(log) as gallery:
        for number in range(100):
            with pytest.raises(Refusal, match="unknown_match"):
                await gallery.snapshot(f"nobody-{number}", Spectator(), 0)
        assert len(gallery._loading) == 0
