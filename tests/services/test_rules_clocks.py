"""The rules host keeps the clocks: as agreed, as the director says, and over its own absences."""

import asyncio

import pytest

from engine.games import game_of_rules
from engine.kernel.commit import Commit
from engine.kernel.game import Over
from engine.kernel.official import (
    CallTime,
    Extend,
    MatchPaused,
    Pause,
    Resume,
    SeatLeft,
    TimeGivenBack,
    TurnExpired,
)
from engine.kernel.ports import Log, Unavailable
from engine.kernel.refusal import Kind
from engine.kernel.value import Instant
from engine.luck.verifier import verify
from services.kit.beats import Beats, MemoryBeats
from services.kit.jetstream import JetStreamLog
from services.rules.app import MatchHost
from services.rules.presence import Gap, Presence
from tests.kit.given import NOON
from tests.kit.nats import until
from tests.kit.table import SECOND
from tests.services.hosts import (
    Alarm,
    M,
    Rules,
    commits,
    folded,
    game,
    has,
    leave,
    log,
    next_move,
    refused,
    rules,
    running,
    written,
)

__all__ = ["log", "rules"]

MINUTE = 60 * SECOND


@pytest.fixture
def beats(log: Log) -> Beats:
    return log.beats() if isinstance(log, JetStreamLog) else MemoryBeats()


def said(command: object) -> str:
    return written({"type": type(command).name, "data": command})  # type: ignore[attr-defined]  # every command has a name


async def of_type(log: Log, name: str) -> list[Commit]:
    return [commit for commit in await commits(log) if any(event.type == name for event in commit.events)]


class TestDirecting:
    async def test_a_repeat_of_a_command_is_harmless(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2)
        once = await host.direct(M, "p-1", said(Pause("a question")))
        again = await rules().direct(M, "p-1", said(Pause("a question")))
        assert (once.duplicate, again.duplicate, again.revision) == (False, True, once.revision)
        assert len(await of_type(log, MatchPaused.name)) == 1

    async def test_a_director_asks_for_nothing_else(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2)
        _, move = await next_move(log)
        for text in (
            move,
            written({"type": "tavolata.expire", "data": {"turn": 1}}),
            written({"type": "luck.resolve"}),
        ):
            async with refused(log, "not_yours_to_do", Kind.DENIED):
                await host.direct(M, "d-1", text)
        async with refused(log, "not_yours_to_do", Kind.DENIED):
            await host.act(M, "d-1", 0, said(Pause()))

    async def test_a_director_takes_a_seat_out(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=3)
        await host.direct(M, "d-1", leave(1))
        assert (await folded(log)).state.left == (1,)
        assert (await of_type(log, SeatLeft.name))[0].actor == "host"

    async def test_no_bell_rings_in_a_pause_and_after_it_the_rest_of_the_time_is_there(
        self, rules: Rules, log: Log
    ) -> None:
        clock = Alarm()
        host = rules(clock=clock)
        await host.open(M, seats=2, turn_ms=60_000)
        await host.direct(M, "p", said(Pause()))
        clock.set(NOON + 10 * MINUTE)
        async with refused(log, "match_paused", Kind.ILLEGAL):
            await host.act(M, "move", *await next_move(log))
        await host.direct(M, "r", said(Resume()))
        assert (await folded(log)).state.deadline == NOON + 11 * MINUTE
        assert not await has(log, TurnExpired.name)
        clock.set(NOON + 11 * MINUTE)
        await until(lambda: has(log, TurnExpired.name), "the turn has expired")

    async def test_an_extension_moves_the_bell(self, rules: Rules, log: Log) -> None:
        clock = Alarm()
        host = rules(clock=clock)
        await host.open(M, seats=2, turn_ms=1000)
        await host.direct(M, "e", said(Extend(2000)))
        clock.set(NOON + 3 * SECOND - 1)
        await host.act(M, "in-time", *await next_move(log))
        assert not await has(log, TurnExpired.name)

    async def test_when_time_is_called_the_house_plays_to_the_end(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=3)
        await host.direct(M, "t", said(CallTime("round over")))

        async def is_sealed() -> bool:
            return bool((await folded(log)).state.seed)

        await until(is_sealed, "the match is complete")
        assert isinstance((await folded(log)).pending, Over)
        assert not await of_type(log, SeatLeft.name)
        verify([stored.line for stored in await log.read(M, after=0)], game_of_rules)


