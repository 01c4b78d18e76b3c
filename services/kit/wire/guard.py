"""Stands in every server, inside of ``Boundary``: who calls, and whether they may.

Whatever stands in no row of ``RULES`` is done for nobody. An answer of a servicer that should have asked, and has not,
does not go out. A stream ends when the token that it was opened with counts no more: one look a second at all of them
sees to that, so a stream needs no timer of its own.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final, cast

import grpc

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from services.kit.access.caller import Caller, calling
from services.kit.access.rights import RULES, Rule, nobody
from services.kit.access.trust import Trust
from services.kit.wire.around import Handler, around
from services.kit.wire.errors import Context

LOOK_SECONDS: Final = 1.0

SCHEME: Final = "bearer "

PASSED: Final = ("/grpc.health.", "/grpc.reflection.")
"""Says whether a service is well and what it can be asked; nothing of ours."""


class Guard(grpc.aio.ServerInterceptor):
    """``trust`` is ``None`` in an open house."""

    def __init__(self, trust: Trust | None) -> None:
        self._trust = trust
        self._streams: set[_Stream] = set()
        self._look: asyncio.TimerHandle | None = None

    async def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        handler: Any = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or self._trust is None or method.startswith(PASSED):
            return cast("Handler | None", handler)
        rule = RULES.get(method, nobody)
        text = _bearer(handler_call_details)
        return around(
            handler,
            lambda inner: self._unary(inner, rule, text),
            lambda inner: self._streaming(inner, rule, text),
        )

    def _enter(self, text: str, rule: Rule, request: Any) -> Caller:
        caller = Caller(text, self._trust)
        calling(caller)
        rule(caller, request)
        return caller

    def _unary(self, inner: Any, rule: Rule, text: str) -> Any:
        async def call(request: Any, context: Context) -> Any:
            caller = self._enter(text, rule, request)
            response = await inner(request, context)
            assert caller.was_asked, "a servicer answers without having asked who calls"
            return response

        return call

    def _streaming(self, inner: Any, rule: Rule, text: str) -> Any:
        async def call(request: Any, context: Context) -> AsyncGenerator[Any, None]:
            task = asyncio.current_task()
            assert task is not None
            caller = self._enter(text, rule, request)
            stream = self._follow(task, caller)
            try:
                async with aclosing(inner(request, context)) as responses:
                    async for response in responses:
                        assert caller.was_asked, "a servicer answers without having asked who calls"
                        stream.is_waiting = False
                        yield response
                        stream.is_waiting = True
                        stream.check()
            except asyncio.CancelledError:
                if stream.over is None:
                    raise  # the caller has hung up, or the service stops
                task.uncancel()
                raise stream.over from None
            finally:
                self._streams.discard(stream)

        return call

    def _follow(self, task: "asyncio.Task[Any]", caller: Caller) -> "_Stream":
        stream = _Stream(task, caller)
        self._streams.add(stream)
        if self._look is None:
            self._look = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look_at_all)
        return stream

    def _look_at_all(self) -> None:
        for stream in list(self._streams):
            stream.look()
        later = asyncio.get_running_loop().call_later
        self._look = later(LOOK_SECONDS, self._look_at_all) if self._streams else None


class _Stream:
    """One open stream. While it is sending it is not interrupted: it sees for itself."""

    def __init__(self, task: "asyncio.Task[Any]", caller: Caller) -> None:
        self._task = task
        self._caller = caller
        self.is_waiting = True
        self.over: Refusal | Unavailable | None = None

    def check(self) -> None:
        """Raises ``Refusal`` if its token counts no more; one that needed none is let be."""
        if self._caller.token is not None:
            self._caller.grant()

    def look(self) -> None:
        if self.over is not None or not self.is_waiting:
            return
        try:
            self.check()
        except (Refusal, Unavailable) as error:
            self.over = error
            self._task.cancel()


def _bearer(details: grpc.HandlerCallDetails) -> str:
    """The token that came with a call; empty if there is none, or more than one."""
    found = [value for name, value in details.invocation_metadata or () if name == "authorization"]
    if len(found) != 1:
        return ""
    text = found[0] if isinstance(found[0], str) else found[0].decode("ascii", "replace")
    return text[len(SCHEME) :].strip() if text[: len(SCHEME)].lower() == SCHEME else ""
