"""Work that is spread over all cores: batches of it go out, and answers come back in order."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from typing import Final, TypeVar

T = TypeVar("T")
R = TypeVar("R")

BATCH: Final = 20
"""Pieces of work that one process takes at once."""


def over_all_cores(work: Callable[[Sequence[T]], R], pieces: Sequence[T]) -> Iterator[R]:
    """``work`` of each batch, in order; at most two batches a core are under way. Both have to be picklable.

    What fits into one batch is done here: starting a process takes longer.
    """
    batches = [pieces[start : start + BATCH] for start in range(0, len(pieces), BATCH)]
    if len(batches) < 2:
        yield from map(work, batches)
        return
    cores = os.cpu_count() or 1
    coming = iter(batches)
    # Spawned: a fork would take over the threads of gRPC and of the event loop half alive.
    with ProcessPoolExecutor(min(cores, len(batches)), mp_context=get_context("spawn")) as pool:
        running: list[Future[R]] = [pool.submit(work, batch) for batch in islice(coming, 2 * cores)]
        while running:
            yield running.pop(0).result()
            running.extend(pool.submit(work, batch) for batch in islice(coming, 1))
