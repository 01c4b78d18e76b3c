"""Server-sent events as one writes them first, and nothing else: what a source says is passed on to every reader.

``app`` is ASGI, for uvicorn, ``rsgi`` is RSGI, for granian; neither has a framework. Whoever reads is told the first
lot of bytes, and then each lot that comes. It imports nothing of ours: a peer has an environment of its own.

    python -m bench.peers.in_venv.event_stream uvicorn|granian PORT    BENCH_SOURCE=host:port
"""

import asyncio
import os
import sys
from typing import Any

frames: list[bytes] = []
begun = asyncio.Event()
news = asyncio.Event()
following: list["asyncio.Task[None]"] = []


async def follow() -> None:
    """Until the source has gone."""
    global news
    host, _, port = os.environ["BENCH_SOURCE"].partition(":")
    reader, _ = await asyncio.open_connection(host, int(port))
    while True:
        size = int(await reader.readexactly(8), 16)
        frames.append(await reader.readexactly(size))
        now, news = news, asyncio.Event()
        now.set()
        begun.set()


def follow_once() -> None:
    if not following:
        following.append(asyncio.get_running_loop().create_task(follow()))


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    follow_once()
    await begun.wait()
    headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    at = len(frames)
    await send({"type": "http.response.body", "body": frames[0], "more_body": True})
    while True:
        while at < len(frames):
            await send({"type": "http.response.body", "body": frames[at], "more_body": True})
            at += 1
        await news.wait()


async def rsgi(scope: Any, protocol: Any) -> None:
    follow_once()
    await begun.wait()
    answer = protocol.response_stream(200, [("content-type", "text/event-stream"), ("cache-control", "no-store")])
    at = len(frames)
    await answer.send_bytes(frames[0])
    while True:
        while at < len(frames):
            await answer.send_bytes(frames[at])
            at += 1
        await news.wait()


def serve_uvicorn(port: int) -> None:
    import uvicorn

    uvicorn.run(app, host="127.0.0.1", port=port, log_config=None, access_log=False, ws="none", http="httptools",
                loop="uvloop", lifespan="off", backlog=4_096)  # fmt: skip


def serve_granian(port: int) -> None:
    from granian import Granian
    from granian.constants import Interfaces, Loops

    server = Granian(
        "bench.peers.in_venv.event_stream:rsgi", address="127.0.0.1", port=port, interface=Interfaces.RSGI, workers=1,
        loop=Loops.uvloop, backlog=4_096, backpressure=20_000, websockets=False, log_enabled=False,
    )  # fmt: skip
    server.serve()


if __name__ == "__main__":
    {"uvicorn": serve_uvicorn, "granian": serve_granian}[sys.argv[1]](int(sys.argv[2]))
