"""How much one client may ask for: a bucket of requests that fills by time, and a bound on what is open at once.

An address has one and a token has one, and a request takes from both: who makes up tokens has still one address, and a
hall full of players behind one address has a bucket for each. The figures are far above what a page or a bot needs;
they keep one client that has gone wrong from taking the house from all others. A client on this machine is bounded by
its token only. What is remembered is bounded, too: whoever was not seen for longest is forgotten first.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from ipaddress import IPv6Address, ip_network
from time import monotonic
from typing import Final

import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

from services.gateway.problems import problem
from services.gateway.visitors import token_of
from services.kit.sockets import address_in


class Bounds(msgspec.Struct, frozen=True):
    """Of one client."""

    rate: float
    """Requests a second, on and on."""
    burst: float
    """Requests at once, after a rest."""
    open_max: int
    """Requests that are not answered to the end; a stream is one."""


OF_ADDRESS: Final = Bounds(200, 4_000, 2_000)
"""A hall of 500 people behind one address, each with a page that reads a stream."""

OF_TOKEN: Final = Bounds(50, 1_000, 100)
"""One who plays at several tables and looks at more; the bots of one person."""

CLIENTS_MAX: Final = 20_000

TOO_MANY: Final = "This is more than one client may ask for; wait a moment, then go on."
TOO_MANY_OPEN: Final = "One client may have at most {} requests open; close some."


class _Client:
    __slots__ = ("at", "left", "open")

    def __init__(self, bounds: Bounds, now: float) -> None:
        self.left = bounds.burst
        self.at = now
        self.open = 0


class Limits:
    """Says 429 to who asks for too much."""

    def __init__(
        self,
        app: ASGIApp,
        of_address: Bounds = OF_ADDRESS,
        of_token: Bounds = OF_TOKEN,
        clients_max: int = CLIENTS_MAX,
        elapsed: Callable[[], float] = monotonic,
    ) -> None:
        self._app = app
        self._of_address = of_address
        self._of_token = of_token
        self._clients_max = clients_max
        self._elapsed = elapsed
        self._clients: OrderedDict[str, _Client] = OrderedDict()
        """The one that was seen last comes last."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        now = self._elapsed()
        clients = [(self._client(name, bounds, now), bounds) for name, bounds in self._names(scope)]
        for client, bounds in clients:
            if client.left < 1:
                wait = max(1, round((1 - client.left) / bounds.rate + 0.5))
                app = problem(
                    HTTPStatus.TOO_MANY_REQUESTS, "too_many_requests", TOO_MANY, headers={"Retry-After": str(wait)}
                )
                await app(scope, receive, send)
                return
            if client.open >= bounds.open_max:
                sentence = TOO_MANY_OPEN.format(bounds.open_max)
                app = problem(HTTPStatus.TOO_MANY_REQUESTS, "too_many_open", sentence, headers={"Retry-After": "5"})
                await app(scope, receive, send)
                return
        for client, _ in clients:
            client.left -= 1
            client.open += 1
        try:
            await self._app(scope, receive, send)
        finally:
            for client, _ in clients:
                client.open -= 1

    def _names(self, scope: Scope) -> list[tuple[str, Bounds]]:
        names: list[tuple[str, Bounds]] = []
        address = _address(scope)
        if address:
            names.append((address, self._of_address))
        token = token_of(scope)
        if token:
            names.append((hashlib.sha256(token.encode()).hexdigest(), self._of_token))
        return names

    def _client(self, name: str, bounds: Bounds, now: float) -> _Client:
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = _Client(bounds, now)
            if len(self._clients) > self._clients_max:
                self._forget_one()
        else:
            self._clients.move_to_end(name)
            client.left = min(bounds.burst, client.left + (now - client.at) * bounds.rate)
            client.at = now
        return client

    def _forget_one(self) -> None:
        """The one not seen for longest; of those who have something open it stays known what they have."""
        idle = next((name for name, client in self._clients.items() if not client.open), None)
        if idle is not None:
            del self._clients[idle]


def _address(scope: Scope) -> str:
    """A client's; a network of IPv6, of which one client has more than anybody counts. Empty for this machine."""
    client = scope.get("client")
    found = address_in(client[0]) if client else None
    if found is None or found.is_loopback:
        return ""
    if isinstance(found, IPv6Address):
        return str(ip_network((found, 64), strict=False))
    return str(found)
