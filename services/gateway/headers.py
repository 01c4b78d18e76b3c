"""The headers of every answer: where scripts may come from, who may frame a page, what a browser must not guess."""

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

EMBED: Final = "/embed/"
"""The pages below may be framed by anybody; no other may."""

PICTURES: Final = (".png", ".svg")
"""May stand in anybody's page, as ``EMBED`` may; nothing else may be loaded by another site, unread as it would be."""

ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

HSTS: Final = "max-age=31536000"
"""Who has once come by HTTPS comes by nothing else for a year."""

NOTHING: Final = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}
"""The policy of what is answered before anybody has read what was asked."""


class SecureHeaders:
    """Pure ASGI, so that it costs an open stream nothing."""

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        framed = path.startswith(EMBED)
        resource = "cross-origin" if framed or path.endswith(PICTURES) else "same-origin"

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in ALWAYS.items():
                    headers.setdefault(name, value)
                if scope["scheme"] == "https":
                    headers.setdefault("Strict-Transport-Security", HSTS)
                headers.setdefault("Cross-Origin-Resource-Policy", resource)
                ancestors = "*" if framed else "'none'"
                headers.setdefault("Content-Security-Policy", f"{self._policy}; frame-ancestors {ancestors}")
            await send(message)

        scope["straight"] = send  # for a stream that has begun: nothing on the way has more to say to its frames
        await self._app(scope, receive, told)
