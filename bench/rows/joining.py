"""What a spectator is sent who comes late to a long match, and when they see the board.

Ours is sent the position that there is, from the spectator service, and follows from there; boardgame.io sends its
state with the whole log. The match is one of 4,000 commits, that of boardgame.io one of 2,000 moves, which are 4,000
entries of its log. Connections are open before. Beside that is told what comes from the gateway, as a browser asks for
it, and what the first one waits for to whom the service has not shown the match yet.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, aclosing, asynccontextmanager
from functools import partial
from statistics import median
from typing import Final

import httpx
import uvloop
from tavolata.spectator.v1 import spectator_pb2

from bench.kit.figures import Finding, PeerMissing, Skipped, Wanted, alternate
from bench.kit.house import house
from bench.kit.openings import open_matches
from bench.kit.run import Run
from bench.peers.boardgame_io import BoardgameIo
from engine.kernel.value import Spectator
from services.kit.wire.clients import SpectatorClient
from services.kit.wire.house import connect
from tests.e2e.command import Up

NUMBER = 6
TITLE = "joining a long match"

GAME: Final = "just4fun"
SEATS: Final = 4
MATCH: Final = "long"
COMMITS: Final = 4_000
TIMES: Final = 9
"""Spectators who come, one after the other; their median counts."""
PREFIX_BYTES: Final = 5
"""Before every message of a gRPC call."""
BYTES: Final = Wanted(0.1, at_most=True)
TIME: Final = Wanted(0.5, at_most=True)

Joined = tuple[int, float]
"""Bytes and milliseconds."""


def measure(run: Run) -> Iterator[Finding | Skipped]:
    with ExitStack() as stack:
        opened = stack.enter_context(house(run.folder / "joining", "fast"))
        open_matches(opened.url, GAME, SEATS, ["another"])
        open_matches(opened.url, GAME, SEATS, [MATCH], commits=COMMITS)
        _, cold = uvloop.run(_join(opened.url, 1))
        ours = _Spectators(lambda: uvloop.run(_join(opened.url, TIMES)))
        browsers = _Spectators(lambda: uvloop.run(_browse(opened)))
        works: dict[str, Callable[[], float]] = {"ours": ours, "browsers": browsers}
        missing: Skipped | None = None
        theirs: _Spectators | None = None
        try:
            peer = stack.enter_context(BoardgameIo(run, players=SEATS, warm_s=1.0))
            theirs = works["theirs"] = _Spectators(partial(peer.join, COMMITS // 2, times=TIMES))
        except PeerMissing as reason:
            missing = Skipped(NUMBER, "boardgame.io", str(reason))
        alternate(run.rounds, works)
    told = f"the first board of a match that nobody has looked at: {cold:.0f} ms"
    yield from _findings(f"a match of {COMMITS:,} commits", ours, theirs, told)
    browser = f"{median(browsers.sizes):,.0f} bytes, {median(browsers.times):.1f} ms with the connection"
    yield Finding(
        row=NUMBER, what="the same from the gateway, as server-sent events", unit="bytes",
        ours=tuple(map(float, browsers.sizes)), note=browser,
    )  # fmt: skip
    if missing is not None:
        yield missing


class _Spectators:
    """One party's spectators, round by round. A call returns milliseconds."""

    def __init__(self, join: Callable[[], Joined]) -> None:
        self._join = join
        self.sizes: list[int] = []
        self.times: list[float] = []

    def __call__(self) -> float:
        size, ms = self._join()
        self.sizes.append(size)
        self.times.append(ms)
        return ms


def _findings(what: str, ours: _Spectators, theirs: _Spectators | None, note: str) -> Iterator[Finding]:
    against = "" if theirs is None else "boardgame.io's sync"
    yield Finding(
        row=NUMBER, what=f"joining {what}: sent", unit="bytes", ours=tuple(map(float, ours.sizes)), against=against,
        theirs=() if theirs is None else tuple(map(float, theirs.sizes)), wanted=BYTES if theirs else None,
    )  # fmt: skip
    yield Finding(
        row=NUMBER, what=f"joining {what}: to the first board", unit="ms", ours=tuple(ours.times), against=against,
        theirs=() if theirs is None else tuple(theirs.times), wanted=TIME if theirs else None, note=note,
    )  # fmt: skip


async def _join(url: str, times: int) -> Joined:
    """At the spectator service, while somebody watches if there is more than one to come."""
    async with connect(url) as clients, _watched(clients.spectator, times > 1):
        await _first(clients.spectator, "another")  # the connection is open then
        return await _median(lambda: _first(clients.spectator, MATCH), times)


@asynccontextmanager
async def _watched(spectator: SpectatorClient, is_watched: bool) -> AsyncIterator[None]:
    async with aclosing(spectator.positions(MATCH, Spectator())) as positions:
        if is_watched:
            await anext(positions)
        yield


async def _first(spectator: SpectatorClient, match: str) -> int:
    async with aclosing(spectator.positions(match, Spectator())) as positions:
        position = await anext(positions)
        return PREFIX_BYTES + spectator_pb2.WatchPositionsResponse(position=position).ByteSize()


async def _browse(opened: Up) -> Joined:
    async with httpx.AsyncClient(base_url=opened.web, timeout=30.0, trust_env=False) as client:
        return await _median(lambda: _first_frame(client), TIMES)


async def _first_frame(client: httpx.AsyncClient) -> int:
    """Up to the end of the first event that has a picture."""
    heard = b""
    async with client.stream("GET", f"/api/matches/{MATCH}/stream") as response:
        async for some in response.aiter_bytes():
            heard += some
            if b"<svg" in heard and heard.endswith(b"\n\n"):
                break
        return response.num_bytes_downloaded


async def _median(join: Callable[[], Awaitable[int]], times: int) -> Joined:
    size, seen = 0, []
    for _ in range(times):
        began = time.perf_counter()
        size = await join()
        seen.append(1000 * (time.perf_counter() - began))
        await asyncio.sleep(0)
    return size, median(seen)
