"""An open answer: whatever a reader is told, until it is told no more, it goes, or the gateway stops.

Backpressure is the server's own: ``send`` waits while the socket is full. A reader that takes nothing for
``SEND_SECONDS`` is hung up on; it comes again, and goes on from the last id that it has.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, suppress
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from services.gateway.streams.frames import HELLO, Frame

SEND_SECONDS: Final = 20.0

HEADERS: Final = {
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # a proxy in front must not wait for more
}


class EventStream(Response):
    """As ``text/event-stream``, or as ``application/x-ndjson`` for a reader that would rather have lines."""

    def __init__(self, frames: AsyncGenerator[Frame, None], place: AsyncExitStack, *, as_lines: bool) -> None:
        """``place`` is what the reader has entered; it is left when the answer has ended, however that comes about."""
        super().__init__(headers=dict(HEADERS), media_type="application/x-ndjson" if as_lines else "text/event-stream")
        del self.headers["content-length"]
        self._frames = frames
        self._place = place
        self._as_lines = as_lines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._place:
            with suppress(OSError, TimeoutError):
                await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
                if not self._as_lines:
                    await self._say(send, HELLO)
                async with aclosing(self._frames) as frames:
                    async for each in frames:
                        await self._say(send, each.line if self._as_lines else each.sse)
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _say(self, send: Send, body: bytes) -> None:
        async with asyncio.timeout(SEND_SECONDS):
            await send({"type": "http.response.body", "body": body, "more_body": True})
