"""Wiring of the gateway."""

from services.gateway.app import Access, web_app
from services.gateway.assets import Assets
from services.gateway.origins import hosts_of
from services.gateway.proxies import networks_of
from services.gateway.reach import Reach
from services.gateway.server import start_web_server
from services.gateway.streams.hub import Hub
from services.gateway.streams.lobby import Lobby
from services.gateway.streams.noticeboard import Noticeboard
from services.kit.config import Settings, rules_by_game
from services.kit.garbage import collect_seldom
from services.kit.lifecycle import introduced, stand, trust_of
from services.kit.wire.house import clients_at


async def main(settings: Settings) -> None:
    origins = tuple(each for each in settings.origins.split(",") if each)
    access = Access(trust_of(settings), origins, networks_of(settings.proxies))
    assets = Assets.read()
    addresses = {
        "spectator": settings.spectator_address,
        "scoring": settings.scoring_address,
        "tournament": settings.tournament_address,
    }
    async with (
        introduced("gateway", settings) as readiness,
        clients_at(addresses, rules_by_game(settings.rules_addresses)) as house,
    ):
        hub = Hub(house.spectator)
        notices = Noticeboard(house.tournament)
        lobby = Lobby(house.scoring, notices)
        app = web_app(Reach(house, hub, notices, lobby), assets, hosts_of(settings.bind, settings.hosts), access)

        async def close_streams() -> None:
            app.state.bodies.close()
            await lobby.close()
            await notices.close()
            await hub.close()
            await app.state.answers.close()

        collect_seldom()
        await stand(settings, readiness, lambda: start_web_server(settings.bind, app, close_streams))
