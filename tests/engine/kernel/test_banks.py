"""A bank runs only while its seat is asked, pays exactly, and its increment comes with the move."""

import msgspec
import pytest

from engine.kernel.chance import Chance, Roll, commitment, spec_of
from engine.kernel.codec import Named
from engine.kernel.game import Seats
from engine.kernel.history import AnyHistory, History
from engine.kernel.official import (
    BankChanged,
    ClockStarted,
    Expire,
    Leave,
    LuckResolved,
    MatchEnded,
    MatchOpened,
    OpenMatch,
    ResolveLuck,
    SeatLeft,
    TurnExpired,
)
from engine.kernel.timing import Timing
from engine.kernel.value import Instant, instant_text
from tests.kit.duel import DUEL, CharmsDealt, Pick, Picked, RoundRolled, SeatGone
from tests.kit.given import NOON, Given, given, opened
from tests.kit.table import SECOND, Table, play

CHARMS = CharmsDealt((1, 2, 3))
PICK = Pick(1, False)


def agreed(turn_s: int = 0, bank_s: int = 0, increment_s: int = 0, on_timeout: str = "default") -> MatchOpened:
    return msgspec.structs.replace(
        opened(DUEL, 3, turn_ms=turn_s * 1000),
        bank_ms=bank_s * 1000,
        increment_ms=increment_s * 1000,
        on_timeout=on_timeout,
    )


def started(turn: int, deadline: Instant, began: Instant = 0) -> ClockStarted:
    return ClockStarted(turn, instant_text(deadline), instant_text(began) if began else "")


def banked(*more: Named, turn_s: int = 0, increment_s: int = 5, on_timeout: str = "default") -> Given:
    """Three seats with ten seconds each, asked at noon."""
    opening = agreed(turn_s, 10, increment_s, on_timeout)
    return given(DUEL, opening, CHARMS, started(1, NOON + (turn_s + 10) * SECOND, NOON), *more)


class TestBanks:
    def test_the_clock_starts_with_what_is_in_the_bank(self) -> None:
        asked = given(DUEL, agreed(bank_s=10))
        assert isinstance(asked.pending, Chance)
        asked.when("luck", ResolveLuck("charms/1", spec_of(asked.pending.spec), (1, 2, 3))).then(
            LuckResolved("charms/1"), CharmsDealt((1, 2, 3)), started(1, NOON + 10 * SECOND, NOON)
        )

    def test_a_move_stops_the_clock_of_its_seat_and_brings_the_increment(self) -> None:
        """3.000001 s of 10 s, and 5 s more; the others' clocks run on, and theirs is the deadline still."""
        banked().when("seat:0", PICK, at=NOON + 3 * SECOND + 1).then(
            Picked(0, 1, False), BankChanged(0, 12 * SECOND - 1)
        )

    def test_every_pending_seat_s_bank_runs_at_the_same_time(self) -> None:
        after = banked().when("seat:0", PICK, at=NOON + SECOND).after
        after = after.when("seat:2", PICK, at=NOON + 4 * SECOND).after
        after = after.when("seat:1", PICK, at=NOON + 9 * SECOND).after
        assert after.state.timing.banks == (14 * SECOND, 6 * SECOND, 11 * SECOND)

    def test_a_bank_stands_still_while_luck_is_asked(self) -> None:
        moved = (Picked(0, 1, False), Picked(1, 1, False), Picked(2, 1, False), BankChanged(0, 3 * SECOND))
        later = NOON + 100 * SECOND
        dice = ResolveLuck("dice/1", spec_of(Roll(6, 3)), (1, 1, 1))
        rolled = RoundRolled((1, 1, 1), ((1, False),) * 3)
        banked(*moved).when("luck", dice, at=later).then(
            LuckResolved("dice/1"), rolled, started(2, later + 3 * SECOND, later)
        )

    def test_when_the_seat_with_the_least_has_moved_the_deadline_is_the_next_seat_s(self) -> None:
        banked(BankChanged(1, 2 * SECOND), started(2, NOON + 2 * SECOND, NOON)).when(
            "seat:1", PICK, at=NOON + SECOND
        ).then(Picked(1, 1, False), BankChanged(1, 6 * SECOND), started(3, NOON + 10 * SECOND, NOON))

    def test_the_turn_time_comes_first_and_is_never_saved(self) -> None:
        timed = banked(turn_s=30, increment_s=0)
        assert timed.state.deadline == NOON + 40 * SECOND
        timed.when("seat:0", PICK, at=NOON + 30 * SECOND).then(Picked(0, 1, False))
        timed.when("seat:0", PICK, at=NOON + 34 * SECOND).then(Picked(0, 1, False), BankChanged(0, 6 * SECOND))

    def test_a_seat_that_leaves_pays_nothing(self) -> None:
        banked().when("seat:0", Leave(0), at=NOON + SECOND).then(SeatLeft(0), SeatGone(0))

    def test_what_is_left_can_be_told_at_any_moment(self) -> None:
        timing: Timing = banked(turn_s=30).state.timing
        assert timing.left_us(0, NOON + 35 * SECOND, pending=True) == 5 * SECOND
        assert timing.left_us(0, NOON + 99 * SECOND, pending=True) == 0
        assert timing.left_us(0, NOON + 35 * SECOND, pending=False) == 40 * SECOND


