"""A match as one seat knows it, folded from the facts that were sent to that seat."""

from collections.abc import Callable
from typing import Any

from engine.kernel.codec import Named
from engine.kernel.commit import seat_actor
from engine.kernel.facts import Fact
from engine.kernel.game import AnyGame, Pending
from engine.kernel.match import AnyMatch, Match, MatchState
from engine.kernel.value import Revision, Seat


class Mirror:
    """``take`` the facts in order; ``state`` is then what the server calls the view of this seat."""

    def __init__(self, game: AnyGame, seat: Seat) -> None:
        self._match: AnyMatch = Match(game)
        self.seat = seat
        self.revision: Revision = 0
        self.moves = 0
        """Commands of this seat so far."""
        self._state: MatchState[Any] | None = None

    @property
    def state(self) -> MatchState[Any]:
        assert self._state is not None, "nothing has been sent yet"
        return self._state

    @property
    def pending(self) -> Pending:
        return self._match.pending(self.state)

    def take(self, fact: Fact, see: Callable[[Named, MatchState[Any]], None] = lambda event, state: None) -> None:
        """Fold a fact; ``see`` is told each event with the state after it."""
        assert fact.revision == self.revision + 1, f"revision {fact.revision} came after {self.revision}"
        for recorded in fact.events:
            event = self._match.event_of(recorded)
            self._state = self._match.evolve(self._state, event)
            see(event, self._state)
        self.revision = fact.revision
        self.moves += fact.actor == seat_actor(self.seat)
