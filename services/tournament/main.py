"""Wiring of the tournament service."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from services.kit.access.signing import signing_key
from services.kit.clock import SystemClock
from services.kit.config import Settings, rules_by_game
from services.kit.family import MATCHES, TOURNAMENTS, Family
from services.kit.garbage import collect_seldom
from services.kit.jetstream import UNHURRIED_S, JetStreamLog
from services.kit.jetstream.credentials import login_of
from services.kit.key import keys_of
from services.kit.lag import Lag
from services.kit.lifecycle import App, serve, together
from services.kit.tracing import traceparent
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import MatchClient
from services.tournament.app import Tournaments
from services.tournament.census import keep_counting
from services.tournament.people import People
from services.tournament.rated import Rated
from services.tournament.servicer import register
from services.tournament.venue import RulesServices


@asynccontextmanager
async def tournament_app(settings: Settings, *, rebuild: bool = False) -> AsyncIterator[App]:
    """``rebuild`` makes the ratings anew; people are never made anew."""
    keys = keys_of(settings)
    login = login_of(settings)
    addresses = rules_by_game(settings.rules_addresses)
    clock = SystemClock()
    async with AsyncExitStack() as stack:

        async def connect(family: Family) -> JetStreamLog:
            log = await JetStreamLog.connect(
                settings.nats_url,
                login=login,
                family=family,
                partitions=settings.partitions,
                traceparent=traceparent,
                rest_s=UNHURRIED_S,
            )
            return await stack.enter_async_context(log)

        log, matches = await connect(TOURNAMENTS), await connect(MATCHES)
        channels = {game: await stack.enter_async_context(open_channel(address)) for game, address in addresses.items()}
        people = await People.open(settings.people_url, clock, password_file=settings.database_password_file)
        stack.push_async_callback(people.close)
        ratings = Rated.model(settings.database_url, password_file=settings.database_password_file)
        stack.push_async_callback(ratings.close)
        venue = RulesServices({game: MatchClient(channel) for game, channel in channels.items()})
        tournaments = Tournaments(log, matches, venue, people, ratings, keys, clock)
        stack.push_async_callback(tournaments.close)
        await tournaments.prepare(rebuild=rebuild)
        signing = None if settings.signing_key_file is None else signing_key(settings.signing_key_file)
        lag = Lag("tournament", log, lambda: tournaments.ledgers.taken)
        rated_lag = Lag("ratings", log, lambda: tournaments.rated.taken)
        yield App(
            lambda server: register(server, tournaments, signing),
            together(tournaments.run, lag.watch, rated_lag.watch, lambda: keep_counting(tournaments.ledgers)),
            {"log": lambda: log.connected, "matches": lambda: matches.connected, "lag": lag.is_small},
        )


async def main(settings: Settings, *, rebuild: bool = False) -> None:
    collect_seldom()
    await serve("tournament", settings, tournament_app(settings, rebuild=rebuild))
