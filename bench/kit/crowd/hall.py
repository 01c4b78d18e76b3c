"""Responders and their crowds: all processes that a comparison needs, on ports that are free."""

import asyncio
import resource
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from time import monotonic
from typing import Final

from bench.kit.crowd.crowd import Crowd, Tells
from bench.kit.crowd.match import MATCH, WatchedMatch
from bench.kit.crowd.source import BareSource, GatewaySource, Source
from bench.kit.house import memory_mib
from services.kit.config import GRPC
from services.kit.sockets import LOOPBACK, free_ports, is_free
from tests.e2e.command import COMMAND, descendants, environment

OPENS_S: Final = 60.0
STREAM: Final = f"/api/matches/{MATCH}/stream?patches=1"
LINE_BYTES: Final = 1 << 26
"""Of what readers tell: some samples for each reader."""
SETTLES_S: Final = 0.5


class Hall:
    """``close`` ends whoever was opened."""

    def __init__(self, match: WatchedMatch) -> None:
        self._match = match
        self._stack = AsyncExitStack()
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # those that are started here have it from us

    async def close(self) -> None:
        await self._stack.aclose()

    async def gateway(self, count: int) -> Crowd:
        """Of the house, as its process runs there; but for the spectator service it is alone."""
        source = Source(self._match)
        upstream = GatewaySource(source)
        await upstream.start()
        self._stack.push_async_callback(upstream.stop)
        (port,) = free_ports(1)
        settings = {
            **GRPC,
            "TAVOLATA_BIND": f"{LOOPBACK}:{port}",
            "TAVOLATA_SPECTATOR_ADDRESS": upstream.address,
            "TAVOLATA_LOG_LEVEL": "error",
        }
        server = await self._start([*COMMAND, "serve", "gateway"], settings)
        return await self._crowd(source, server, port, STREAM, count)

    async def bare(self, peer: str, python: Path, count: int) -> Crowd:
        """``uvicorn`` or ``granian``, as ``python`` has it."""
        source = BareSource(self._match)
        await source.start()
        self._stack.push_async_callback(source.stop)
        (port,) = free_ports(1)
        command = [str(python), "-m", "bench.peers.in_venv.event_stream", peer, str(port)]
        server = await self._start(command, {"BENCH_SOURCE": source.address, "PYTHONPATH": str(Path.cwd())})
        return await self._crowd(source, server, port, "/", count)

    async def _crowd(self, source: Tells, server: Process, port: int, path: str, count: int) -> Crowd:
        deadline = monotonic() + OPENS_S
        while is_free(LOOPBACK, port):
            assert server.returncode is None, "the server has ended"
            assert monotonic() < deadline, "the server does not listen"
            await asyncio.sleep(0.05)
        await asyncio.sleep(SETTLES_S)
        pids = {f"{pid}": pid for pid in (server.pid, *(pid for pid, _ in descendants(server.pid)))}
        before = sum(map(memory_mib, pids.values()))
        address = f"{LOOPBACK}:{port}"
        readers = await self._start([sys.executable, "-m", "bench.kit.crowd.readers", address, path, str(count)], {})
        assert readers.stdout is not None
        async with asyncio.timeout(OPENS_S):
            assert await readers.stdout.readline() == b"ready\n", "the readers have ended"
        await asyncio.sleep(SETTLES_S)
        grown = sum(map(memory_mib, pids.values())) - before
        return Crowd(source, pids, readers, count, grown * 1024 / count)

    async def _start(self, command: Sequence[str], settings: Mapping[str, str]) -> Process:
        process = await asyncio.create_subprocess_exec(
            *command, env=environment(settings), stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LINE_BYTES
        )
        self._stack.push_async_callback(_end, process)
        return process


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
        try:
            async with asyncio.timeout(5):
                await process.communicate()
        except TimeoutError:
            process.kill()
            await process.communicate()
