"""Wiring of one game's rules service."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engine.games import find_game
from services.kit.clock import SystemClock
from services.kit.config import Settings
from services.kit.jetstream import UNHURRIED_S, JetStreamLog
from services.kit.jetstream.credentials import login_of
from services.kit.lifecycle import App, serve
from services.kit.tracing import traceparent
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import DeckClient
from services.rules.app import MatchHost
from services.rules.servicer import register


@asynccontextmanager
async def rules_app(settings: Settings, game: str) -> AsyncIterator[App]:
    login = login_of(settings)
    async with (
        await JetStreamLog.connect(
            settings.nats_url,
            login=login,
            partitions=settings.partitions,
            traceparent=traceparent,
            rest_s=UNHURRIED_S,  # it follows mostly what it has appended
        ) as log,
        open_channel(settings.deck_address) as channel,
    ):
        host = MatchHost(find_game(game), log, DeckClient(channel), SystemClock(), log.beats())
        try:
            yield App(lambda server: register(server, host, game), host.run, {"log": lambda: log.connected})
        finally:
            await host.close()


async def main(settings: Settings, game: str) -> None:
    await serve(f"rules-{game}", settings, rules_app(settings, game))
