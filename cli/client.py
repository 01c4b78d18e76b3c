"""A client of the running house that ``--server`` names."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import uvloop

from services.kit.wire.house import HouseClients, connect

T = TypeVar("T")


def ask(server: str, use: Callable[[HouseClients], Awaitable[T]]) -> T:
    """Run ``use`` with the clients of a house. Raises ``Refusal`` or ``Unavailable``."""

    async def run() -> T:
        async with _house(server) as clients:
            return await use(clients)

    return uvloop.run(run())


@asynccontextmanager
async def _house(server: str) -> AsyncIterator[HouseClients]:
    async with connect(server) as clients:
        yield clients


async def game_of(clients: HouseClients, match_id: str) -> str:
    """Which game a match is one of."""
    return (await clients.scoring.match(match_id)).game
