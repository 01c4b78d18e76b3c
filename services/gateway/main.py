"""Wiring of the gateway."""

from services.gateway.app import web_app
from services.gateway.assets import Assets
from services.gateway.reach import Reach
from services.gateway.server import start_web_server
from services.gateway.streams.hub import Hub
from services.gateway.streams.lobby import Lobby
from services.gateway.streams.noticeboard import Noticeboard
from services.kit.config import Settings, rules_by_game
from services.kit.lifecycle import introduce, stand
from services.kit.wire.house import clients_at


async def main(settings: Settings) -> None:
    introduce("gateway", settings)
    assets = Assets.read()
    addresses = {
        "spectator": settings.spectator_address,
        "scoring": settings.scoring_address,
        "tournament": settings.tournament_address,
    }
    async with clients_at(addresses, rules_by_game(settings.rules_addresses)) as house:
        hub = Hub(house.spectator)
        notices = Noticeboard(house.tournament)
        lobby = Lobby(house.scoring, house.tournament)
        app = web_app(Reach(house, hub, notices, lobby), assets)

        async def close_streams() -> None:
            await lobby.close()
            await notices.close()
            await hub.close()

        await stand(settings, lambda: start_web_server(settings.bind, app, close_streams))
