"""A past match is shown from its blob as from the log, to everybody; no more of it is folded than is asked for."""

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.games import all_games, find_game
from engine.kernel.catalogue import LANGUAGES
from engine.kernel.commit import decode_line, line_hash
from engine.kernel.deal import Deal
from engine.kernel.history import BrokenLog, Matches
from engine.kernel.refusal import Refusal
from engine.kernel.value import Referee, SeatView, Spectator, Viewer
from services.kit.memory_log import MemoryLog
from services.spectator import app, complete, ends
from services.spectator.app import Gallery
from services.spectator.complete import Kept, Packed, is_closing
from services.spectator.ends import End, Ended, kept_of, state_of
from tests.kit.databases import Store, sqlite_store
from tests.kit.nats import DEADLINE_S, until
from tests.kit.table import Played, play
from tests.services.blobs import BLOBS, Reads, blobs, exported, gallery_alone, kept, rows, told
from tests.services.curtains import Watch, move, open_table
from tests.services.hosts import M, play_out
from tests.services.small_house import person, small_house

EVERYBODY: tuple[Viewer, ...] = (Spectator(), SeatView(0), SeatView(1), Referee())
MATCH = "m-1"
PLAYED = {name: play(game, 2, {}, 1) for name, game in all_games().items()}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, the database answers in time; and no room is looked at more closely than others."""
    monkeypatch.setattr(complete, "ANSWER_S", DEADLINE_S)
    monkeypatch.setattr(app, "CHECKED_EVERY", 1_000)


@pytest.fixture
def folds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """As many entries as commits have been folded."""
    seen: list[int] = []
    fold = Matches.fold

    def counted(self: Any, state: Any, events: Any) -> Any:
        seen.append(len(events))
        return fold(self, state, events)

    monkeypatch.setattr(Matches, "fold", counted)
    return seen


async def log_of(name: str) -> Reads:
    log = Reads()
    for number, line in enumerate(PLAYED[name].lines):
        await log.append(name, MATCH, line, expected=number)
    return log


@asynccontextmanager
async def kept_match(name: str, folder: Path) -> AsyncIterator[tuple[Reads, Store, Gallery]]:
    """A match in the log and in a blob, and a gallery that has not shown it yet."""
    log, store = await log_of(name), sqlite_store(folder)
    async with gallery_alone(log, store):
        await kept(store, MATCH)
    async with gallery_alone(log, store) as gallery:
        await until(lambda: not gallery._complete._closed, "nothing waits to be written")
        log.reads.clear()
        yield log, store, gallery


async def nothing(match_id: str) -> None:
    """Instead of a blob."""


def packed_of(store: Store) -> Packed:
    return msgspec.msgpack.decode(zlib.decompress(blobs(store)[MATCH].lines), type=Packed)


def put_packed(store: Store, packed: Any, **more: Any) -> None:
    rows(store, BLOBS.update().values(lines=zlib.compress(msgspec.msgpack.encode(packed)), **more))


@pytest.mark.parametrize("name", PLAYED)
class TestOfEachGame:
    def test_every_state_comes_back_as_it_was(self, name: str) -> None:
        played = PLAYED[name]
        for commit, state in zip(played.commits, played.states, strict=True):
            end = kept_of(Ended(played.match, commit.prev, state))
            assert state_of(end, type(state.game), commit.prev) == state
        assert "0x" not in repr(msgspec.inspect.type_info(type(state.game))), "its shape is the same in each process"

    async def test_everybody_is_shown_what_the_log_shows(self, name: str, tmp_path: Path) -> None:
        watch, newest = Watch(), len(PLAYED[name].lines)
        asked = [0, newest, 1, newest - 1, *range(2, newest, 9)]
        async with kept_match(name, tmp_path) as (log, store, _), gallery_alone(log, store, watch) as from_blob:
            async with gallery_alone(log, sqlite_store(tmp_path / "other"), watch) as from_log:
                from_log._complete.find = nothing  # type: ignore[method-assign]  # as if it had no blob
                for viewer in EVERYBODY:
                    for language in LANGUAGES if viewer == Spectator() else LANGUAGES[:1]:
                        for revision in asked:
                            shown = await from_blob.snapshot(MATCH, viewer, revision, language)
                            assert shown == await from_log.snapshot(MATCH, viewer, revision, language)
                    assert await told(from_blob, viewer, MATCH) == await told(from_log, viewer, MATCH)
            for refused in (SeatView(2), 0), (Spectator(), newest + 1):
                with pytest.raises(Refusal):
                    await from_blob.snapshot(MATCH, *refused)

    async def test_no_more_is_folded_than_is_asked_for(self, name: str, tmp_path: Path, folds: list[int]) -> None:
        async with kept_match(name, tmp_path) as (log, _, gallery):
            folds.clear()
            newest = (await gallery.snapshot(MATCH, Spectator(), 0)).newest
            assert len(await told(gallery, SeatView(1), MATCH)) == newest
            assert len(await exported(gallery, MATCH)) == newest
            assert await gallery.player_at(MATCH, 0) == ""
            assert not folds, "the last board, the facts and the lines need none"
            await gallery.snapshot(MATCH, Spectator(), 40)
            assert len(folds) <= 40 + 8
            folds.clear()
            await gallery.snapshot(MATCH, Referee(), 33)
            assert len(folds) == 1, "what has been folded is kept"
            assert log.reads == []


async def test_who_is_kept_behind_a_delay_reads_the_clocks_of_then(tmp_path: Path) -> None:
    """As in the room that was made of the log: nothing says how late it is."""
    log, store, watch = Reads(), sqlite_store(tmp_path), Watch()
    async with small_house(log, tmp_path, store=store, clock=watch) as house:
        await open_table(house, None, M, delay_ms=60_000, turn_ms=30_000)
        while await move(house, M):
            pass
        await kept(store, M)
    watch.forward(500_000)
    async with gallery_alone(log, store, watch) as from_blob, gallery_alone(log, store, watch) as from_log:
        from_log._complete.find = nothing  # type: ignore[method-assign]  # as if it had no blob
        for viewer, casts in (Spectator(), False), (Referee(), True), (Referee(), False), (SeatView(0), False):
            for revision in (0, 3):
                shown = await from_blob.snapshot(M, viewer, revision, casts=casts)
                assert shown == await from_log.snapshot(M, viewer, revision, casts=casts)


async def test_a_table_of_a_deal_has_a_room_before_the_curtain_and_one_behind(tmp_path: Path) -> None:
    log, store, deal = Reads(), sqlite_store(tmp_path), Deal("g", 2)
    tables = deal.match(1), deal.match(2)
    async with small_house(log, tmp_path, store=store) as house:
        for match in tables:
            await open_table(house, deal, match)
        for match in tables:
            while await move(house, match):
                pass
        await kept(store, *tables)
    async with gallery_alone(log, store) as gallery:
        log.reads.clear()
        for match in tables:
            before = await gallery.snapshot(match, Spectator(), 0)
            behind = await gallery.snapshot(match, Referee(), 0)
            assert before.revision == behind.revision == before.newest
        assert gallery._fronts.keys() == gallery._rooms.keys() == set(tables)
        assert log.reads == []


class TestWhoKeepsIt:
    async def test_a_match_that_was_watched_is_not_folded_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log, store = MemoryLog(), sqlite_store(tmp_path)
        async with small_house(log, tmp_path, store=store) as house, person(house) as one:
            await house.host.open(M, seats=2)
            assert (await one.spectator.snapshot(M, Spectator())).newest
            noted: list[str] = []

            async def folded(match_id: str, lines: Any) -> Ended:
                noted.append(match_id)
                return await ends.folded(match_id, lines)

            monkeypatch.setattr(complete, "folded", folded)
            await play_out(log, house.host)
            await kept(store, M)
            assert not noted
        packed = msgspec.msgpack.decode(zlib.decompress(blobs(store)[M].lines), type=Packed)
        assert packed.end is not None
        assert packed.end.state

    async def test_a_blob_from_before_gets_its_end_when_it_is_looked_at(self, tmp_path: Path) -> None:
        async with kept_match("memcel", tmp_path) as (log, store, gallery):
            whole, packed = blobs(store)[MATCH], packed_of(store)
            put_packed(store, [packed.steps, packed.lines])
            assert packed_of(store).end is None
            assert (await gallery.snapshot(MATCH, Spectator(), 0)).complete
            await until(lambda: blobs(store)[MATCH] == whole, "it is written anew")
            assert log.reads == []

    async def test_an_end_of_other_code_counts_for_nothing(self, tmp_path: Path, folds: list[int]) -> None:
        async with kept_match("memcel", tmp_path) as (log, store, gallery):
            whole, packed = blobs(store)[MATCH], packed_of(store)
            assert packed.end is not None
            put_packed(store, Packed(packed.steps, packed.lines, End(b"otherwis", packed.end.seal, packed.end.state)))
            folds.clear()
            shown = await gallery.snapshot(MATCH, Spectator(), 0)
            assert len(folds) == shown.newest
            await until(lambda: blobs(store)[MATCH] == whole, "it is written anew")
            assert log.reads == []

    async def test_a_state_that_does_not_come_back_is_not_kept(
        self, tmp_path: Path, folds: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        played = PLAYED["just4fun"]
        strange = msgspec.structs.replace(played.states[-1], seed=bytearray(b"no text"))
        end = kept_of(Ended(played.match, "root", strange))
        assert not end.state
        assert state_of(end, type(strange.game), "root") is None
        monkeypatch.setattr(complete, "kept_of", lambda ended: kept_of(Ended(played.match, ended.root, strange)))
        async with kept_match("just4fun", tmp_path) as (_, store, gallery):
            row = blobs(store)[MATCH]
            folds.clear()
            assert (await gallery.snapshot(MATCH, Spectator(), 0)).newest == len(folds)
            await until(lambda: not gallery._complete._closed, "nothing waits to be written")
            assert blobs(store)[MATCH] == row, "and is not written again and again"


def _of_another(packed: Packed, played: Played) -> Packed:
    """How the match stood a while before, sealed as if that were its end."""
    state = msgspec.structs.replace(played.states[-9], seed=played.states[-1].seed)
    return Packed(packed.steps, packed.lines, kept_of(Ended(played.match, line_hash(packed.lines[-1]), state)))


def _unsealed(packed: Packed, played: Played) -> Packed:
    assert packed.end is not None
    other = kept_of(Ended(played.match, line_hash(packed.lines[-2]), played.states[-2]))
    return Packed(packed.steps, packed.lines, End(packed.end.shape, other.seal, other.state))


def _cut(packed: Packed, played: Played) -> Packed:
    assert packed.end is not None
    state, shape, root = packed.end.state[:-3], packed.end.shape, line_hash(packed.lines[-1])
    return Packed(packed.steps, packed.lines, End(shape, ends._seal(root, shape, state), state))


@pytest.mark.parametrize("damage", [_unsealed, _cut])
async def test_an_end_that_does_not_belong_to_the_lines_is_not_believed(
    damage: Callable[[Packed, Played], Packed], tmp_path: Path
) -> None:
    async with kept_match("just4fun", tmp_path) as (log, store, gallery):
        whole = blobs(store)[MATCH]
        put_packed(store, damage(packed_of(store), PLAYED["just4fun"]))
        svg = (await gallery.snapshot(MATCH, Spectator(), 0)).svg
        last = PLAYED["just4fun"].states[-1].game
        assert svg == find_game("just4fun").board(find_game("just4fun").view(last, Spectator()), Spectator())
        assert log.reads == [MATCH]
        await until(lambda: blobs(store)[MATCH] == whole, "it is written anew")


async def test_now_and_then_all_is_folded_and_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever can write the table could seal what the lines do not say; the log says what is true."""
    async with kept_match("just4fun", tmp_path) as (log, store, gallery):
        whole = blobs(store)[MATCH]
        put_packed(store, _of_another(packed_of(store), PLAYED["just4fun"]))
        monkeypatch.setattr(app, "CHECKED_EVERY", 1)
        assert (await gallery.snapshot(MATCH, Spectator(), 0)).complete
        assert log.reads == [MATCH]
        await until(lambda: blobs(store)[MATCH] == whole, "it is written anew")


