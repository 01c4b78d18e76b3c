"""Of a table of a deal nobody but its own seats is shown cards that other tables have still to meet."""

import asyncio
import random
from contextlib import AsyncExitStack, aclosing
from pathlib import Path

import msgspec
import pytest

from engine.kernel.chance import Draw, Roll
from engine.kernel.deal import Deal
from engine.kernel.facts import fact_of
from engine.kernel.refusal import Refusal
from engine.kernel.value import Referee, SeatView, Spectator
from services.kit.memory_log import MemoryLog
from tests.kit.nats import DEADLINE_S, until
from tests.services.curtains import (
    draws,
    fence,
    folded,
    follow,
    give_up,
    heard_of,
    look,
    may_be_shown,
    move,
    open_table,
    standing,
)
from tests.services.hosts import commits
from tests.services.small_house import GAME, Heard, Kept, SmallHouse, person, small_house
from tests.services.test_twins import MINE, OPTIONS, Noon, Scripted, place

PAIR = Deal("g", 2)
AHEAD, BEHIND = PAIR.match(1), PAIR.match(2)


class SomeLuck(Scripted):
    """Cards as the script says at the tables of the deal; others get what comes first."""

    async def draw(self, match: str, draw_id: str, asked: Roll | Draw) -> tuple[int, ...]:
        if match in (AHEAD, BEHIND):
            return await super().draw(match, draw_id, asked)
        return asked.cards[: asked.count] if isinstance(asked, Draw) else (1,) * asked.count


COMMON = ((*MINE, 1, 2, 3, 9), (10,), (11,))
ONE = SomeLuck(*COMMON, (12,), (13,))
OTHER = SomeLuck(*COMMON, (19,), (18,))
"""The cards are others from the fourth draw on."""

QUICK = (place(5, 5), place(9, 9), place(6, 6), place(3, 3))
OTHERWISE = (place(5, 5), place(9, 9), place(7, 7))
"""The quick table also moves otherwise, and not so often, behind the third card."""


async def transcript(folder: Path, luck: Scripted, moves: tuple[str, ...]) -> tuple[list[Kept], list[bytes], int]:
    """All that a bystander is sent of the table that is ahead, by the wire and by the feed, and what it has come to."""
    feed = Heard()
    async with AsyncExitStack() as stack:
        house = await stack.enter_async_context(
            small_house(MemoryLog(), folder, luck=luck, clock=Noon(), publisher=feed)
        )
        reader = await stack.enter_async_context(person(house))
        await open_table(house, PAIR, AHEAD, options_json=OPTIONS)
        await fence(house, feed, "fence-0")
        assert await look(reader, AHEAD) == 1, "the other table is not open: it has met no card"
        await open_table(house, PAIR, BEHIND, options_json=OPTIONS)
        for number, command in enumerate(moves):
            await house.host.act(AHEAD, f"m{number}", number % 2, command)
        await fence(house, feed, "fence-1")
        assert await look(reader, AHEAD) == 1
        for number, command in enumerate(QUICK[:2]):
            await house.host.act(BEHIND, f"m{number}", number % 2, command)
            await fence(house, feed, f"fence-{number + 2}")
            assert await look(reader, AHEAD) == 3 + 2 * number, "a draw and the move behind it"
        heard = [payload for subject, payload in feed.messages if subject.endswith((AHEAD, BEHIND))]
        return reader.kept, heard, len(await house.log.read(AHEAD, after=0))


async def test_twins_that_differ_behind_the_curtain_send_the_same_bytes(tmp_path: Path) -> None:
    one, feed, played = await transcript(tmp_path / "one", ONE, QUICK)
    other, other_feed, other_played = await transcript(tmp_path / "other", OTHER, OTHERWISE)
    assert played != other_played
    assert one == other
    assert feed == other_feed
    assert len(one) > 100


async def test_seats_and_referee_of_a_table_look_behind_the_curtain(tmp_path: Path) -> None:
    async with small_house(MemoryLog(), tmp_path, luck=ONE, clock=Noon()) as house, person(house) as one:
        await open_table(house, PAIR, AHEAD, options_json=OPTIONS)
        await house.host.act(AHEAD, "m", 0, QUICK[0])
        newest = len(await house.log.read(AHEAD, after=0))
        assert newest == 4
        for viewer in (SeatView(0), SeatView(1), Referee()):
            assert (await one.spectator.snapshot(AHEAD, viewer)).newest == newest
            async with aclosing(one.spectator.positions(AHEAD, viewer)) as positions:
                assert (await anext(positions)).revision == newest
            async with aclosing(one.spectator.facts(AHEAD, viewer)) as facts:
                assert [(await anext(facts)).revision for _ in range(newest)] == [1, 2, 3, 4]
        assert (await one.spectator.snapshot(AHEAD, Spectator())).newest == 1
        async with aclosing(one.spectator.positions(AHEAD, Spectator())) as positions:
            first = await anext(positions)
            assert (first.revision, first.newest) == (1, 1)
        with pytest.raises(Refusal, match="no_such_revision"):
            await one.spectator.snapshot(AHEAD, Spectator(), revision=2)
        with pytest.raises(Refusal, match="match_running"):
            await one.spectator.export(AHEAD)


