"""What a process tells the machines that look after it, over plain HTTP: is it alive, is it ready, and its metrics.

``/livez`` asks the event loop and gives it a second; ``/readyz`` asks it whether everything is there that work needs;
``/metrics`` is Prometheus text. The endpoint runs on threads of its own, so it answers when the loop hangs: then the
answer is 503, and whoever runs the process may end it. It is bounded and takes nothing but GET; it is for the inside of
a network, and nothing in it is about a match or a person.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, Final

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from services.kit.sockets import port_in_use

ANSWER_S: Final = 1.0
"""An event loop that does not come round within a second serves nobody."""

REQUEST_S: Final = 2.0
"""For one read or write of a request."""

REQUESTS_MAX: Final = 8
"""Answered at a time: a probe or two and a scraper. The connections of more are closed."""

Check = Callable[[], bool]
"""Whether something is there. Asked on the event loop; must answer at once."""


class Readiness:
    """Whether work may be sent here: the process serves, and every check says yes."""

    def __init__(self) -> None:
        self.serving = False
        self._checks: dict[str, Check] = {"serving": lambda: self.serving}

    def need(self, checks: Mapping[str, Check]) -> None:
        """From now on these are needed, too. The names are told to whoever asks what is missing."""
        self._checks.update(checks)

    def missing(self) -> list[str]:
        return [name for name, check in self._checks.items() if not check()]


@asynccontextmanager
async def admin_endpoint(host: str, port: int, readiness: Readiness) -> AsyncIterator[None]:
    """The endpoint beside the running event loop; port 0 is none. Raises ``Refusal`` (``port_in_use``)."""
    if not port:
        yield
        return
    try:
        server = _Server((host, port), asyncio.get_running_loop(), readiness)
    except OSError as error:
        raise port_in_use(port) from error
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, name="admin", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingMixIn, TCPServer):
    """Not ``http.server``'s own, which looks its host's name up before it listens."""

    allow_reuse_address = True
    request_queue_size = 4 * REQUESTS_MAX
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], loop: asyncio.AbstractEventLoop, readiness: Readiness) -> None:
        self._loop = loop
        self._readiness = readiness
        self._room = threading.BoundedSemaphore(REQUESTS_MAX)
        super().__init__(address, _Handler)

    def missing(self) -> list[str]:
        """What stands between this process and work. Raises ``TimeoutError`` if the event loop does not say."""
        answer: Future[list[str]] = Future()
        try:
            self._loop.call_soon_threadsafe(lambda: answer.set_result(self._readiness.missing()))
        except RuntimeError as error:  # the loop is closed
            raise TimeoutError from error
        return answer.result(ANSWER_S)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever hangs up in the middle is nothing to write about."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = REQUEST_S

    def do_GET(self) -> None:
        match self.path:
            case "/metrics":
                self._answer(200, generate_latest(), CONTENT_TYPE_LATEST)
            case "/livez" | "/readyz":
                self._say(self.path == "/readyz")
            case _:
                self._answer(404, b"not found\n")

    def _say(self, wants_ready: bool) -> None:
        try:
            missing = self.server.missing()
        except TimeoutError:
            self._answer(503, b"the event loop does not answer\n")
            return
        if wants_ready and missing:
            self._answer(503, f"not ready: {', '.join(missing)}\n".encode())
        else:
            self._answer(200, b"ok\n")

    def _answer(self, status: int, body: bytes, content_type: str = "text/plain; charset=utf-8") -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def version_string(self) -> str:
        return "tavolata"

    def log_message(self, format: str, *args: Any) -> None:
        """Probes come every few seconds; none of them is worth a line."""