class TestTimeouts:
    def test_only_seats_whose_own_time_is_over_are_late(self) -> None:
        """The others stay on the same turn, and its clock goes on to the next deadline."""
        short = banked(BankChanged(1, 2 * SECOND), started(2, NOON + 2 * SECOND, NOON), increment_s=0)
        short.when("clock", Expire(2), at=NOON + 2 * SECOND).then(
            TurnExpired(2, (1,)), Picked(1, 1, False), BankChanged(1, 0), started(3, NOON + 10 * SECOND, NOON)
        )

    def test_the_increment_comes_with_the_default_move_too(self) -> None:
        expired = banked().when("clock", Expire(1), at=NOON + 10 * SECOND)
        assert expired.after.state.timing.banks == (5 * SECOND,) * 3

    def test_who_is_late_forfeits(self) -> None:
        short = banked(BankChanged(1, 0), started(2, NOON, NOON), on_timeout="forfeit")
        short.when("clock", Expire(2), at=NOON + SECOND).then(
            TurnExpired(2, (1,)), SeatLeft(1), SeatGone(1), started(3, NOON + 10 * SECOND, NOON)
        )

    def test_the_last_who_is_not_late_wins(self) -> None:
        late = (BankChanged(0, 0), BankChanged(2, 0), started(2, NOON, NOON))
        banked(*late, on_timeout="forfeit").when("clock", Expire(2), at=NOON).then(
            TurnExpired(2, (0, 2)),
            SeatLeft(0),
            SeatGone(0),
            SeatLeft(2),
            SeatGone(2),
            MatchEnded((2, 1, 2), (0, 0, 0), "left"),
        )

    def test_where_all_are_late_at_once_nobody_forfeits(self) -> None:
        """Else the seat with the highest number would win."""
        expired = banked(increment_s=0, on_timeout="forfeit").when("clock", Expire(1), at=NOON + 10 * SECOND)
        assert [event for event in expired.events if isinstance(event, SeatLeft)] == []
        assert expired.events[:2] == (TurnExpired(1, (0, 1, 2)), Picked(0, 1, False))

    def test_a_turn_clock_alone_may_forfeit(self) -> None:
        match = given(
            DUEL, agreed(60, on_timeout="forfeit"), CHARMS, started(1, NOON + 60 * SECOND), Picked(0, 1, False)
        )
        match.when("clock", Expire(1), at=NOON + 60 * SECOND).then(
            TurnExpired(1, (1, 2)),
            SeatLeft(1),
            SeatGone(1),
            SeatLeft(2),
            SeatGone(2),
            MatchEnded((1, 2, 2), (0, 0, 0), "left"),
        )

    def test_at_the_deadline_the_log_s_order_decides_between_move_and_bell(self) -> None:
        deadline = NOON + 10 * SECOND
        late = banked(Picked(1, 1, False), Picked(2, 1, False), increment_s=0)
        late.when("seat:0", Pick(3, True), at=deadline).then(Picked(0, 3, True), BankChanged(0, 0)).when(
            "clock", Expire(1), at=deadline
        ).then_refused("turn_is_past")
        late.when("clock", Expire(1), at=deadline).then(
            TurnExpired(1, (0,)), Picked(0, 1, False), BankChanged(0, 0)
        ).when("seat:0", Pick(3, True), at=deadline).then_refused("luck_pending")


class TestOpening:
    @pytest.mark.parametrize(
        "clock",
        [
            {"bank_ms": -1},
            {"bank_ms": 10**12},
            {"bank_ms": 1, "increment_ms": -1},
            {"bank_ms": 1, "increment_ms": 10**12},
            {"increment_ms": 1},
            {"on_timeout": "explode", "bank_ms": 1},
            {"on_timeout": ""},
            {"on_timeout": "forfeit"},
        ],
    )
    def test_a_clock_that_cannot_be_is_refused(self, clock: dict[str, object]) -> None:
        fields = {"seats": 2, "options": {}, "nonces": (), "players": (), "turn_ms": 0, "commitment": "0" * 64} | clock
        given(DUEL).when("host", OpenMatch(**fields)).then_refused("bad_clock")  # type: ignore[arg-type]  # wrong on purpose

    def test_what_is_not_agreed_is_not_written(self) -> None:
        """So a match from before there were banks is the same, byte for byte."""
        played = play(DUEL, 3, {}, 5, sleepers=True, leavers=1)
        ended = played.states[-1].ended
        assert ended is not None
        lines = [line.replace(b'"reason":"' + ended.reason.encode(), b"") for line in played.lines]
        for word in (b"bank", b"increment", b"on_timeout", b"began", b"reason"):
            assert not any(word in line for line in lines), word


def test_a_match_with_banks_is_decided_again_to_the_same_bytes() -> None:
    """From the file alone: every time stands in it."""
    table = Table(DUEL)
    table.say("host", OpenMatch(3, {}, (), (), 2000, commitment(table.seed).hex(), 9000, 700))
    while not table.state.ended:
        table.settle()
        pending = table.pending
        if isinstance(pending, Seats):
            table.now += 1_234_567
            if table.now >= table.state.deadline:
                table.expire()
            else:
                table.move(pending.seats[-1], Pick(2, False))
    again: AnyHistory = History(table.match, "m-test")
    for position, line in enumerate(table.lines, 1):
        again.accept(line, position)
    assert again.state.timing == table.state.timing
    assert min(table.state.timing.banks) < 9 * SECOND