@pytest.mark.parametrize(("game", "number"), [(GAME, 1), ("welcome_to", 3), ("memcel", 4)])
async def test_tables_are_shown_as_far_as_the_slowest_has_come(game: str, number: int, tmp_path: Path) -> None:
    """Three tables at random paces, one opened late; services restart; in the end everybody is shown everything."""
    dice = random.Random(number)
    deal = Deal("trio", 3)
    names = [deal.match(table) for table in (1, 2, 3)]
    log, feed = MemoryLog(), Heard()
    rounds = 9
    opened: list[str] = []
    for visit in range(3):
        async with small_house(log, tmp_path, game=game, publisher=feed) as house, person(house) as one:
            for step in range(rounds):
                if len(opened) < 3 and (step % 4 == 0 or visit == 1):
                    opened.append(names[len(opened)])
                    await open_table(house, deal, opened[-1])
                for match in opened:
                    for _ in range(dice.randrange(3)):
                        await move(house, match, dice.randrange(5))
                if step % 3 == 0:
                    await _is_shown_rightly(house, feed, deal, opened, f"f-{visit}-{step}")
                if visit == 0 and step == 5:
                    break  # the third table is not open yet when the services stop
            if visit == 2:
                for match in names:
                    await give_up(house, match)
                await _are_closed(house, names)
                await _is_shown_rightly(house, feed, deal, opened, "f-end")
                for match in names:
                    lines = [stored.line for stored in await log.read(match, after=0)]
                    assert await one.spectator.export(match) == lines
    first = await draws(log, names[0])
    assert len(first) > 2
    for match in names:
        told = heard_of(feed, match)
        assert sorted(set(told)) == list(range(1, len(await log.read(match, after=0)) + 1))


async def _is_shown_rightly(house: SmallHouse, feed: Heard, deal: Deal, opened: list[str], name: str) -> None:
    if house.host._game.key == GAME:
        await fence(house, feed, name)
    for match in opened:
        allowed = await may_be_shown(house.log, deal, match)

        async def is_counted(match: str = match, allowed: int = allowed) -> bool:
            try:
                return (await house.scoring.match(match)).revision >= allowed
            except Refusal:
                return False

        await until(is_counted, f"{match} is shown to revision {allowed}")
        assert await house.scoring.match(match) == await standing(house.log, match, allowed)
        await until(lambda match=match, allowed=allowed: allowed in heard_of(feed, match), f"{match} is told")  # type: ignore[misc]  # mypy does not infer a lambda's default
        assert max(heard_of(feed, match)) == allowed
        snapshot = await house.gallery.snapshot(match, Spectator(), 0)
        assert (snapshot.revision, snapshot.newest) == (allowed, allowed)


async def _are_closed(house: SmallHouse, names: list[str]) -> None:
    async def closed() -> bool:
        return all([(await folded(house.log, match)).state.seed for match in names])

    await until(closed, "every table has its closing commit")


async def test_a_reader_before_the_curtain_goes_on_as_the_slowest_table_does(tmp_path: Path) -> None:
    """One long stream, to the end of the match, in order; it ends when the match is complete."""
    async with small_house(MemoryLog(), tmp_path) as house:
        await open_table(house, PAIR, AHEAD)
        told: list[int] = []
        reading = asyncio.create_task(follow(house, AHEAD, told.append))
        for _ in range(4):
            await move(house, AHEAD)
        await until(lambda: told == [1], "the opening is told")
        await open_table(house, PAIR, BEHIND)
        for _ in range(3):
            await move(house, BEHIND)
            allowed = await may_be_shown(house.log, PAIR, AHEAD)
            await until(lambda allowed=allowed: len(told) == allowed, f"{allowed} are told")  # type: ignore[misc]  # mypy does not infer a lambda's default
        await give_up(house, AHEAD)
        assert len(told) < len(await house.log.read(AHEAD, after=0)) - 1
        await give_up(house, BEHIND)
        async with asyncio.timeout(DEADLINE_S):
            await reading
        assert told == [commit.revision for commit in await commits(house.log, AHEAD)]


async def test_tables_that_are_released_together_come_by_number(tmp_path: Path) -> None:
    """Which of them was quicker cannot be told from the order in the feed."""
    orders = []
    for name, order in (("a", (1, 2)), ("b", (2, 1))):
        deal, feed = Deal("trio", 3), Heard()
        async with small_house(MemoryLog(), tmp_path / name, publisher=feed) as house:
            for table in (1, 2):  # a deal begins with its first table
                await open_table(house, deal, deal.match(table))
            await fence(house, feed, "before")
            feed.messages.clear()
            await open_table(house, deal, deal.match(3))
            for table in (*order, *order, 3):
                await move(house, deal.match(table))
            await fence(house, feed, "behind")
            told = [(subject, msgspec.json.decode(payload)["revision"]) for subject, payload in feed.messages]
            orders.append([each for each in told if "trio" in each[0]])
    assert orders[0] == orders[1]
    assert len(orders[0]) > 4


async def test_a_feed_that_comes_late_recalls_no_more_than_has_been_shown(tmp_path: Path) -> None:
    """In a game of memory a late fact is told as it may be known now; and now is before the curtain."""
    log, feed = MemoryLog(), Heard()
    async with small_house(log, tmp_path / "one", game="memcel", publisher=feed):
        pass
    async with small_house(log, tmp_path / "elsewhere", game="memcel") as house:
        for match, moves in ((AHEAD, 50), (BEHIND, 36)):
            await open_table(house, PAIR, match)
            for number in range(moves):
                await move(house, match, number)
    shown = await may_be_shown(log, PAIR, AHEAD)
    assert 8 < shown < len(await log.read(AHEAD, after=0)) - 8
    async with small_house(log, tmp_path / "one", game="memcel", publisher=feed):
        await until(lambda: shown in heard_of(feed, AHEAD), "what may be shown is told")
    told = [payload for subject, payload in feed.messages if subject.endswith(AHEAD)]
    lines = (await commits(log, AHEAD))[:shown]
    histories = [await folded(log, AHEAD, shown), await folded(log, AHEAD)]
    expected, too_much = (
        [msgspec.json.encode(fact_of(each.match, commit, Spectator(), now=each.state)) for commit in lines]
        for each in histories
    )
    assert told == expected
    assert told != too_much