async def test_a_seat_whose_bank_is_empty_forfeits(rules: Rules, log: Log) -> None:
    clock = Alarm()
    host = rules(clock=clock)
    await host.open(M, seats=2, bank_ms=2000, increment_ms=500, on_timeout="forfeit")
    seat, command = await next_move(log)
    clock.set(NOON + SECOND)
    await host.act(M, "move", seat, command)
    history = await folded(log)
    assert history.state.timing.banks[seat] == 1_500_000
    clock.set(history.state.deadline)
    await until(lambda: has(log, SeatLeft.name), "the other seat has forfeited")
    assert (await folded(log)).state.left == (1 - seat,)


class TestAbsence:
    async def test_time_that_no_host_was_there_for_is_given_back_before_any_bell(
        self, rules: Rules, log: Log, beats: Beats
    ) -> None:
        clock = Alarm()
        await self.open_and_die(rules, beats, clock)
        clock.set(NOON + MINUTE)
        async with running(rules(clock=clock, beats=beats)):
            await until(lambda: has(log, TimeGivenBack.name), "the time is given back")
            history = await folded(log)
            assert history.state.deadline == NOON + MINUTE + 2 * SECOND
            assert not await has(log, TurnExpired.name)
            await until(lambda: self.was_there(beats, NOON + MINUTE), "the host says that it is there")
            clock.set(history.state.deadline)
            await until(lambda: has(log, TurnExpired.name), "the turn has expired in its own time")
        back = (await of_type(log, TimeGivenBack.name))[0]
        assert (back.actor, back.id) == ("clock", f"away:1:{(await commits(log))[1].at}")

    async def test_a_move_that_comes_first_pays_nothing_for_it(self, rules: Rules, log: Log, beats: Beats) -> None:
        clock = Alarm()
        await self.open_and_die(rules, beats, clock, turn_ms=0, bank_ms=30_000)
        clock.set(NOON + MINUTE)
        seat, command = await next_move(log)
        await rules(clock=clock, beats=beats).act(M, "move", seat, command)
        assert (await folded(log)).state.timing.banks[seat] == 30 * SECOND
        ids = [commit.id.partition(":")[0] for commit in await commits(log)]
        assert ids.index("move") == ids.index("away") + 1

    async def test_hosts_that_start_together_give_it_back_once(self, rules: Rules, log: Log, beats: Beats) -> None:
        clock = Alarm()
        await self.open_and_die(rules, beats, clock)
        clock.set(NOON + MINUTE)
        hosts = [rules(clock=clock, beats=beats) for _ in range(3)]
        async with running(hosts[0]), running(hosts[1]), running(hosts[2]):
            await until(lambda: self.was_there(beats, NOON + MINUTE), "all is given back")
            await asyncio.gather(*(host.direct(M, f"e-{n}", said(Extend(1))) for n, host in enumerate(hosts)))
        assert len(await of_type(log, TimeGivenBack.name)) == 1

    async def test_where_another_host_was_there_nothing_is_given_back(
        self, rules: Rules, log: Log, beats: Beats
    ) -> None:
        clock = Alarm()
        await self.open_and_die(rules, beats, clock)
        clock.set(NOON + MINUTE)
        await beats.beat(game().key, NOON + MINUTE - 2 * SECOND)
        async with running(rules(clock=clock, beats=beats)):
            await until(lambda: has(log, TurnExpired.name), "the turn has expired")
        assert not await has(log, TimeGivenBack.name)

    async def test_a_short_stumble_is_nobody_s_concern(self, rules: Rules, log: Log, beats: Beats) -> None:
        clock = Alarm()
        await self.open_and_die(rules, beats, clock)
        clock.set(NOON + 3 * SECOND)
        async with running(rules(clock=clock, beats=beats)):
            await until(lambda: has(log, TurnExpired.name), "the turn has expired")
        assert not await has(log, TimeGivenBack.name)

    async def test_time_in_which_the_log_was_unreachable_is_given_back_by_the_same_host(
        self, rules: Rules, log: Log
    ) -> None:
        clock, beats = Alarm(), _Cut()
        async with running(host := rules(clock=clock, beats=beats)):
            await until(lambda: self.was_there(beats, NOON), "the host says that it is there")
            await host.open(M, seats=2, turn_ms=2000)
            beats.away = True
            clock.set(NOON + MINUTE)
            await until(lambda: beats.asked > 0, "the host looks who was there")
            assert not await has(log, TurnExpired.name)
            beats.away = False
            await until(lambda: has(log, TimeGivenBack.name), "the time is given back")
        assert (await folded(log)).state.deadline == NOON + MINUTE + 2 * SECOND

    async def open_and_die(
        self, rules: Rules, beats: Beats, clock: Alarm, turn_ms: int = 2000, bank_ms: int = 0
    ) -> MatchHost:
        """A match is opened at noon, and a moment later no host is there any more."""
        host = rules(clock=clock, beats=beats)
        async with running(host):
            await until(lambda: self.was_there(beats, NOON), "the host says that it is there")
            await host.open(M, seats=2, turn_ms=turn_ms, bank_ms=bank_ms)
        await host.close()
        return host

    async def was_there(self, beats: Beats, at: Instant) -> bool:
        return await beats.last(game().key) >= at


