"""uvicorn's reader of HTTP, with bounds that it lacks: on the size of a request's head, and on its time.

Somebody who opens connections and never asks anything, or sends one endless header, would otherwise cost memory for as
long as they like. What cannot be read as HTTP is answered as a problem, too.
"""

import asyncio
from http import HTTPStatus
from typing import Any, Final, Protocol

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from services.gateway.headers import ALWAYS, NOTHING
from services.gateway.problems import problem

HEAD_BYTES_MAX: Final = 32 * 1024
"""Of the first line and all headers; the longest that we ask for, a cursor of 32 matches, is far below."""

HEAD_SECONDS: Final = 10.0
"""For all of it to come, from the moment the line is open or the request has begun."""


class Listener(Protocol):
    """Whoever has an answer open on a line."""

    def drained(self) -> None:
        """The line was full, and takes something again."""
        ...

    def gone(self) -> None:
        """Nobody is at the other end any more."""
        ...


class BoundedProtocol(HttpToolsProtocol):
    """One connection. ``scope["hang_up"]`` drops it at once, with what has not been sent; ``scope["line"]`` is the
    connection itself, for an answer that goes on and on: past its head, it may ``write`` chunks as long as it
    ``is_full`` no more, and be the ``listener``.
    """

    listener: Listener | None = None
    _head_bytes = 0
    _is_in_head = True
    _too_large = False
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's own narrowing
        super().connection_made(transport)
        self._patience = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)
        if self.listener is not None:
            self.listener.gone()

    @property
    def is_full(self) -> bool:
        """Whether more is waiting to be sent than should."""
        return self.flow.write_paused

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.listener is not None:
            self.listener.drained()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES_MAX and not self.transport.is_closing():
                self._too_large = True
                self.send_400_response("")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_in_head = True
        self._head_bytes = 0
        if self._patience is None:
            self._patience = self.loop.call_later(HEAD_SECONDS, self._give_up)
        more: dict[str, Any] = {"hang_up": self.transport.abort, "line": self}
        self.scope.update(more)  # type: ignore[typeddict-item]  # an extension of the scope, ours alone

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._stop_waiting()
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD_BYTES_MAX:
            self._too_large = True
            raise ValueError("the head of the request is too large")
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        always = ALWAYS | NOTHING
        if self._too_large:
            answer = problem(
                431, "head_too_large", f"The head of a request has at most {HEAD_BYTES_MAX} bytes.", headers=always
            )
        else:
            answer = problem(400, "not_http", "This is not HTTP.", headers=always)
        head = [f"HTTP/1.1 {answer.status_code} {HTTPStatus(answer.status_code).phrase}".encode()]
        head += [b"%s: %s" % header for header in answer.raw_headers]
        self.transport.write(b"\r\n".join((*head, b"connection: close", b"", bytes(answer.body))))
        self.transport.close()

    def _give_up(self) -> None:
        self._patience = None
        self.transport.abort()

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
