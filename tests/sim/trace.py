"""What happened, line by line: the last lines are shown with a failure, the hash of them all stands for the run.

A line is virtual time, who, and what. Two runs of a seed must agree on every byte, or something in the house or in the
simulation asks something else than the seed.
"""

import hashlib
from collections import deque
from collections.abc import Callable

LINES_KEPT = 60


class Trace:
    """``tell`` sees each line as it is written."""

    def __init__(self, time: Callable[[], float], tell: Callable[[str], None] | None = None) -> None:
        self._time = time
        self._tell = tell
        self._hash = hashlib.sha256()
        self._last: deque[str] = deque(maxlen=LINES_KEPT)
        self.lines = 0

    def add(self, who: str, what: str) -> None:
        line = f"{self._time():12.6f}  {who:<18} {what}"
        self._hash.update(line.encode() + b"\n")
        self._last.append(line)
        self.lines += 1
        if self._tell is not None:
            self._tell(line)

    @property
    def hash(self) -> str:
        return self._hash.hexdigest()

    @property
    def last(self) -> tuple[str, ...]:
        return tuple(self._last)
