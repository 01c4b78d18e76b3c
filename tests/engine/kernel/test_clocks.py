"""A clock is data in a commit; whoever wakes up only says that it has run out."""

import pytest

from engine.kernel.chance import Roll, spec_of
from engine.kernel.codec import Named
from engine.kernel.official import ClockStarted, Expire, Leave, LuckResolved, ResolveLuck, SeatLeft, TurnExpired
from engine.kernel.value import Instant, instant_text
from tests.kit.duel import DUEL, CharmsDealt, Pick, Picked, RoundRolled, SeatGone
from tests.kit.given import NOON, Given, given, opened
from tests.kit.table import SECOND, Table

MINUTE: Instant = 60 * SECOND
STARTED = ClockStarted(1, instant_text(NOON + MINUTE))
CHARMS = CharmsDealt((1, 2, 3))


def timed(*more: Named) -> Given:
    return given(DUEL, opened(DUEL, 3, turn_ms=60_000), CHARMS, STARTED, *more)


def test_a_clock_starts_with_a_new_turn() -> None:
    table = Table(DUEL).open(2, turn_ms=60_000)
    assert table.state.deadline == 0, "nobody is on the clock while luck is asked"
    table.settle()
    assert (table.state.turn, table.state.deadline) == (1, NOON + MINUTE)


def test_without_a_turn_time_there_is_no_clock() -> None:
    table = Table(DUEL).open(2).settle()
    assert (table.state.turn, table.state.deadline) == (0, 0)


def test_the_clock_runs_on_while_others_are_still_to_move() -> None:
    timed().when("seat:0", Pick(1, False), at=NOON + SECOND).then(Picked(0, 1, False))


def test_the_clock_starts_anew_with_the_next_round() -> None:
    picks = (Picked(0, 1, False), Picked(1, 1, False), Picked(2, 1, False))
    later = NOON + 10 * SECOND
    timed(*picks).when("luck", ResolveLuck("dice/1", spec_of(Roll(6, 3)), (1, 1, 1)), at=later).then(
        LuckResolved("dice/1"),
        RoundRolled((1, 1, 1), ((1, False),) * 3),
        ClockStarted(2, instant_text(later + MINUTE)),
    )


def test_the_clock_runs_on_when_a_pending_seat_leaves() -> None:
    timed().when("seat:0", Leave(0), at=NOON + SECOND).then(SeatLeft(0), SeatGone(0))


def test_the_clock_runs_on_when_a_bystander_leaves() -> None:
    """Else a friend could buy the seat to move a second turn's time by leaving."""
    timed(Picked(0, 1, False)).when("seat:0", Leave(0), at=NOON + SECOND).then(SeatLeft(0), SeatGone(0))


def test_when_time_is_up_the_default_is_played_for_all_that_are_late() -> None:
    timed(Picked(1, 3, True)).when("clock", Expire(1), at=NOON + MINUTE).then(
        TurnExpired(1, (0, 2)), Picked(0, 1, False), Picked(2, 1, False)
    )


def test_the_clock_stands_still_after_it_has_run_out() -> None:
    assert timed().when("clock", Expire(1), at=NOON + MINUTE).after.state.deadline == 0


@pytest.mark.parametrize("early", [1, SECOND, MINUTE, 10**15])
def test_a_turn_does_not_expire_early(early: Instant) -> None:
    timed().when("clock", Expire(1), at=NOON + MINUTE - early).then_refused("not_yet")


def test_a_turn_expires_late_if_the_clock_slept() -> None:
    assert timed().when("clock", Expire(1), at=NOON + 50 * MINUTE).events


@pytest.mark.parametrize("turn", [-1, 0, 2, 10**20])
def test_another_turn_does_not_expire(turn: int) -> None:
    timed().when("clock", Expire(turn), at=NOON + MINUTE).then_refused("turn_is_past")


def test_a_turn_expires_once() -> None:
    timed().when("clock", Expire(1), at=NOON + MINUTE).after.when("clock", Expire(1), at=NOON + MINUTE).then_refused(
        "turn_is_past"
    )


def test_a_move_in_time_beats_the_clock() -> None:
    picks = (Picked(0, 1, False), Picked(1, 1, False), Picked(2, 1, False))
    timed(*picks).when("clock", Expire(1), at=NOON + MINUTE).then_refused("turn_is_past")


def test_a_match_without_a_clock_does_not_expire() -> None:
    given(DUEL, opened(DUEL, 3), CHARMS).when("clock", Expire(0), at=NOON + MINUTE).then_refused("turn_is_past")


@pytest.mark.parametrize("actor", ["host", "seat:0", "luck"])
def test_only_the_clock_says_that_time_is_up(actor: str) -> None:
    timed().when(actor, Expire(1), at=NOON + MINUTE).then_refused("not_yours_to_do")


def test_time_in_a_match_never_runs_backwards() -> None:
    table = Table(DUEL).open(2).settle()
    table.now -= MINUTE
    table.move(0, Pick(1, False))
    assert table.history.at == NOON
