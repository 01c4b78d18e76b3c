"""uvicorn, embedded: it takes its signals from us, and stops with open streams in well under a second.

Left to itself it waits for open answers before it shuts down, without limit. So the hub is closed first: every stream
says goodbye and ends, those that are stuck are cut off, and then there is nothing left to wait for.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp

from services.gateway.protocol import BoundedProtocol
from services.kit.sockets import is_free, port_in_use

STOP_SECONDS: Final = 5
"""For answers that are under way; an insurance, see above."""

CONNECTIONS_MAX: Final = 20_000
BACKLOG: Final = 4_096


class _Embedded(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are the process's business, not the server's."""
        yield


class WebServer:
    """A running HTTP server on the port it got."""

    def __init__(self, server: _Embedded, serving: asyncio.Task[None], close_streams: Callable[[], Awaitable[None]]):
        self._server = server
        self._serving = serving
        self._close_streams = close_streams
        self.port: int = server.servers[0].sockets[0].getsockname()[1]

    async def stop(self, grace_s: float) -> None:
        await self._close_streams()
        self._server.should_exit = True
        await self._serving


async def start_web_server(bind: str, app: ASGIApp, close_streams: Callable[[], Awaitable[None]]) -> WebServer:
    """A server that answers. Raises ``Refusal`` (``port_in_use``)."""
    host, _, asked = bind.rpartition(":")
    port = int(asked)
    if port and not is_free(host, port):
        raise port_in_use(port)
    more: dict[str, Any] = {
        "http": BoundedProtocol,
        "ws": "none",
        "loop": "none",
        "lifespan": "off",
        "proxy_headers": False,
    }  # whom a proxy speaks for is said in proxies.py
    config = uvicorn.Config(
        app, host=host, port=port, log_config=None, access_log=False, server_header=False, date_header=True,
        timeout_graceful_shutdown=STOP_SECONDS, limit_concurrency=CONNECTIONS_MAX, backlog=BACKLOG, **more,
    )  # fmt: skip
    server = _Embedded(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        if serving.done():
            raise port_in_use(port)
        await asyncio.sleep(0.005)
    return WebServer(server, serving, close_streams)
