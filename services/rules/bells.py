"""The clocks that this host waits for, one a match. A bell only says that a deadline has come; the log decides."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from engine.kernel.ports import Clock
from engine.kernel.process import AwaitClock

Ring = Callable[[str, AwaitClock], Awaitable[None]]


class Bells:
    """``ring`` is called once a deadline has come; it runs to its end even if the bell is stopped meanwhile."""

    def __init__(self, clock: Clock, ring: Ring, on_end: Callable[["asyncio.Task[Any]"], None]) -> None:
        self._clock = clock
        self._ring = ring
        self._on_end = on_end
        self._waiting: dict[str, tuple[int, asyncio.Task[None]]] = {}

    def start(self, match_id: str, step: AwaitClock) -> None:
        """Wait for this turn's deadline instead of an earlier turn's."""
        turn, task = self._waiting.get(match_id, (0, None))
        if task is not None:
            if turn == step.turn and not task.done():
                return
            task.cancel()
        started = asyncio.create_task(self._wait(match_id, step))
        self._waiting[match_id] = (step.turn, started)
        started.add_done_callback(self._on_end)

    def stop(self, match_id: str) -> None:
        _, task = self._waiting.pop(match_id, (0, None))
        if task is not None:
            task.cancel()

    def stop_all(self) -> list["asyncio.Task[None]"]:
        """The tasks, which end in a moment."""
        tasks = [task for _, task in self._waiting.values()]
        for task in tasks:
            task.cancel()
        return tasks

    def waiting(self) -> list[str]:
        """The matches whose clock is waited for."""
        return [match_id for match_id, (_, task) in self._waiting.items() if not task.done()]

    async def _wait(self, match_id: str, step: AwaitClock) -> None:
        await self._clock.sleep_until(step.deadline)
        self._waiting.pop(match_id, None)
        await self._ring(match_id, step)
