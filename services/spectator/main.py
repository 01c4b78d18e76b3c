"""Wiring of the spectator service."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engine.games import all_games
from services.kit.clock import SystemClock
from services.kit.config import Settings
from services.kit.garbage import collect_seldom
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.credentials import login_of
from services.kit.jetstream.feed import CorePublisher
from services.kit.lag import Lag
from services.kit.lifecycle import App, serve, together
from services.kit.read_model import ReadModel
from services.spectator.app import FEED_VERSION, Gallery
from services.spectator.feed import Feed
from services.spectator.servicer import register
from services.spectator.tables import TABLES


@asynccontextmanager
async def spectator_app(settings: Settings) -> AsyncIterator[App]:
    checkpoint = ReadModel(
        settings.database_url, "feed", FEED_VERSION, TABLES, password_file=settings.database_password_file
    )
    login = login_of(settings)
    async with (
        await JetStreamLog.connect(settings.nats_url, login=login, partitions=settings.partitions) as log,
        await CorePublisher.connect(settings.nats_url, login=login) as publisher,
    ):
        gallery = Gallery(log, Feed(publisher, log), checkpoint, SystemClock())
        try:
            await gallery.prepare()
            all_games()  # the first match need not wait for them
            collect_seldom()
            lag = Lag("spectator", log, lambda: gallery.taken)
            yield App(
                lambda server: register(server, gallery),
                together(gallery.run, lag.watch),
                {"log": lambda: log.connected, "lag": lag.is_small},
            )
        finally:
            await checkpoint.close()


async def main(settings: Settings) -> None:
    await serve("spectator", settings, spectator_app(settings))