class _Cut(MemoryBeats):
    """Beats that cannot be reached for a while."""

    def __init__(self) -> None:
        super().__init__()
        self.away = False
        self.asked = 0

    async def last(self, game: str) -> Instant:
        self._answer()
        return await super().last(game)

    async def beat(self, game: str, at: Instant) -> None:
        self._answer()
        await super().beat(game, at)

    def _answer(self) -> None:
        if self.away:
            self.asked += 1
            raise Unavailable("log_unavailable", "The log does not answer.")


async def in_reach() -> None:
    """The log of matches answers."""


class TestPresence:
    async def test_an_answer_that_took_long_says_nothing_about_now(self) -> None:
        """The process slept between question and answer; meanwhile the others went on."""
        clock, beats = Alarm(), MemoryBeats()

        class Sleepy(MemoryBeats):
            naps = 1

            async def last(self, game: str) -> Instant:
                heard = await beats.last(game)
                if self.naps:
                    self.naps -= 1
                    clock.set(NOON + MINUTE)
                    await beats.beat(game, NOON + MINUTE)
                return heard

        await beats.beat("duel", NOON)
        assert await Presence("duel", Sleepy(), clock, in_reach).gap() is None

    async def test_a_gap_begins_at_the_last_beat_and_ends_now(self) -> None:
        clock, beats = Alarm(), MemoryBeats()
        await beats.beat("duel", NOON)
        clock.set(NOON + 12 * SECOND)
        assert await Presence("duel", beats, clock, in_reach).gap() == Gap(NOON, NOON + 12 * SECOND)
        assert await Presence("hearts", beats, clock, in_reach).gap() is None

    async def test_a_host_through_which_nobody_can_move_is_not_there(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The stream of beats has a leader; the stream of matches has none."""
        monkeypatch.setattr("services.rules.presence.BEAT_S", 0.01)
        clock, beats, asked = Alarm(), MemoryBeats(), 0
        given_back: list[Gap] = []
        dark = False

        async def reach() -> None:
            nonlocal asked
            asked += 1
            if dark:
                raise Unavailable("log_unavailable", "The log does not answer.")

        async def give_back(gap: Gap) -> None:
            given_back.append(gap)

        keeping = asyncio.create_task(Presence("duel", beats, clock, reach).keep(give_back))
        try:
            await until(lambda: asked > 1, "the host has said that it is there")
            dark = True
            clock.set(NOON + 2 * SECOND)
            before = asked
            await until(lambda: asked > before + 2, "the host would have said so again")
            assert await beats.last("duel") == NOON
            dark = False
            clock.set(NOON + 12 * SECOND)
            await until(lambda: bool(given_back), "the time is given back")
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
        assert given_back == [Gap(NOON, NOON + 12 * SECOND)]
