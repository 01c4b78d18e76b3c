"""Tables of one deal meet the same cards, nobody else does, and their seed stays sealed until the last has ended."""

import asyncio
from pathlib import Path

import grpc
import msgspec
import pytest
from tavolata.deck.v1 import deck_pb2, deck_pb2_grpc

from engine.games import game_of_rules
from engine.kernel.chance import Draw, commitment
from engine.kernel.deal import Deal
from engine.kernel.ports import Position, Stored
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat
from engine.luck.algorithm import outcome
from engine.luck.seeds import match_seed
from engine.luck.verifier import compare, verify
from services.deck.app import Deck
from services.deck.servicer import register
from services.kit.clock import SystemClock
from services.kit.key import KeyRing
from services.kit.lifecycle import start_server
from services.kit.memory_log import MemoryLog
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import DeckClient
from services.rules import deals
from services.rules.app import MatchHost
from tests.kit.nats import until
from tests.services.hosts import FailingDeck, commits, game, leave, running
from tests.services.small_house import GAME, KEY, person, small_house

DEAL = Deal("g", 3)
TABLES = [DEAL.match(number) for number in (1, 2, 3)]
ASKED = Draw(tuple(range(1, 20)), 5)
SEED = match_seed(KEY.secret, "g/3")


def a_host(log: MemoryLog, luck: Deck | FailingDeck | None = None) -> MatchHost:
    return MatchHost(game(), log, luck or Deck(KeyRing(KEY), log), SystemClock())


async def end(host: MatchHost, match: str, seat: Seat = 0) -> None:
    await host.act(match, "bye", seat, leave(seat))


class CountingLog(MemoryLog):
    """Knows whose last line was asked for, and whose first; more than one line is read of none."""

    def __init__(self) -> None:
        super().__init__()
        self.looks: list[str] = []
        self.openings: list[str] = []

    async def read(self, match: str, *, after: Position, limit: int = 0) -> tuple[Stored, ...]:
        lines = await super().read(match, after=after, limit=limit)
        if limit == 1:
            self.openings.append(match)
        return lines

    async def last(self, match: str) -> Stored | None:
        self.looks.append(match)
        return await super().last(match)


class TestLuck:
    async def test_every_table_meets_the_cards_of_the_deal(self) -> None:
        log = MemoryLog()
        host, deck = a_host(log), Deck(KeyRing(KEY), log)
        for match in TABLES:
            await host.open(match, seats=2, deal=DEAL)
            assert await deck.draw(match, "deck/7", ASKED) == outcome(SEED, "deck/7", ASKED)
        assert await deck.commitment(TABLES[0]) == commitment(SEED).hex()
        assert (await commits(log, TABLES[0]))[1].command == (await commits(log, TABLES[2]))[1].command

    async def test_what_looks_like_a_table_meets_other_cards(self) -> None:
        """An ordinary match of that name, and a table of a group of another size, were it only by one."""
        log = MemoryLog()
        host, deck = a_host(log), Deck(KeyRing(KEY), log)
        await host.open("g-t1", seats=2)
        await host.open("g-t2", seats=2, deal=Deal("g", 4))
        await host.open("g-t3", seats=2, deal=DEAL)
        await host.open("g", seats=2)
        drawn = [await deck.draw(match, "deck/7", ASKED) for match in ("g-t1", "g-t2", "g-t3", "g")]
        assert drawn == [
            outcome(match_seed(KEY.secret, source), "deck/7", ASKED) for source in ("g-t1", "g/4", "g/3", "g")
        ]
        assert len(set(drawn)) == 4

    @pytest.mark.parametrize("match", ["g-t4", "g-t0", "g-t01", "h-t1", "g3"])
    async def test_a_match_of_another_name_is_no_table(self, match: str) -> None:
        log = MemoryLog()
        with pytest.raises(Refusal, match="not_of_deal") as refused:
            await a_host(log).open(match, seats=2, deal=DEAL)
        assert refused.value.kind is Kind.INVALID
        assert not await log.read(match, after=0)

    async def test_no_seat_adds_to_the_luck_of_a_deal(self) -> None:
        log = MemoryLog()
        with pytest.raises(Refusal, match="deal_with_nonces"):
            await a_host(log).open(TABLES[0], seats=2, deal=DEAL, nonces=["", "aa"])
        assert not await log.read(TABLES[0], after=0)

    async def test_the_cards_are_not_drawn_by_name_before_a_table_is_open(self) -> None:
        log = MemoryLog()
        with pytest.raises(Refusal, match="match_not_open"):
            await Deck(KeyRing(KEY), log).draw("g-t1", "deck/1", ASKED)
        for name in ("g/3", "g/03"):
            with pytest.raises(Refusal, match="id_malformed"):
                await Deck(KeyRing(KEY), log).draw(name, "deck/1", ASKED)

    async def test_the_deck_promises_for_a_deal_over_the_wire(self) -> None:
        log = MemoryLog()
        deck = Deck(KeyRing(KEY), log)
        server = await start_server("deck", "127.0.0.1:0", lambda made: register(made, deck))
        async with open_channel(f"127.0.0.1:{server.port}") as channel:
            client = DeckClient(channel)
            assert await client.commitment("g-t1", DEAL) == commitment(SEED).hex()
            assert await client.commitment("g-t1") == await deck.commitment("g-t1") != commitment(SEED).hex()
            stub = deck_pb2_grpc.DeckServiceStub(channel)
            for name in ("g/03", "g/0", "g/", "/3", "a.b/3"):
                with pytest.raises(grpc.aio.AioRpcError, match="deal"):
                    await stub.GetCommitment(deck_pb2.GetCommitmentRequest(match_id="g-t1", deal_id=name))
        await server.stop(0)

    async def test_a_caller_opens_tables_over_the_wire(self, tmp_path: Path) -> None:
        async with small_house(MemoryLog(), tmp_path) as house, person(house) as one:
            await one.rules.open(TABLES[0], GAME, 2, deal=DEAL, delay_ms=5)
            opening = (await commits(house.log, TABLES[0]))[0].events[0]
            assert bytes(opening.data).endswith(b'"deal":{"group":"g","tables":3},"delay_ms":5}')
            with pytest.raises(Refusal, match="match_exists"):
                await one.rules.open(TABLES[0], GAME, 2, deal=DEAL)
            with pytest.raises(Refusal, match="bad_delay_ms"):
                await one.rules.open(TABLES[1], GAME, 2, delay_ms=86_400_001)


