"""``python -m bots``: the attendant of the house at ``TAVOLATA_URL``, until it is told to stop.

With ``TAVOLATA_EXHIBITION`` it keeps a table of its own going, too.
"""

import asyncio
import contextlib
import signal

import uvloop

from bots.attendant import attend
from bots.exhibition import exhibit
from services.kit.admin import Readiness, admin_endpoint
from services.kit.chores import log_failure
from services.kit.config import settings
from services.kit.lifecycle import identify, introduce
from services.kit.wire.house import connect


async def main() -> None:
    here = settings()
    introduce("bots", here)
    identify(here)
    readiness = Readiness()
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with (
        admin_endpoint(here.metrics_host, here.metrics_port, readiness),
        connect(here.url) as clients,
    ):
        readiness.serving = True
        if here.exhibition:
            # A fault of it keeps no bot from the others.
            showing = asyncio.create_task(exhibit(clients))
            showing.add_done_callback(log_failure)
        await attend(clients)


if __name__ == "__main__":
    with contextlib.suppress(asyncio.CancelledError, KeyboardInterrupt):
        uvloop.run(main())
