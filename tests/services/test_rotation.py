"""A new master key before the others: what runs goes on under its own, what begins is promised under the new one."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from engine.games import game_of_rules
from engine.kernel.chance import Draw, commitment
from engine.kernel.deal import Deal
from engine.kernel.official import EVENTS, MatchOpened
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.luck.seeds import match_seed
from engine.luck.verifier import verify
from services.deck import anchors
from services.deck.app import Deck
from services.kit.clock import SystemClock
from services.kit.config import Settings
from services.kit.key import KeyRing, MasterKey, keys_of, load_or_make, rotate, write
from services.kit.memory_log import MemoryLog
from services.rules.app import MatchHost
from tests.services.hosts import commits, game, leave, play_out

OLD = MasterKey("old", "5eed" * 16)
NEW = MasterKey("new", "0dd5" * 16)
ASKED = Draw(tuple(range(1, 20)), 5)
DEAL = Deal("g", 3)
TABLES = [DEAL.match(number) for number in (1, 2, 3)]


def promise(key: MasterKey, source: str) -> str:
    return commitment(match_seed(key.secret, source)).hex()


async def promised(log: MemoryLog, match: str) -> str:
    opened = EVENTS.decode((await commits(log, match))[0].events[0])
    assert isinstance(opened, MatchOpened)
    return opened.commitment


def a_host(log: MemoryLog, *keys: MasterKey) -> MatchHost:
    """A rules host with a deck of its own."""
    return MatchHost(game(), log, Deck(KeyRing(*keys), log), SystemClock())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "deck" / "master.key"
    write(path, OLD)
    return path


class TestMatches:
    async def test_a_match_that_runs_goes_on_and_the_next_has_the_new_key(self, path: Path) -> None:
        log = MemoryLog()
        deck = Deck(load_or_make(path), log)
        host = MatchHost(game(), log, deck, SystemClock())
        await host.open("m-1", seats=2)
        drawn = await deck.draw("m-1", "deck/9", ASKED)
        key = rotate(path, in_force_after_s=0)
        await host.open("m-2", seats=2)
        assert await promised(log, "m-1") == promise(OLD, "m-1")
        assert await promised(log, "m-2") == promise(key, "m-2")
        for replica in (deck, Deck(load_or_make(path), log)):
            assert await replica.draw("m-1", "deck/9", ASKED) == drawn
            assert await replica.draw("m-2", "deck/9", ASKED) != drawn
        for match, source in (("m-1", OLD), ("m-2", key)):
            played = await play_out(log, host, match)
            assert played[-1].id == "luck:seed"
            assert await deck.reveal(match) == match_seed(source.secret, match).hex()
            lines = [stored.line for stored in await log.read(match, after=0)]
            verify(lines, game_of_rules)
        await host.close()

    async def test_a_repeat_of_an_opening_is_a_repeat_after_a_rotation(self, path: Path) -> None:
        log = MemoryLog()
        first = await a_host(log, OLD).open("m-1", seats=2)
        for ring in ((NEW, OLD), (NEW,)):
            host = a_host(log, *ring)
            again = await host.open("m-1", seats=2)
            assert (again.revision, again.duplicate) == (first.revision, True)
            with pytest.raises(Refusal, match="match_exists"):
                await host.open("m-1", seats=3)

    async def test_without_its_key_a_match_is_not_dealt(self) -> None:
        log = MemoryLog()
        await a_host(log, OLD).open("m-1", seats=2)
        with pytest.raises(Refusal, match="other_key"):
            await Deck(KeyRing(NEW), log).draw("m-1", "deck/9", ASKED)

    async def test_a_replica_that_learns_of_the_key_late_deals_as_the_first(self, path: Path) -> None:
        log = MemoryLog()
        replicas = [Deck(load_or_make(path), log) for _ in range(2)]
        rotate(path, in_force_after_s=0)
        await MatchHost(game(), log, replicas[0], SystemClock()).open("m-1", seats=2)
        assert await replicas[0].draw("m-1", "deck/9", ASKED) == await replicas[1].draw("m-1", "deck/9", ASKED)


class TestDeals:
    async def test_all_tables_have_the_key_of_the_first(self) -> None:
        log = MemoryLog()
        old, new = a_host(log, OLD), a_host(log, NEW, OLD)
        await old.open(TABLES[0], seats=2, deal=DEAL)
        await new.open(TABLES[1], seats=2, deal=DEAL)
        await a_host(log, OLD).open(TABLES[2], seats=2, deal=DEAL)
        assert {await promised(log, match) for match in TABLES} == {promise(OLD, "g/3")}
        deck = Deck(KeyRing(NEW, OLD), log)
        assert len({await deck.draw(match, "deck/9", ASKED) for match in TABLES}) == 1
        for match in TABLES:
            await new.act(match, "bye", 0, leave(0))
        assert await deck.reveal(TABLES[2]) == match_seed(OLD.secret, "g/3").hex()

    async def test_hosts_and_decks_that_open_them_at_once_agree(self) -> None:
        """Half of the decks have not heard of the new key. Whoever opens the first table decides for all."""
        deal = Deal("many", 24)
        log = MemoryLog()
        rings = ((OLD,), (NEW, OLD))
        await asyncio.gather(
            *(
                a_host(log, *rings[number % 2]).open(deal.match(number), seats=2, deal=deal)
                for number in range(24, 0, -1)
            )
        )
        assert {await promised(log, deal.match(number)) for number in range(1, 25)} == {promise(NEW, "many/24")}

    async def test_no_table_is_promised_anything_before_the_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(anchors, "WAIT_S", 0.05)
        log = MemoryLog()
        with pytest.raises(Unavailable, match="deal_not_begun"):
            await a_host(log, OLD).open(TABLES[1], seats=2, deal=DEAL)
        assert not await log.read(TABLES[1], after=0)
        await a_host(log, NEW).open(TABLES[0], seats=2, deal=DEAL)
        await a_host(log, OLD).open(TABLES[1], seats=2, deal=DEAL)
        assert await promised(log, TABLES[1]) == promise(NEW, "g/3")

    async def test_what_has_the_name_of_a_table_decides_nothing(self) -> None:
        log = MemoryLog()
        await a_host(log, NEW).open(TABLES[0], seats=2)
        await a_host(log, OLD).open(TABLES[1], seats=2, deal=DEAL)
        await a_host(log, NEW).open(TABLES[2], seats=2, deal=DEAL)
        assert await promised(log, TABLES[2]) == promise(OLD, "g/3")


class TestRing:
    def test_a_file_of_one_key_from_before_still_opens(self, path: Path) -> None:
        path.write_text(json.dumps({"key_id": "old", "key": OLD.key}))
        assert load_or_make(path).keys == (OLD,)
        key = rotate(path, in_force_after_s=0)
        assert load_or_make(path).keys == (key, OLD)

    def test_a_new_key_waits_until_every_replica_has_it(self, path: Path) -> None:
        key = rotate(path, in_force_after_s=300)
        for now, newest in ((key.since - 1, OLD), (key.since, key)):
            ring = KeyRing(key, OLD, now=lambda now=now: now)  # type: ignore[misc]  # mypy cannot infer it
            assert ring.newest == newest
            assert ring.keys == (key, OLD)
        assert KeyRing(key, now=lambda: 0).newest == key

    def test_a_changed_file_is_noticed(self, path: Path) -> None:
        ring = load_or_make(path)
        key = rotate(path, in_force_after_s=0)
        assert ring.newest == key
        assert path.stat().st_mode & 0o777 == 0o600
        assert [each.name for each in path.parent.iterdir()] == ["master.key"]

    @pytest.mark.parametrize("content", [b"", b'{"keys": []}', b'{"keys": [{"key_id": "x", "key": "5eed"}]}'])
    def test_a_file_that_was_spoilt_changes_nothing_and_is_told_of_once(self, path: Path, content: bytes) -> None:
        ring = load_or_make(path)
        path.write_bytes(content)
        with capture_logs() as said:
            assert [ring.newest for _ in range(3)] == [OLD] * 3
        assert [line["event"] for line in said] == ["key_file_refused"]
        assert "5eed" not in json.dumps(said)
        with pytest.raises(Refusal, match="key_file_damaged"):
            load_or_make(path)
        path.unlink()
        with capture_logs() as said:
            assert ring.newest == OLD
        assert said

    def test_of_two_rotations_at_once_neither_is_lost(self, path: Path) -> None:
        with ThreadPoolExecutor(8) as hands:
            made = list(hands.map(lambda _: rotate(path, in_force_after_s=0), range(8)))
        keys = load_or_make(path).keys
        assert set(keys) == {*made, OLD}
        assert keys[-1] == OLD

    def test_keys_come_as_a_variable_too(self, path: Path) -> None:
        rotate(path)
        here = Settings(master_key=path.read_text(), key_file=path.parent / "nowhere")
        assert keys_of(here).keys == load_or_make(path).keys
        assert not (path.parent / "nowhere").exists()
        assert OLD.key not in repr(here)
        with pytest.raises(Refusal, match="key_file_damaged") as refused:
            keys_of(Settings(master_key=OLD.key))
        assert OLD.key not in refused.value.sentence

    def test_no_print_of_a_ring_shows_a_key(self, path: Path) -> None:
        ring = KeyRing(NEW, OLD)
        assert repr(ring) == "KeyRing(new, old)"
