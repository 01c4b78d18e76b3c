"""Waking many waiters without a queue for each: whoever waits looks at the shared state again after a beat.

A slow waiter costs nothing and misses nothing, because the state, not the beat, says what is new.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Pulse:
    """``beat`` wakes all that wait now. Check the state, then ``wait``, with nothing awaited in between."""

    def __init__(self) -> None:
        self._waiting: dict[asyncio.Future[None], None] = {}
        self.listeners: dict[Callable[[], object], None] = {}
        """Are called at every beat, one after the other; none may wait, raise, or come or go meanwhile."""

    def beat(self) -> None:
        for heard in self.listeners:
            heard()
        if not self._waiting:
            return
        now, self._waiting = self._waiting, {}
        for each in now:
            if not each.done():
                each.set_result(None)

    async def wait(self) -> None:
        beat: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[beat] = None
        try:
            await beat
        finally:
            self._waiting.pop(beat, None)  # of one that gives up


class Latest(Generic[K, V]):
    """The latest value of each key, and a stream of changes on which a slow reader skips what is outdated."""

    def __init__(self) -> None:
        self._values: OrderedDict[K, tuple[int, V]] = OrderedDict()
        self._changes = 0
        self._pulse = Pulse()

    def put(self, key: K, value: V) -> None:
        self._changes += 1
        self._values[key] = (self._changes, value)
        self._values.move_to_end(key)
        self._pulse.beat()

    def get(self, key: K) -> V | None:
        changed = self._values.get(key)
        return None if changed is None else changed[1]

    def since(self, seen: int) -> Iterator[tuple[int, V]]:
        """What has changed behind the change ``seen``, newest change first, each with the number of its change."""
        for changed, value in reversed(self._values.values()):
            if changed <= seen:
                return
            yield changed, value

    def prune(self, dead: Callable[[V], bool], keep: int) -> None:
        """Forget the values that are ``dead``, oldest change first, down to ``keep`` values in all."""
        for key in [key for key, (_, value) in self._values.items() if dead(value)]:
            if len(self._values) <= keep:
                return
            del self._values[key]

    async def follow(self) -> AsyncGenerator[V, None]:
        """Every key's value, oldest change first, then each change."""
        seen = 0
        while True:
            news = list(self.since(seen))
            if not news:
                await self._pulse.wait()
                continue
            for changed, value in reversed(news):
                seen = changed
                yield value
