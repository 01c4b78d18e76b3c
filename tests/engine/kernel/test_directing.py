"""A director stops a match, gives time and calls time; what the house was away for is nobody's time."""

import pytest

from engine.kernel.chance import Roll, spec_of
from engine.kernel.codec import Named
from engine.kernel.official import (
    BankChanged,
    CallTime,
    ClockStarted,
    Event,
    Expire,
    Extend,
    GiveBack,
    Leave,
    LuckResolved,
    MatchPaused,
    MatchResumed,
    Pause,
    ResolveLuck,
    Resume,
    SeatLeft,
    TimeCalled,
    TimeExtended,
    TimeGivenBack,
    TurnExpired,
    words,
)
from engine.kernel.value import instant_text
from tests.engine.kernel.test_banks import CHARMS, PICK, agreed, banked, started
from tests.kit.duel import DUEL, Picked, RoundRolled, SeatGone
from tests.kit.given import NOON, Given, given, opened
from tests.kit.table import SECOND

PAUSED = MatchPaused(instant_text(NOON + 2 * SECOND), "a spilled drink")


def timed(*more: Named) -> Given:
    """A minute a turn, and nothing else."""
    return given(DUEL, agreed(60), CHARMS, started(1, NOON + 60 * SECOND), *more)


def plain(*more: Named) -> Given:
    return given(DUEL, opened(DUEL, 3), CHARMS, *more)


class TestPause:
    def test_the_reason_is_in_the_event(self) -> None:
        banked().when("host", Pause("a spilled drink"), at=NOON + 2 * SECOND).then(PAUSED)

    def test_nobody_moves_and_no_clock_rings(self) -> None:
        for match in (banked(PAUSED), plain(PAUSED)):
            match.when("seat:0", PICK, at=NOON + 3 * SECOND).then_refused("match_paused")
        banked(PAUSED).when("clock", Expire(1), at=NOON + 99 * SECOND).then_refused("match_paused")

    def test_after_it_every_clock_shows_what_it_showed_before(self) -> None:
        resumed = banked(PAUSED).when("host", Resume(), at=NOON + 302 * SECOND)
        resumed.then(MatchResumed(""), started(2, NOON + 310 * SECOND, NOON + 300 * SECOND))
        moved = resumed.after.when("seat:0", PICK, at=NOON + 303 * SECOND)
        assert moved.events == (Picked(0, 1, False), BankChanged(0, 12 * SECOND)), "2 s before and 1 s after"

    def test_a_turn_clock_goes_on_where_it_was(self) -> None:
        timed(PAUSED).when("host", Resume(), at=NOON + 12 * SECOND).then(
            MatchResumed(""), started(2, NOON + 70 * SECOND)
        )

    def test_a_turn_that_begins_in_a_pause_has_all_its_time_after_it(self) -> None:
        picks = (Picked(0, 1, False), Picked(1, 1, False), Picked(2, 1, False))
        dice = ResolveLuck("dice/1", spec_of(Roll(6, 3)), (1, 1, 1))
        rolled = timed(*picks, PAUSED).when("luck", dice, at=NOON + 9 * SECOND)
        rolled.then(
            LuckResolved("dice/1"),
            RoundRolled((1, 1, 1), ((1, False),) * 3),
            started(2, NOON + 62 * SECOND),
        ).when("host", Resume(), at=NOON + 100 * SECOND).then(MatchResumed(""), started(3, NOON + 160 * SECOND))

    def test_a_seat_may_leave_in_a_pause(self) -> None:
        timed(PAUSED).when("seat:0", Leave(0), at=NOON + 3 * SECOND).then(SeatLeft(0), SeatGone(0))

    def test_it_is_paused_once_and_goes_on_once(self) -> None:
        plain(PAUSED).when("host", Pause()).then_refused("match_paused")
        plain().when("host", Resume()).then_refused("not_paused")
        plain(PAUSED).when("host", Resume()).then(MatchResumed(""))

    def test_it_has_no_effect_on_a_match_without_a_clock_but_to_stop_it(self) -> None:
        plain().when("host", Pause()).after.when("host", Resume()).after.when("seat:0", PICK).then(Picked(0, 1, False))


