"""The players and the spectators of the bare way, one of each a table.

    python -m bench.peers.bare_way.load SERVICE_PORT DELIVERER_PORT NAME=PID...

Reads one JSON a line, does it, answers with one: {"tables": 50, "seconds": 3} in a closed loop, the next command of a
table when the last is answered; with "rate" in an open one, so many moves a second over all tables. The CPU of the
processes that are named is read in the window that is measured.
"""

import asyncio
import itertools
import json
import sys
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Final

import grpc
import uvloop

from bench.kit.figures import quantile
from bench.peers.bare_way.wire import COMMAND_BYTES, PLAY, TABLE, WATCH, heard, say
from bench.peers.processes import cpu_us

SETTLE_S: Final = 0.3
LAST_S: Final = 5.0
COMMAND: Final = b"m" * COMMAND_BYTES


class Table:
    """``begun`` holds when each move was made that its spectator has not seen yet."""

    def __init__(self, name: str, service: grpc.aio.Channel, deliverer: grpc.aio.Channel) -> None:
        metadata = ((TABLE, name),)
        play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = service.stream_stream(f"/{PLAY[0]}/{PLAY[1]}")
        watch: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = deliverer.unary_stream(f"/{WATCH[0]}/{WATCH[1]}")
        self._play = play(metadata=metadata)
        self._watch = watch(b"", metadata=metadata)
        self._begun: deque[float] = deque()
        self._watching: asyncio.Task[None] | None = None
        self.delays: list[float] = []
        self.due: asyncio.Queue[float] = asyncio.Queue()
        self.is_over = False

    async def open(self) -> None:
        assert await self._watch.read() == b"watching"
        self._watching = asyncio.create_task(self._see())

    async def play(self) -> None:
        """The next move when the last is answered."""
        while not self.is_over:
            await self._move(time.perf_counter())

    async def play_when_due(self) -> None:
        """A move that has to wait for the one before it is late from when it was due."""
        while not self.is_over:
            await self._move(await self.due.get())

    async def close(self) -> None:
        await self._play.done_writing()
        self._watch.cancel()
        self._play.cancel()
        if self._watching is not None:
            self._watching.cancel()

    async def _move(self, begun: float) -> None:
        self._begun.append(begun)
        await self._play.write(COMMAND)
        answer = await self._play.read()
        assert isinstance(answer, bytes), "the service ended the stream"

    async def _see(self) -> None:
        while True:
            await self._watch.read()
            self.delays.append(time.perf_counter() - self._begun.popleft())


class Load:
    def __init__(self, service: grpc.aio.Channel, deliverer: grpc.aio.Channel, servers: Mapping[str, int]) -> None:
        self._service = service
        self._deliverer = deliverer
        self._servers = servers
        self._names = itertools.count()

    async def measure(self, tables: int, seconds: float, rate: float = 0.0) -> dict[str, Any]:
        playing = [Table(f"t{next(self._names)}", self._service, self._deliverer) for _ in range(tables)]
        for table in playing:
            await table.open()
        tasks = [asyncio.create_task(table.play_when_due() if rate else table.play()) for table in playing]
        if rate:
            tasks.append(asyncio.create_task(_pace(playing, rate)))
        await asyncio.sleep(SETTLE_S)
        for table in playing:
            table.delays.clear()
        began, used, own = time.perf_counter(), self._used(), time.process_time()
        await asyncio.sleep(seconds)
        took = time.perf_counter() - began
        spent = {name: after - used[name] for name, after in self._used().items()}
        owned = time.process_time() - own
        delays = [delay for table in playing for delay in table.delays]
        for table in playing:
            table.is_over = True
        for task in tasks if rate else ():
            task.cancel()
        _, late = await asyncio.wait(tasks, timeout=LAST_S)
        assert not late, "a move was not answered"
        for table in playing:
            await table.close()
        return {
            "moves": len(delays),
            "seconds": took,
            "cpu_us_of": spent,
            "load_cpu_us": owned * 1e6,
            "p50_ms": quantile(delays, 0.5) * 1e3,
            "p99_ms": quantile(delays, 0.99) * 1e3,
        }

    def _used(self) -> dict[str, int]:
        return {name: cpu_us(pid) for name, pid in self._servers.items()}


async def _pace(playing: list[Table], rate: float) -> None:
    began = time.perf_counter()
    for number in itertools.count():
        wait = began + number / rate - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        playing[number % len(playing)].due.put_nowait(time.perf_counter())


async def main(service: str, deliverer: str, *servers: str) -> None:
    named = {name: int(pid) for name, _, pid in (server.partition("=") for server in servers)}
    async with (
        grpc.aio.insecure_channel(f"127.0.0.1:{service}") as played,
        grpc.aio.insecure_channel(f"127.0.0.1:{deliverer}") as watched,
    ):
        load = Load(played, watched, named)
        say(ready=True)
        while line := await heard():
            say(**await load.measure(**json.loads(line)))


if __name__ == "__main__":
    uvloop.run(main(*sys.argv[1:]))
