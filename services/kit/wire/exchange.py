"""Questions and answers over one long call, many under way at the same time: what a call each would cost ten times.

Each question has a tag, which comes back with its answer; answers come in any order. What waits at the same time goes
in one message, in both directions.

The asking side keeps one call open, and takes a new one after ``RENEW_S``, so that replicas that have been added get
their share and a new token is shown. A call that breaks takes nothing with it: what was asked on it is asked once more
on the next one, so only what may be repeated is asked like this. A question that was not answered in time gives the
call up, too: whoever does not answer is left.

The answering side begins what is asked as it comes, up to a bound; beyond that it reads no further, and the transport
holds back whoever asks.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Sequence
from itertools import count
from typing import Any, Final, Generic, TypeVar

import grpc

from engine.kernel.ports import Unavailable
from services.kit.wire.channel import says_who
from services.kit.wire.errors import error_of

Q = TypeVar("Q")
A = TypeVar("A")

RENEW_S: Final = 60.0
"""How long a call is asked on."""

TRIES_MAX: Final = 2
"""Calls on which one question is asked, should they break."""


class Exchange(Generic[Q, A]):
    """The asking side. ``pack`` makes a message of at most ``group`` questions, ``unpack`` the answers of a message."""

    def __init__(
        self,
        method: Any,
        pack: Callable[[Sequence[Q]], Any],
        unpack: Callable[[Any], Iterable[tuple[int, A]]],
        *,
        group: int,
        seconds: float,
    ) -> None:
        self._method = method
        self._pack = pack
        self._unpack = unpack
        self._group = group
        self._seconds = seconds
        self._tags = count(1)
        self._call: _Call[Q, A] | None = None

    async def ask(self, make: Callable[[int], Q]) -> A:
        """The answer to what ``make`` makes of a tag. Raises ``Unavailable`` if there is none within ``seconds``, and
        what the call itself ended with.
        """
        loop = asyncio.get_running_loop()
        tag = next(self._tags)
        asked: _Asked[Q, A] = _Asked(make(tag), loop.create_future())
        late = loop.call_later(self._seconds, self._give_up, asked)
        self._put(tag, asked)
        try:
            return await asked.answer
        finally:
            late.cancel()
            asked.call.waiting.pop(tag, None)

    def _put(self, tag: int, asked: "_Asked[Q, A]") -> None:
        now = asyncio.get_running_loop().time()
        call = self._call
        if call is None or call.renewed_at <= now:
            if call is not None:
                call.leave()
            call = self._call = _Call(now + RENEW_S, self._over)
            call.begin(self._method, self._pack, self._unpack, self._group)
        call.put(tag, asked)

    def _over(self, call: "_Call[Q, A]", error: Exception, may_ask_again: bool) -> None:
        """A call has ended: what waits on it is asked again, or fails as it did."""
        if call is self._call:
            self._call = None
        for tag, asked in list(call.waiting.items()):
            if asked.answer.done():
                continue
            if may_ask_again and asked.calls < TRIES_MAX:
                self._put(tag, asked)
            else:
                asked.answer.set_exception(error)

    def _give_up(self, asked: "_Asked[Q, A]") -> None:
        if not asked.answer.done():
            asked.answer.set_exception(
                Unavailable("deadline_exceeded", "The service did not answer in time; is the house running?")
            )
        if asked.call is self._call:
            self._call = None
        asked.call.drop()


class _Asked(Generic[Q, A]):
    def __init__(self, question: Q, answer: "asyncio.Future[A]") -> None:
        self.question = question
        self.answer = answer
        self.calls = 0
        """How many it was asked on."""
        self.call: _Call[Q, A]


class _Call(Generic[Q, A]):
    """One call from its first question until it has ended, one way or another."""

    def __init__(self, renewed_at: float, over: "Callable[[_Call[Q, A], Exception, bool], None]") -> None:
        self.renewed_at = renewed_at
        self.waiting: dict[int, _Asked[Q, A]] = {}
        self._over = over
        self._unsent: deque[_Asked[Q, A]] = deque()
        self._wake: asyncio.Future[None] | None = None
        self._leaves = False
        self._is_dropped = False
        self._task: asyncio.Task[None] | None = None

    def begin(
        self,
        method: Any,
        pack: Callable[[Sequence[Q]], Any],
        unpack: Callable[[Any], Iterable[tuple[int, A]]],
        group: int,
    ) -> None:
        self._task = asyncio.create_task(self._run(method, pack, unpack, group))

    def put(self, tag: int, asked: _Asked[Q, A]) -> None:
        asked.calls += 1
        asked.call = self
        self.waiting[tag] = asked
        self._unsent.append(asked)
        _set(self._wake)

    def leave(self) -> None:
        """Nothing more is asked on it; it ends when all has been answered."""
        self._leaves = True
        _set(self._wake)

    def drop(self) -> None:
        """Whatever waits on it is not waited for here any more."""
        self._is_dropped = True
        if self._task is not None:
            self._task.cancel()

    async def _run(
        self,
        method: Any,
        pack: Callable[[Sequence[Q]], Any],
        unpack: Callable[[Any], Iterable[tuple[int, A]]],
        group: int,
    ) -> None:
        error: Exception = Unavailable("service_unavailable", "The service ended the call; ask again in a moment.")
        may_ask_again = True
        call, writing = None, None
        try:
            call = method(metadata=says_who())
            writing = asyncio.create_task(self._write(call, pack, group))
            while (message := await call.read()) is not grpc.aio.EOF:
                for tag, answer in unpack(message):
                    asked = self.waiting.pop(tag, None)
                    if asked is not None and not asked.answer.done():
                        asked.answer.set_result(answer)
        except grpc.aio.AioRpcError as failed:
            error = error_of(failed)
        except (asyncio.CancelledError, grpc.aio.UsageError):  # the channel has been closed, or the call dropped
            may_ask_again = self._is_dropped
        finally:
            if writing is not None:
                writing.cancel()
            if call is not None:
                call.cancel()
            self._over(self, error, may_ask_again)

    async def _write(self, call: Any, pack: Callable[[Sequence[Q]], Any], group: int) -> None:
        unsent = self._unsent
        try:
            while True:
                while unsent:
                    await call.write(pack([unsent.popleft().question for _ in range(min(group, len(unsent)))]))
                if self._leaves:
                    await call.done_writing()
                    return
                self._wake = asyncio.get_running_loop().create_future()
                await self._wake
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass  # whoever reads is told how the call has ended


Tell = Callable[[A], None]


async def exchanged(
    requests: AsyncIterator[Any], begin: Callable[[Any, Tell[A]], Awaitable[int]], *, under_way_max: int
) -> AsyncGenerator[list[A], None]:
    """The answering side: answers as they come, those that are ready together in one list.

    ``begin`` is handed each message; it returns how many answers ``tell`` will be called with for it, and must not wait
    for any that takes long. When the requests have ended, so does this, behind the last answer.
    """
    answers: _Answers[A] = _Answers(under_way_max)
    reading = asyncio.create_task(answers.read(requests, begin))
    reading.add_done_callback(answers.stir)
    try:
        while True:
            if answers.ready:
                yield answers.take()
            elif not reading.done() or answers.under_way:
                await answers.news()
            else:
                reading.result()
                return
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


class _Answers(Generic[A]):
    def __init__(self, under_way_max: int) -> None:
        self.ready: list[A] = []
        self.under_way = 0
        """Asked for, and not yet ready."""
        self._max = under_way_max
        self._wake: asyncio.Future[None] | None = None
        self._room: asyncio.Future[None] | None = None

    async def read(self, requests: AsyncIterator[Any], begin: Callable[[Any, Tell[A]], Awaitable[int]]) -> None:
        async for request in requests:
            begun = await begin(request, self.tell)  # some of them have been told by now
            self.under_way += begun
            while self.under_way >= self._max:
                self._room = asyncio.get_running_loop().create_future()
                await self._room

    def tell(self, answer: A) -> None:
        self.ready.append(answer)
        self.under_way -= 1
        _set(self._wake)

    def take(self) -> list[A]:
        ready, self.ready = self.ready, []
        _set(self._room)
        return ready

    def stir(self, _: object) -> None:
        _set(self._wake)

    async def news(self) -> None:
        self._wake = asyncio.get_running_loop().create_future()
        await self._wake


def _set(future: "asyncio.Future[None] | None") -> None:
    if future is not None and not future.done():
        future.set_result(None)