class TestSeed:
    async def test_it_is_sealed_until_the_last_table_has_ended(self) -> None:
        log = MemoryLog()
        host, deck = a_host(log), Deck(KeyRing(KEY), log)
        await host.open(TABLES[0], seats=2, deal=DEAL)
        await end(host, TABLES[0])
        await host.open(TABLES[2], seats=2, deal=DEAL)
        for asked in (TABLES[0], TABLES[2]):
            with pytest.raises(Refusal) as refused:
                await deck.reveal(asked)
            assert (refused.value.code, refused.value.kind) == ("deal_running", Kind.DENIED)
        await end(host, TABLES[2])
        with pytest.raises(Refusal, match="deal_running"):
            await deck.reveal(TABLES[0])  # a table that was never opened keeps the others sealed
        await host.open(TABLES[1], seats=2, deal=DEAL)
        with pytest.raises(Refusal, match="deal_running"):
            await Deck(KeyRing(KEY), log).reveal(TABLES[2])
        await end(host, TABLES[1])
        for match in TABLES:
            assert await deck.reveal(match) == await Deck(KeyRing(KEY), log).reveal(match) == SEED.hex()

    async def test_a_match_in_the_place_of_a_table_keeps_it_sealed(self) -> None:
        log = MemoryLog()
        host = a_host(log)
        await host.open(TABLES[1], seats=2)
        for match in (TABLES[0], TABLES[2]):
            await host.open(match, seats=2, deal=DEAL)
        for match in TABLES:
            await end(host, match)
        deck = Deck(KeyRing(KEY), log)
        for _ in range(2):
            with pytest.raises(Refusal, match="deal_running"):
                await deck.reveal(TABLES[0])

    async def test_what_has_ended_is_looked_at_once(self) -> None:
        """Sixty tables that end one after the other, and each asks: one line of each, by a new deck two."""
        deal, log = Deal("many", 60), CountingLog()
        host, deck = a_host(log), Deck(KeyRing(KEY), log)
        names = [deal.match(number) for number in range(1, 61)]
        for match in names:
            await host.open(match, seats=2, deal=deal)
        for match in names[::-1]:
            await host.act(match, "bye", 0, leave(0))
        for fresh in (False, True):
            deck = Deck(KeyRing(KEY), log) if fresh else deck
            log.looks.clear()
            log.openings.clear()
            for match in names:
                assert await deck.reveal(match)
            assert sorted(log.looks) == sorted(names)
            assert len(log.openings) <= 2 * len(names) - 1

    async def test_a_running_table_is_looked_at_once_for_each_that_asks(self) -> None:
        deal, log = Deal("many", 60), CountingLog()
        host, deck = a_host(log), Deck(KeyRing(KEY), log)
        for number in range(1, 61):
            await host.open(deal.match(number), seats=2, deal=deal)
        for number in range(2, 61):
            await host.act(deal.match(number), "bye", 0, leave(0))
        log.looks.clear()
        log.openings.clear()
        for number in range(2, 61):
            with pytest.raises(Refusal, match="deal_running"):
                await deck.reveal(deal.match(number))
        assert len(log.looks) == 2 * 59
        assert log.looks.count(deal.match(1)) == 59
        assert log.openings.count(deal.match(1)) == 1

    async def test_a_table_whose_last_line_is_damaged_keeps_the_others_sealed(self) -> None:
        log = MemoryLog()
        host, deck = a_host(log), Deck(KeyRing(KEY), log)
        for match in TABLES:
            await host.open(match, seats=2, deal=DEAL)
        for match in TABLES[:2]:
            await end(host, match)
        await put_damaged(log, TABLES[2], "tavolata.match_ended")
        for asked in (TABLES[0], TABLES[1], TABLES[2]):
            with pytest.raises(Refusal, match="deal_running"):
                await deck.reveal(asked)


