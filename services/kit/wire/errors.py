"""A refusal on the wire is a ``google.rpc.Status`` with an ``ErrorInfo``: the code is its reason.

Whose fault it is decides the status: the caller's (INVALID_ARGUMENT, FAILED_PRECONDITION ...), the world's
(UNAVAILABLE: the same call may be made again), or ours (INTERNAL, with an id that stands in the log and no word of what
happened).
"""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from time import perf_counter
from typing import Any, TypeAlias, cast

import grpc
import structlog
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from engine.kernel.history import BrokenLog
from engine.kernel.ports import Conflict, Failed, Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.kit.telemetry import CALL_SECONDS, CALLS, CALLS_OPEN, REFUSALS
from services.kit.tracing import note
from services.kit.wire.around import Handler, around

DOMAIN = "tavolata"

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
"""What a servicer's method gets beside the request; grpcio's class takes parameters for type checkers only."""

_CODES = {
    Kind.INVALID: Code.INVALID_ARGUMENT,
    Kind.ILLEGAL: Code.FAILED_PRECONDITION,
    Kind.MISSING: Code.NOT_FOUND,
    Kind.DENIED: Code.PERMISSION_DENIED,
    Kind.UNAUTHENTICATED: Code.UNAUTHENTICATED,
    Kind.STALE: Code.ABORTED,
    Kind.EXISTS: Code.ALREADY_EXISTS,
}
_KINDS = {code: kind for kind, code in _CODES.items()}

logger = structlog.get_logger()


def status_of(error: Exception) -> Status:
    """What the caller is told. An error of ours is logged here, with the id that the caller gets."""
    match error:
        case Refusal(code=code, sentence=sentence, kind=kind):
            return _status(_CODES[kind], code, sentence)
        case Unavailable(code=code, sentence=sentence):
            return _status(Code.UNAVAILABLE, code, sentence)
        case Failed(code=code, sentence=sentence):
            return _status(Code.INTERNAL, code, sentence)
        case Conflict():
            return _status(Code.UNAVAILABLE, "conflict", "Others moved at the same time; send the same command again.")
        case BrokenLog(match=match, revision=revision):
            logger.error("broken_log", match=match, revision=revision, reason=error.reason)
            return _status(Code.DATA_LOSS, "broken_log", f"The log of match {match} is damaged at revision {revision}.")
        case _:
            error_id = uuid.uuid4().hex[:12]
            logger.error("internal_error", error_id=error_id, exc_info=error)
            return _status(Code.INTERNAL, "internal_error", f"Something went wrong on our side (error {error_id}).")


def error_of(error: grpc.RpcError) -> Refusal | Unavailable | Failed:
    """The inverse, for clients: what a failed call meant."""
    assert isinstance(error, grpc.aio.AioRpcError)
    code, sentence = "", error.details() or error.code().name
    status = rpc_status.from_call(error)
    for detail in status.details if status is not None else ():
        info = ErrorInfo()
        if detail.Unpack(info) and info.domain == DOMAIN:
            code = info.reason
    if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return Refusal("message_too_large", f"{sentence}.", Kind.INVALID)
    if not code:
        code = "deadline_exceeded" if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED else "service_unavailable"
        sentence = f"The service did not answer ({error.code().name.lower()}); is the house running?"
        return Unavailable(code, sentence)
    return error_told(error.code().value[0], code, sentence)


def error_told(status: int, code: str, sentence: str) -> Refusal | Unavailable | Failed:
    """What ``status_of`` was told, from the number of a status, our code and the sentence."""
    if status in _KINDS:
        return Refusal(code, sentence, _KINDS[status])
    if status in (Code.INTERNAL, Code.DATA_LOSS):
        return Failed(code, sentence)
    return Unavailable(code, sentence)


def _status(code: Code.ValueType, reason: str, sentence: str) -> Status:
    REFUSALS.labels(reason).inc()
    detail = AnyMessage()
    detail.Pack(ErrorInfo(reason=reason, domain=DOMAIN))
    return Status(code=code, message=sentence, details=[detail])


_STOPPING = Unavailable("service_stopping", "The service is being stopped; ask again in a moment.")


class Boundary(grpc.aio.ServerInterceptor):
    """The outermost layer of every server: counts calls, and lets no exception text through to a caller."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._waiting: set[asyncio.Task[Any]] = set()
        """Streams that wait for something to say. One that is sending is not interrupted: it would end without a
        status, and its reader would wait on. It sees for itself that the service stops.
        """
        self._stopping = False

    def end_streams(self) -> None:
        """The service stops: running streams end with UNAVAILABLE, and so does each new one."""
        self._stopping = True
        for task in self._waiting:
            task.cancel()

    async def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        handler: Any = await continuation(handler_call_details)
        method = handler_call_details.method.rpartition("/")[2]
        if handler is None or handler_call_details.method.startswith("/grpc."):
            return cast("Handler | None", handler)
        return around(
            handler,
            lambda inner: self._unary(inner, method),
            lambda inner: self._streaming(inner, method),
        )

    def _unary(self, inner: Any, method: str) -> Any:
        async def call(request: Any, context: Context) -> Any:
            started = perf_counter()
            running = CALLS_OPEN.labels(self._service, method)
            running.inc()
            try:
                response = await inner(request, context)
            except (asyncio.CancelledError, grpc.aio.AbortError):
                raise
            except Exception as error:
                await self._abort(error, method, context)
            finally:
                running.dec()
            CALLS.labels(self._service, method, "ok").inc()
            CALL_SECONDS.labels(self._service, method).observe(perf_counter() - started)
            return response

        return call

    def _streaming(self, inner: Any, method: str) -> Any:
        async def call(request: Any, context: Context) -> AsyncGenerator[Any, None]:
            task = asyncio.current_task()
            assert task is not None
            self._waiting.add(task)
            running = CALLS_OPEN.labels(self._service, method)
            running.inc()
            try:
                if self._stopping:
                    raise _STOPPING
                async with aclosing(inner(request, context)) as responses:
                    async for response in responses:
                        self._waiting.discard(task)
                        yield response
                        self._waiting.add(task)
                        if self._stopping:
                            raise _STOPPING
            except grpc.aio.AbortError:
                raise
            except asyncio.CancelledError:
                if not self._stopping:
                    raise  # the caller has hung up
                task.uncancel()
                await self._abort(_STOPPING, method, context)
            except Exception as error:
                await self._abort(error, method, context)
            finally:
                self._waiting.discard(task)
                running.dec()
            CALLS.labels(self._service, method, "ok").inc()

        return call

    async def _abort(self, error: Exception, method: str, context: Context) -> None:
        status = status_of(error)
        reason = reason_of(status)
        CALLS.labels(self._service, method, reason).inc()
        note(code=reason)
        await context.abort_with_status(rpc_status.to_status(status))


def reason_of(status: Status) -> str:
    """The code of what ``status_of`` has made."""
    info = ErrorInfo()
    status.details[0].Unpack(info)
    return str(info.reason)


def refusal_fields(error: Exception) -> tuple[str, str, bool]:
    """Code, sentence and whether the same call may be made again, where an answer has fields of its own for them."""
    status = status_of(error)
    return reason_of(status), status.message, status.code == Code.UNAVAILABLE