async def _scrub(gallery: Gallery) -> None:
    await gallery.snapshot(MATCH, Spectator(), 50)


async def _replay(gallery: Gallery) -> None:
    await told(gallery, Spectator(), MATCH)


@pytest.mark.parametrize("ask", [_scrub, _replay])
@pytest.mark.parametrize(
    "change", [(b'"just4fun.', b'"chess.'), (b'"at":"', b'"at": "'), (b'"rules":"j', b'"rules":"g')]
)
async def test_lines_that_turn_out_to_be_none_are_told_once_and_then_the_log_is_read(
    change: tuple[bytes, bytes], ask: Callable[[Gallery], Awaitable[None]], tmp_path: Path
) -> None:
    """A chain that holds to the end, of another match than the log has: somebody has made it."""
    async with kept_match("just4fun", tmp_path) as (log, store, gallery):
        whole, packed, played = blobs(store)[MATCH], packed_of(store), PLAYED["just4fun"]
        forged = _chained([*packed.lines[:20], packed.lines[20].replace(*change, 1), *packed.lines[21:]])
        end = kept_of(Ended(played.match, line_hash(forged[-1]), played.states[-1]))
        put_packed(store, Packed(packed.steps, forged, end), root=line_hash(forged[-1]))
        assert (await gallery.snapshot(MATCH, Spectator(), 0)).newest == len(forged)
        with pytest.raises(BrokenLog):
            await ask(gallery)
        assert (await gallery.snapshot(MATCH, Spectator(), 50)).newest == len(packed.lines)
        assert log.reads[0] == MATCH
        await until(lambda: blobs(store)[MATCH] == whole, "it is written anew")