class TestExtension:
    def test_one_seat_gets_more(self) -> None:
        banked(BankChanged(0, SECOND), started(2, NOON + SECOND, NOON)).when("host", Extend(30_000, 0)).then(
            TimeExtended((0,), 30_000, ""), started(3, NOON + 10 * SECOND, NOON)
        )

    def test_all_that_are_here_get_more(self) -> None:
        extended = banked(SeatLeft(1), SeatGone(1)).when("host", Extend(1, reason="fire drill"))
        extended.then(TimeExtended((0, 2), 1, "fire drill"), started(2, NOON + 10 * SECOND + 1000, NOON))
        assert extended.after.state.timing.banks == (10 * SECOND + 1000, 10 * SECOND, 10 * SECOND + 1000)

    def test_where_there_is_only_a_turn_time_it_is_used_up_in_the_turns_that_need_it(self) -> None:
        """Two more minutes: the first minute of a turn still is the turn's own."""
        all_three = timed().when("host", Extend(120_000)).after
        assert all_three.state.deadline == NOON + 180 * SECOND
        moved = all_three.when("seat:0", PICK, at=NOON + 61 * SECOND)
        assert moved.events == (Picked(0, 1, False), BankChanged(0, 119 * SECOND))

    @pytest.mark.parametrize("ms", [0, -1, 10**12])
    def test_it_has_bounds(self, ms: int) -> None:
        timed().when("host", Extend(ms)).then_refused("bad_extension")

    def test_nobody_else_gets_any(self) -> None:
        plain().when("host", Extend(1000)).then_refused("no_clock")
        timed().when("host", Extend(1000, 3)).then_refused("unknown_seat")
        timed(SeatLeft(1), SeatGone(1)).when("host", Extend(1000, 1)).then_refused("unknown_seat")


class TestCallOfTime:
    @pytest.mark.parametrize("match", [banked(), banked(on_timeout="forfeit"), timed(), plain()])
    def test_from_now_on_the_house_plays_by_defaults_alone(self, match: Given) -> None:
        """Also where late seats forfeit: the round's clock is nobody's fault."""
        now = NOON + SECOND
        called = match.when("host", CallTime("round over"), at=now)
        turn = match.state.turn + 1
        assert called.events[0] == TimeCalled("round over")
        assert (called.after.state.turn, called.after.state.deadline) == (turn, now)
        called.after.when("seat:0", PICK, at=now).then_refused("time_called")
        called.after.when("clock", Expire(turn), at=now).then(
            TurnExpired(turn, (0, 1, 2)), Picked(0, 1, False), Picked(1, 1, False), Picked(2, 1, False)
        )

    def test_nothing_is_directed_after_it(self) -> None:
        called = timed().when("host", CallTime()).after
        for command in (Pause(), Extend(1000), CallTime()):
            called.when("host", command).then_refused("time_called")
        called.when("clock", GiveBack(2, instant_text(NOON), instant_text(NOON)), at=NOON).then_refused("nothing_lost")

    def test_a_paused_match_goes_on_first(self) -> None:
        timed(PAUSED).when("host", CallTime(), at=NOON + 3 * SECOND).then_refused("match_paused")


