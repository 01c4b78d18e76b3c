"""Whoever stops watching without a word leaves nothing behind: no handler, no reader, no room that is held."""

import asyncio
import gc
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from prometheus_client import REGISTRY

from engine.kernel.value import SeatView, Spectator
from services.kit.lifecycle import start_server
from services.kit.memory_log import MemoryLog
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import ScoringClient, SpectatorClient
from services.kit.wire.tournament import TournamentClient
from services.tournament.servicer import register
from tests.kit.nats import DEADLINE_S, until
from tests.services.small_house import SmallHouse, small_house
from tests.services.tournaments import T, World, entered

WATCHES = 400
"""In each of three ways: more than a thousand."""
MATCHES = [f"m-{number}" for number in range(5)]
METHODS = {
    "WatchMany": "spectator",
    "WatchPositions": "spectator",
    "WatchMatches": "scoring",
    "WatchTournament": "tournament",
}

Watch = Callable[[], AsyncGenerator[Any, None]]


class Clients:
    """One of each, and what they watch, by turns."""

    def __init__(self, spectator: SpectatorClient, scoring: ScoringClient, tournament: TournamentClient) -> None:
        self._spectator = spectator
        self._scoring = scoring
        self._tournament = tournament

    def watch(self, number: int) -> AsyncGenerator[Any, None]:
        match = MATCHES[number // 4 % len(MATCHES)]
        viewer = SeatView(0) if number % 8 < 4 else Spectator()
        kinds: tuple[Watch, ...] = (
            lambda: self._spectator.facts(match, viewer),
            lambda: self._spectator.positions(match, viewer),
            lambda: self._scoring.watch(),
            lambda: self._tournament.watch(T),
        )
        return kinds[number % 4]()


@asynccontextmanager
async def clients_at(addresses: dict[str, str]) -> AsyncIterator[Clients]:
    async with AsyncExitStack() as stack:
        channels = {name: await stack.enter_async_context(open_channel(at)) for name, at in addresses.items()}
        yield Clients(
            SpectatorClient(channels["spectator"]),
            ScoringClient(channels["scoring"]),
            TournamentClient(channels["tournament"]),
        )


@asynccontextmanager
async def watched_house(folder: Path) -> AsyncIterator[tuple[SmallHouse, dict[str, str]]]:
    world = World(folder)
    async with small_house(MemoryLog(), folder) as house, world.host() as host:
        for match in MATCHES:
            await house.host.open(match, seats=2)
        await entered(host, 4)
        server = await start_server("tournament", "127.0.0.1:0", lambda server: register(server, host))
        try:
            yield house, house.addresses | {"tournament": f"127.0.0.1:{server.port}"}
        finally:
            await server.stop(0)


def running(method: str) -> int:
    """Of facts the watches, which share a call."""
    if method == "WatchMany":
        return int(REGISTRY.get_sample_value("tavolata_watches_open") or 0)
    labels = {"service": METHODS[method], "method": method}
    return int(REGISTRY.get_sample_value("tavolata_calls_open", labels) or 0)


async def all_run(count: int) -> None:
    await until(lambda: sum(map(running, METHODS)) >= count, f"{count} watches run")
    assert {running(method) for method in METHODS} == {count // 4}


async def nothing_is_left(house: SmallHouse) -> None:
    await until(lambda: not any(map(running, METHODS)), "no handler runs any more")
    rooms = house.gallery._rooms
    assert {room.readers for room in rooms.values()} == {0}
    assert not [reader for room in rooms.values() for readers in room._readers.values() for reader in readers]
    assert set(rooms) == set(MATCHES)


async def first_of(stream: AsyncGenerator[Any, None]) -> None:
    """What somebody does who has seen enough: the stream is neither read on nor closed."""
    async for _ in stream:
        break


async def test_streams_that_are_left_without_being_closed(tmp_path: Path) -> None:
    async with watched_house(tmp_path) as (house, addresses), clients_at(addresses) as clients:
        streams = [clients.watch(number) for number in range(WATCHES)]
        await asyncio.gather(*map(first_of, streams))
        await all_run(WATCHES)
        streams.clear()
        gc.collect()
        await nothing_is_left(house)


async def test_tasks_that_are_cancelled_while_they_watch(tmp_path: Path) -> None:
    async def read(stream: AsyncGenerator[Any, None]) -> None:
        async for _ in stream:
            pass

    async with watched_house(tmp_path) as (house, addresses), clients_at(addresses) as clients:
        tasks = [asyncio.create_task(read(clients.watch(number))) for number in range(WATCHES)]
        await all_run(WATCHES)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await nothing_is_left(house)


async def test_a_client_that_is_killed(tmp_path: Path) -> None:
    async with watched_house(tmp_path) as (house, addresses):
        given = [f"{name}={address}" for name, address in addresses.items()]
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.services.test_abandoned", str(WATCHES), *given
        )
        try:
            await all_run(WATCHES)
        finally:
            with suppress(ProcessLookupError):
                child.send_signal(signal.SIGKILL)
            await child.wait()
        await nothing_is_left(house)


async def main(count: int, addresses: dict[str, str]) -> None:
    """The client that will be killed."""
    async with clients_at(addresses) as clients:
        streams = [clients.watch(number) for number in range(count)]
        await asyncio.gather(*map(first_of, streams))
        await asyncio.sleep(2 * DEADLINE_S)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), dict(each.split("=") for each in sys.argv[2:])))
