"""``python -m bots``: the attendant of the house at ``TAVOLATA_URL``, until it is told to stop.

With ``TAVOLATA_EXHIBITION`` it keeps a table of its own going, too.
"""

import asyncio
import contextlib
import signal

import uvloop

from bots.attendant import attend
from bots.exhibition import exhibit
from services.kit.chores import log_failure
from services.kit.config import settings
from services.kit.lifecycle import introduced
from services.kit.wire.house import connect


async def main() -> None:
    here = settings()
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with introduced("bots", here) as readiness, connect(here.url) as clients:
        readiness.serving = True
        if here.exhibition:
            # A fault of it keeps no bot from the others.
            showing = asyncio.create_task(exhibit(clients))
            showing.add_done_callback(log_failure)
        await attend(clients)


if __name__ == "__main__":
    with contextlib.suppress(asyncio.CancelledError, KeyboardInterrupt):
        uvloop.run(main())
