"""The rules host when things go wrong: crashes, callers that hang up, races, clocks, a full log."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from engine.games import game_of_rules
from engine.games.just4fun.model import ExchangeHand, PlaceToken
from engine.kernel.game import Seats
from engine.kernel.official import MatchEnded, TurnExpired
from engine.kernel.ports import Log, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.luck.verifier import verify
from services.deck.app import Deck
from services.kit.clock import SystemClock
from services.kit.key import KeyRing
from services.kit.memory_log import MemoryLog
from services.rules.app import MatchHost, Receipt
from tests.kit.nats import until
from tests.services.hosts import (
    Alarm,
    FailingDeck,
    M,
    Rules,
    commits,
    folded,
    game,
    has,
    is_after,
    is_turn,
    is_turn_of,
    leave,
    log,
    next_move,
    play_out,
    refused,
    rules,
    running,
    written,
)
from tests.services.small_house import KEY

__all__ = ["log", "rules"]


class TestCrashing:
    async def test_luck_that_a_crash_left_owed_is_drawn_by_another_host(self, rules: Rules, log: Log) -> None:
        deck = FailingDeck(Deck(KeyRing(KEY), log))
        crashing = rules(luck=deck)
        await crashing.open(M, seats=2)
        seat, command = await next_move(log)
        deck.away = True
        receipt = await crashing.act(M, "move", seat, command)
        assert (await commits(log))[-1].revision == receipt.revision, "the move is a fact before luck is asked"
        async with running(rules()):
            await until(lambda: is_after(log, receipt.revision), "another host has drawn")
        resolved = (await commits(log))[receipt.revision]
        assert (resolved.actor, resolved.id) == ("luck", "luck:" + deck.asked[-1])

    async def test_a_deck_that_comes_back_is_asked_again_by_the_same_host(self, rules: Rules, log: Log) -> None:
        deck = FailingDeck(Deck(KeyRing(KEY), log))
        host = rules(luck=deck)
        await host.open(M, seats=2)
        deck.away = True
        receipt = await host.act(M, "move", *await next_move(log))
        deck.away = False
        await until(lambda: is_after(log, receipt.revision), "the draw has been made up for")
        assert len(set(deck.asked[-2:])) == 1, "the same draw, under the same id"

    async def test_while_luck_is_owed_a_seat_is_told_to_wait(self, rules: Rules, log: Log) -> None:
        deck = FailingDeck(Deck(KeyRing(KEY), log))
        host = rules(luck=deck)
        await host.open(M, seats=2)
        deck.away = True
        seat, command = await next_move(log)
        await host.act(M, "move", seat, command)
        async with refused(log, "luck_pending", Kind.ILLEGAL):
            await host.act(M, "too-soon", seat, written(ExchangeHand()))

    async def test_a_seed_that_a_crash_left_sealed_is_revealed_by_another_host(self, rules: Rules, log: Log) -> None:
        deck = FailingDeck(Deck(KeyRing(KEY), log))
        host = rules(luck=deck)
        await host.open(M, seats=2)
        deck.away = True
        await host.act(M, "bye", 0, leave(0))
        ended = await commits(log)
        assert any(event.type == MatchEnded.name for event in ended[-1].events)
        async with running(rules()):
            await until(lambda: is_after(log, len(ended)), "another host has revealed the seed")
        assert (await commits(log))[-1].id == "luck:seed"

    async def test_a_caller_who_hangs_up_does_not_take_the_move_along(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2)
        before = len(await commits(log))
        call = asyncio.create_task(host.act(M, "move", *await next_move(log)))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await host.close()
        after = await commits(log)
        assert after[before].id == "move"
        assert isinstance((await folded(log)).pending, Seats), "and its luck was drawn"


class TestTwoHosts:
    async def test_two_hosts_may_play_one_match_move_by_move(self, rules: Rules, log: Log) -> None:
        hosts = [rules(), rules()]
        await hosts[0].open(M, seats=2)
        number = 0
        while isinstance((await folded(log)).pending, Seats):
            number += 1
            await hosts[number % 2].act(M, f"move-{number}", *await next_move(log))
        verify([stored.line for stored in await log.read(M, after=0)], game_of_rules)

    async def test_two_hosts_that_race_leave_one_history(self, rules: Rules, log: Log) -> None:
        hosts = [rules() for _ in range(3)]
        opened = await asyncio.gather(*(host.open(M, seats=2) for host in hosts))
        assert sorted(receipt.duplicate for receipt in opened) == [False, True, True]
        for number in range(12):
            seat, command = await next_move(log)
            # Each host is sent the same move, and one more that comes too late for this turn.
            answers = await asyncio.gather(
                *(host.act(M, f"move-{number}", seat, command) for host in hosts),
                *(host.act(M, f"other-{number}", seat, command) for host in hosts),
                return_exceptions=True,
            )
            receipts = [answer for answer in answers if isinstance(answer, Receipt)]
            assert len({receipt.revision for receipt in receipts}) == 1
            assert sum(not receipt.duplicate for receipt in receipts) == 1
            assert all(isinstance(answer, Receipt | Refusal) for answer in answers)
        moves = [commit for commit in await commits(log) if commit.actor.startswith("seat:")]
        assert len(moves) == 12

    async def test_hosts_that_all_follow_the_log_draw_each_luck_once(self, rules: Rules, log: Log) -> None:
        async with AsyncExitStack() as stack:
            hosts = [rules() for _ in range(3)]
            for host in hosts:
                await stack.enter_async_context(running(host))
            await hosts[0].open(M, seats=2)
            await play_out(log, hosts[0])
        ids = [commit.id for commit in await commits(log) if commit.actor == "luck"]
        assert len(ids) == len(set(ids))


class TestClocks:
    async def test_a_turn_that_runs_out_is_played_by_default_and_a_late_move_loses(
        self, rules: Rules, log: Log
    ) -> None:
        clock = Alarm()
        host = rules(clock=clock)
        await host.open(M, seats=2, turn_ms=1000)
        seat, command = await next_move(log)
        history = await folded(log)
        default = game().default(history.state.game, seat)
        clock.set(history.state.deadline)
        await until(lambda: has(log, TurnExpired.name), "the turn has expired")
        await until(lambda: is_turn_of(log, 1 - seat), "the next seat is asked")
        expired = next(commit for commit in await commits(log) if commit.actor == "clock")
        assert expired.id == "clock:1"
        assert isinstance(default, PlaceToken)
        assert any(event.type == "just4fun.token_placed" for event in expired.events)
        async with refused(log, "not_your_turn", Kind.ILLEGAL):
            await host.act(M, "late", seat, command)

    async def test_a_move_in_time_stops_the_clock(self, rules: Rules, log: Log) -> None:
        clock = Alarm()
        host = rules(clock=clock)
        await host.open(M, seats=2, turn_ms=1000)
        deadline = (await folded(log)).state.deadline
        clock.set(deadline - 1)
        await host.act(M, "in-time", *await next_move(log))
        clock.set(deadline)
        assert (await folded(log)).state.deadline > deadline
        await host.act(M, "next", *await next_move(log))
        assert not await has(log, TurnExpired.name)

    async def test_a_clock_that_ran_while_no_host_was_there_is_played(self, rules: Rules, log: Log) -> None:
        clock = Alarm()
        first = rules(clock=clock)
        await first.open(M, seats=2, turn_ms=1000)
        await first.close()
        clock.set((await folded(log)).state.deadline + 5_000_000)
        async with running(rules(clock=clock)):
            await until(lambda: has(log, TurnExpired.name), "the turn has expired")

    async def test_two_hosts_ring_one_bell(self, rules: Rules, log: Log) -> None:
        clock = Alarm()
        hosts = [rules(clock=clock), rules(clock=clock)]
        async with running(hosts[0]), running(hosts[1]):
            await hosts[0].open(M, seats=2, turn_ms=1000)
            for turn in range(1, 4):
                clock.set((await folded(log)).state.deadline)
                await until(lambda turn=turn: is_turn(log, turn + 1), "the next turn runs")  # type: ignore[misc]  # mypy does not infer a lambda's default
        rung = [commit.id for commit in await commits(log) if commit.actor == "clock"]
        assert rung == ["clock:1", "clock:2", "clock:3"]


async def test_a_log_that_is_full_refuses_the_move_and_keeps_what_it_has() -> None:
    log = MemoryLog(bytes_max=6_000)
    host = MatchHost(game(), log, Deck(KeyRing(KEY), log), SystemClock())
    await host.open(M, seats=2)
    with pytest.raises(Unavailable, match="log_full"):
        await play_out(log, host)
    lines = await log.read(M, after=0)
    assert sum(len(stored.line) for stored in lines) < 6_000
    assert (await folded(log)).revision == len(lines)
    await host.close()
