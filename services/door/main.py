"""Wiring of the front door of a house whose services run on their own: it tells the addresses in its settings.

``tavolata up`` has a front door in its own process and needs none of this.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from tavolata.house.v1 import house_pb2

from services.door.servicer import register
from services.kit.config import Settings, rules_by_game
from services.kit.lifecycle import App, serve


def places_of(settings: Settings) -> Sequence[house_pb2.Place]:
    """Where clients find what. The deck is nobody's business but the rules services'."""
    addresses = {
        "scoring": settings.scoring_address,
        "spectator": settings.spectator_address,
        "tournament": settings.tournament_address,
    }
    return [
        *(house_pb2.Place(service=service, address=address) for service, address in addresses.items()),
        *(
            house_pb2.Place(service="rules", game=game, address=address)
            for game, address in rules_by_game(settings.rules_addresses).items()
        ),
    ]


@asynccontextmanager
async def door_app(settings: Settings) -> AsyncIterator[App]:
    yield App(lambda server: register(server, places_of(settings)), asyncio.Event().wait)


async def main(settings: Settings) -> None:
    await serve("door", settings, door_app(settings))