async def put_damaged(log: MemoryLog, match: str, said: str) -> None:
    """Append a line that names an event and is no commit."""
    last = await log.last(match)
    assert last is not None
    line = msgspec.json.encode({"match": match, "revision": 99, "at": "today", "events": [{"type": said}]})
    await log.append(GAME, match, line, expected=last.position)


class TestClosing:
    async def test_the_last_table_that_ends_closes_all(self) -> None:
        log = MemoryLog()
        luck = FailingDeck(Deck(KeyRing(KEY), log))
        host = a_host(log, luck)
        async with running(host):
            for match in TABLES:
                await host.open(match, seats=2, deal=DEAL)
            for match in TABLES[:2]:
                await end(host, match)
            assert [len(await log.read(match, after=0)) for match in TABLES[:2]] == [4, 4]
            async with asyncio.timeout(0.9):  # sooner than anybody asks again
                await end(host, TABLES[2])
                await until(lambda: all_closed(log), "all have their closing commit")
            assert luck.asked.count("seed") <= 9, "what is owed may be looked at twice, and nobody storms the deck"
        await host.close()
        reports = [
            verify([stored.line for stored in await log.read(match, after=0)], game_of_rules) for match in TABLES
        ]
        [deal] = compare(reports)
        assert (deal.matches, deal.same_cards) == (tuple(TABLES), True)

    async def test_a_host_that_is_started_again_goes_on_waiting(self) -> None:
        log = MemoryLog()
        first = a_host(log)
        for match in TABLES:
            await first.open(match, seats=2, deal=DEAL)
        await end(first, TABLES[0])
        await end(first, TABLES[1])
        await first.close()
        luck = FailingDeck(Deck(KeyRing(KEY), log))
        second, third = a_host(log, luck), a_host(log)
        async with running(second):
            await until(lambda: luck.asked.count("seed") >= 2, "what was owed is asked for again")
            async with asyncio.timeout(0.9):
                await end(third, TABLES[2])  # another host; this one hears of it in the log
                await until(lambda: all_closed(log), "all have their closing commit")
        await second.close()
        await third.close()

    async def test_one_of_a_group_asks_again_for_all(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nobody says that the last has ended; a host that does not hear it finds out, and does not storm the deck."""
        monkeypatch.setattr(deals, "ASK_AGAIN_S", (0.02,))
        log = MemoryLog()
        luck = FailingDeck(Deck(KeyRing(KEY), log))
        host, other = a_host(log, luck), a_host(log)
        for match in TABLES:
            await host.open(match, seats=2, deal=DEAL)
        for match in TABLES[:2]:
            await end(host, match)
        await until(lambda: luck.asked.count("seed") > 5, "it asks again")
        assert len(host._chores) <= 1
        await end(other, TABLES[2])
        await until(lambda: all_closed(log), "all have their closing commit")
        await until(lambda: not host._deals._asking, "nobody asks any more")
        await host.close()
        await other.close()


async def all_closed(log: MemoryLog) -> bool:
    return all([(await commits(log, match))[-1].id == "luck:seed" for match in TABLES])
