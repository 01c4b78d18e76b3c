"""A house of processes: three nodes keep the log, every service reaches it over lines of its own, and the rules of the
game are kept by several replicas. It is a ``Ground``.

A service has one line to each node, so that it alone can be cut off, and its acknowledgements alone be lost. Whoever
opens matches finds the replicas behind one address, as behind any balancer; players know each of them.
"""

import asyncio
import hashlib
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from services.kit.config import child_environment
from services.kit.jetstream.making import make_log
from services.kit.key import MasterKey, write
from services.kit.sockets import free_ports
from services.local.answering import answering
from services.local.nats_server import WITH_PARENT
from services.local.plan import Service, plan_house
from tests.chaos.faults import FOLLOWER, LEADER
from tests.kit.nats_cluster import NODES, NatsCluster
from tests.kit.proxy import FaultyLine

STREAM: Final = "MATCHES_00"
READY_S: Final = 60.0
"""For a service to start on a busy machine and a log that is holding an election."""
STOP_S: Final = 20.0
LEADER_S: Final = 20.0
GRACE_S: Final = 1
"""For running calls when a service is asked to stop: players come again anyway."""


def services_of(game: str, replicas: int = 2) -> tuple[str, ...]:
    """The labels of a whole house, whose rules of the game are kept by so many replicas."""
    rules = tuple(f"rules-{game}-{number}" for number in range(1, replicas + 1))
    return (*rules, "deck", "scoring", "spectator", "tournament", "gateway")


