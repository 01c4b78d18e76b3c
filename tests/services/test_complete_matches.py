"""Matches that are complete are kept as blobs: one read, nothing else than the log says, and the log where in doubt."""

import asyncio
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy.schema import CreateTable, DropTable

from engine.games import find_game
from engine.kernel.commit import line_hash
from engine.kernel.deal import Deal
from engine.kernel.history import BrokenLog
from engine.kernel.ports import Stored
from engine.kernel.refusal import Refusal
from engine.kernel.value import Referee, SeatView, Spectator
from services.kit.database import table_of
from services.kit.memory_log import MemoryLog
from services.kit.read_model import Checkpoint, ReadModel
from services.spectator import complete
from services.spectator.app import FEED_VERSION
from services.spectator.complete import Packed, chain_of, is_closing
from services.spectator.tables import TABLES, FeedBehind
from tests.kit.databases import Store, sqlite_store
from tests.kit.nats import DEADLINE_S, until
from tests.kit.table import play
from tests.services.blobs import (
    BLOBS,
    LINES,
    MATCH,
    OTHER,
    Reads,
    blobs,
    exported,
    gallery_alone,
    kept,
    put,
    rows,
    told,
)
from tests.services.curtains import Watch, fence, look, move, open_table
from tests.services.hosts import M, play_out
from tests.services.small_house import GAME, Heard, person, small_house


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, the database answers in time."""
    monkeypatch.setattr(complete, "ANSWER_S", DEADLINE_S)


async def test_a_past_match_is_served_without_a_read_of_the_log(store: Store, tmp_path: Path) -> None:
    log = Reads()
    async with small_house(log, tmp_path, store=store) as house:
        await house.host.open(M, seats=2)
        await play_out(log, house.host)
        lines = await log.read(M, after=0)
        live = {viewer: await told(house.gallery, viewer, M) for viewer in (Spectator(), SeatView(1), Referee())}
        await kept(store, M)
        row = blobs(store)[M]
        assert (row.epoch, row.position, row.commits) == ("memory", lines[-1].position, len(lines))
        assert row.root == line_hash(lines[-1].line)
        async with person(house) as one:
            assert await one.spectator.export(M) == [each.line for each in lines]
    async with gallery_alone(log, store) as gallery:
        log.reads.clear()
        for viewer, facts in live.items():
            assert await told(gallery, viewer, M) == facts
        assert await exported(gallery, M) == [each.line for each in lines]
        assert (await gallery.snapshot(M, Spectator(), 5)).newest == len(lines)
        assert await gallery.player_at(M, 0) == ""
        assert log.reads == []


async def test_it_is_kept_without_a_read_where_all_of_it_came_by(store: Store, tmp_path: Path) -> None:
    """So a rebuild from nothing costs one pass of the log."""
    log = Reads()
    await put(log, MATCH, LINES)
    async with gallery_alone(log, store):
        await kept(store, MATCH)
        assert log.reads == []


async def test_a_match_that_closes_while_nobody_is_there_is_kept_at_the_next_start(
    store: Store, tmp_path: Path
) -> None:
    log = Reads()
    await put(log, MATCH, LINES[:20])
    async with small_house(log, tmp_path, store=store) as house:
        await until(lambda: list(house.gallery.taken) == [20], "the beginning is taken in")
        assert not blobs(store)
    await put(log, MATCH, LINES[20:])
    async with small_house(log, tmp_path, store=store) as house:
        await kept(store, MATCH)
        log.reads.clear()
        assert await exported(house.gallery, MATCH) == LINES
        assert log.reads == []


async def test_matches_that_are_too_much_for_the_memory_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(complete, "RUNNING_BYTES", 4_000)
    monkeypatch.setattr(complete, "UNWRITTEN_BYTES", 4_000)
    log, store = Reads(), sqlite_store(tmp_path)
    await put(log, MATCH, LINES)
    async with gallery_alone(log, store) as gallery:
        await kept(store, MATCH)
        assert log.reads == [MATCH]
        await until(lambda: list(gallery.taken) == [len(LINES)], "the log is followed on")
        assert await exported(gallery, MATCH) == LINES


async def test_a_log_that_is_away_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(complete, "RUNNING_BYTES", 4_000)
    log, store = Reads(), sqlite_store(tmp_path)
    await put(log, MATCH, LINES[:-1])
    async with small_house(log, tmp_path, store=store) as house:
        await until(lambda: list(house.gallery.taken) == [len(LINES) - 1], "it is taken in")
        log.away = True
        await MemoryLog.append(log, GAME, MATCH, LINES[-1], expected=len(LINES) - 1)
        await until(lambda: MATCH in log.reads and list(house.gallery.taken) == [len(LINES)], "it was asked in vain")
        assert not blobs(store)
        log.away = False
        await house.host.open(OTHER, seats=2)
        await kept(store, MATCH)


def _flipped(row: Any) -> dict[str, Any]:
    middle = len(row.lines) // 2
    return {"lines": row.lines[:middle] + bytes([row.lines[middle] ^ 1]) + row.lines[middle + 1 :]}


def _repacked(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[Any], dict[str, Any]]:
    def damage(row: Any) -> dict[str, Any]:
        packed = msgspec.msgpack.decode(zlib.decompress(row.lines), type=Packed)
        lines = change(list(packed.lines))
        return {"lines": zlib.compress(msgspec.msgpack.encode(Packed(packed.steps[: len(lines)], lines)))}

    return damage


def _changed(lines: list[bytes]) -> list[bytes]:
    return [*lines[:7], lines[7].replace(b'"at":"2', b'"at":"1', 1), *lines[8:]]


DAMAGES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "a byte is flipped": _flipped,
    "it is cut": lambda row: {"lines": row.lines[:-9]},
    "it is empty": lambda row: {"lines": b""},
    "it is something else": lambda row: {"lines": zlib.compress(b"\x93\x01\x02\x03")},
    "a line is changed": _repacked(_changed),
    "a line is left out": _repacked(lambda lines: [*lines[:7], *lines[8:]]),
    "two lines are exchanged": _repacked(lambda lines: [*lines[:7], lines[8], lines[7], *lines[9:]]),
    "the end is missing": _repacked(lambda lines: lines[:-1]),
    "the end is changed": _repacked(lambda lines: [*lines[:-1], lines[-1] + b" "]),
    "the first is none": _repacked(lambda lines: [b"{}", *lines[1:]]),
    "another root": lambda row: {"root": "0" * 64},
    "another position": lambda row: {"position": row.position + 1},
    "another number of commits": lambda row: {"commits": row.commits + 1},
    "another epoch": lambda row: {"epoch": "elsewhere"},
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_blob_is_not_believed_and_written_anew(damage: str, tmp_path: Path) -> None:
    log, store = Reads(), sqlite_store(tmp_path)
    await put(log, MATCH, LINES)
    async with gallery_alone(log, store):
        await kept(store, MATCH)
    whole = blobs(store)[MATCH]
    for ask in ("export", "watch"):
        rows(store, BLOBS.update().values(**DAMAGES[damage](whole)))
        assert blobs(store)[MATCH] != whole
        async with gallery_alone(log, store) as gallery:
            log.reads.clear()
            if ask == "export":
                assert await exported(gallery, MATCH) == LINES
            else:
                assert [fact.revision for fact in await told(gallery, Spectator(), MATCH)] == [
                    *range(1, len(LINES) + 1)
                ]
            assert log.reads == [MATCH]
            await until(lambda: blobs(store)[MATCH] == whole, "it is written anew")


async def test_what_is_missing_is_written_when_it_was_asked_for(store: Store, tmp_path: Path) -> None:
    log = Reads()
    await put(log, MATCH, LINES)
    async with gallery_alone(log, store) as gallery:
        await kept(store, MATCH)
        rows(store, BLOBS.delete())
        assert await exported(gallery, MATCH) == LINES
        await kept(store, MATCH)


async def test_a_log_of_another_epoch_has_its_own_blobs(store: Store, tmp_path: Path) -> None:
    log = Reads()
    await put(log, MATCH, LINES)
    async with small_house(log, tmp_path, store=store):
        await kept(store, MATCH)
    other = Reads(epoch="restored")
    await put(other, MATCH, LINES[:30])
    async with small_house(other, tmp_path, store=store) as house:
        assert not blobs(store)
        assert (await house.gallery.snapshot(MATCH, Spectator(), 0)).newest == 30
        with pytest.raises(Refusal, match="match_running"):
            await exported(house.gallery, MATCH)
        await put(other, MATCH, LINES[30:])
        await kept(store, MATCH)
        assert blobs(store)[MATCH].epoch == "restored"


async def test_a_version_from_before_is_folded_again(tmp_path: Path) -> None:
    log, store = Reads(), sqlite_store(tmp_path)
    await put(log, MATCH, LINES)
    model = ReadModel(store.url, "feed", FEED_VERSION - 1, TABLES[:1])
    await model.prepare([await log.bounds(0)])
    await model.apply(0, len(LINES), lambda session: None)
    await model.close()
    async with small_house(log, tmp_path, store=store):
        await kept(store, MATCH)


async def test_position_and_blob_are_one_transaction(tmp_path: Path) -> None:
    """Where a position beyond the end of a match is written, its blob is there."""
    log, store = Reads(), sqlite_store(tmp_path)
    await put(log, MATCH, LINES[:-1])
    positions = table_of(Checkpoint).select().where(table_of(Checkpoint).c.consumer == "feed")
    async with small_house(log, tmp_path, store=store) as house:
        await put(log, MATCH, LINES[-1:])
        await until(lambda: list(house.gallery.taken) == [len(LINES)], "the position is written")
        assert MATCH in blobs(store)
        assert [row.position for row in rows(store, positions)] == [len(LINES)]


async def test_a_damaged_match_of_the_log_gets_no_blob(tmp_path: Path) -> None:
    log, store = Reads(), sqlite_store(tmp_path)
    await put(log, MATCH, _changed(LINES))
    await put(log, OTHER, [b'{"match":"m-2","revision":1,"at":"today","x":"tavolata.seed_revealed"}'])
    async with small_house(log, tmp_path, store=store) as house:
        await until(lambda: list(house.gallery.taken) == [len(LINES) + 1], "it is taken in")
        with pytest.raises(BrokenLog):
            await told(house.gallery, Spectator(), MATCH)
        await until(lambda: not house.gallery._complete._closed, "nothing waits to be written")
        assert not blobs(store)
        assert await exported(house.gallery, MATCH) == _changed(LINES), "an export is what the log holds"


async def test_a_database_that_does_not_answer_keeps_nobody_from_watching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, store = Reads(), sqlite_store(tmp_path)
    await put(log, MATCH, LINES)
    async with gallery_alone(log, store) as gallery:
        await kept(store, MATCH)
        monkeypatch.setattr(complete, "ANSWER_S", 0.0)
        log.reads.clear()
        assert len(await told(gallery, Spectator(), MATCH)) == len(LINES)
        assert log.reads == [MATCH]
        monkeypatch.setattr(complete, "ANSWER_S", DEADLINE_S)
        rows(store, DropTable(BLOBS))
        assert await exported(gallery, MATCH) == LINES
        rows(store, CreateTable(BLOBS))


class TestBehindTheCurtain:
    async def test_a_blob_tells_no_more_of_a_deal_than_the_log(self, tmp_path: Path) -> None:
        """While another table plays no seed is revealed, so there is no blob of a table that has ended."""
        log, store, feed, deal = Reads(), sqlite_store(tmp_path), Heard(), Deal("g", 2)
        ours, theirs = deal.match(1), deal.match(2)
        async with small_house(log, tmp_path, store=store, publisher=feed) as house, person(house) as one:
            for match in (ours, theirs):
                await open_table(house, deal, match)
            while await move(house, ours):
                pass
            await fence(house, feed, "fence")
            shown = await look(one, ours)
            assert shown < len(await log.read(ours, after=0))
            assert not {ours, theirs} & set(blobs(store))
            with pytest.raises(Refusal, match="match_running"):
                await exported(house.gallery, ours)
        async with small_house(log, tmp_path, store=store, publisher=feed) as house, person(house) as one:
            assert await look(one, ours) == shown
            while await move(house, theirs):
                pass
            await kept(store, ours, theirs)
        async with gallery_alone(log, store) as gallery:
            log.reads.clear()
            for match in (ours, theirs):
                lines = [each.line for each in await MemoryLog.read(log, match, after=0)]
                assert len(await told(gallery, Spectator(), match)) == len(lines)
                assert await exported(gallery, match) == lines
            assert log.reads == []

    async def test_a_delayed_match_is_kept_when_it_is_complete_and_shown(self, tmp_path: Path) -> None:
        log, store, feed, watch = Reads(), sqlite_store(tmp_path), Heard(), Watch()
        async with small_house(log, tmp_path, store=store, publisher=feed, clock=watch) as house, person(house) as one:
            await open_table(house, None, M, delay_ms=60_000)
            await move(house, M)
            await fence(house, feed, "fence-1")
            assert await look(one, M) == 0
            assert M not in blobs(store)
            with pytest.raises(Refusal, match="unknown_match"):
                await exported(house.gallery, M)
            while await move(house, M):
                pass
            await kept(store, M)
        async with gallery_alone(log, store, watch) as gallery:
            log.reads.clear()
            behind, referee = await told(gallery, Spectator(), M), await told(gallery, Referee(), M)
            assert len(behind) == len(referee) == len(await MemoryLog.read(log, M, after=0))
            assert log.reads == []

    async def test_a_row_of_a_match_that_is_running_is_not_believed(self, tmp_path: Path) -> None:
        """Whatever stands in the table: it must hold to the end, the seed revealed."""
        log, store = Reads(), sqlite_store(tmp_path)
        await put(log, MATCH, LINES[:30])
        async with small_house(log, tmp_path, store=store) as house:
            await until(lambda: list(house.gallery.taken) == [30], "it is taken in")
        packed = zlib.compress(msgspec.msgpack.encode(Packed([1] * 25, LINES[:25])))
        row = {"match_id": MATCH, "epoch": "memory", "position": 25, "commits": 25, "root": line_hash(LINES[24])}
        rows(store, BLOBS.insert().values(**row, lines=packed))
        async with small_house(log, tmp_path, store=store) as house:
            assert (await house.gallery.snapshot(MATCH, Spectator(), 0)).newest == 30
            with pytest.raises(Refusal, match="match_running"):
                await exported(house.gallery, MATCH)


def test_a_chain_holds_from_the_first_line_to_the_last() -> None:
    stored = [Stored(number, line) for number, line in enumerate(LINES, start=1)]
    assert chain_of(MATCH, stored) == line_hash(LINES[-1])
    assert chain_of("another", stored) is None
    assert chain_of(MATCH, stored[1:]) is None
    assert chain_of(MATCH, [*stored[:3], *stored[4:]]) is None
    assert chain_of(MATCH, [Stored(1, b"nonsense")]) is None


def test_only_the_last_line_closes_a_match() -> None:
    assert [is_closing(line) for line in LINES] == [False] * (len(LINES) - 1) + [True]
    assert not is_closing(b'"tavolata.seed_revealed"')


class Slow(Heard):
    """A feed whose first flush never ends; ``flushing`` says that it has begun."""

    def __init__(self) -> None:
        super().__init__()
        self.flushing = asyncio.Event()

    async def flush(self) -> None:
        if not self.flushing.is_set():
            self.flushing.set()
            await asyncio.Event().wait()


async def test_what_was_being_written_when_the_service_was_stopped_is_written(tmp_path: Path) -> None:
    """Or the position would go on past a match that nobody knows is held back, and a blob would be missing."""
    log, store, slow = Reads(), sqlite_store(tmp_path), Slow()
    async with small_house(log, tmp_path / "other") as house:
        await open_table(house, None, OTHER, delay_ms=60_000)
    await put(log, MATCH, LINES[:-1])
    async with small_house(log, tmp_path, store=store, publisher=slow) as house:
        await slow.flushing.wait()
        await put(log, MATCH, LINES[-1:])
        await until(lambda: bool(house.gallery._complete._closed), "the end is taken in")
    [position] = rows(store, table_of(Checkpoint).select().where(table_of(Checkpoint).c.consumer == "feed"))
    assert position.position == len(await log.read(OTHER, after=0)) + len(LINES)
    assert MATCH in blobs(store)
    assert [row.match_id for row in rows(store, table_of(FeedBehind).select())] == [OTHER]


async def test_a_feed_that_is_told_again_reads_a_past_match_of_memory_once(tmp_path: Path) -> None:
    log, feed = Reads(), Heard()
    memory = list(play(find_game("memcel"), 2, {}, 1).lines)
    for number, line in enumerate(memory):
        await log.append("memcel", MATCH, line, expected=number)
    async with small_house(log, tmp_path, publisher=feed):
        await until(lambda: len(feed.messages) == len(memory), "all is told")
        assert log.reads == [MATCH]
