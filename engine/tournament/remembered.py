"""What has been made of things that never change: found again by which things they are, not by what they equal.

The closed rounds of an event are asked for by every draft and all standings after them. A round that is corrected is
another thing, so nothing that is remembered here can be stale; and comparing ten thousand results with each other would
cost more than reckoning with them.
"""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class Remembered(Generic[V]):
    """The last ``most`` values. Safe to be asked by several threads: two may make the same value at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[tuple[int, ...], tuple[tuple[object, ...], V]] = {}
        """With the things themselves, so that no others can have their identities."""
        self._lock = Lock()

    def of(self, things: tuple[object, ...], make: Callable[[], V]) -> V:
        """The value of ``make``, called once for the same immutable ``things``."""
        key = tuple(map(id, things))
        with self._lock:
            found = self._held.pop(key, None)
            if found is not None:
                self._held[key] = found  # the newest again
                return found[1]
        value = make()
        with self._lock:
            self._held[key] = things, value
            while len(self._held) > self._most:
                del self._held[next(iter(self._held))]
        return value
