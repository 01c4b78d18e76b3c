"""Wiring of the scoring service."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engine.games import all_games
from services.kit.clock import SystemClock
from services.kit.config import Settings
from services.kit.garbage import collect_seldom
from services.kit.jetstream import UNHURRIED_S, JetStreamLog
from services.kit.jetstream.credentials import login_of
from services.kit.lag import Lag
from services.kit.lifecycle import App, serve, together
from services.kit.read_model import ReadModel
from services.scoring.app import Scoring
from services.scoring.servicer import register
from services.scoring.tables import TABLES, VERSION


@asynccontextmanager
async def scoring_app(settings: Settings, *, rebuild: bool = False) -> AsyncIterator[App]:
    model = ReadModel(settings.database_url, "scoring", VERSION, TABLES, password_file=settings.database_password_file)
    login = login_of(settings)
    async with await JetStreamLog.connect(
        settings.nats_url, login=login, partitions=settings.partitions, rest_s=UNHURRIED_S
    ) as log:
        scoring = Scoring(log, model, SystemClock())
        try:
            await scoring.prepare(rebuild=rebuild)
            all_games()  # the first match need not wait for them
            collect_seldom()
            lag = Lag("scoring", log, lambda: scoring.taken)
            yield App(
                lambda server: register(server, scoring),
                together(scoring.run, lag.watch),
                {"log": lambda: log.connected, "lag": lag.is_small},
            )
        finally:
            await model.close()


async def main(settings: Settings, *, rebuild: bool = False) -> None:
    await serve("scoring", settings, scoring_app(settings, rebuild=rebuild))
