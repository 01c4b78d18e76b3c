"""The same event in a house that nothing happens to: one node, and the services in one process.

It shares the rules, the cards and the bots with the house in the storm, and none of what is hit there.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec

from engine.kernel.value import Value
from services.deck.main import deck_app
from services.kit.config import Settings
from services.kit.jetstream.making import make_log
from services.kit.lifecycle import App, start_server
from services.kit.wire.house import clients_at
from services.local.nats_server import NatsServer
from services.local.plan import Service, plan_house
from services.rules.main import rules_app
from services.scoring.main import scoring_app
from services.spectator.main import spectator_app
from services.tournament.main import tournament_app
from tests.chaos.event import Event, Play, steadily
from tests.chaos.evidence import Place, places_of
from tests.chaos.house import derive_keys


class CalmHouse(Value, frozen=True):
    """Addresses of its services by name, and of its rules; ``log`` is the URL of its node."""

    named: dict[str, str]
    rules: list[str]
    log: str


async def calm_standings(data: Path, event: Event) -> tuple[Place, ...]:
    """The final standings of the event."""
    async with calm_house(data, event) as house:
        await Play(event, house.named, house.rules).run()
        async with clients_at(house.named, {}) as clients:
            return places_of(await steadily(partial(clients.tournament.standings, event.id)))


@asynccontextmanager
async def calm_house(data: Path, event: Event) -> AsyncIterator[CalmHouse]:
    derive_keys(data, event.seed)
    plan = plan_house(data, 0)
    named = {each.name: each for each in plan.services if not each.game and not each.is_web}
    rules = next(each for each in plan.services if each.game == event.game)
    async with AsyncExitStack() as stack:
        nats = await stack.enter_async_context(NatsServer(data / "nats", durability="fast"))
        await make_log(nats.url)
        here = {each.label: _settings(each, nats) for each in (*named.values(), rules)}
        for service, app in (
            (named["deck"], deck_app(here["deck"])),
            (rules, rules_app(here[rules.label], event.game)),
            (named["scoring"], scoring_app(here["scoring"])),
            (named["spectator"], spectator_app(here["spectator"])),
            (named["tournament"], tournament_app(here["tournament"])),
        ):
            await stack.enter_async_context(_serving(service, app))
        yield CalmHouse({name: each.address for name, each in named.items()}, [rules.address], nats.url)


def _settings(service: Service, nats: NatsServer) -> Settings:
    return msgspec.structs.replace(Settings(), **{**service.settings, "nats_url": nats.url, "nats_seed_file": None})


@asynccontextmanager
async def _serving(service: Service, app: AbstractAsyncContextManager[App]) -> AsyncIterator[None]:
    async with app as built:
        server = await start_server(service.label, service.address, built.register)
        running = asyncio.ensure_future(built.run())
        try:
            yield
        finally:
            await server.stop(0)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
