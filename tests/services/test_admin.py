"""The endpoint for the machines that look after a process: it tells the truth, also about an event loop that hangs."""

import asyncio
import http.client
import os
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest

from engine.kernel.refusal import Refusal
from services.kit.admin import REQUESTS_MAX, Readiness, admin_endpoint
from services.kit.config import Settings
from services.kit.lifecycle import App, serve
from services.kit.sockets import LOOPBACK, free_ports
from tests.kit.nats import DEADLINE_S, until


def ask(port: int, path: str, method: str = "GET") -> tuple[int, str]:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=DEADLINE_S)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


async def asked(port: int, path: str, method: str = "GET") -> tuple[int, str]:
    return await asyncio.to_thread(ask, port, path, method)


@asynccontextmanager
async def endpoint(readiness: Readiness) -> AsyncIterator[int]:
    [port] = free_ports(1)
    async with admin_endpoint(LOOPBACK, port, readiness):
        yield port


@contextmanager
def many_silent(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Connections on which nobody says a word."""
    lines = [socket.create_connection((LOOPBACK, port), timeout=DEADLINE_S) for _ in range(count)]
    try:
        yield lines
    finally:
        for line in lines:
            line.close()


async def test_a_process_is_ready_when_nothing_is_missing_and_says_what_is() -> None:
    readiness = Readiness()
    log_connected = False
    readiness.need({"log": lambda: log_connected})
    async with endpoint(readiness) as port:
        assert await asked(port, "/readyz") == (503, "not ready: serving, log\n")
        assert await asked(port, "/livez") == (200, "ok\n"), "a process that is starting is alive"
        readiness.serving = True
        assert await asked(port, "/readyz") == (503, "not ready: log\n")
        log_connected = True
        assert await asked(port, "/readyz") == (200, "ok\n")


async def test_a_loop_that_hangs_is_told_of_and_its_metrics_are_still_there() -> None:
    readiness = Readiness()
    readiness.serving = True
    seen: dict[str, tuple[int, str]] = {}
    async with endpoint(readiness) as port:

        def look() -> None:
            for path in ("/livez", "/readyz", "/metrics"):
                seen[path] = ask(port, path)

        looking = threading.Thread(target=look)
        looking.start()
        looking.join(DEADLINE_S)  # on the event loop: it hangs until everything has been seen
        assert seen["/livez"] == seen["/readyz"] == (503, "the event loop does not answer\n")
        status, text = seen["/metrics"]
        assert status == 200
        assert "tavolata_calls_total" in text
        await asyncio.sleep(0)
        assert await asked(port, "/livez") == (200, "ok\n"), "it has come round again"


async def test_nothing_but_get_and_no_other_path() -> None:
    async with endpoint(Readiness()) as port:
        assert (await asked(port, "/"))[0] == 404
        assert (await asked(port, "/metrics/../livez"))[0] == 404
        for method in ("POST", "PUT", "DELETE", "HEAD"):
            assert (await asked(port, "/livez", method))[0] == 501


async def test_silent_connections_do_not_pile_up() -> None:
    async with endpoint(Readiness()) as port:
        before = threading.active_count()
        with many_silent(port, 5 * REQUESTS_MAX) as lines:
            # Those beyond the bound are closed at once: reading ends.
            assert await asyncio.to_thread(lines[-1].recv, 1) == b""
            assert threading.active_count() <= before + REQUESTS_MAX + 1
        await until(lambda: threading.active_count() <= before + 1, "the threads have ended")
        assert await asked(port, "/livez") == (200, "ok\n")


async def test_a_port_in_use_is_said() -> None:
    async with endpoint(Readiness()) as port:
        with pytest.raises(Refusal, match=f"port_in_use.*{port}"):
            async with admin_endpoint(LOOPBACK, port, Readiness()):
                pass


async def test_a_service_is_not_ready_first_thing_when_it_is_told_to_stop() -> None:
    [port] = free_ports(1)
    closing = asyncio.Event()
    seen: list[tuple[int, str]] = []

    @asynccontextmanager
    async def app() -> AsyncIterator[App]:
        seen.append(await asked(port, "/readyz"))
        yield App(lambda _: [], asyncio.Event().wait, {"log": lambda: True})
        # The server has stopped, what it stood on has not: nobody may be sent here any more.
        seen.append(await asked(port, "/readyz"))
        closing.set()

    settings = Settings(metrics_port=port, grace_s=0)
    serving = asyncio.create_task(serve("test", settings, app()))
    deadline = time.monotonic() + DEADLINE_S
    while not seen or (await asked(port, "/readyz"))[0] != 200:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(serving, DEADLINE_S)
    assert closing.is_set()
    assert seen == [(503, "not ready: serving\n"), (503, "not ready: serving\n")]
