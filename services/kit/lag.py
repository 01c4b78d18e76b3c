"""How far a consumer is behind the end of its log, in lines and in seconds.

The end is asked for every few seconds, never for a line, so following costs nothing. The lines behind are a difference
of positions, since no line of a log is ever deleted. The seconds are counted from the moment when the oldest end that
has not been reached was seen, so a consumer that stands still is seen to stand still, whatever its reader believes.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from engine.kernel.ports import Log, Position, Unavailable
from services.kit.telemetry import LAG_LINES, LAG_SECONDS, LOG_ANSWERS

LOOK_S: Final = 5.0
"""From one look at the end of the log to the next."""

READY_S: Final = 30.0
"""What is answered from a read model that is further behind is no news to anybody."""

ENDS_KEPT: Final = 720
"""Ends that have been seen and not reached, an hour of them: seconds are exact up to there."""


class Lag:
    """Of one consumer; ``taken`` tells its position in each partition, ``seconds`` grow by the clock ``now``."""

    def __init__(
        self,
        consumer: str,
        log: Log,
        taken: Callable[[], Sequence[Position]],
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._consumer = consumer
        self._log = log
        self._taken = taken
        self._now = now
        self._ends: list[deque[tuple[float, Position]]] = [deque() for _ in range(log.partitions)]
        self._has_looked = False
        self._has_arrived = False

    async def watch(self) -> None:
        """Look at the end, for ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Once. A log that does not answer is told of, and looked at again next time."""
        answers = LOG_ANSWERS.labels(self._consumer)
        try:
            lasts = [(await self._log.bounds(partition)).last for partition in range(self._log.partitions)]
        except Unavailable:
            answers.set(0)
            return
        answers.set(1)
        for partition, last in enumerate(lasts):
            ends = self._ends[partition]
            if len(ends) == ENDS_KEPT:
                ends.pop()
            if not ends or ends[-1][1] < last:
                ends.append((self._now(), last))
            LAG_LINES.labels(self._consumer, partition).set(max(0, last - self._taken()[partition]))
            LAG_SECONDS.labels(self._consumer, partition).set(self.seconds(partition))
        self._has_looked = True

    def seconds(self, partition: int) -> float:
        """Since the oldest end that has been seen and is not reached; 0.0 if there is none."""
        ends = self._ends[partition]
        while ends and ends[0][1] <= self._taken()[partition]:
            ends.popleft()
        return self._now() - ends[0][0] if ends else 0.0

    def is_small(self) -> bool:
        """Whether the end that was there at the start has been reached, and none since has waited for long."""
        behind = [self.seconds(partition) for partition in range(self._log.partitions)]
        self._has_arrived = self._has_arrived or (self._has_looked and not any(self._ends))
        return self._has_arrived and max(behind) <= READY_S
