"""What a decision has folded already is not folded once more.

A rule looks at what has come of its own events, so it folds them; then whoever asked folds the same events on the same
state. ``Ahead`` keeps what the rule has found until it is asked for, once. A hit needs the same objects, not equal ones:
it compares nothing, it cannot be wrong, and it lets go of what it held.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

S = TypeVar("S")
E = TypeVar("E")

KEPT_MAX = 1 << 10
"""Foldings that nobody has asked for yet; a decision of a hundred seats has some three hundred events."""


class Ahead(Generic[S, E]):
    """``evolve`` of a game, in two voices: ``ahead`` for its rules, ``evolve`` for everybody."""

    def __init__(self, evolve: Callable[[S, E], S]) -> None:
        self._evolve = evolve
        self._kept: dict[int, tuple[S, E, S]] = {}

    def ahead(self, state: S, event: E) -> S:
        """The state after an event that will be folded again."""
        after = self._evolve(state, event)
        if len(self._kept) >= KEPT_MAX:
            self._kept.clear()
        self._kept[id(event)] = (state, event, after)
        return after

    def evolve(self, state: S, event: E) -> S:
        """The state after an event."""
        kept = self._kept.pop(id(event), None)
        if kept is not None and kept[0] is state and kept[1] is event:
            return kept[2]
        return self._evolve(state, event)
