"""A real nats-server for each test that asks for one.

It takes a port that the system gives and a folder of its own, and is there in 50 ms. A stream that is deleted and made
again under its old name can show old lines for a moment, so tests do not share a server. ``nats_server`` tells the
disk now and then; ``own_nats`` tells it of every line, as a house does.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from nats.aio.client import Client

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


async def arrived(client: Client) -> None:
    """Whatever this stock client has said is known to the server: its ping overtakes what it has not written yet, so
    the answer to a second one is what proves it.
    """
    for _ in range(2):
        await client.flush()


async def until(condition: Callable[[], bool | Awaitable[bool]], what: str) -> None:
    """Wait for a condition, not for a time. Fails after ``DEADLINE_S``."""
    deadline = asyncio.get_running_loop().time() + DEADLINE_S
    while True:
        met = condition()
        if met if isinstance(met, bool) else await met:
            return
        assert asyncio.get_running_loop().time() < deadline, f"still waiting until {what}"
        await asyncio.sleep(0.01)
