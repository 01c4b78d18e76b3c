"""Who a request is from: the token that it carries goes with it wherever the gateway asks on its behalf.

A program says it in ``Authorization: Bearer``, a browser in the cookie of its session. The cookie goes out from our own
pages only (``SameSite=Strict``), no script reads it (``HttpOnly``), and a request of another site's page is nobody's
unless it says who it is. Whether a token is any good is decided where the secret lies: see
``services/kit/access/rights.py``.
"""

from typing import Final

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from services.kit.access.caller import Caller, calling
from services.kit.access.carried import carrying
from services.kit.access.tokens import is_token
from services.kit.access.trust import Trust

SCHEME: Final = "bearer "

MALFORMED: Final = "-"
"""What goes on in the place of something that is none: a call to a service cannot carry any letter, nor any length."""

COOKIE: Final = "tavolata"
SECURE_COOKIE: Final = "__Host-tavolata"
"""By HTTPS: no other name of the same site can set one so called."""


class Visitors:
    """``trust`` is ``None`` in an open house."""

    def __init__(self, app: ASGIApp, trust: Trust | None) -> None:
        self._app = app
        self._trust = trust

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        token = "" if self._trust is None else token_of(scope)
        calling(Caller(token, self._trust))
        with carrying(token):
            await self._app(scope, receive, send)


def token_of(scope: Scope) -> str:
    """The token that a request carries; empty if there is none, and ``MALFORMED`` for what cannot be one."""
    text = _text_of(scope)
    return text if not text or is_token(text) else MALFORMED


def _text_of(scope: Scope) -> str:
    headers = Headers(scope=scope)
    said = headers.get("authorization", "")
    if said:
        return said[len(SCHEME) :].strip() if said[: len(SCHEME)].lower() == SCHEME else ""
    if scope.get("is_foreign"):
        return ""
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(scope), "")


def cookie_name(scope: Scope) -> str:
    return SECURE_COOKIE if scope["scheme"] == "https" else COOKIE
