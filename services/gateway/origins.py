"""Whose page may speak to the house: its own, those of the sites that the house names, and nobody else's in the browser
of one who plays.

A browser that visits a stranger's page asks with whatever it has of ours, and from wherever it is. Two things in a
request give such a page away, and it can forge neither:

- ``Sec-Fetch-Site`` and ``Origin`` say whose page has asked. What acts is refused from any page but ours; programs
  send neither header. Reading needs no such care: without CORS a page is told nothing.
- ``Host`` says by what name the house was found. A name of the stranger's own that leads to loopback (DNS rebinding)
  makes the house the page's own for a browser, so a house on loopback answers to the names of loopback only, and to
  those in ``TAVOLATA_HOSTS`` for what stands before it.

A site in ``TAVOLATA_ORIGINS`` may ask and act, and is told the answers (CORS). It says who asks with a token in
``Authorization``: a cookie of ours counts on our own pages only, whatever a browser sends along.
"""

from collections.abc import Collection
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.gateway.problems import problem
from services.kit.sockets import is_loopback

READS: Final = frozenset(("GET", "HEAD", "OPTIONS"))

PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE",
    "Access-Control-Allow-Headers": "Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, "
    "Last-Event-ID",
    "Access-Control-Max-Age": "600",
}
TOLD: Final = "ETag, Idempotent-Replayed, Location, Retry-After"
"""Headers of an answer that a page of another site may read."""

FOREIGN_PAGE: Final = "What acts here is asked for by pages of this house, or by a program, not by a page of another."
UNKNOWN_HOST: Final = "This house is on loopback and does not go by this name; TAVOLATA_HOSTS has those it goes by."


class OwnPagesOnly:
    """``hosts`` are the names that the house goes by beside those of loopback; ``None`` if it goes by any. ``origins``
    are the sites that may ask, too.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None = None, origins: Collection[str] = ()) -> None:
        self._app = app
        self._origins = frozenset(each.lower() for each in origins)
        self._hosts = None if hosts is None else frozenset(name.lower() for name in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            host = headers.get("host", "")
            if self._hosts is not None and not (is_loopback(name := _name(host)) or name in self._hosts):
                app = problem(HTTPStatus.FORBIDDEN, "unknown_host", UNKNOWN_HOST)
            elif is_foreign(headers, host):
                origin = headers.get("origin", "")
                is_named = origin.lower() in self._origins
                if is_named and scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                    app = Response(status_code=HTTPStatus.NO_CONTENT, headers=PREFLIGHT)
                elif not is_named and scope["method"] not in READS:
                    app = problem(HTTPStatus.FORBIDDEN, "foreign_page", FOREIGN_PAGE)
                if is_named:
                    send = _shown_to(origin, send)
                scope = {**scope, "is_foreign": True}
            if self._origins:
                send = _varying(send)
        await app(scope, receive, send)


def _shown_to(origin: str, send: Send) -> Send:
    """An answer that a page of this site may read. Never with what a browser sends along by itself."""

    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = TOLD
        await send(message)

    return told


def _varying(send: Send) -> Send:
    """Nothing that keeps answers may show one page's to another."""

    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).add_vary_header("Origin")
        await send(message)

    return told


def hosts_of(bind: str, hosts: str) -> Collection[str] | None:
    """Names that a gateway bound there goes by; ``None`` for any: a house that is not on loopback is open anyway."""
    return [name for name in hosts.split(",") if name] if is_loopback(_name(bind)) else None


def is_foreign(headers: Headers, host: str) -> bool:
    """Whether a page of somebody else's asks. An older browser, or one that trusts no plain HTTP, says its origin only;
    a program says nothing.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2].lower() != host.lower()


def _name(host: str) -> str:
    """Without the port; empty for what is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
