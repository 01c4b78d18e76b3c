"""The life of a service process: start, report healthy, serve, and on SIGTERM or SIGINT stop without dropping a call.

Stopping: ``/readyz`` and health say that nothing more is to be sent here, the streams that would never end are ended
with UNAVAILABLE, running calls get their grace, then the app is closed. A port in use is said in a sentence.
"""

import asyncio
import gc
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from services.kit.access.carried import carry_own
from services.kit.access.trust import Trust
from services.kit.admin import Check, Readiness, admin_endpoint
from services.kit.config import Settings
from services.kit.scheduling import wait_for_turn
from services.kit.sockets import check_bind, is_free, port_in_use
from services.kit.telemetry import configure_logging, tell_of_lost_errors
from services.kit.tracing import server_interceptors, start_tracing, stop_tracing
from services.kit.wire.errors import Boundary
from services.kit.wire.guard import Guard
from services.kit.wire.limits import ANSWER_BYTES_MAX, MESSAGE_BYTES_MAX
from services.kit.wire.tls import speak_tls, tls

CONCURRENT_CALLS_MAX = 20_000

GC_AFTER = 20_000
"""Objects that are made and not let go before the collector looks at them; Python's own number is 700."""

SERVER_OPTIONS: Sequence[tuple[str, Any]] = (
    ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
    ("grpc.max_send_message_length", ANSWER_BYTES_MAX),
    ("grpc.so_reuseport", 0),  # a port in use is an error, not a second server behind our back
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),  # clients ask every 10 s whether we are there
    # After so long a client is asked to connect anew, and finds the replicas that there are by then. Streams may stay
    # on the old connection for longer than a match lasts.
    ("grpc.max_connection_age_ms", 5 * 60_000),
    ("grpc.max_connection_age_grace_ms", 60 * 60_000),
)

Register = Callable[[grpc.aio.Server], Sequence[str]]
"""Adds the servicers to a server and names their services."""


class App:
    """What a ``main`` has wired: the servicers, what must run beside the server, and what both need to be ready."""

    def __init__(
        self, register: Register, run: Callable[[], Awaitable[object]], needs: Mapping[str, Check] | None = None
    ) -> None:
        self.register = register
        self.run = run
        self.needs = needs or {}


def together(*works: Callable[[], Awaitable[object]]) -> Callable[[], Awaitable[object]]:
    """Works that run beside a server for ever, as one; the first error ends it."""
    return lambda: asyncio.gather(*(work() for work in works))


class Server:
    """A running gRPC server with health and reflection, on the port it got."""

    def __init__(
        self, server: grpc.aio.Server, healthy: health.aio.HealthServicer, boundary: Boundary, port: int
    ) -> None:
        self._server = server
        self._healthy = healthy
        self._boundary = boundary
        self.port = port

    async def stop(self, grace_s: float) -> None:
        """Not healthy any more, streams ended (their readers come again elsewhere), running calls given their time."""
        await self._healthy.enter_graceful_shutdown()
        self._boundary.end_streams()
        await self._server.stop(grace_s)


class Stoppable(Protocol):
    """A server that runs."""

    port: int

    async def stop(self, grace_s: float) -> None:
        """Not before running calls have had their time."""
        ...


async def serve(name: str, settings: Settings, app: AbstractAsyncContextManager[App]) -> None:
    """Serve until a signal. Raises ``Refusal`` if the port is taken, and whatever ends ``app.run`` with an error."""
    wait_for_turn()
    trust = trust_of(settings)
    async with introduced(name, settings) as readiness, app as built:
        readiness.need(built.needs)
        await stand(settings, readiness, lambda: start_server(name, settings.bind, built.register, trust), built.run)


@asynccontextmanager
async def introduced(name: str, settings: Settings) -> AsyncIterator[Readiness]:
    """A process as it is seen from outside: its log, its traces, and the endpoint that tells how it is. Every line of
    the log says which service speaks, and every call who calls. Raises ``Refusal`` (``port_in_use``, and those of
    ``identify``).
    """
    configure_logging(settings.log_level, name)
    asyncio.get_running_loop().set_exception_handler(tell_of_lost_errors)
    identify(settings)
    readiness = Readiness()
    async with admin_endpoint(settings.metrics_host, settings.metrics_port, readiness):
        start_tracing(name, settings)
        try:
            yield readiness
        except Exception as error:
            structlog.get_logger().error("ended", exc_info=error)
            raise
        finally:
            await stop_tracing()


def identify(settings: Settings) -> None:
    """From now on whatever this task starts shows the certificate and carries the token of this process."""
    speak_tls(settings)
    carry_own(settings)


def trust_of(settings: Settings) -> Trust | None:
    """Whom a service believes; ``None`` in an open house, which is on loopback. Raises ``Refusal``."""
    check_bind(settings.bind, is_open=settings.trust_file is None)
    return None if settings.trust_file is None else Trust(settings.trust_file)


async def stand(
    settings: Settings,
    readiness: Readiness,
    start: Callable[[], Awaitable[Stoppable]],
    run: Callable[[], Awaitable[object]] | None = None,
) -> None:
    """Start a server and keep it until a signal, or until ``run`` beside it ends. Raises what ended that."""
    logger = structlog.get_logger()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def leave() -> None:
        readiness.serving = False
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, leave)
    server = await start()
    settle_down()
    readiness.serving = not stop.is_set()
    logger.info("serving", port=server.port)
    running = asyncio.ensure_future((run or asyncio.Event().wait)())
    waiting = asyncio.create_task(stop.wait())
    await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
    ended_by_itself = running.done() and not stop.is_set()
    readiness.serving = False
    await server.stop(settings.grace_s)
    for task in (running, waiting):
        task.cancel()
    await asyncio.gather(running, waiting, return_exceptions=True)
    if ended_by_itself:
        running.result()
    logger.info("stopped")


def settle_down() -> None:
    """What there is now stays, so the collector need not look at it again; and most of what is made later goes away by
    itself, so it need not look for circles as often as it does.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_AFTER)


async def start_server(name: str, bind: str, register: Register, trust: Trust | None = None) -> Server:
    """A server that answers; without ``trust``, whoever asks. Raises ``Refusal`` (``port_in_use``)."""
    check_bind(bind, is_open=trust is None)
    host, _, asked = bind.rpartition(":")
    if int(asked) and not is_free(host, int(asked)):
        raise port_in_use(int(asked))
    boundary = Boundary(name)
    server = grpc.aio.server(
        interceptors=[*server_interceptors(), boundary, Guard(trust)],
        options=list(SERVER_OPTIONS),
        maximum_concurrent_rpcs=CONCURRENT_CALLS_MAX,
    )
    services = register(server)
    healthy = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    reflection.enable_server_reflection(
        [*services, health_pb2.DESCRIPTOR.services_by_name["Health"].full_name, reflection.SERVICE_NAME], server
    )
    secure = tls()
    try:
        port = server.add_insecure_port(bind) if secure is None else server.add_secure_port(bind, secure.server())
    except RuntimeError as error:
        raise port_in_use(int(asked)) from error
    await server.start()
    for service in ("", *services):
        await healthy.set(service, health_pb2.HealthCheckResponse.SERVING)
    return Server(server, healthy, boundary, port)
