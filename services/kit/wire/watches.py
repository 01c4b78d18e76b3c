"""Facts of many matches over one long call: what a call each would cost many times.

A client keeps one call open for each token that is carried, and begins each watch on it with a tag. What is new in
several matches comes in one message, and whoever watches is called with its part. A call is begun on for ``RENEW_S``
and by ``TOGETHER_MAX``, so that replicas that have been added get their share; it ends when its last watch is over.

Nobody is kept waiting by a reader that is slow: the service tells of no match more than ``AHEAD_MAX`` revisions that
have not been taken, keeps nothing for the reader meanwhile but where it is, and so nothing here grows beyond that.

A refusal is one watch's. A call that breaks is the end of all that is watched on it, and each reader asks anew behind
the last revision that it has: what may be told again, only the reader knows.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from itertools import count
from typing import Any, Final

import grpc
from tavolata.spectator.v1 import spectator_pb2 as pb

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision
from services.kit.access.carried import nobodys_context
from services.kit.wire.channel import says_who, token_renewed
from services.kit.wire.errors import error_of, error_told

AHEAD_MAX: Final = 256
"""Revisions of a match that are told before the reader has said that it has taken any."""

WATCHES_MAX: Final = 1_000
"""That one call may have at a time."""

TOGETHER_MAX: Final = 500
"""That we begin on one call."""

RENEW_S: Final = 300.0
"""How long watches are begun on one call: a server asks for a new connection as often."""

assert TOGETHER_MAX < WATCHES_MAX

Said = tuple[tuple[str, str], ...]
"""What a call says of who calls."""

Hear = Callable[[Sequence[pb.Fact]], None]
"""Called with the facts that are new, at least one, as they are read; must not wait, or raise."""

End = Callable[[Exception | None], None]
"""Called once, unless the watch is left before: with nothing when the match is complete, or with what it ended with."""


class Watches:
    """The calls of one client. ``begin`` a watch, and ``leave`` it."""

    def __init__(self, method: Any) -> None:
        self._method = method
        self._tags = count(1)
        self._calls: dict[Said, _Call] = {}
        """By what it says of who calls, the one that is begun on."""

    def begin(self, watch: pb.Watch, hear: Hear, end: End) -> "Watched":
        """``watch`` gets a tag."""
        said = says_who()
        now = asyncio.get_running_loop().time()
        call = self._calls.get(said)
        if call is None or call.renewed_at <= now or len(call.watched) >= TOGETHER_MAX:
            call = self._calls[said] = _Call(now + RENEW_S, lambda over: self._over(said, over))
            call.begin(self._method, said)
        watch.tag = next(self._tags)
        watched = Watched(call, watch, said, hear, end)
        call.put(watch, watched)
        return watched

    def _over(self, said: Said, call: "_Call") -> None:
        if self._calls.get(said) is call:
            del self._calls[said]


async def read(watches: Watches, watch: pb.Watch) -> AsyncGenerator[pb.Fact, None]:
    """The facts of one watch, one by one; ends when the match is complete. Raises what it ends with."""
    reading = _Reading()
    watched = watches.begin(watch, reading.hear, reading.end)
    try:
        while facts := await reading.facts():
            for fact in facts:
                yield fact
            watched.take(facts[-1].revision)
    except Refusal as refusal:
        if refusal.code == "token_expired" and says_who() != watched.said:
            raise token_renewed() from None
        raise
    finally:
        watched.leave()


class _Reading:
    """What has come and has not been read, and how it has ended."""

    def __init__(self) -> None:
        self._facts: list[pb.Fact] = []
        self._is_over = False
        self._error: Exception | None = None
        self._wake: asyncio.Future[None] | None = None

    def hear(self, facts: Sequence[pb.Fact]) -> None:
        self._facts.extend(facts)
        self._stir()

    def end(self, error: Exception | None) -> None:
        self._is_over, self._error = True, error
        self._stir()

    async def facts(self) -> list[pb.Fact]:
        """At least one, unless the match is complete. Raises what the watch has ended with."""
        while not self._facts:
            if self._error is not None:
                raise self._error
            if self._is_over:
                return []
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
        facts, self._facts = self._facts, []
        return facts

    def _stir(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)


class Watched:
    """One watch, for whoever has begun it."""

    __slots__ = ("_call", "_told_taken", "end", "hear", "said", "tag")

    def __init__(self, call: "_Call", watch: pb.Watch, said: Said, hear: Hear, end: End) -> None:
        self._call = call
        self._told_taken: Revision = watch.after
        self.tag = watch.tag
        self.said = said
        self.hear = hear
        self.end = end

    def take(self, revision: Revision) -> None:
        """The reader has done with all up to this revision, and there is room for more."""
        if revision - self._told_taken >= AHEAD_MAX // 2:
            self._told_taken = revision
            self._call.say_taken(self.tag, revision)

    def leave(self) -> None:
        """Nothing more is told. May be called when it is over, too."""
        self._call.leave(self.tag)


class _Call:
    """One call from its first watch until its last one is over, or until it breaks."""

    def __init__(self, renewed_at: float, over: "Callable[[_Call], None]") -> None:
        self.renewed_at = renewed_at
        self.watched: dict[int, Watched] = {}
        self._over = over
        self._unsent = pb.WatchManyRequest()
        self._wake: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None

    def begin(self, method: Any, said: Said) -> None:
        self._task = asyncio.create_task(self._run(method, said), context=nobodys_context())

    def put(self, watch: pb.Watch, watched: Watched) -> None:
        self.watched[watch.tag] = watched
        self._unsent.begin.append(watch)
        self._send()

    def say_taken(self, tag: int, revision: Revision) -> None:
        if tag in self.watched:
            self._unsent.taken.add(tag=tag, revision=revision)
            self._send()

    def leave(self, tag: int) -> None:
        if self.watched.pop(tag, None) is None:
            return
        self._unsent.leave.append(tag)
        self._send()
        self._end_if_empty()

    def _end_if_empty(self) -> None:
        if not self.watched and self._task is not None:
            self._over(self)
            self._task.cancel()

    async def _run(self, method: Any, said: Said) -> None:
        error: Exception = Unavailable("service_unavailable", "The service ended the call; ask again in a moment.")
        call, writing = None, None
        try:
            call = method(metadata=said)
            writing = asyncio.create_task(self._write(call))
            while (message := await call.read()) is not grpc.aio.EOF:
                for told in message.told:
                    self._tell(told)
                self._end_if_empty()
        except grpc.aio.AioRpcError as failed:
            error = error_of(failed)
        except (asyncio.CancelledError, grpc.aio.UsageError):
            pass  # nobody is left on it, or the channel has been closed
        finally:
            self._over(self)
            if writing is not None:
                writing.cancel()
            if call is not None:
                call.cancel()
            watched, self.watched = self.watched, {}
            for each in watched.values():
                each.end(error)

    def _tell(self, told: pb.Told) -> None:
        watched = self.watched.get(told.tag)
        if watched is None:
            return  # left meanwhile
        if told.facts:
            watched.hear(told.facts)
        is_refused = told.HasField("refused")
        if (told.complete or is_refused) and self.watched.pop(told.tag, None) is not None:
            refused = told.refused
            watched.end(error_told(refused.status, refused.code, refused.sentence) if is_refused else None)

    async def _write(self, call: Any) -> None:
        try:
            while True:
                unsent = self._unsent
                if unsent.begin or unsent.taken or unsent.leave:
                    self._unsent = pb.WatchManyRequest()
                    await call.write(unsent)
                else:
                    self._wake = asyncio.get_running_loop().create_future()
                    await self._wake
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass  # whoever reads is told how the call has ended

    def _send(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
