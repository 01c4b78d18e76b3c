"""What holds for every request before anybody looks at what it asks: how large it may be, how long it may take to say
so, what HEAD means, that nothing escapes as a traceback, and that it is counted.

Pure ASGI, so that it costs an open stream next to nothing.
"""

import asyncio
from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.gateway.api.verify import EXPORT_BYTES_MAX
from services.gateway.metrics import REQUESTS
from services.gateway.problems import problem, problem_of
from services.kit.wire.limits import MESSAGE_BYTES_MAX

BODY_BYTES_MAX: Final = MESSAGE_BYTES_MAX
"""Of one request: what the services behind take of one, too."""

LARGE_BODIES: Final = {"/api/verify": 2 * EXPORT_BYTES_MAX}
"""Where more may come: an exported match to be checked. Its endpoint says where those go that are a little larger."""

PAUSE_SECONDS: Final = 10.0
"""A request whose body stops for so long is given up."""

BODY_SECONDS: Final = 30.0
BODY_BYTES_A_SECOND: Final = 16 * 1024
"""A body has so many seconds, and one more for each so many bytes that have come: trickling keeps nothing open."""

TAKE_SECONDS: Final = 20.0
"""Who takes nothing of an answer for so long is hung up on. Streams look after themselves: ``streams/responder.py``."""

TOO_LARGE: Final = "A request has at most {} bytes."
STOPPING: Final = "The service is being stopped; send the same again in a moment."
TOO_SLOW: Final = "The request has not come in time; send it again."

_HELD_BACK: Final = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")


class Door:
    """Before it only ``BehindProxies`` and ``SecureHeaders``, which look at no more than the head of a request."""

    def __init__(self, app: ASGIApp, bodies: "Bodies") -> None:
        self._app = app
        self._bodies = bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"]
        if method == "HEAD":
            scope = {**scope, "method": "GET", "is_head": True}
        status = 0

        async def told(message: Message) -> None:
            nonlocal status
            if not status:
                status = message["status"]
            elif method == "HEAD" and message.get("body"):
                message = {**message, "body": b""}
            try:
                async with asyncio.timeout(TAKE_SECONDS):
                    await send(message)
            except TimeoutError:
                scope.get("hang_up", _nothing)()
                raise ClientDisconnect from None

        try:
            limit = LARGE_BODIES.get(scope["path"], BODY_BYTES_MAX)
            if _announced(scope) > limit:
                await _too_large(limit)(scope, receive, told)
            else:
                await self._app(scope, _Bounded(receive, limit, self._bodies), told)
        except ClientDisconnect:
            return  # nobody is there to be told, and nothing is wrong here
        except Exception as error:
            if status:
                raise  # the answer has begun: all that is left is to break it off
            await problem_of(error)(scope, receive, told)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            name = method if method in _HELD_BACK else "other"
            REQUESTS.labels(name, route, f"{status // 100}xx").inc()


class Bodies:
    """Those that are waited for just now, so that a gateway that stops waits for none of them."""

    def __init__(self) -> None:
        self.awaited: set[asyncio.Timeout] = set()
        self.closed = False

    def close(self) -> None:
        self.closed = True
        for each in self.awaited:
            each.reschedule(asyncio.get_running_loop().time())


class _Bounded:
    """The body of one request as it comes in. Raises ``HTTPException`` (413, 408, 503)."""

    __slots__ = ("_bodies", "_came", "_ends_at", "_is_over", "_limit", "_receive")

    def __init__(self, receive: Receive, limit: int, bodies: Bodies) -> None:
        self._bodies = bodies
        self._receive = receive
        self._limit = limit
        self._came = 0
        self._ends_at = 0.0
        self._is_over = False

    async def __call__(self) -> Message:
        if self._is_over:
            return await self._receive()
        now = asyncio.get_running_loop().time()
        self._ends_at = self._ends_at or now + BODY_SECONDS
        try:
            async with asyncio.timeout_at(min(now + PAUSE_SECONDS, self._ends_at)) as patience:
                self._bodies.awaited.add(patience)
                try:
                    message = await self._receive()
                finally:
                    self._bodies.awaited.discard(patience)
        except TimeoutError:
            if self._bodies.closed:
                raise HTTPException(
                    HTTPStatus.SERVICE_UNAVAILABLE, STOPPING, {"Retry-After": "1", "Connection": "close"}
                ) from None
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, TOO_SLOW, {"Connection": "close"}) from None
        body = len(message.get("body", b""))
        self._came += body
        self._ends_at += body / BODY_BYTES_A_SECOND
        self._is_over = not message.get("more_body", False)
        if self._came > self._limit:
            raise HTTPException(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_LARGE.format(self._limit), {"Connection": "close"}
            )
        return message


def _announced(scope: Scope) -> int:
    """The length of the body, as the request says; 0 if it does not."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0


def _too_large(limit: int) -> ASGIApp:
    sentence = TOO_LARGE.format(limit)
    return problem(413, "body_too_large", sentence, headers={"Connection": "close"})


def _nothing() -> None:
    """For a server that cannot hang up."""
