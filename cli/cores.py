"""Work that is spread over all cores: batches of it go out, and answers come back in order."""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

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
    coming = iter(batches)
    with _pool(len(batches)) as pool:
        running: list[Future[R]] = [pool.submit(work, batch) for batch in islice(coming, 2 * _cores())]
        while running:
            yield running.pop(0).result()
            running.extend(pool.submit(work, batch) for batch in islice(coming, 1))


class Cores(Generic[T, R]):
    """The same for pieces that come one by one, and are worth a process each: a context inside an event loop."""

    def __init__(self, work: Callable[[T], R]) -> None:
        self._work = work
        self._first: list[T] = []
        """Waits for a second piece."""
        self._pool: ProcessPoolExecutor | None = None
        self._running: deque[Future[R]] = deque()
        self._done: list[R] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    async def give(self, piece: T) -> None:
        """Waits while two pieces a core are under way."""
        pieces, self._first = [*self._first, piece], []
        if self._pool is None:
            if len(pieces) < 2:
                self._first = pieces
                return
            self._pool = _pool(_cores())
        self._running.extend(self._pool.submit(self._work, each) for each in pieces)
        while len(self._running) > 2 * _cores():
            self._done.append(await asyncio.wrap_future(self._running.popleft()))

    async def answers(self) -> list[R]:
        """Of all that was given since the last call, in order."""
        first, self._first = self._first, []
        done, self._done = self._done, []
        done.extend(map(self._work, first))
        while self._running:
            done.append(await asyncio.wrap_future(self._running.popleft()))
        return done


def _cores() -> int:
    return os.cpu_count() or 1


def _pool(most: int) -> ProcessPoolExecutor:
    """Spawned: a fork would take over the threads of gRPC and of the event loop half alive."""
    return ProcessPoolExecutor(min(_cores(), most), mp_context=get_context("spawn"))
