"""Three real nats-servers on loopback that keep one log: what a single server never shows.

Each is a process of its own with its own folder, and can be stopped, killed and paused alone. Elections take seconds,
so a cluster costs three to six to start: share one where tests do not hurt it. All that is known of it is read from
the servers' monitoring pages, which ask nobody who they are.

Ports are drawn from below the range that the system serves connections out of, so that nobody takes the port of a
node while it is down.
"""

import asyncio
import json
import os
import signal
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from services.kit.sockets import LOOPBACK, free_ports
from services.local.nats_server import Durability, Member, NatsServer

NODES: Final = 3
HEALTHY_S: Final = 30.0
"""An election takes up to nine seconds, and may have to be held again."""
PAGE_S: Final = 1.0
POLL_S: Final = 0.05


class NatsNode(NatsServer):
    """One server of a cluster. Port, name and data stay over restarts."""

    def __init__(
        self,
        folder: Path,
        member: Member,
        *,
        port: int,
        durability: Durability,
        store_bytes_max: int,
        users: str,
    ) -> None:
        super().__init__(
            folder,
            port=port,
            durability=durability,
            store_bytes_max=store_bytes_max,
            member=member,
            users=users,
            dies_with_parent=True,
        )
        self.name = member.name
        self.paused = False

    @property
    def store(self) -> Path:
        """Where JetStream keeps its files."""
        return self.folder / "jetstream"

    async def stop(self) -> None:
        """SIGTERM, also for a paused one."""
        self.resume()
        await super().stop()

    async def kill(self) -> None:
        await super().kill()
        self.paused = False

    def pause(self) -> None:
        """SIGSTOP: it is there, holds its connections, and says nothing."""
        self._signal(signal.SIGSTOP)
        self.paused = True

    def resume(self) -> None:
        """SIGCONT; harmless if it runs."""
        if self.paused and self.pid is not None:
            self._signal(signal.SIGCONT)
        self.paused = False

    async def page(self, path: str) -> tuple[int, Any]:
        """Status and JSON of a monitoring page; status 0 if it does not answer."""
        if self.pid is None or self.paused:
            return 0, None
        try:
            async with asyncio.timeout(PAGE_S):
                reader, writer = await asyncio.open_connection(LOOPBACK, self.monitor_port)
                try:
                    writer.write(f"GET {path} HTTP/1.0\r\n\r\n".encode())
                    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
                finally:
                    writer.close()
                    await writer.wait_closed()
            return int(head.split(b" ", 2)[1]), json.loads(body)
        except (OSError, TimeoutError, ValueError, IndexError):
            return 0, None

    def _signal(self, what: signal.Signals) -> None:
        pid = self.pid
        assert pid is not None, f"{self.name} does not run"
        os.kill(pid, what)


class NatsCluster:
    """An async context: healthy on entry; on exit every process is gone.

    ``auth_include`` is a file with accounts and users that every node reads, as ``NatsServer`` does.
    """

    def __init__(
        self,
        folder: Path,
        *,
        durability: Durability = "strict",
        store_bytes_max: int = 0,
        auth_include: Path | None = None,
    ) -> None:
        users = auth_include.read_text() if auth_include is not None else ""
        ports = free_ports(2 * NODES)
        routes = tuple(ports[NODES:])
        self.nodes = tuple(
            NatsNode(
                folder / name,
                Member(name, route, routes),
                port=port,
                durability=durability,
                store_bytes_max=store_bytes_max,
                users=users,
            )
            for name, port, route in zip((f"nats-{n}" for n in range(1, NODES + 1)), ports, routes, strict=False)
        )

    @property
    def url(self) -> str:
        """All nodes, with commas between."""
        return ",".join(node.url for node in self.nodes)

    def node(self, name: str) -> NatsNode:
        return next(node for node in self.nodes if node.name == name)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start the nodes that do not run, and wait until all are healthy."""
        try:
            async with asyncio.TaskGroup() as starting:
                for node in self.nodes:
                    if node.pid is None:
                        starting.create_task(node.start())
            await self.wait_healthy()
        except BaseException:
            await self.kill()
            raise

    async def stop(self) -> None:
        await asyncio.gather(*(node.stop() for node in self.nodes))

    async def kill(self) -> None:
        """SIGKILL to all of them: a power cut that spares the disks' caches."""
        await asyncio.gather(*(node.kill() for node in self.nodes))

    async def restart(self) -> None:
        """All of them stopped, then all started, on their ports and data."""
        await self.stop()
        await self.start()

    async def wait_healthy(self, deadline_s: float = HEALTHY_S) -> None:
        """Until the nodes have one leader, all three are current, and so is every stream. ``AssertionError`` if not."""
        deadline = asyncio.get_running_loop().time() + deadline_s
        while (wrong := await self._unhealthy()) is not None:
            assert asyncio.get_running_loop().time() < deadline, f"after {deadline_s} s: {wrong}"
            await asyncio.sleep(POLL_S)

    async def leader(self) -> NatsNode | None:
        """The node that decides about streams; ``None`` during an election."""
        for node in self.nodes:
            _, page = await node.page("/jsz")
            name = (page or {}).get("meta_cluster", {}).get("leader")
            if name:
                return self.node(name)
        return None

    async def stream_leader(self, stream: str, account: str = "") -> NatsNode | None:
        """The node that leads a stream of an account, or of any, by its own word; ``None`` if none says so.

        A node that is down or paused is never the answer.
        """
        for node in self.nodes:
            _, page = await node.page("/jsz?accounts=true&streams=true")
            for one in (page or {}).get("account_details", ()):
                for detail in one.get("stream_detail", ()) if account in ("", one["name"]) else ():
                    if detail["name"] == stream and (detail.get("cluster") or {}).get("leader") == node.name:
                        return node
        return None

    async def _unhealthy(self) -> str | None:
        """What is wrong, in words."""
        for node in self.nodes:
            status, page = await node.page("/healthz")
            if status != 200:
                return f"{node.name} is not healthy: {page}"
        leader = await self.leader()
        if leader is None:
            return "there is no leader"
        _, page = await leader.page("/jsz")
        replicas = ((page or {}).get("meta_cluster") or {}).get("replicas") or []
        if len(replicas) != NODES - 1 or not all(one["current"] and not one.get("offline") for one in replicas):
            return f"{leader.name} leads, and not all follow: {replicas}"
        return None
