"""Requests that run to their end even if their callers hang up: what they append may be in the log already."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Requests:
    """Those under way. ``close`` lets them end."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """What ``work`` returns or raises; cancelling this call does not cancel it."""
        return await asyncio.shield(self.start(work))

    def start(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """The same for whoever does not wait for it."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._forget)
        return task

    async def close(self) -> None:
        while self._running:
            await asyncio.gather(*self._running, return_exceptions=True)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # its caller may have hung up and never look