class TestAbsence:
    def test_the_time_is_given_back_to_deadline_and_banks(self) -> None:
        since, until = NOON + 4 * SECOND, NOON + 16 * SECOND
        command = GiveBack(1, instant_text(since), instant_text(until))
        back = banked().when("clock", command, at=until)
        back.then(
            TimeGivenBack(instant_text(since), instant_text(until)),
            started(2, NOON + 22 * SECOND, NOON + 12 * SECOND),
        )
        moved = back.after.when("seat:0", PICK, at=NOON + 18 * SECOND)
        assert moved.events == (Picked(0, 1, False), BankChanged(0, 9 * SECOND)), "4 s before and 2 s after"
        assert words(TimeGivenBack(command.since, command.until), "en") == (
            "The house was away for 12 seconds; the clocks stood still."
        )

    def test_no_more_than_the_turn_has_lost(self) -> None:
        """It began when the house had sent its last beat already."""
        until = NOON + 60 * SECOND
        command = GiveBack(1, instant_text(NOON - SECOND), instant_text(until))
        timed().when("clock", command, at=until).then(
            TimeGivenBack(instant_text(NOON), instant_text(until)), started(2, NOON + 120 * SECOND)
        )

    def test_once(self) -> None:
        """A second host that saw the same gap a little later."""
        since, until = NOON + 10 * SECOND, NOON + 30 * SECOND
        after = timed().when("clock", GiveBack(1, instant_text(since), instant_text(until)), at=until).after
        later = until + SECOND
        again = GiveBack(2, instant_text(since), instant_text(later))
        after.when("clock", again, at=later).then_refused("nothing_lost")
        after.when("clock", GiveBack(1, again.since, again.until), at=later).then_refused("turn_is_past")

    def test_a_move_is_late_only_after_the_time_that_was_given_back(self) -> None:
        since, until = NOON + 30 * SECOND, NOON + 90 * SECOND
        after = timed().when("clock", GiveBack(1, instant_text(since), instant_text(until)), at=until).after
        after.when("clock", Expire(2), at=NOON + 119 * SECOND).then_refused("not_yet")
        assert after.when("clock", Expire(2), at=NOON + 120 * SECOND).events

    def test_a_clock_that_stands_still_loses_nothing(self) -> None:
        since, until = instant_text(NOON + 3 * SECOND), instant_text(NOON + 60 * SECOND)
        timed(PAUSED).when("clock", GiveBack(1, since, until), at=NOON + 60 * SECOND).then_refused("match_paused")
        plain().when("clock", GiveBack(0, since, until), at=NOON + 60 * SECOND).then_refused("turn_is_past")

    def test_it_has_ended_and_lies_between_instants(self) -> None:
        future = GiveBack(1, instant_text(NOON), instant_text(NOON + 60 * SECOND))
        timed().when("clock", future, at=NOON + 59 * SECOND).then_refused("not_yet")
        timed().when("clock", GiveBack(1, "noon", instant_text(NOON))).then_refused("bad_absence")
        timed().when("host", future, at=NOON + 60 * SECOND).then_refused("not_yours_to_do")


@pytest.mark.parametrize("command", [Pause(), Resume(), Extend(1000), CallTime()])
@pytest.mark.parametrize("actor", ["seat:0", "clock", "house", "luck"])
def test_only_the_host_directs(actor: str, command: Named) -> None:
    timed().when(actor, command).then_refused("not_yours_to_do")


@pytest.mark.parametrize("reason", ["x" * 201, "two\nlines", "\x00"])
def test_a_reason_can_be_read_by_everybody(reason: str) -> None:
    for command in (Pause(reason), Resume(reason), Extend(1000, reason=reason), CallTime(reason), Leave(0, reason)):
        match = timed(PAUSED) if isinstance(command, Resume) else timed()
        match.when("host", command, at=NOON + 3 * SECOND).then_refused("bad_reason")


def test_the_host_says_why_a_seat_leaves_and_no_seat_does() -> None:
    timed().when("host", Leave(0, "no show")).then(SeatLeft(0, "no show"), SeatGone(0))
    timed().when("seat:0", Leave(0, "you all cheat")).then_refused("bad_reason")


def test_sentences_say_what_happened_and_why() -> None:
    said: dict[Event, str] = {
        PAUSED: "The match is paused. Reason: a spilled drink",
        MatchResumed(""): "The match goes on.",
        TimeExtended((0, 2), 90_000, ""): "90 seconds more for seat 0 and seat 2.",
        TimeExtended((1,), 1, "judge"): "1 second more for seat 1. Reason: judge",
        TimeCalled(""): "Time is called: the house plays the match to its end.",
        SeatLeft(1, "no show"): "Seat 1 leaves the match. Reason: no show",
        ClockStarted(1, instant_text(NOON)): "",
        BankChanged(0, 1): "",
    }
    assert {event: words(event, "en") for event in said} == said
    assert words(PAUSED, "it") == "La partita è in pausa. Motivo: a spilled drink"
