"""The house on one machine, kept alive: a process that dies is started again on its port and data.

The log is started first, then the services together; they are stopped in the reverse order, the log last. Services run
in sessions of their own: Ctrl-C reaches the house, and the house stops them.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import grpc
import structlog
from tavolata.house.v1 import house_pb2

from engine.games import all_games
from engine.kernel.refusal import Kind, Refusal
from services.door.servicer import register
from services.kit.access.trust import Trust
from services.kit.config import child_environment
from services.kit.jetstream.credentials import Login, read_seed
from services.kit.jetstream.making import make_log
from services.kit.jetstream.users import OPERATOR, READER, authorization, users
from services.kit.lifecycle import Server, start_server
from services.kit.sockets import LOOPBACK
from services.local.answering import answering
from services.local.folder import held
from services.local.keys import make_seeds, seed_file
from services.local.nats_server import WITH_PARENT, Durability, NatsServer, ServerFailed
from services.local.plan import SEEDS, Plan, Service

READY_S = 30.0
"""For one service to answer its health check."""
STOP_S = 15.0
RESTART_PAUSE_S = 0.2
CRASHES_MAX = 20
"""Restarts of one process in a row, each within a minute of the last, after which the house gives up."""

logger = structlog.get_logger()


class House:
    """An async context: everything runs on entry, everything has stopped on exit."""

    def __init__(self, plan: Plan, *, durability: Durability = "strict") -> None:
        self.plan = plan
        self._nats = NatsServer(plan.data / "nats", port=plan.nats_port, durability=durability)
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._door: Server | None = None
        self._stack = contextlib.AsyncExitStack()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done with an error when the house cannot be kept alive."""

    @property
    def url(self) -> str:
        """What clients are given."""
        return f"{LOOPBACK}:{self.plan.door_port}"

    @property
    def web_url(self) -> str:
        """What is opened in a browser."""
        (gateway,) = (service for service in self.plan.services if service.is_web)
        return f"http://{gateway.address}/"

    async def __aenter__(self) -> Self:
        self._nats.keep_open = (await self._stack.enter_async_context(held(self.plan.data)),)
        try:
            (self.plan.data / "logs").mkdir(exist_ok=True)
            trust = None if self.plan.trust_file is None else Trust(self.plan.trust_file)
            self._door = await start_server("house", self.url, self._register, trust)
            await self._make_log()
            self._keepers.append(asyncio.create_task(self._keep_nats()))
            async with asyncio.TaskGroup() as group:
                for service in self.plan.services:
                    group.create_task(self._start(service))
            self._keepers.extend(asyncio.create_task(self._keep(service)) for service in self.plan.services)
        except BaseExceptionGroup as group:
            await self._stop()
            raise group.exceptions[0] from None
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    def pid(self, label: str) -> int:
        """Of a running process: ``nats``, ``deck``, ``rules-just4fun`` ..."""
        pid = self._nats.pid if label == "nats" else self._processes[label].pid
        assert pid is not None
        return pid

    @property
    def labels(self) -> list[str]:
        return ["nats", *(service.label for service in self.plan.services)]

    # -- starting --------------------------------------------------------------------------------------------------

    async def _make_log(self) -> None:
        """Everybody's keys, the server that knows them, and the streams, which only the operator can make."""
        seeds = self.plan.data / SEEDS
        everybody = users(all_games(), partitions=1)
        keys = make_seeds(seeds, [user.name for user in everybody])
        self._nats.users = authorization(everybody, keys, strangers=READER)
        await self._start_nats()
        await make_log(self._nats.url, Login(read_seed(seed_file(seeds, OPERATOR))))

    async def _start_nats(self) -> None:
        try:
            await self._nats.start()
        except ServerFailed as error:
            raise Refusal("log_failed", f"The event log did not start: {error}.", Kind.INVALID) from error

    async def _start(self, service: Service) -> None:
        with self._log_path(service.label).open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *WITH_PARENT,
                sys.executable,
                "-P",  # a stranger's bots.py in the current folder is not ours
                "-m",
                service.module,
                *service.arguments,
                env=child_environment(service.settings),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._processes[service.label] = process
        if service.port:
            await self._get_ready(service, process)

    async def _get_ready(self, service: Service, process: asyncio.subprocess.Process) -> None:
        deadline = asyncio.get_running_loop().time() + READY_S
        async with answering(service.address, is_web=service.is_web) as answers:
            while not await answers():
                if process.returncode is not None:
                    raise Refusal(
                        "service_failed",
                        f"The {service.label} service ended: {self._last_words(service)}",
                        Kind.INVALID,
                    )
                if asyncio.get_running_loop().time() > deadline:
                    raise Refusal(
                        "service_slow", f"The {service.label} service is not ready after {READY_S:.0f} s.", Kind.INVALID
                    )
                await asyncio.sleep(0.05)

    def _last_words(self, service: Service) -> str:
        lines = self._log_path(service.label).read_text(errors="replace").strip().splitlines()
        return lines[-1][:500] if lines else "it said nothing."

    def _log_path(self, label: str) -> Path:
        return self.plan.data / "logs" / f"{label}.log"

    # -- keeping ---------------------------------------------------------------------------------------------------

    async def _keep_nats(self) -> None:
        while True:
            await self._nats.wait()
            logger.warning("restarting", process="nats")
            await self._try(self._start_nats)

    async def _keep(self, service: Service) -> None:
        crashes: list[float] = []
        while True:
            await self._processes[service.label].wait()
            now = asyncio.get_running_loop().time()
            crashes = [at for at in crashes if now - at < 60.0] + [now]
            if len(crashes) > CRASHES_MAX:
                self._fail(Refusal("service_failed", f"{service.label} keeps ending: {self._last_words(service)}"))
                return
            logger.warning("restarting", process=service.label)
            await asyncio.sleep(RESTART_PAUSE_S)
            await self._try(lambda: self._start(service))

    async def _try(self, start: Callable[[], Awaitable[None]]) -> None:
        try:
            await start()
        except Refusal as error:
            logger.error("not_restarted", reason=error.sentence)
            self._fail(error)
            raise

    def _fail(self, error: Refusal) -> None:
        if not self.failed.done():
            self.failed.set_exception(error)

    # -- stopping --------------------------------------------------------------------------------------------------

    async def _stop(self) -> None:
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        self._keepers.clear()
        for process in reversed(self._processes.values()):
            await _end(process)
        await self._nats.stop()
        if self._door is not None:
            await self._door.stop(0)
        await self._stack.aclose()
        self.failed.cancel()

    def _register(self, server: grpc.aio.Server) -> Sequence[str]:
        places = [
            house_pb2.Place(service=service.name, game=service.game, address=service.address)
            for service in self.plan.services
            if service.port and service.name != "deck"  # which is nobody's business but the rules services'
        ]
        return register(server, places)


async def _end(process: asyncio.subprocess.Process) -> None:
    """SIGTERM, and SIGKILL for a process that does not end in time."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), STOP_S)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        await process.wait()
