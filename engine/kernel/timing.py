"""The clocks of a match: how long each seat may take, exactly, in integers.

A turn has one beginning, ``began``, for all seats that the match waits for. A seat's time ends at ``began`` + the turn
time + what its bank holds: the turn time is there anew every turn and is never saved, and only what goes beyond it is
taken from the bank. With no turn time the bank runs from the first moment; with no bank the turn time is all there is.
A seat stops its clock by its move, and is given the increment then. The earliest end among the pending seats is the
deadline in the commit, beside the banks that have changed, so whoever folds the log knows the time of every seat.

Whatever gives time back moves ``began`` (a pause, an absence of the house) or fills a bank (an extension). While a
match is paused its clocks read the instant of the pause, whatever happens meanwhile.

Decided in docs/decisions/0024-clocks.md.
"""

from collections.abc import Collection
from typing import TypeAlias, assert_never

import msgspec

from engine.kernel.limits import AWAY_MS_MIN
from engine.kernel.official import (
    BankChanged,
    ClockStarted,
    MatchOpened,
    MatchPaused,
    MatchResumed,
    TimeCalled,
    TimeExtended,
    TimeGivenBack,
    TurnExpired,
)
from engine.kernel.value import Instant, Seat, Value, instant_of, instant_text

US: int = 1000
"""Microseconds in a millisecond: agreements are in ms, instants and banks in µs."""


class Timing(Value, frozen=True):
    """The clocks of one match, folded; durations in microseconds."""

    turn_us: int
    increment_us: int
    banks: tuple[int, ...]
    """By seat: what was left when its clock last stopped."""
    has_clock: bool
    turn: int = 0
    """Counts the starts of the clock; an ``Expire`` names the one that it means."""
    began: Instant = 0
    deadline: Instant = 0
    """0 when no clock runs."""
    paused: Instant = 0
    """Since when the match is paused; 0 when it is not."""
    called: bool = False
    """Time has been called: nobody has any left."""
    returned: Instant = 0
    """Time that the house was away before this has been given back."""

    def ends(self, seat: Seat) -> Instant:
        """When the time of a pending seat is over."""
        return self.began if self.called else self.began + self.turn_us + self.banks[seat]

    def late(self, seats: tuple[Seat, ...], at: Instant) -> tuple[Seat, ...]:
        """Those of the pending seats whose time is over; a seat may move before its end, not at it."""
        return tuple(seat for seat in seats if self.ends(seat) <= at)

    def left_us(self, seat: Seat, now: Instant, *, pending: bool) -> int:
        """What a seat has before its time is over: now if it is pending, else in a turn that would begin now."""
        if not pending or not self.deadline:
            return 0 if self.called else self.turn_us + self.banks[seat]
        return max(0, self.ends(seat) - (self.paused or now))

    def lost_us(self, since: Instant, until: Instant) -> int:
        """What an absence of the house has taken from the clock that runs; 0 for less than is worth a commit."""
        if not self.deadline or self.paused or self.called:
            return 0
        lost = until - max(since, self.began, self.returned)
        return lost if lost >= AWAY_MS_MIN * US else 0

    def charged(self, seat: Seat, now: Instant) -> int:
        """What the bank of a pending seat holds if its clock stops now."""
        return max(0, self.banks[seat] - max(0, now - self.began - self.turn_us))


class Step(Value, frozen=True):
    """What one commit did, as far as clocks are concerned."""

    before: tuple[Seat, ...]
    """Pending before it; empty where luck, the rules or nobody was asked for."""
    after: tuple[Seat, ...]
    played: bool
    """Whether the game went on; a command that is only about time leaves the turn as it is."""
    moved: tuple[Seat, ...] = ()
    left: tuple[Seat, ...] = ()
    late: tuple[Seat, ...] = ()
    shift_us: int = 0
    """Time that is given back to the running turn."""
    called: bool = False

    def runs_on(self) -> bool:
        """Whether the turn before is the turn after.

        Seats that drop out of a simultaneous turn leave its clock running, and so does one that leaves the match out
        of turn. A seat whose time was over and that is asked again begins a new turn.
        """
        if self.called:
            return False
        dropped_out = set(self.after) < set(self.before) and not set(self.after) & set(self.late)
        bystander_left = bool(self.left) and self.before == self.after
        return dropped_out or bystander_left or not self.played


ClockEvent: TypeAlias = BankChanged | ClockStarted


def timing_of(opened: MatchOpened) -> Timing:
    """Before the first turn."""
    return Timing(
        turn_us=opened.turn_ms * US,
        increment_us=opened.increment_ms * US,
        banks=(opened.bank_ms * US,) * opened.seats,
        has_clock=bool(opened.turn_ms or opened.bank_ms),
    )


def what_follows(timing: Timing, step: Step, at: Instant) -> tuple[ClockEvent, ...]:
    """The banks that a commit changes and the clock that it starts, if any; ``timing`` has its other events folded."""
    now = timing.paused or at
    runs_on = step.runs_on() and bool(timing.began)
    stopped = set(step.before) - set(step.after) if runs_on else set(step.before)
    banks = timing.banks if timing.called else _banks(timing, stopped - set(step.left), step.moved, now)
    changed = [BankChanged(seat, bank) for seat, bank in enumerate(banks) if bank != timing.banks[seat]]
    if not step.after:
        return tuple(changed)
    began = timing.began + step.shift_us if runs_on else now
    running = msgspec.structs.replace(timing, banks=banks, began=began)
    deadline = min(map(running.ends, step.after))
    if runs_on and deadline == timing.deadline:
        return tuple(changed)
    told = "" if began + timing.turn_us == deadline else instant_text(began)
    return (*changed, ClockStarted(timing.turn + 1, instant_text(deadline), told))


def _banks(timing: Timing, stopped: Collection[Seat], moved: tuple[Seat, ...], now: Instant) -> tuple[int, ...]:
    banks = [timing.charged(seat, now) if seat in stopped else bank for seat, bank in enumerate(timing.banks)]
    for seat in moved:
        banks[seat] += timing.increment_us
    return tuple(banks)


TimeEvent: TypeAlias = ClockEvent | TurnExpired | MatchPaused | MatchResumed | TimeExtended | TimeCalled | TimeGivenBack


def evolve(timing: Timing, event: TimeEvent) -> Timing:
    """The clocks after a fact."""
    replace = msgspec.structs.replace
    match event:
        case BankChanged(seat, bank_us):
            return replace(timing, banks=_with(timing.banks, seat, bank_us))
        case ClockStarted(turn, deadline_text, began_text):
            deadline = instant_of(deadline_text)
            began = instant_of(began_text) if began_text else deadline - timing.turn_us
            return replace(timing, turn=turn, deadline=deadline, began=began)
        case TurnExpired():
            return replace(timing, deadline=0)
        case MatchPaused(since):
            return replace(timing, paused=instant_of(since))
        case MatchResumed():
            return replace(timing, paused=0)
        case TimeExtended(seats, ms):
            banks = timing.banks
            for seat in seats:
                banks = _with(banks, seat, banks[seat] + ms * US)
            return replace(timing, banks=banks)
        case TimeCalled():
            return replace(timing, called=True)
        case TimeGivenBack(_, until):
            return replace(timing, returned=instant_of(until))
        case _:
            assert_never(event)


def _with(banks: tuple[int, ...], seat: Seat, bank_us: int) -> tuple[int, ...]:
    return (*banks[:seat], bank_us, *banks[seat + 1 :])
