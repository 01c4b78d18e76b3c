"""The public feed: what comes close together is sent together, and what is not taken is sent again before anything
newer; nobody else waits for it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from engine.kernel.facts import Fact
from engine.kernel.ports import Stored, Unavailable
from engine.kernel.value import Spectator
from services.kit.memory_log import MemoryLog
from services.spectator import feed as feeds
from services.spectator.feed import Feed
from tests.kit.nats import DEADLINE_S, until
from tests.services.followed import Followed
from tests.services.hosts import M, play_out
from tests.services.small_house import Heard, person, small_house


class Away(Heard):
    """A server that takes nothing while it is away, and may lose some of what it took."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away = False
        self.loses = False
        self.flushes = 0

    async def publish(self, subject: str, payload: bytes) -> None:
        if self.is_away:
            raise Unavailable("feed_unavailable", "It is away.")
        await super().publish(subject, payload)

    async def flush(self) -> None:
        self.flushes += 1
        if self.is_away or self.loses:
            self.loses = False
            raise Unavailable("feed_unavailable", "The line has dropped.")

    @property
    def revisions(self) -> list[int]:
        return [msgspec.json.decode(payload, type=Fact).revision for _, payload in self.messages]


@pytest.fixture
async def lines(tmp_path: Path) -> tuple[Stored, ...]:
    log = MemoryLog()
    async with small_house(log, tmp_path) as house:
        await house.host.open(M, seats=2)
        await play_out(log, house.host)
        return tuple(await log.read(M, after=0))


async def publish(feed: Feed, *batch: Stored) -> None:
    await feed.publish(batch, late_until=[0], shown=lambda match_id: None)


@asynccontextmanager
async def running(feed: Feed) -> AsyncIterator[None]:
    task = asyncio.create_task(feed.run())
    try:
        async with asyncio.timeout(DEADLINE_S):
            yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_what_comes_close_together_is_sent_together(lines: tuple[Stored, ...]) -> None:
    heard = Heard()
    feed = Feed(heard, MemoryLog())
    async with running(feed):
        for line in lines[:3]:
            await publish(feed, line)
            await asyncio.sleep(0)
            assert not heard.messages
        await until(lambda: len(heard.messages) == 3, "all of it is sent, and nobody had to ask for that")


async def test_settled_is_what_has_been_sent_and_taken(lines: tuple[Stored, ...]) -> None:
    heard = Away()
    feed = Feed(heard, MemoryLog())
    await publish(feed, *lines[:3])
    await feed.settle()
    assert heard.revisions == [1, 2, 3]
    await publish(feed, lines[3])
    await feed.settle()
    assert heard.revisions == [1, 2, 3, 4], "what is settled is not sent again"


async def test_what_may_be_lost_is_sent_again_before_anything_newer(
    lines: tuple[Stored, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "RETRY_S", 0.001)
    heard = Away()
    feed = Feed(heard, MemoryLog())
    async with running(feed):
        await publish(feed, *lines[:3])
        await until(lambda: heard.revisions == [1, 2, 3], "it is sent")
        heard.is_away = True
        await publish(feed, lines[3])
        await asyncio.sleep(2 * feeds.GATHER_S)
        settling = asyncio.create_task(feed.settle())
        await until(lambda: heard.flushes == 0 and not settling.done(), "it is tried again")
        await publish(feed, lines[4])
        heard.is_away, heard.loses = False, True
        await settling
        await feed.settle()
        revisions = heard.revisions
        assert set(revisions) == {1, 2, 3, 4, 5}
        assert revisions[3:6] == [1, 2, 3], "all that was not settled comes first"
        assert max(b - a for a, b in pairwise(revisions)) == 1, "never ahead of a gap"
        before = len(revisions)
        await feed.settle()
        assert len(heard.revisions) == before


async def test_spectators_do_not_wait_for_a_feed_that_is_away(tmp_path: Path) -> None:
    log, heard = MemoryLog(), Away()
    async with small_house(log, tmp_path, publisher=heard) as house, person(house) as one:
        heard.is_away = True
        await house.host.open(M, seats=2)
        reader = Followed(one.spectator.facts(M, Spectator()))
        await play_out(log, house.host)
        await asyncio.wait_for(reader.task, DEADLINE_S)
        newest = len(await log.read(M, after=0))
        assert [fact.revision for fact in reader.facts] == list(range(1, newest + 1))
        assert not heard.messages
        heard.is_away = False
        await until(lambda: set(heard.revisions) == set(range(1, newest + 1)), "the feed makes up for it")
