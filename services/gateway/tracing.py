"""A span for each request, named after its route, ``GET /api/matches/{match}``: an address holds ids, and may hold
anything. Of a stream, which lasts for hours, the span ends with its head.
"""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.kit.tracing import end, note, rename, request_span

STREAMS: Final = (b"text/event-stream", b"application/x-ndjson")


class TracedRequests:
    """Innermost, where the route is known. Only a gateway whose traces are collected has it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                rename(f"{scope['method']} {getattr(scope.get('route'), 'path', 'none')}")
                note(**{"http.response.status_code": message["status"]})
                if dict(message["headers"]).get(b"content-type", b"").startswith(STREAMS):
                    end()
            await send(message)

        with request_span(scope["method"]):
            await self._app(scope, receive, told)
