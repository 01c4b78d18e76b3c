"""A gateway before a small house with a tournament service, and an event to look at."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from tavolata.tournament.v1 import tournament_pb2 as pb

from services.gateway.app import web_app
from services.gateway.assets import Assets
from services.gateway.reach import Reach
from services.gateway.streams.hub import Hub
from services.gateway.streams.lobby import Lobby
from services.gateway.streams.noticeboard import Noticeboard
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import MatchClient, ScoringClient, SpectatorClient
from services.kit.wire.house import HouseClients
from services.kit.wire.tournament import TournamentClient
from tests.kit.nats import until
from tests.services.hosts import leave
from tests.services.small_house import GAME
from tests.services.test_tournament_wire import PAIRS, ask, desk
from tests.services.tournaments import ORGANISER, T

NAMES = ("Ana", "Bo", "<Cy>", "Di")
FINAL = """
[[stages]]
name = "final"
format = "elimination"
games = ["just4fun"]
entrants = 2
final = 2
smallest = 2
target = 2
largest = 2
"""


class Front:
    """``web`` speaks to the gateway, ``client`` to the tournament service behind it."""

    def __init__(
        self, web: httpx.AsyncClient, client: TournamentClient, rules: MatchClient, notices: Noticeboard
    ) -> None:
        self.web = web
        self.notices = notices
        self.client = client
        self.rules = rules

    async def get(self, path: str, **query: Any) -> Any:
        """The JSON document below ``/api/tournaments/<event>``."""
        answer = await self.web.get(f"/api/tournaments/{T}{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def begin(self) -> None:
        """Four people, and their registration closed."""
        await self.client.create(T, PAIRS.replace("rounds = 2", "rounds = 1") + FINAL, "ana")
        await ask(self.client, "open_registration")
        await self.client.register(T, "people", ORGANISER, [pb.Person(name=name) for name in NAMES])
        await ask(self.client, "close_registration")

    async def publish(self) -> None:
        """The round is published, started, and its matches are open."""
        await self.client.draft_round(T, "draft-1", ORGANISER)
        await ask(self.client, "publish_round")
        await ask(self.client, "start_round")

        async def are_open() -> bool:
            return (await self.client.status(T)).open == 2

        await until(are_open, "both matches are open")
        await self.heard()

    async def play(self) -> None:
        """At both tables whoever sits in seat 1 leaves, so seat 0 wins."""
        for table in (await self.client.round(T)).tables:
            await self.rules.act(table.match_id, "gives-up", 1, leave(1))

        async def is_closed() -> bool:
            return (await self.client.tournament(T)).tournament.round_phase == "closed"

        await until(is_closed, "the round is closed")
        await self.heard()

    async def heard(self) -> None:
        """The gateway knows of all that was done behind its back."""

        async def is_told() -> bool:
            revision = (await self.client.tournament(T)).tournament.revision
            return self.notices.revision(T) in (None, revision)

        await until(is_told, "the event is told as it stands")


@asynccontextmanager
async def front(folder: Path) -> AsyncIterator[Front]:
    async with desk(folder) as (house, client, rules), AsyncExitStack() as stack:
        spectator = SpectatorClient(await stack.enter_async_context(open_channel(house.addresses["spectator"])))
        scoring = ScoringClient(await stack.enter_async_context(open_channel(house.addresses["scoring"])))
        hub, notices = Hub(spectator), Noticeboard(client)
        lobby = Lobby(scoring, notices)
        stack.push_async_callback(hub.close)
        stack.push_async_callback(notices.close)
        clients = HouseClients(spectator, scoring, client, {GAME: rules})
        app = web_app(Reach(clients, hub, notices, lobby), Assets({}))
        web = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://house")
        yield Front(await stack.enter_async_context(web), client, rules, notices)
