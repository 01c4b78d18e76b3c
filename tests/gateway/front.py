"""A gateway before a small house, all in one process: real sockets outside, real gRPC inside, the clock of the test."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
from fastapi import FastAPI

from engine.kernel.ports import Clock, Log
from services.deck.servicer import Dealer
from services.gateway.app import OPEN, Access, web_app
from services.gateway.assets import Assets
from services.gateway.reach import Reach
from services.gateway.server import WebServer, start_web_server
from services.gateway.streams.hub import Hub
from services.gateway.streams.lobby import Lobby
from services.gateway.streams.noticeboard import Noticeboard
from services.kit.memory_log import MemoryLog
from services.kit.wire.house import clients_at
from tests.kit.nats import until
from tests.services.small_house import GAME, SmallHouse, small_house

DEADLINE_S = 10.0


class Front:
    """``client`` is somebody at the door of ``house``."""

    def __init__(self, house: SmallHouse, game: str, app: FastAPI, hub: Hub, server: WebServer) -> None:
        self.house = house
        self.game = game
        self.app = app
        self.hub = hub
        self.server = server
        self.url = f"http://127.0.0.1:{server.port}"
        self.client = httpx.AsyncClient(base_url=self.url, timeout=DEADLINE_S, trust_env=False)
        self._keys = 0

    async def get(self, address: str, **query: Any) -> httpx.Response:
        return await self.client.get(address, params=query or None)

    async def post(self, path: str, body: Any, key: str = "", **headers: str) -> httpx.Response:
        self._keys += 1
        named = {"Idempotency-Key": key or f"k{self._keys}"}
        return await self.client.post(path, json=body, headers=named | headers)

    async def open(self, match: str, seats: int = 2, **more: Any) -> None:
        answer = await self.post("/api/matches", {"match": match, "game": self.game, "seats": seats} | more)
        assert answer.status_code == 201, answer.text

    async def move(self, match: str) -> int:
        """The first move that the menus lead to, by whoever is pending; the revision of it."""
        seats = (await self.get(f"/api/matches/{match}", viewer="seat:0")).json()["pending_seats"]
        path: list[str] = []
        while True:
            menu = (await self.get(f"/api/matches/{match}/choices", seat=seats[0], path=path)).json()
            if menu["command"] is not None:
                break
            path.append(menu["choices"][0]["key"])
        answer = await self.post(f"/api/matches/{match}/commands", {"seat": seats[0], "command": menu["command"]})
        assert answer.status_code == 200, answer.text
        return int(answer.json()["revision"])

    async def finish(self, match: str, seats: int = 2) -> None:
        """All seats but the last leave; returns when the match is complete."""
        for seat in range(seats - 1):
            command = {"type": "tavolata.leave", "v": 1, "data": {"seat": seat}}
            answer = await self.post(f"/api/matches/{match}/commands", {"seat": seat, "command": command})
            assert answer.status_code == 200, answer.text

        async def is_complete() -> bool:
            return bool((await self.get(f"/api/matches/{match}", viewer="seat:0")).json()["complete"])

        await until(is_complete, f"{match} is complete")

    @asynccontextmanager
    async def lines(self, path: str, **query: Any) -> AsyncIterator[AsyncGenerator[dict[str, Any], None]]:
        """The frames of a stream, as lines."""
        headers = {"Accept": "application/x-ndjson"}
        async with self.client.stream("GET", path, params=query or None, headers=headers) as response:
            assert response.status_code == 200, await response.aread()
            yield _frames(response)

    @asynccontextmanager
    async def events(
        self, path: str, headers: dict[str, str] | None = None, **query: Any
    ) -> AsyncIterator[AsyncGenerator[dict[str, Any], None]]:
        """The frames of a stream of server-sent events: ``event``, ``id`` and ``retry``, as far as they were sent,
        and the fields of the data.
        """
        async with self.client.stream("GET", path, params=query or None, headers=headers or {}) as response:
            assert response.status_code == 200, await response.aread()
            yield _events(response)

    async def close(self) -> None:
        self.app.state.bodies.close()
        await self.hub.close()
        await self.app.state.answers.close()


async def _frames(response: httpx.Response) -> AsyncGenerator[dict[str, Any], None]:
    async for line in response.aiter_lines():
        yield msgspec.json.decode(line)


async def _events(response: httpx.Response) -> AsyncGenerator[dict[str, Any], None]:
    event: dict[str, Any] = {}
    async for line in response.aiter_lines():
        if not line:
            if event:
                yield event
            event = {}
            continue
        name, _, value = line.partition(": ")
        event |= msgspec.json.decode(value) if name == "data" else {name or "comment": value}


@asynccontextmanager
async def front(
    folder: Path,
    *,
    game: str = GAME,
    log: Log | None = None,
    luck: Dealer | None = None,
    clock: Clock | None = None,
    access: Access = OPEN,
) -> AsyncIterator[Front]:
    """Open on entry; on exit everything has stopped."""
    async with AsyncExitStack() as stack:
        house = await stack.enter_async_context(
            small_house(log or MemoryLog(), folder, game=game, luck=luck, clock=clock, trust=access.trust)
        )
        named = {"spectator": house.addresses["spectator"], "scoring": house.addresses["scoring"]}
        nobody = {"tournament": "127.0.0.1:9"}
        clients = await stack.enter_async_context(clients_at(named | nobody, {game: house.addresses["rules"]}))
        hub = Hub(clients.spectator)
        notices = Noticeboard(clients.tournament)
        stack.push_async_callback(notices.close)
        lobby = Lobby(clients.scoring, notices)
        stack.push_async_callback(lobby.close)
        app = web_app(Reach(clients, hub, notices, lobby), Assets({}), access=access)
        opened: list[Front] = []
        server = await start_web_server("127.0.0.1:0", app, lambda: opened[0].close())
        stack.push_async_callback(server.stop, 0)
        opened.append(Front(house, game, app, hub, server))
        stack.push_async_callback(opened[0].client.aclose)
        yield opened[0]


async def first(frames: AsyncGenerator[dict[str, Any], None], count: int) -> list[dict[str, Any]]:
    """The next frames of a stream."""
    async with asyncio.timeout(DEADLINE_S):
        return [await anext(frames) for _ in range(count)]


async def rest(frames: AsyncGenerator[dict[str, Any], None]) -> list[dict[str, Any]]:
    """All that a stream still tells."""
    async with asyncio.timeout(DEADLINE_S):
        return [each async for each in frames]
