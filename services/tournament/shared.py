"""What takes a moment to make, made once for all who ask for it at the same time, and kept for whoever asks next.

A round of an event closes, and a thousand pages ask for its standings: one of them has it reckoned, and all wait for
that. Whoever hangs up meanwhile leaves the others their answer.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Shared(Generic[T]):
    """The newest ``keep`` values by key. A key stands for its value for ever: it has the revision in it."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._made: OrderedDict[Hashable, asyncio.Task[T]] = OrderedDict()

    async def of(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The value of ``key``, made if nobody has it made yet. What ``make`` raises all hear, and nobody later."""
        task = self._made.get(key)
        if task is None:
            task = self._made[key] = asyncio.create_task(make())
            task.add_done_callback(lambda done: self._drop_failed(key, done))
        self._made.move_to_end(key)
        while len(self._made) > self._keep:
            self._made.popitem(last=False)
        return await asyncio.shield(task)

    def _drop_failed(self, key: Hashable, done: asyncio.Task[T]) -> None:
        if (done.cancelled() or done.exception() is not None) and self._made.get(key) is done:
            del self._made[key]
