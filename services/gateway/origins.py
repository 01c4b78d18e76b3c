"""Whose page may speak to the house: its own, and none of somebody else's in the browser of one who plays.

A house has no accounts, so being on loopback is all that keeps strangers out, and a browser that visits a stranger's
page is on loopback, too. Two things in a request give such a page away, and it can forge neither:

- ``Sec-Fetch-Site`` and ``Origin`` say whose page has asked. What acts is refused from any page but ours; programs
  send neither header. Reading needs no such care: without CORS, which we never allow, a page is told nothing.
- ``Host`` says by what name the house was found. A name of the stranger's own that leads to loopback (DNS rebinding)
  makes the house the page's own for a browser, so a house on loopback answers to the names of loopback only, and to
  those in ``TAVOLATA_HOSTS`` for what stands before it.
"""

from collections.abc import Collection
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from services.gateway.problems import problem
from services.kit.sockets import is_loopback

READS: Final = frozenset(("GET", "HEAD", "OPTIONS"))

FOREIGN_PAGE: Final = "What acts here is asked for by pages of this house, or by a program, not by a page of another."
UNKNOWN_HOST: Final = "This house is on loopback and does not go by this name; TAVOLATA_HOSTS has those it goes by."


class OwnPagesOnly:
    """``hosts`` are the names that the house goes by beside those of loopback; ``None`` if it goes by any."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None = None) -> None:
        self._app = app
        self._hosts = None if hosts is None else frozenset(name.lower() for name in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            host = headers.get("host", "")
            if self._hosts is not None and not (is_loopback(name := _name(host)) or name in self._hosts):
                app = problem(HTTPStatus.FORBIDDEN, "unknown_host", UNKNOWN_HOST)
            elif scope["method"] not in READS and is_foreign(headers, host):
                app = problem(HTTPStatus.FORBIDDEN, "foreign_page", FOREIGN_PAGE)
        await app(scope, receive, send)


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
