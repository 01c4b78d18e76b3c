"""What has been made of things that never change: found again by which things they are, not by what they equal.

The closed rounds of an event are asked for by every draft and all standings after them. A round that is corrected is
another thing, so nothing that is remembered here can be stale; and comparing ten thousand results with each other would
cost more than reckoning with them.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")


class Remembered(Generic[V]):
    """The last ``most`` values. Several threads may ask at once: the worst is that two make the same value."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[tuple[int, ...], tuple[tuple[object, ...], V]] = {}
        """With the things themselves, so that no others can have their identities."""

    def of(self, things: tuple[object, ...], make: Callable[[], V]) -> V:
        """The value of ``make``, called once for the same immutable ``things``."""
        key = tuple(map(id, things))
        found = self._held.pop(key, None) or (things, make())
        self._held[key] = found  # the newest now
        for oldest in list(self._held)[: -self._most]:
            self._held.pop(oldest, None)
        return found[1]
