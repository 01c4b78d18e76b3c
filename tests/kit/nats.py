"""A real nats-server for each test that asks for one, and a faulty line to put before it.

It takes a port that the system gives and a folder of its own, and is there in 50 ms. A stream that is deleted and made
again under its old name can show old lines for a moment, so tests do not share a server. ``nats_server`` tells the
disk now and then; ``own_nats`` tells it of every line, as a house does.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from services.kit.sockets import LOOPBACK
from services.local.nats_server import NatsServer

DEADLINE_S = 20.0


@pytest.fixture
async def nats_server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    async with NatsServer(tmp_path / "fast-nats", durability="fast") as server:
        yield server


@pytest.fixture
async def own_nats(tmp_path: Path) -> AsyncIterator[NatsServer]:
    async with NatsServer(tmp_path / "nats") as server:
        yield server


async def until(condition: Callable[[], bool | Awaitable[bool]], what: str) -> None:
    """Wait for a condition, not for a time. Fails after ``DEADLINE_S``."""
    deadline = asyncio.get_running_loop().time() + DEADLINE_S
    while True:
        met = condition()
        if met if isinstance(met, bool) else await met:
            return
        assert asyncio.get_running_loop().time() < deadline, f"still waiting until {what}"
        await asyncio.sleep(0.01)


class FaultyLine:
    """A TCP proxy before a server, or before several that are the same: each connection goes to the next of them.

    While ``deaf``, what the server answers is thrown away; while ``dead``, all is, and nobody hangs up.
    """

    def __init__(self, *ports: int, listen: int = 0) -> None:
        self._to = deque(ports)
        self._listen = listen
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self.deaf = False
        self.dead = False
        self.swallowed = 0
        """Bytes that were thrown away."""

    async def __aenter__(self) -> "FaultyLine":
        self._server = await asyncio.start_server(self._accept, LOOPBACK, self._listen)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"nats://{LOOPBACK}:{self._server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """Drop every connection; new ones are taken."""
        for writer in tuple(self._writers):
            writer.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(OSError, asyncio.CancelledError):
                back_reader, back_writer = await self._open()
                self._writers |= {writer, back_writer}
                try:
                    await asyncio.gather(
                        self._pump(reader, back_writer, answers=False), self._pump(back_reader, writer, answers=True)
                    )
                finally:
                    self._writers -= {writer, back_writer}
                    writer.close()
                    back_writer.close()
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """To the first server that is there. Raises ``OSError``."""
        for port in tuple(self._to):
            self._to.rotate(-1)
            with suppress(OSError):
                return await asyncio.open_connection(LOOPBACK, port)
        raise ConnectionRefusedError

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, answers: bool) -> None:
        with suppress(OSError):
            while chunk := await source.read(65536):
                if self.dead or (answers and self.deaf):
                    self.swallowed += len(chunk)
                    continue
                sink.write(chunk)
                await sink.drain()
        sink.close()
