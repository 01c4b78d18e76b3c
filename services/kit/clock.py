"""The time of day. A simulation passes its own clock instead."""

import asyncio
import time

from engine.kernel.value import Instant


class SystemClock:
    """The ``Clock`` port on this machine."""

    def now(self) -> Instant:
        return time.time_ns() // 1000

    async def sleep_until(self, at: Instant) -> None:
        """Returns once ``now() >= at``; long sleeps are cut, so that a clock set forward is noticed in a minute."""
        while (rest_us := at - self.now()) > 0:  # noqa: ASYNC110 - it is the clock that is waited for
            await asyncio.sleep(min(rest_us / 1_000_000, 60.0))
