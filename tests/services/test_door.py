"""The front door of a house whose services run on their own tells where they are, and nothing of the deck."""

from services.door.main import places_of
from services.door.servicer import register
from services.kit.config import settings
from services.kit.lifecycle import start_server
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import describe_house
from services.kit.wire.house import connect

HERE = settings(
    {
        "TAVOLATA_DECK_ADDRESS": "deck:7400",
        "TAVOLATA_SCORING_ADDRESS": "scoring:7400",
        "TAVOLATA_SPECTATOR_ADDRESS": "spectator:7400",
        "TAVOLATA_TOURNAMENT_ADDRESS": "tournament:7400",
        "TAVOLATA_RULES_ADDRESSES": "just4fun=rules-just4fun:7400,memcel=rules-memcel:7400",
    }
)


async def test_it_tells_the_addresses_of_its_settings() -> None:
    server = await start_server("door", "127.0.0.1:0", lambda server: register(server, places_of(HERE)))
    try:
        async with open_channel(f"127.0.0.1:{server.port}") as channel:
            places = await describe_house(channel)
        assert [(place.service, place.game, place.address) for place in places] == [
            ("scoring", "", "scoring:7400"),
            ("spectator", "", "spectator:7400"),
            ("tournament", "", "tournament:7400"),
            ("rules", "just4fun", "rules-just4fun:7400"),
            ("rules", "memcel", "rules-memcel:7400"),
        ]
        async with connect(f"127.0.0.1:{server.port}") as clients:
            assert clients.rules("memcel") is not clients.rules("just4fun")
    finally:
        await server.stop(0)
