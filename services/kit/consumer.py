"""Following the whole log in batches: what stands ready is taken in at once, so that one transaction serves many lines.

Under load batches grow by themselves: the log reads the next one while this one is taken in.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any

from engine.kernel.ports import Log, Position, Stored
from services.kit.telemetry import PROJECTED
from services.kit.tracing import is_tracing, took

Take = Callable[[int, Sequence[Stored]], Awaitable[None]]
"""Takes in a batch of one partition. An error ends the consumer: it must not go on behind a hole."""


async def consume(
    name: str,
    log: Log,
    after: list[Position],
    take: Take,
    *beside: Callable[[], Coroutine[Any, Any, None]],
) -> None:
    """Follow every partition from its position, for ever, and run what is ``beside`` as long. ``after`` moves on with
    what has been taken in. The first error comes out as it is: its sentence is told.
    """
    tasks = [asyncio.create_task(_consume(name, log, partition, after, take)) for partition in range(len(after))]
    tasks.extend(asyncio.create_task(work()) for work in beside)
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _consume(name: str, log: Log, partition: int, after: list[Position], take: Take) -> None:
    counter = PROJECTED.labels(name)
    past = (await log.bounds(partition)).last if is_tracing() else 0
    async with aclosing(log.follow(partition, after=after[partition])) as ready:
        async for batch in ready:
            started_ns = time.time_ns()
            await take(partition, batch)
            after[partition] = batch[-1].position
            took(name, batch, started_ns, live=batch[0].position > past)
            counter.inc(len(batch))
