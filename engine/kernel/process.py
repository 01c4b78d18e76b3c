"""A process looks at a state and says what is owed next; it asks, and never decides.

``Housekeeping`` is the one every match has: ask the deck for the pending luck, let the rules go on, play the clock,
reveal the seed. It is a pure function of the folded match, so after a crash the same step is found again, under the
same ids.
"""

from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar

from engine.kernel.chance import Chance
from engine.kernel.game import Automatic, Seats
from engine.kernel.history import AnyHistory
from engine.kernel.official import GiveBack
from engine.kernel.value import Instant, Revision, Value, instant_text

X_contra = TypeVar("X_contra", contravariant=True)
Y_co = TypeVar("Y_co", covariant=True)


class Process(Protocol[X_contra, Y_co]):
    """``resume`` is called after every change and after every restart; it must give the same answer both times."""

    def resume(self, state: X_contra) -> Y_co | None: ...


class AskLuck(Value, frozen=True):
    """The deck owes an outcome under ``draw_id``."""

    draw_id: str
    chance: Chance

    @property
    def command_id(self) -> str:
        return self.id_of(self.draw_id)

    @staticmethod
    def id_of(draw_id: str) -> str:
        """Holds a sign that no caller's id may hold, so nobody can take it first."""
        return f"luck:{draw_id}"


class AwaitClock(Value, frozen=True):
    """Nothing is owed before ``deadline``; then the turn expires."""

    turn: int
    deadline: Instant

    @property
    def command_id(self) -> str:
        return self.id_of(self.turn)

    @staticmethod
    def id_of(turn: int) -> str:
        return f"clock:{turn}"


class ReturnTime(Value, frozen=True):
    """The house was away while the clock of ``turn`` ran: the turn is given that time back before it may expire."""

    turn: int
    since: Instant
    until: Instant

    @property
    def command_id(self) -> str:
        return self.id_of(self.command)

    @property
    def command(self) -> GiveBack:
        return GiveBack(self.turn, instant_text(self.since), instant_text(self.until))

    @staticmethod
    def id_of(command: GiveBack) -> str:
        return f"away:{command.turn}:{command.since}"


class GoOn(Value, frozen=True):
    """The rules go on by themselves behind ``revision``."""

    revision: Revision

    @property
    def command_id(self) -> str:
        return self.id_of(self.revision)

    @staticmethod
    def id_of(revision: Revision) -> str:
        return f"house:{revision}"


class AskSeed(Value, frozen=True):
    """The match has ended: the deck owes the seed."""

    command_id: ClassVar[str] = "luck:seed"


Step: TypeAlias = AskLuck | AwaitClock | GoOn | AskSeed


class Housekeeping:
    """What the house owes a match; a ``Process`` over its history."""

    def resume(self, state: AnyHistory) -> Step | None:
        match: Any = state.state
        if match.ended is not None:
            return None if match.seed else AskSeed()
        pending = state.pending
        if isinstance(pending, Chance):
            return AskLuck(match.next_draw_id(pending.label), pending)
        if isinstance(pending, Automatic):
            return GoOn(state.revision)
        if isinstance(pending, Seats) and match.deadline and not match.timing.paused:
            return AwaitClock(match.turn, match.deadline)
        return None

    def after_absence(self, state: AnyHistory, since: Instant, until: Instant) -> ReturnTime | None:
        """What is owed before anything else where no host of the game was there from ``since`` until ``until``."""
        match: Any = state.state
        if not isinstance(state.pending, Seats) or not match.timing.lost_us(since, until):
            return None
        return ReturnTime(match.turn, since, until)