def _chained(lines: list[bytes]) -> list[bytes]:
    """With the hashes that belong to what they are now."""
    made: list[bytes] = []
    for line in lines:
        prev = line_hash(made[-1]) if made else "0" * 64
        made.append(line[: -len(prev) - 2] + prev.encode() + b'"}')
    return made


async def test_a_match_that_is_not_closed_has_no_past_room(tmp_path: Path) -> None:
    """Whatever is in the table: the last line must reveal the seed."""
    async with kept_match("just4fun", tmp_path) as (log, store, gallery):
        packed = packed_of(store)
        lines = packed.lines[:-1]
        assert not is_closing(lines[-1])
        put_packed(
            store, Packed(packed.steps[:-1], lines), root=line_hash(lines[-1]), commits=len(lines), position=len(lines)
        )
        assert (await gallery.snapshot(MATCH, Spectator(), 0)).newest == len(lines) + 1
        assert log.reads == [MATCH]


async def test_a_blob_whose_first_line_opens_nothing_is_not_believed(tmp_path: Path) -> None:
    async with kept_match("just4fun", tmp_path) as (log, store, gallery):
        packed = packed_of(store)
        commit = decode_line(packed.lines[0])
        first = msgspec.json.encode(msgspec.structs.replace(commit, events=commit.events[1:]))
        lines = _chained([first, *packed.lines[1:]])
        put_packed(store, Packed(packed.steps, lines), root=line_hash(lines[-1]))
        found = await gallery._complete.find(MATCH)
        assert isinstance(found, Kept)
        assert (await gallery.snapshot(MATCH, Spectator(), 0)).newest == len(lines)
        assert log.reads == [MATCH]
