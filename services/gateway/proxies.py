"""Whom a request is from and whether it came by HTTPS, where something stands before the gateway.

What such a thing says of others (``X-Forwarded-For``, ``X-Forwarded-Proto``) is believed from the addresses in
``TAVOLATA_PROXIES`` only: from anybody else it is a way to be somebody else.
"""

from collections.abc import Collection
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import TypeAlias

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.kernel.refusal import Kind, Refusal
from services.kit.sockets import address_in

Network: TypeAlias = IPv4Network | IPv6Network


class BehindProxies:
    """The outermost layer: for all others ``scope`` tells the client and the scheme as they are."""

    def __init__(self, app: ASGIApp, proxies: Collection[Network]) -> None:
        self._app = app
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if scope["type"] == "http" and client and self._is_proxy(client[0]):
            headers = Headers(scope=scope)
            scheme = _all(headers, "x-forwarded-proto").rpartition(",")[2].strip().lower()
            if scheme in ("http", "https"):
                scope = {**scope, "scheme": scheme}
            scope = {**scope, "client": (self._client(_all(headers, "x-forwarded-for"), client[0]), client[1])}
        await self._app(scope, receive, send)

    def _client(self, forwarded: str, known: str) -> str:
        """The last one in the list that no proxy of ours is: each adds whom it was asked by, at the end."""
        for each in reversed([name.strip() for name in forwarded.split(",") if name.strip()]):
            if address_in(each) is None:
                break
            known = each
            if not self._is_proxy(each):
                break
        return known

    def _is_proxy(self, host: str) -> bool:
        found = address_in(host) if self._proxies else None
        return found is not None and any(found in each for each in self._proxies)


def _all(headers: Headers, name: str) -> str:
    """A list as all its headers tell it: some proxies write theirs into one more, behind that of whoever asked."""
    return ",".join(headers.getlist(name))


def networks_of(proxies: str) -> tuple[Network, ...]:
    """``10.0.0.0/8,::1`` → networks. Raises ``Refusal``."""
    try:
        return tuple(ip_network(each, strict=False) for each in proxies.split(",") if each)
    except ValueError as error:
        raise Refusal("bad_setting", f"TAVOLATA_PROXIES: {error}.", Kind.INVALID) from error
