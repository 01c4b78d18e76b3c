"""Spectators are kept behind: they are shown a commit when it is so old, on every path, and the rest at the end."""

import asyncio
from pathlib import Path

import pytest

from engine.kernel.deal import Deal
from engine.kernel.refusal import Refusal
from engine.kernel.value import Referee, SeatView, Spectator
from services.kit.memory_log import MemoryLog
from tests.kit.nats import DEADLINE_S, until
from tests.services.curtains import Watch, fence, folded, follow, give_up, heard_of, look, move, open_table, standing
from tests.services.small_house import Heard, SmallHouse, person, small_house

M = "m-late"
DELAY_MS = 60_000


async def is_shown(house: SmallHouse, feed: Heard, match: str, revision: int) -> None:
    """By the feed, the scores, a snapshot and a stream: up to this revision, and not one further."""
    await until(lambda: bool(heard_of(feed, match)) and heard_of(feed, match)[-1] == revision, f"{revision} is told")

    async def is_counted() -> bool:
        try:
            return (await house.scoring.match(match)).revision == revision
        except Refusal:
            return False

    await until(is_counted, f"{revision} is counted")
    assert heard_of(feed, match) == list(range(1, revision + 1))
    assert await house.scoring.match(match) == await standing(house.log, match, revision)
    assert (await house.gallery.snapshot(match, Spectator(), 0)).newest == revision


async def test_a_commit_is_shown_when_it_is_old_enough(tmp_path: Path) -> None:
    watch, feed = Watch(), Heard()
    async with small_house(MemoryLog(), tmp_path, clock=watch, publisher=feed) as house, person(house) as one:
        await open_table(house, None, M, delay_ms=DELAY_MS)
        opening = len(await house.log.read(M, after=0))
        await fence(house, feed, "fence-0")
        before = len(one.kept)
        assert await look(one, M) == 0, "that there is such a match is not told yet"
        refusals = {kept.answer for kept in one.kept[before:] if kept.method == "refused"}
        assert refusals == {b"unknown_match: There is no match m-late."}
        watch.forward(20_000)
        await move(house, M)
        first = len(await house.log.read(M, after=0))
        watch.forward(DELAY_MS - 20_001)
        await fence(house, feed, "fence-1")
        assert await look(one, M) == 0
        watch.forward(1)
        await is_shown(house, feed, M, opening)
        assert await look(one, M) == opening
        for viewer in (SeatView(0), Referee()):
            assert (await house.gallery.snapshot(M, viewer, 0)).newest == first
        watch.forward(19_999)
        await move(house, M)
        await fence(house, feed, "fence-2")
        await is_shown(house, feed, M, opening)
        watch.forward(1)
        await is_shown(house, feed, M, first)


async def test_the_end_lifts_it(tmp_path: Path) -> None:
    watch, feed = Watch(), Heard()
    async with small_house(MemoryLog(), tmp_path, clock=watch, publisher=feed) as house:
        await open_table(house, None, M, delay_ms=DELAY_MS)
        watch.forward(DELAY_MS)
        await move(house, M)
        told: list[int] = []
        await until(lambda: bool(heard_of(feed, M)), "the opening is told")
        reading = asyncio.create_task(follow(house, M, told.append))
        await give_up(house, M)
        newest = len(await house.log.read(M, after=0))
        assert (await folded(house.log, M)).state.seed
        await is_shown(house, feed, M, newest)
        async with asyncio.timeout(DEADLINE_S):
            await reading
        assert told == list(range(1, newest + 1))


async def test_a_service_that_was_away_shows_what_has_become_old_enough(tmp_path: Path) -> None:
    log, watch, feed = MemoryLog(), Watch(), Heard()
    async with small_house(log, tmp_path, clock=watch, publisher=feed) as house:
        await open_table(house, None, M, delay_ms=DELAY_MS)
        first = len(await log.read(M, after=0))
        watch.forward(30_000)
        await move(house, M)
        second = len(await log.read(M, after=0))
        await fence(house, feed, "fence-0")
        assert heard_of(feed, M) == []
    watch.forward(DELAY_MS - 30_000)
    async with small_house(log, tmp_path, clock=watch, publisher=feed) as house:
        await is_shown(house, feed, M, first)
        watch.forward(30_000)
        await is_shown(house, feed, M, second)


async def test_a_delay_and_a_deal_hold_back_both(tmp_path: Path) -> None:
    deal, watch, feed = Deal("g", 2), Watch(), Heard()
    one, other = deal.match(1), deal.match(2)
    async with small_house(MemoryLog(), tmp_path, clock=watch, publisher=feed) as house:
        await open_table(house, deal, one, delay_ms=DELAY_MS)
        watch.forward(DELAY_MS)
        await is_shown(house, feed, one, 1)
        watch.forward(DELAY_MS)
        await fence(house, feed, "fence-0")
        await is_shown(house, feed, one, 1)
        await move(house, one)
        await open_table(house, deal, other)
        await move(house, other)
        await fence(house, feed, "fence-1")
        released = len(await house.log.read(one, after=0)) - 1
        assert heard_of(feed, one)[-1] == released - 1, "the other table has let the luck go, the time not yet the move"
        watch.forward(DELAY_MS)
        await is_shown(house, feed, one, released)


async def test_nothing_runs_while_there_is_nothing_to_wait_for(tmp_path: Path) -> None:
    watch, feed = Watch(), Heard()
    async with small_house(MemoryLog(), tmp_path, clock=watch, publisher=feed) as house:
        await open_table(house, Deal("g", 2), "g-t1")
        await move(house, "g-t1")
        await fence(house, feed, "fence-0")
        assert watch.sleepers == 0
        await open_table(house, None, M, delay_ms=DELAY_MS)
        for _ in range(5):
            await move(house, M)
        await fence(house, feed, "fence-1")
        assert watch.sleepers == 2, "feed and scoring wait for the first commit, once each"


@pytest.mark.parametrize("delay_ms", [1, 999])
async def test_delays_are_kept_to_the_millisecond(delay_ms: int, tmp_path: Path) -> None:
    watch, feed = Watch(), Heard()
    async with small_house(MemoryLog(), tmp_path, clock=watch, publisher=feed) as house:
        await open_table(house, None, M, delay_ms=delay_ms)
        newest = len(await house.log.read(M, after=0))
        watch.forward(delay_ms - 1)
        await fence(house, feed, "fence-0")
        assert heard_of(feed, M) == []
        watch.forward(1)
        await is_shown(house, feed, M, newest)
