"""A TCP proxy to put before a server, or before several that are the same: a line that loses answers, loses questions,
is slow, drops, or is not there.

Bytes are carried as they come, and shown to ``heard`` if somebody listens in. No real line loses some of them and goes
on; with one question at a time what is lost here is a whole answer, and that is what happens to a client whose server
answers and dies.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from services.kit.sockets import LOOPBACK, free_ports

CHUNK_BYTES: Final = 65_536


class FaultyLine:
    """An async context; ``ports`` are the servers', each connection goes to the next of them that is there, and
    ``listen`` is its own, 0 for a free one. Faults are attributes and may be set and taken back at any time.
    """

    def __init__(self, *ports: int, listen: int = 0, heard: Callable[[bytes], None] | None = None) -> None:
        self._to = deque(ports)
        self._heard = heard
        self.port = listen or free_ports(1)[0]
        """Where it listens on loopback."""
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self.deaf = False
        """What the server answers is thrown away."""
        self.mute = False
        """What the client says is thrown away."""
        self.delay_s = 0.0
        """How long each piece waits, in either direction."""
        self.swallowed = 0
        """Bytes of answers that were thrown away."""

    async def __aenter__(self) -> "FaultyLine":
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.shut()

    async def open(self) -> None:
        """Take connections again, on the same port."""
        self._server = await asyncio.start_server(self._accept, LOOPBACK, self.port)

    async def shut(self) -> None:
        """Drop every connection, and refuse new ones."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
            self.cut()
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await server.wait_closed()

    @property
    def url(self) -> str:
        return f"nats://{LOOPBACK}:{self.port}"

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
        """To the next server that is there. Raises ``OSError``."""
        for port in tuple(self._to):
            self._to.rotate(-1)
            with suppress(OSError):
                return await asyncio.open_connection(LOOPBACK, port)
        raise ConnectionRefusedError

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, answers: bool) -> None:
        with suppress(OSError, RuntimeError):  # uvloop says the latter of a connection that was cut meanwhile
            while chunk := await source.read(CHUNK_BYTES):
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                if not answers and self._heard is not None:
                    self._heard(chunk)
                if answers and self.deaf:
                    self.swallowed += len(chunk)
                elif answers or not self.mute:
                    sink.write(chunk)
                    await sink.drain()
        sink.close()
