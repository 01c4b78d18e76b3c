"""One match folded, and the events of a commit in the making, folded as they are added."""

from typing import Any, Generic, Protocol

from engine.kernel.codec import Named, Recorded
from engine.kernel.game import AnyGame, Over, Pending, S, Seats
from engine.kernel.official import (
    MatchEnded,
    MatchOpened,
    MatchResumed,
    SeatLeft,
    TimeCalled,
    TimeGivenBack,
    TurnExpired,
)
from engine.kernel.timing import Step, Timing, what_follows
from engine.kernel.value import Instant, Seat, Value, instant_of


class MatchState(Value, Generic[S], frozen=True):
    """One match, folded."""

    opened: MatchOpened
    game: S
    timing: Timing
    draws: tuple[tuple[str, int], ...] = ()
    """How many draws each label has had, in order of first use."""
    left: tuple[Seat, ...] = ()
    ended: MatchEnded | None = None
    seed: str = ""
    """Hex once revealed."""

    @property
    def turn(self) -> int:
        """The start of the clock that counts now; 0 before the first."""
        return self.timing.turn

    @property
    def deadline(self) -> Instant:
        """When the first of the pending seats is late; 0 when no clock runs. In a pause it stands still."""
        return self.timing.deadline

    def next_draw_id(self, label: str) -> str:
        return f"{label}/{dict(self.draws).get(label, 0) + 1}"


class Folding(Protocol[S]):
    """What a draft needs of ``Match``."""

    game: AnyGame

    def evolve(self, state: MatchState[S] | None, event: Any) -> MatchState[S]: ...

    def pending(self, state: MatchState[S]) -> Pending: ...

    def record_event(self, event: Any) -> Recorded: ...


class Draft(Generic[S]):
    """The events of a commit in the making, folded as they are added."""

    def __init__(self, match: Folding[S], state: MatchState[S] | None, at: Instant) -> None:
        self.match = match
        self.state = state
        self.at = at
        self.events: list[Recorded] = []
        self.played = False
        self.moved: tuple[Seat, ...] = ()
        self.left: tuple[Seat, ...] = ()
        self.late: tuple[Seat, ...] = ()
        self.shift_us = 0
        self.called = False

    @property
    def so_far(self) -> MatchState[S]:
        assert self.state is not None
        return self.state

    def pending(self) -> Pending:
        return self.match.pending(self.so_far)

    def add(self, event: Named) -> None:
        """One of the kernel's own events."""
        match event:
            case TurnExpired(seats=seats):
                self.late = seats
            case MatchResumed():
                self.shift_us = self.at - self.so_far.timing.paused
            case TimeGivenBack(since, until):
                self.shift_us = instant_of(until) - instant_of(since)
            case TimeCalled():
                self.called = True
            case _:
                pass
        self._fold(event)

    def _fold(self, event: Named) -> None:
        self.state = self.match.evolve(self.state, event)
        self.events.append(self.match.record_event(event))

    def play(self, events: tuple[Named, ...]) -> None:
        """Events of the game."""
        self.played = True
        for event in events:
            self._fold(event)

    def move(self, seat: Seat, command: Any) -> None:
        """A seat's command, its own or the default one."""
        self.play(self.match.game.decide(command, self.so_far.game, seat))
        self.moved = (*self.moved, seat)

    def leave(self, event: SeatLeft) -> None:
        self.add(event)
        self.left = (*self.left, event.seat)
        self.play(self.match.game.leave(self.so_far.game, event.seat))

    def conclude(self, before: Pending | None) -> None:
        """Append what follows of itself: the result when play is over; else what the clocks say (``Step.runs_on``)."""
        after = self.pending()
        if isinstance(after, Over):
            if self.so_far.ended is None:
                totals = tuple(score.total for score in self.match.game.scores(self.so_far.game))
                self.add(MatchEnded(after.ranks, totals, after.reason))
            return
        if not (self.so_far.timing.has_clock or self.so_far.timing.called):
            return
        step = Step(
            before=_seats(before),
            after=_seats(after),
            played=self.played,
            moved=self.moved,
            left=self.left,
            late=self.late,
            shift_us=self.shift_us,
            called=self.called,
        )
        for event in what_follows(self.so_far.timing, step, self.at):
            self.add(event)


def _seats(pending: Pending | None) -> tuple[Seat, ...]:
    return pending.seats if isinstance(pending, Seats) else ()
