"""An event loop whose time is a number: when nothing is ready, it leaps to the next timer.

There is no socket, no thread and no waiting. Three ways to hang become errors that end the run: nothing is ready and no
timer is set (``Deadlock``), the time allowed is over (``OutOfTime``), and the house is busy for ever without time
passing (``Spinning``).
"""

import asyncio
from typing import Any

from engine.kernel.value import Instant

DAWN: Instant = 1_764_449_289_000_000
"""The time of day at which every simulation begins."""

STEPS_AT_ONCE_MAX = 500_000
"""Turns of the loop within one instant; an honest burst is a few thousand."""


class Stuck(Exception):
    """The house goes no further."""


class Deadlock(Stuck):
    """Everybody waits for somebody."""


class OutOfTime(Stuck):
    """The virtual time allowed is over."""


class Spinning(Stuck):
    """The loop turns and turns, and time stands still."""


class _Leap:
    """Stands where the loop has its selector: asked to wait, it moves the time instead."""

    def __init__(self, loop: "VirtualLoop") -> None:
        self._loop = loop
        self._turns = 0

    def select(self, timeout: float | None) -> tuple[()]:
        if timeout is None:
            raise Deadlock("nothing is ready and no timer is set")
        if timeout > 0:
            self._turns = 0
            self._loop.now_s += timeout
            if self._loop.now_s > self._loop.ends_s:
                raise OutOfTime(f"{self._loop.ends_s:.0f} virtual seconds are over")
        self._turns += 1
        if self._turns > STEPS_AT_ONCE_MAX:
            self._turns = 0  # whoever clears up has some turns of his own
            raise Spinning(f"{STEPS_AT_ONCE_MAX} turns of the loop in one instant")
        return ()

    def close(self) -> None:
        pass


class VirtualLoop(asyncio.BaseEventLoop):
    """``now_s`` is the time; ``ends_s`` the last moment at which anything may still happen."""

    def __init__(self, ends_s: float) -> None:
        super().__init__()
        self.now_s = 0.0
        self.ends_s = ends_s
        self._selector = _Leap(self)
        self._clock_resolution = 1e-9

    def time(self) -> float:
        return self.now_s

    def run_in_executor(self, *_: Any) -> Any:  # type: ignore[override]  # refuses whatever is asked
        raise AssertionError("a thread in the simulation: its order would not follow from the seed")

    def _process_events(self, _: Any) -> None:
        pass

    def _write_to_self(self) -> None:
        pass


class VirtualClock:
    """The ``Clock`` port on the time of the loop. No two looks at it agree: nor do the clocks of two machines."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._told: Instant = 0

    def now(self) -> Instant:
        self._told = max(self._told + 1, DAWN + round(self._loop.now_s * 1_000_000))
        return self._told

    async def sleep_until(self, at: Instant) -> None:
        while (rest_us := at - self.now()) > 0:  # noqa: ASYNC110 - it is the clock that is waited for
            await asyncio.sleep(rest_us / 1_000_000)
