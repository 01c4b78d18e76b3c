"""One match with thousands of people looking at it: what a gateway costs, beside a bare Starlette that sends the same.

    python -m bench.gateway --readers 5000

A house of processes, a match that a program plays at a fixed pace, and readers in processes of their own, on raw
sockets. First all of them read at the gateway, then at a responder that is told the same frames by the gateway and does
nothing but pass them on. For both: revisions lost (there must be none), CPU of the server a delivery, delay from the
commit to the reader, memory a reader. Progress goes to stderr if that is a terminal, the figures to stdout.
"""

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from typing import Any, Final, cast
from urllib.parse import urlsplit

import httpx
import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from tests.e2e.command import Up, up

MATCH: Final = "watched"
PROCESSES: Final = 2
"""Of readers."""
SAMPLED: Final = 20
"""One reader in so many measures its delays: the readers share the machine with what is measured."""
AT_ONCE: Final = 200
"""Connections that are opened at the same time."""
SETTLE_S: Final = 2.0
TICKS: Final = 100
"""Of ``/proc/<pid>/stat`` a second."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=5_000)
    parser.add_argument("--moves", type=int, default=12)
    parser.add_argument("--pace", type=float, default=2.0, help="seconds from one move to the next")
    parser.add_argument("--whole", action="store_true", help="every position with its whole picture")
    parser.add_argument("--part", choices=("readers", "bare"), help=argparse.SUPPRESS)
    parser.add_argument("--url", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    _raise_limits()
    if asked.part == "readers":
        uvloop.run(_read(asked.url, asked.readers))
    elif asked.part == "bare":
        uvloop.run(_pass_on(asked.url))
    else:
        with tempfile.TemporaryDirectory() as folder, up(Path(folder)) as house:
            asyncio.run(_measure(house, asked))


# -- what is measured --------------------------------------------------------------------------------------------------


async def _measure(house: Up, asked: argparse.Namespace) -> None:
    async with httpx.AsyncClient(base_url=house.web, timeout=30.0, trust_env=False) as client:
        player = _Player(client)
        await player.open()
        path = f"/api/matches/{MATCH}/stream?patches={0 if asked.whole else 1}"
        stream = house.web.rstrip("/") + path
        gateway = await _phase("gateway", stream, _gateway_of(house), player, asked)
        bare = await asyncio.create_subprocess_exec(
            *_ourselves("bare", stream), stdout=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.PIPE
        )
        assert bare.stdout is not None
        port = int(await bare.stdout.readline())
        plain = await _phase("bare Starlette", f"http://127.0.0.1:{port}/", bare.pid, player, asked)
        bare.terminate()
        await bare.wait()
    print(f"{asked.readers} readers, {asked.moves} moves, one in {asked.pace} s")
    for name, figures in (("gateway", gateway), ("bare Starlette", plain)):
        print(f"{name:15} {figures}")
    ratio = gateway.cpu_us / plain.cpu_us
    print(f"{ratio:.2f} of the CPU of a bare Starlette a delivery; to be below 1.5, and nothing lost")
    sys.exit(0 if ratio < 1.5 and not gateway.lost else 1)


class _Figures:
    def __init__(self, told: list[dict[str, Any]], cpu_s: float, memory: int, readers: int) -> None:
        self.lost = sum(each["lost"] for each in told)
        self.frames = sum(each["frames"] for each in told)
        self.bytes = sum(each["bytes"] for each in told)
        self.cpu_us = cpu_s * 1e6 / max(1, self.frames)
        delays = sorted(delay for each in told for delay in each["delays"])
        cuts = quantiles(delays, n=100) if len(delays) > 1 else [0.0] * 99
        self.delays = cuts[49], cuts[98]
        self.memory_kb = memory / readers / 1024

    def __str__(self) -> str:
        p50, p99 = self.delays
        return (
            f"{self.lost} lost of {self.frames} frames, {self.bytes / max(1, self.frames):.0f} bytes each; "
            f"{self.cpu_us:.1f} us CPU a delivery; delay {p50:.0f} ms p50, {p99:.0f} ms p99; "
            f"{self.memory_kb:.1f} kB a reader"
        )


async def _phase(name: str, url: str, server: int, player: "_Player", asked: argparse.Namespace) -> _Figures:
    before = _memory(server)
    readers = [
        await asyncio.create_subprocess_exec(
            *_ourselves("readers", url, "--readers", str(asked.readers // PROCESSES)),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**26,
        )
        for _ in range(PROCESSES)
    ]  # fmt: skip
    for reader in readers:
        assert reader.stdout is not None
        await reader.stdout.readline()
    _say(f"{name}: {asked.readers} readers are there")
    await asyncio.sleep(SETTLE_S)
    memory, cpu = _memory(server) - before, _cpu_s(server)
    for number in range(asked.moves):
        await player.move()
        _say(f"{name}: move {number + 1} of {asked.moves}")
        await asyncio.sleep(asked.pace)
    newest = await player.newest()
    await asyncio.sleep(SETTLE_S)
    cpu = _cpu_s(server) - cpu
    told = [json.loads((await reader.communicate(f"{newest}\n".encode()))[0]) for reader in readers]
    _say("")
    return _Figures(told, cpu, memory, asked.readers)


class _Player:
    """Plays both seats, by the menus."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self._moves = 0

    async def open(self) -> None:
        await self._post("/api/matches", {"match": MATCH, "game": "just4fun", "seats": 4}, "open")

    async def newest(self) -> int:
        return int((await self._get("")).get("newest", 0))

    async def move(self) -> None:
        seats: list[int] = []
        while not seats:
            seats = (await self._get("?viewer=seat:0"))["pending_seats"]
        query, command = f"?seat={seats[0]}", None
        while command is None:
            menu = await self._get(f"/choices{query}")
            command = menu["command"]
            query += f"&path={menu['choices'][0]['key']}" if command is None else ""
        self._moves += 1
        await self._post(f"/api/matches/{MATCH}/commands", {"seat": seats[0], "command": command}, f"k{self._moves}")

    async def _get(self, path: str) -> dict[str, Any]:
        told: dict[str, Any] = (await self._client.get(f"/api/matches/{MATCH}{path}")).raise_for_status().json()
        return told

    async def _post(self, path: str, body: Any, key: str) -> None:
        (await self._client.post(path, json=body, headers={"Idempotency-Key": key})).raise_for_status()