class ProcessHouse:
    """An async context: everything runs on entry, nothing on exit. All its luck follows from ``seed``."""

    def __init__(self, data: Path, game: str, seed: int, services: Sequence[str]) -> None:
        """``services`` are labels, as ``services_of`` makes them."""
        self.data = data
        self.cluster = NatsCluster(data / "nats")
        plan = plan_house(data, 0, settings={"grace_s": GRACE_S})
        self._front = next(service for service in plan.services if service.game == game)
        labels = [label for label in services if label.startswith(self._front.label)]
        self._replicas = {
            label: msgspec.structs.replace(self._front, port=port, settings={**self._front.settings, "bind": _at(port)})
            for label, port in zip(labels, free_ports(len(labels)), strict=True)
        }
        self._services: dict[str, Service] = {
            **self._replicas,
            **{service.label: service for service in plan.services if service.label in services},
        }
        self._seed = seed
        self._lines: dict[str, list[FaultyLine]] = {}
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            await self._open()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def _open(self) -> None:
        derive_keys(self.data, self._seed)
        (self.data / "logs").mkdir(parents=True, exist_ok=True)
        await self._stack.enter_async_context(self.cluster)
        await make_log(self.cluster.url, replicas=NODES)
        balancer = FaultyLine(*(each.port for each in self._replicas.values()), listen=self._front.port)
        await self._stack.enter_async_context(balancer)
        for label in self._services:
            self._lines[label] = [
                await self._stack.enter_async_context(FaultyLine(node.port)) for node in self.cluster.nodes
            ]
        self._stack.push_async_callback(self._stop)
        async with asyncio.TaskGroup() as group:
            for label in self._services:
                group.create_task(self._start(label))

    # -- who is who ------------------------------------------------------------------------------------------------

    @property
    def services(self) -> Sequence[str]:
        return tuple(self._services)

    @property
    def named(self) -> dict[str, str]:
        """Addresses of the services that a client asks, by name."""
        return {label: each.address for label, each in self._services.items() if label in _ASKED}

    @property
    def rules(self) -> list[str]:
        """Addresses of the replicas."""
        return [each.address for each in self._replicas.values()]

    async def find(self, target: str) -> str:
        if target not in (LEADER, FOLLOWER):
            return target
        async with asyncio.timeout(LEADER_S):
            while (leader := await self.cluster.stream_leader(STREAM)) is None:  # noqa: ASYNC110 - no event tells of it
                await asyncio.sleep(0.1)
        if target == LEADER:
            return leader.name
        return next(node.name for node in self.cluster.nodes if node is not leader)

    def log_of(self, label: str) -> Path:
        """What a service has said."""
        return self.data / "logs" / f"{label}.log"

    # -- what is done to it ----------------------------------------------------------------------------------------

    async def kill(self, label: str, seconds: float) -> None:
        if label not in self._services:
            await self.cluster.node(label).kill()
            await asyncio.sleep(seconds)
            await self.cluster.start()
            return
        await self._end(label, signal.SIGKILL)
        await asyncio.sleep(seconds)
        await self._start(label)

    async def pause(self, label: str, seconds: float) -> None:
        if label not in self._services:
            node = self.cluster.node(label)
            node.pause()
            await asyncio.sleep(seconds)
            node.resume()
            await self.cluster.wait_healthy()
            return
        process = self._processes[label]
        process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        process.send_signal(signal.SIGCONT)
        await self._get_ready(label)

    async def cut(self, label: str, seconds: float) -> None:
        lines = self._lines_of(label)
        for line in lines:
            line.deaf = line.mute = True
        await asyncio.sleep(seconds)
        await self._mend(label, lines)

    async def drop_acks(self, label: str, seconds: float) -> None:
        lines = self._lines_of(label)
        for line in lines:
            line.deaf = True
        await asyncio.sleep(seconds)
        await self._mend(label, lines)

    async def restart(self, label: str) -> None:
        await self._end(label, signal.SIGTERM)
        await self._start(label)

    def _lines_of(self, label: str) -> list[FaultyLine]:
        """Of a service: to all nodes. Of a node: from all services."""
        if label in self._lines:
            return self._lines[label]
        place = [node.name for node in self.cluster.nodes].index(label)
        return [lines[place] for lines in self._lines.values()]

    async def _mend(self, label: str, lines: Sequence[FaultyLine]) -> None:
        """What was lost stays lost, so connections that have a hole now end."""
        for line in lines:
            line.deaf = line.mute = False
            line.cut()
        if label in self._services:
            await self._get_ready(label)

    # -- processes -------------------------------------------------------------------------------------------------

    async def _start(self, label: str) -> None:
        service = self._services[label]
        urls = ",".join(line.url for line in self._lines[label])
        with self.log_of(label).open("ab") as log:
            self._processes[label] = await asyncio.create_subprocess_exec(
                *WITH_PARENT,
                "--kill",
                sys.executable,
                "-P",
                "-m",
                service.module,
                *service.arguments,
                env=child_environment({**service.settings, "nats_url": urls, "nats_seed_file": None}),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        await self._get_ready(label)

    async def _get_ready(self, label: str) -> None:
        """Raises ``AssertionError`` if it ends, or does not answer in time."""
        service = self._services[label]
        deadline = asyncio.get_running_loop().time() + READY_S
        async with answering(service.address, is_web=service.is_web) as answers:
            while not await answers():
                ended = self._processes[label].returncode
                assert ended is None, f"{label} ended with {ended}; it said: {self._last_words(label)}"
                assert asyncio.get_running_loop().time() < deadline, f"{label} does not answer within {READY_S} s"
                await asyncio.sleep(0.05)

    async def _end(self, label: str, how: signal.Signals) -> None:
        process = self._processes[label]
        assert process.returncode is None, f"{label} had ended by itself; it said: {self._last_words(label)}"
        os.kill(process.pid, how)
        async with asyncio.timeout(STOP_S):
            await process.wait()

    async def _stop(self) -> None:
        for process in self._processes.values():
            if process.returncode is None:
                process.kill()
        await asyncio.gather(*(process.wait() for process in self._processes.values()))

    def _last_words(self, label: str) -> str:
        return self.log_of(label).read_text(errors="replace")[-500:]


_ASKED: Final = ("spectator", "scoring", "tournament", "gateway")


def _at(port: int) -> str:
    return f"127.0.0.1:{port}"


def derive_keys(data: Path, seed: int) -> None:
    """The deck's and the tournaments', each of its own: the same seed deals the same cards and draws the same pods."""
    for service in ("deck", "tournament"):
        key = hashlib.sha256(f"tavolata-chaos-{service}/{seed}".encode()).hexdigest()
        write(data / service / "master.key", MasterKey("chaos", key))
