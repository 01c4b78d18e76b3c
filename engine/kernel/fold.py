"""How a game folds: a function an event, found by the type of the event, and nothing folded twice in one decision.

``Fold`` is a table, because a fact must cost the same wherever it stands in the union: two ``case`` of a ``match`` that
do not fit cost as much as a small fold. ``complete`` sees that no event is missing, as ``assert_never`` does.

A rule looks at what has come of its own events, so it folds them; then whoever asked folds the same events on the same
state. ``ahead`` keeps what the rule has found until it is asked for, once. A hit needs the same objects, not equal
ones: it compares nothing, it cannot be wrong, and it lets go of what it held.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from engine.kernel.codec import Codec, Named

S = TypeVar("S")
E = TypeVar("E", bound=Named)
K = TypeVar("K", bound=Named)

KEPT_MAX = 1 << 10
"""Foldings that nobody has asked for yet; a decision of a hundred seats has some three hundred events."""


class Fold(Generic[S, E]):
    """``evolve`` of a game."""

    def __init__(self, events: Codec[E]) -> None:
        self._missing: set[type[Any]] = set(events.types.values())
        self._folds: dict[type[Any], Callable[[S, Any], S]] = {}
        self._kept: dict[int, tuple[S, E, S]] = {}

    def on(self, kind: type[K]) -> Callable[[Callable[[S, K], S]], Callable[[S, K], S]]:
        """The function below folds events of this kind."""

        def told(fold: Callable[[S, K], S]) -> Callable[[S, K], S]:
            self._missing.remove(kind)
            self._folds[kind] = fold
            return fold

        return told

    def complete(self) -> "Fold[S, E]":
        """Itself, once there is a function for every event."""
        assert not self._missing, f"nothing folds {sorted(kind.__name__ for kind in self._missing)}"
        return self

    def evolve(self, state: S, event: E) -> S:
        """The state after an event."""
        kept = self._kept.pop(id(event), None)
        if kept is not None and kept[0] is state and kept[1] is event:
            return kept[2]
        return self._folds[type(event)](state, event)

    def of(self, kind: type[K]) -> Callable[[S, K], S]:
        """``evolve`` for events of this kind, for whoever folds what no rule has folded ahead."""
        return self._folds[kind]

    def ahead(self, state: S, event: E) -> S:
        """The same for an event that will be folded once more: by rules, of events that they have just made."""
        after = self._folds[type(event)](state, event)
        if len(self._kept) >= KEPT_MAX:
            self._kept.clear()
        self._kept[id(event)] = (state, event, after)
        return after
