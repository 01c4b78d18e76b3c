"""A process of the house: what runs in it, how it dies, and how it comes back.

All of the house shares one event loop, so a process is a name in a context variable: every task that is started inside
it inherits the name and is written down. A crash cancels them all. Cancelling runs ``finally`` blocks, which no power
cut does; but whatever such a block asks of the world goes through ``step``, and a dead process takes no step.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar, copy_context
from typing import Any, Generic, TypeVar

from engine.kernel.ports import Unavailable
from tests.sim.trace import Trace

S = TypeVar("S")
T = TypeVar("T")

CURRENT: ContextVar["Process | None"] = ContextVar("process", default=None)


class Process:
    """One life, from start to crash."""

    def __init__(self, name: str, trace: Trace, dies: Callable[[], bool] = lambda: False) -> None:
        self.name = name
        self.alive = True
        self.tasks: dict[asyncio.Task[Any], None] = {}
        self._trace = trace
        self._dies = dies

    def spawn(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """A task inside this process."""
        context = copy_context()
        context.run(CURRENT.set, self)
        return asyncio.get_running_loop().create_task(work, context=context)

    def step(self, what: str) -> None:
        """Between any two steps a process may die; a dead one takes none."""
        if self.alive and self._dies():
            self._trace.add(self.name, f"dies before: {what}")
            self.crash()
        if not self.alive:
            raise asyncio.CancelledError
        self._trace.add(self.name, what)

    def crash(self) -> None:
        self.alive = False
        for task in list(self.tasks):
            task.cancel()


def keep_book(loop: asyncio.AbstractEventLoop, work: Any, context: Any = None) -> "asyncio.Task[Any]":
    """The loop's task factory: each task belongs to the process that started it."""
    task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, context=context)
    process = CURRENT.get() if context is None else context.get(CURRENT)
    if process is not None:
        process.tasks[task] = None
        task.add_done_callback(lambda done: process.tasks.pop(done, None))
        if not process.alive:
            task.cancel()
    return task


class Service(Generic[S]):
    """What a ``main`` wires: the use cases, what comes before the first call, and what runs beside the calls."""

    def __init__(
        self,
        cases: S,
        prepare: Callable[[], Awaitable[object]],
        run: Callable[[], Awaitable[object]],
    ) -> None:
        self.cases = cases
        self.prepare = prepare
        self.run = run


class Replica(Generic[S]):
    """A place where one process after the other runs the same service."""

    def __init__(
        self,
        name: str,
        trace: Trace,
        *,
        build: Callable[[Process], "Service[S]"],
        dies: Callable[[], bool],
        pause_s: Callable[[], float | None],
        on_failure: Callable[[str, BaseException], None],
    ) -> None:
        self.name = name
        self.service: S | None = None
        self.process: Process | None = None
        self.running: asyncio.Task[None] | None = None
        self.lives = 0
        self.gone = False
        """It will not come back."""
        self._trace = trace
        self._build = build
        self._dies = dies
        self._pause_s = pause_s
        self._on_failure = on_failure

    async def keep_alive(self) -> None:
        """Start the service, and again after each crash, for ever; ``pause_s`` may say that it never comes back."""
        while True:
            self.lives += 1
            process = Process(f"{self.name}.{self.lives}", self._trace, self._dies)
            self.process = process
            context = copy_context()
            context.run(CURRENT.set, process)
            self._trace.add(process.name, "starts")
            self.running = running = process.spawn(self._live(context.run(self._build, process)))
            await asyncio.wait({running})
            self.service = None
            if not running.cancelled() and (error := running.exception()) is not None:
                self._trace.add(process.name, f"ends itself: {error!r}")
                if not _is_the_worlds(error):
                    self._on_failure(process.name, error)
            process.crash()
            pause_s = self._pause_s()
            if pause_s is None:
                self._trace.add(process.name, "stays down")
                self.gone = True
                return
            await asyncio.sleep(pause_s)

    async def _live(self, service: Service[S]) -> None:
        await service.prepare()
        self.service = service.cases
        await service.run()


async def nothing() -> None:
    """A service without anything to prepare."""


async def for_ever() -> None:
    """A service that only answers."""
    await asyncio.get_running_loop().create_future()


def _is_the_worlds(error: BaseException) -> bool:
    """Whether a service has ended only because the log or the read model was away; its supervisor starts it again."""
    if isinstance(error, BaseExceptionGroup):
        return all(_is_the_worlds(each) for each in error.exceptions)
    return isinstance(error, Unavailable)
