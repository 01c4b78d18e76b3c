"""Wiring of the gateway."""

import gc
from typing import Final

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
from services.kit.lifecycle import introduced, stand, trust_of
from services.kit.wire.house import clients_at

COLLECT_AFTER: Final = (50_000, 20, 100)
"""As ``gc.set_threshold`` has it. Every wave makes and drops a future for each of thousands of readers, and that is no
sign of garbage; looking for some at each wave was a third of the work.
"""


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

        gc.collect()
        gc.freeze()  # what has been made by now stays, and need not be looked through again
        gc.set_threshold(*COLLECT_AFTER)
        await stand(settings, readiness, lambda: start_web_server(settings.bind, app, close_streams))
