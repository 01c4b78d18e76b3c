"""Work that is asked for often and done now and then: at once after a rest, and under load once for many askings."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress


class Later:
    """``work`` is done soon after each ``ask``, and ``every_s`` seconds apart unless it is in a hurry."""

    def __init__(self, work: Callable[[], Awaitable[None]], every_s: float) -> None:
        self._work = work
        self._every_s = every_s
        self._asked = asyncio.Event()
        self._hurry = asyncio.Event()

    def ask(self, *, at_once: bool = False) -> None:
        """There is something to do; ``at_once`` does not let it rest before."""
        self._asked.set()
        if at_once:
            self._hurry.set()

    async def run(self) -> None:
        """For ever; what goes wrong in the work comes out."""
        while True:
            await self._asked.wait()
            self._asked.clear()
            self._hurry.clear()
            await self._work()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every_s):
                    await self._hurry.wait()
