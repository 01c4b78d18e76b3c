"""A bot with a pace lets its move wait, and hears all the same what happens meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bots import player
from engine.kernel.official import Leave, Pause, Resume
from tests.bots.one_table import OneTable, rest

PACE_MS = 1200


@asynccontextmanager
async def bot_at(table: OneTable, pace_ms: int = PACE_MS) -> AsyncIterator["asyncio.Task[None]"]:
    playing = asyncio.create_task(table.bot(pace_ms).play())
    await rest()
    yield playing
    playing.cancel()
    for error in await asyncio.gather(playing, return_exceptions=True):
        assert error is None or isinstance(error, asyncio.CancelledError), error


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "RETRY_S", (0,))


@pytest.mark.parametrize("game", ["just4fun", "memcel", "welcome_to"])
async def test_a_move_waits_as_long_as_the_pace_says(game: str) -> None:
    table = OneTable(game)
    async with bot_at(table):
        assert await table.after(PACE_MS - 1) == []
        assert await table.after(1) == [(PACE_MS, f"bot-{table.seat}-1")]


async def test_without_a_pace_nothing_waits() -> None:
    table = OneTable("just4fun")
    async with bot_at(table, pace_ms=0):
        assert table.moves == [(0, f"bot-{table.seat}-1")]


async def test_the_next_move_waits_from_its_own_turn() -> None:
    table = OneTable("just4fun")
    async with bot_at(table):
        await table.after(PACE_MS)
        await table.after(700)
        table.other_moves()
        assert len(await table.after(PACE_MS - 1)) == 1
        assert (await table.after(1))[1] == (2 * PACE_MS + 700, f"bot-{table.seat}-2")


async def test_what_others_do_in_the_same_turn_does_not_make_it_wait_again() -> None:
    table = OneTable("welcome_to")
    async with bot_at(table):
        await table.after(700)
        table.other_moves()
        assert await table.after(499) == []
        assert await table.after(1) == [(PACE_MS, f"bot-{table.seat}-1")]


@pytest.mark.parametrize(("turn_ms", "waits_ms"), [(2000, 500), (4796, 1199), (4800, PACE_MS), (60_000, PACE_MS)])
async def test_a_pace_takes_no_more_than_a_quarter_of_the_time_left(turn_ms: int, waits_ms: int) -> None:
    table = OneTable("just4fun", turn_ms=turn_ms)
    async with bot_at(table):
        assert await table.after(waits_ms - 1) == []
        assert (await table.after(1))[0][0] == waits_ms


async def test_a_bot_that_comes_late_to_its_turn_counts_what_is_left_then() -> None:
    table = OneTable("just4fun", turn_ms=4000)
    table.clock.forward(3000)
    async with bot_at(table):
        assert await table.after(249) == []
        assert (await table.after(1))[0][0] == 3250


async def test_a_clock_that_is_behind_the_house_does_not_make_time_longer() -> None:
    table = OneTable("just4fun", turn_ms=4000)
    table.clock.forward(-3_600_000)
    async with bot_at(table):
        assert await table.after(999) == []
        assert len(await table.after(1)) == 1


async def test_in_a_match_that_is_paused_it_does_not_move_and_then_waits_anew() -> None:
    table = OneTable("just4fun")
    async with bot_at(table):
        await table.after(700)
        table.direct(Pause("the roof leaks"))
        assert await table.after(10 * PACE_MS) == []
        table.direct(Resume("mended"))
        assert await table.after(PACE_MS - 1) == []
        assert len(await table.after(1)) == 1


async def test_a_match_that_ends_meanwhile_is_left_at_once() -> None:
    table = OneTable("just4fun")
    async with bot_at(table) as playing:
        table.direct(Leave(1 - table.seat))
        table.close()
        await rest()
        assert playing.done()
        assert await table.after(PACE_MS) == []


@pytest.mark.parametrize(("game", "at_ms"), [("just4fun", PACE_MS), ("welcome_to", PACE_MS), ("memcel", 700 + PACE_MS)])
async def test_a_line_that_breaks_meanwhile_costs_no_move(game: str, at_ms: int) -> None:
    """Where the past is closed, all is told again, and the waiting begins again with it."""
    table = OneTable(game)
    async with bot_at(table):
        await table.after(700)
        table.hang_up()
        await rest()
        table.is_away = False
        await rest()
        assert await table.after(at_ms - 701) == []
        assert await table.after(1) == [(at_ms, f"bot-{table.seat}-1")]


async def test_what_happened_while_the_line_was_down_comes_before_the_move() -> None:
    table = OneTable("just4fun")
    async with bot_at(table):
        await table.after(700)
        table.hang_up()
        table.direct(Pause("the roof leaks"))
        await table.after(10 * PACE_MS)
        table.is_away = False
        assert await table.after(10 * PACE_MS) == []
        table.direct(Resume("mended"))
        assert len(await table.after(PACE_MS)) == 1