# -- readers -----------------------------------------------------------------------------------------------------------


class _Reader(asyncio.Protocol):
    """Counts what it is told, and what it should have been told. ``instants`` are those of commits, by revision."""

    def __init__(self, url: str, instants: dict[int, float], *, is_sampled: bool) -> None:
        parts = urlsplit(url)
        self._request = f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode()
        self._instants = instants
        self._is_sampled = is_sampled
        self._kept = b""
        self.begun = asyncio.get_running_loop().create_future()
        self.revision = 0
        self.lost = 0
        self.frames = 0
        self.bytes = 0
        self.delays: list[float] = []

    def itself(self) -> "_Reader":
        """For who makes a protocol by calling something."""
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).write(self._request)

    def data_received(self, data: bytes) -> None:
        self.bytes += len(data)
        *frames, self._kept = (self._kept + data).split(b"\n\n")
        for frame in frames:
            if b"event: fact\n" in frame:
                self._take(frame)
            elif b"event: position\n" in frame and not self.begun.done():
                self.revision = int(frame.partition(b'"revision":')[2].partition(b",")[0])
                self.begun.set_result(None)
                self.bytes = 0
                continue
            self.frames += b"event: " in frame

    def _take(self, frame: bytes) -> None:
        revision = int(frame.partition(b"\nid: ")[2].partition(b"\n")[0])
        if self.revision:
            self.lost += revision - self.revision - 1
        self.revision = revision
        if not self.begun.done():
            self.begun.set_result(None)
        if self._is_sampled:
            if revision not in self._instants:
                at = frame.partition(b'"at":"')[2][:26].decode()
                self._instants[revision] = datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp()
            self.delays.append((time.time() - self._instants[revision]) * 1000)


async def _read(url: str, count: int) -> None:
    loop = asyncio.get_running_loop()
    instants: dict[int, float] = {}
    host, _, port = urlsplit(url).netloc.partition(":")
    readers: list[_Reader] = []
    while len(readers) < count:
        some = [_Reader(url, instants, is_sampled=(len(readers) + each) % SAMPLED == 0)
                for each in range(min(AT_ONCE, count - len(readers)))]  # fmt: skip
        await asyncio.gather(*(loop.create_connection(each.itself, host, int(port)) for each in some))
        await asyncio.gather(*(each.begun for each in some))
        readers += some
    print("ready", flush=True)
    newest = int(await asyncio.to_thread(sys.stdin.readline))
    told = {
        "lost": sum(each.lost + newest - each.revision for each in readers),
        "frames": sum(each.frames for each in readers),
        "bytes": sum(each.bytes for each in readers),
        "delays": [delay for each in readers for delay in each.delays],
    }
    print(json.dumps(told), flush=True)


# -- what it is measured beside ----------------------------------------------------------------------------------------


async def _pass_on(url: str) -> None:
    """A responder as one would write it first: a list of frames, an event, a streaming response."""
    frames: list[bytes] = []
    first = b""
    news = asyncio.Event()

    async def told(_: Request) -> StreamingResponse:
        async def body() -> AsyncIterator[bytes]:
            nonlocal news
            at = len(frames)
            yield first
            while True:
                while at < len(frames):
                    yield frames[at]
                    at += 1
                await news.wait()

        return StreamingResponse(body(), media_type="text/event-stream")

    async def follow() -> None:
        nonlocal news, first
        async with httpx.AsyncClient(timeout=None, trust_env=False) as client, client.stream("GET", url) as source:
            kept = b""
            async for data in source.aiter_raw():
                *whole, kept = (kept + data).split(b"\n\n")
                for frame in whole:
                    if b"event: position\n" in frame and not first:
                        first = frame + b"\n\n"
                    elif b"event: " in frame:
                        frames.append(frame + b"\n\n")
                        now, news = news, asyncio.Event()
                        now.set()

    config = uvicorn.Config(Starlette(routes=[Route("/", told)]), port=0, log_config=None, access_log=False, ws="none",
                            http="httptools", lifespan="off", backlog=4_096)  # fmt: skip
    server = uvicorn.Server(config)
    following = asyncio.create_task(follow())
    serving = asyncio.create_task(server.serve())
    while not (server.started and first):  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)
    await asyncio.wait({following, serving}, return_when=asyncio.FIRST_COMPLETED)


# -- the machine -------------------------------------------------------------------------------------------------------


def _gateway_of(house: Up) -> int:
    for pid, _ in house.descendants():
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if b"gateway" in command or any(part.startswith(b"services.gateway") for part in command):
            return pid
    raise AssertionError("no gateway runs")


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _memory(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()


def _raise_limits() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _ourselves(part: str, url: str, *more: str) -> list[str]:
    return [sys.executable, "-m", "bench.gateway", "--part", part, "--url", url, *more]


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
