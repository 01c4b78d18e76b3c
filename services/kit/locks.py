"""One lock for each key that somebody wants now, and none for the others.

A lock may be dropped only by its last user: whoever drops it earlier lets a newcomer in beside those who still wait.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Locks:
    """``async with locks.of(key)``: alone with this key, in the order of asking."""

    def __init__(self) -> None:
        self._wanted: dict[str, tuple[asyncio.Lock, int]] = {}

    def __len__(self) -> int:
        return len(self._wanted)

    @asynccontextmanager
    async def of(self, key: str) -> AsyncIterator[None]:
        lock, users = self._wanted.get(key, (asyncio.Lock(), 0))
        self._wanted[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._wanted[key]
            if users == 1:
                del self._wanted[key]
            else:
                self._wanted[key] = (lock, users - 1)
