"""The events of one decision in the making, folded as they are added, so that each rule sees what has come of it."""

from engine.games.memcel.events import Event, PlayEnded, StepBegan
from engine.games.memcel.fold import FOLD
from engine.games.memcel.model import NOBODY, Cause, Reason, State, Step
from engine.games.memcel.scoring import ranks
from engine.kernel.value import Seat


class Course:
    """``state`` is the position after ``events``."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[Event] = []

    def add(self, event: Event) -> None:
        self.state = FOLD.ahead(self.state, event)
        self.events.append(event)

    def wait_for(self, step: Step, seat: Seat, cause: Cause = "") -> None:
        """The match waits for this now."""
        self.add(StepBegan(step, seat, cause))

    def end(self, reason: Reason, winner: Seat = NOBODY) -> None:
        """Play is over, and nothing is secret any more."""
        state = self.state
        faces = tuple(tuple(None if tile is None else tile.face for tile in sectors) for sectors in state.board)
        self.add(PlayEnded(reason, ranks(state, winner), faces, state.supplies))
