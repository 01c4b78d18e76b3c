"""Scores are what the log says: live, over restarts, from the beginning again, and past a damaged match."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest
from tavolata.scoring.v1 import scoring_pb2

from engine.kernel.game import Seats
from engine.kernel.history import AnyHistory, History
from engine.kernel.match import Match
from engine.kernel.ports import Log
from engine.kernel.refusal import Refusal
from services.kit.clock import SystemClock
from services.kit.memory_log import MemoryLog
from services.kit.read_model import ReadModel
from services.scoring.app import Scoring
from services.scoring.scoreboard import Scoreboard, Standing
from services.scoring.tables import TABLES, VERSION, SeatRow
from tests.kit.databases import Store
from tests.kit.lines import fill, line_of
from tests.kit.nats import DEADLINE_S, until
from tests.services.hosts import M, folded, game, leave, next_move, play_out
from tests.services.small_house import GAME, SmallHouse, person, small_house


async def known(house: SmallHouse, revision: int, match: str = M) -> Standing:
    """What scoring tells of a match once it has counted ``revision``."""

    async def is_counted() -> bool:
        try:
            return (await house.scoring.match(match)).revision >= revision
        except Refusal:
            return False

    await until(is_counted, f"scoring has counted revision {revision} of {match}")
    return await house.scoring.match(match)


async def refolded(log: Log, match: str = M) -> Standing:
    """The same, folded here from the log alone."""
    history: AnyHistory = History(Match(game()), match)
    for stored in await log.read(match, after=0):
        history.accept(stored.line, stored.position)
    return Scoreboard().project(history)


async def test_live_scores_objectives_and_results_equal_a_refold(tmp_path: Path) -> None:
    async with small_house(MemoryLog(), tmp_path) as house:
        await house.host.open(M, seats=3, players=["ann", "bob", "cid"])
        number = 0
        while isinstance((await folded(house.log)).pending, Seats):
            number += 1
            if number == 7:
                await house.host.act(M, "bye", 1, leave(1))
            await house.host.act(M, f"move-{number}", *await next_move(house.log))
            expected = await refolded(house.log)
            assert await known(house, expected.revision) == expected
        ended = await refolded(house.log)
        assert ended.ended
        assert [seat.rank for seat in ended.seats if seat.rank == 1]
        state = (await folded(house.log)).state
        scores = game().scores(state.game)
        assert [seat.total for seat in ended.seats] == [score.total for score in scores]
        assert [seat.objectives for seat in ended.seats] == [score.objectives for score in scores]
        assert [seat.left for seat in ended.seats] == [False, True, False]


async def test_scores_go_on_after_a_restart(tmp_path: Path, store: Store) -> None:
    log = MemoryLog()
    async with small_house(log, tmp_path, store=store) as house:
        await house.host.open(M, seats=2)
        await house.host.act(M, "one", *await next_move(log))
        await known(house, len(await log.read(M, after=0)))
    async with small_house(log, tmp_path / "other") as elsewhere:
        await elsewhere.host.act(M, "two", *await next_move(log))
    async with small_house(log, tmp_path, store=store) as house:
        expected = await refolded(log)
        assert await known(house, expected.revision) == expected
        await house.host.act(M, "three", *await next_move(log))
        expected = await refolded(log)
        assert await known(house, expected.revision) == expected


async def test_a_rebuild_gives_the_same_rows(tmp_path: Path, store: Store) -> None:
    log = MemoryLog()
    async with small_house(log, tmp_path, store=store) as house:
        for number in range(4):
            await house.host.open(f"m{number}", seats=2 + number % 3)
        await play_out(log, house.host, "m1")
        for number in range(4):
            await known(house, len(await log.read(f"m{number}", after=0)), f"m{number}")
        before, _ = await house.scoring.matches(ended=None, game="", page_size=0, page_token="")
    model = ReadModel(store.url, "scoring", VERSION, TABLES, password_file=store.password_file)
    scoring = Scoring(log, model, SystemClock())
    await scoring.prepare(rebuild=True)
    assert await scoring.matches(ended=None, game="", page_size=0, page_token="") == ([], "")
    running = asyncio.create_task(scoring.run())

    async def is_rebuilt() -> bool:
        return (await scoring.matches(ended=None, game="", page_size=0, page_token=""))[0] == before

    await until(is_rebuilt, "the same rows are there again")
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await model.close()


async def test_a_crash_between_rows_and_position_leaves_neither(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = MemoryLog()
    async with small_house(log, tmp_path, store=store) as house:
        await house.host.open(M, seats=2)
        before = await known(house, len(await log.read(M, after=0)))
    async with small_house(log, tmp_path / "other") as elsewhere:
        await elsewhere.host.act(M, "move", *await next_move(log))

    upsert = ReadModel.upsert

    def crash(self: ReadModel, session: object, model: object, rows: object) -> None:
        if model is SeatRow:
            raise ZeroDivisionError
        upsert(self, session, model, rows)  # type: ignore[arg-type]  # the signature of what it replaces

    monkeypatch.setattr(ReadModel, "upsert", crash)
    with pytest.raises(ZeroDivisionError):
        await _run_until_it_ends(log, tmp_path, store)
    monkeypatch.undo()
    model = ReadModel(store.url, "scoring", VERSION, TABLES, password_file=store.password_file)
    scoring = Scoring(log, model, SystemClock())
    await scoring.prepare()
    assert await scoring.match(M) == before
    await model.close()


async def _run_until_it_ends(log: Log, folder: Path, store: Store) -> None:
    async with small_house(log, folder, store=store) as house, asyncio.timeout(DEADLINE_S):
        await house.running["scoring"]


class TestWatching:
    async def test_running_matches_come_first_then_each_change(self, tmp_path: Path) -> None:
        async with small_house(MemoryLog(), tmp_path) as house:
            for match in ("one", "two"):
                await house.host.open(match, seats=2)
                await known(house, len(await house.log.read(match, after=0)), match)
            async with asyncio.timeout(DEADLINE_S), aclosing(house.scoring.watch("")) as changes:
                assert {(await anext(changes)).match_id for _ in range(2)} == {"one", "two"}
                await house.host.act("two", "move", *await next_move(house.log, "two"))
                newest = len(await house.log.read("two", after=0))
                while (changed := await anext(changes)).revision < newest:
                    assert changed.match_id == "two"
                assert changed == await refolded(house.log, "two")

    async def test_a_slow_reader_is_told_the_latest_of_each(self, tmp_path: Path) -> None:
        async with small_house(MemoryLog(), tmp_path) as house:
            await house.host.open("slow", seats=2)
            await known(house, 2, "slow")
            async with asyncio.timeout(DEADLINE_S), aclosing(house.scoring.watch(GAME)) as changes:
                await anext(changes)
                await play_out(house.log, house.host, "slow")
                newest = len(await house.log.read("slow", after=0))
                await known(house, newest, "slow")
                latest = await anext(changes)
                while latest.revision < newest:
                    latest = await anext(changes)  # one that was under way already
                assert latest.ended
                await house.host.open("next", seats=2)
                assert (await anext(changes)).match_id == "next"

    async def test_whoever_wants_milestones_hears_of_openings_and_ends(self, tmp_path: Path) -> None:
        async with small_house(MemoryLog(), tmp_path) as house, person(house) as one:
            await house.host.open(M, seats=2)
            await known(house, len(await house.log.read(M, after=0)))
            async with asyncio.timeout(DEADLINE_S), aclosing(one.scoring.watch(milestones=True)) as changes:
                assert (await anext(changes)).match_id == M
                await house.host.act(M, "move", *await next_move(house.log))
                await known(house, len(await house.log.read(M, after=0)))
                await house.host.open("next", seats=2)
                assert (await anext(changes)).match_id == "next"
                await play_out(house.log, house.host, M)
                ended = await anext(changes)
            assert (ended.match_id, ended.status) == (M, scoring_pb2.STATUS_ENDED)

    async def test_it_is_the_same_over_the_wire(self, tmp_path: Path) -> None:
        async with small_house(MemoryLog(), tmp_path) as house, person(house) as one:
            await house.host.open(M, seats=2, players=["ann", "bob"])
            await known(house, len(await house.log.read(M, after=0)))
            async with asyncio.timeout(DEADLINE_S), aclosing(one.scoring.watch()) as changes:
                told = await anext(changes)
            assert told == await one.scoring.match(M)
            assert [seat.player for seat in told.seats] == ["ann", "bob"]


class TestPaging:
    async def test_pages_hold_every_match_once_newest_first(self, tmp_path: Path, store: Store) -> None:
        async with small_house(MemoryLog(), tmp_path, store=store) as house:
            matches = [f"m{number}" for number in range(7)]
            for match in matches:
                await house.host.open(match, seats=2)
                await known(house, len(await house.log.read(match, after=0)), match)
            await play_out(house.log, house.host, "m3")
            await known(house, len(await house.log.read("m3", after=0)), "m3")
            for size in (1, 3, 7, 500):
                assert await pages(house, size) == matches[::-1]
            assert await pages(house, 2, ended=True) == ["m3"]
            assert await pages(house, 2, ended=False) == [match for match in matches[::-1] if match != "m3"]
            assert await pages(house, 2, game="chess") == []

    async def test_a_token_that_is_none_is_refused(self, tmp_path: Path) -> None:
        async with small_house(MemoryLog(), tmp_path) as house:
            with pytest.raises(Refusal, match="bad_page_token"):
                await house.scoring.matches(ended=None, game="", page_size=0, page_token="nonsense")


async def pages(house: SmallHouse, size: int, *, ended: bool | None = None, game: str = "") -> list[str]:
    found: list[str] = []
    token = ""
    while True:
        page, token = await house.scoring.matches(ended=ended, game=game, page_size=size, page_token=token)
        assert len(page) <= size
        found.extend(standing.match_id for standing in page)
        if not token:
            return found


async def test_a_damaged_match_is_passed_over_and_others_go_on(tmp_path: Path) -> None:
    log = MemoryLog()
    async with small_house(log, tmp_path) as house:
        await house.host.open("good", seats=2)
        await house.host.open("bad", seats=2)
        await fill(log, "chess", "foreign", 2)
        await log.append(GAME, "nonsense", b'{"match":"nonsense","revision":1,"at":"today"}', expected=0)
        lines = await log.read("bad", after=0)
        good = await known(house, len(lines), "bad")
        await log.append(GAME, "bad", line_of("bad", len(lines) + 1), expected=lines[-1].position)
        await house.host.act("good", "move", *await next_move(log, "good"))
        expected = await refolded(log, "good")
        assert await known(house, expected.revision, "good") == expected
        assert await house.scoring.match("bad") == good, "what was sound of it stays"
        for missing in ("foreign", "nonsense", "nowhere"):
            with pytest.raises(Refusal, match="unknown_match"):
                await house.scoring.match(missing)
