"""Wiring of the deck service."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.deck.app import Deck
from services.deck.servicer import register
from services.kit.config import Settings
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.credentials import login_of
from services.kit.key import keys_of
from services.kit.lifecycle import App, serve


@asynccontextmanager
async def deck_app(settings: Settings) -> AsyncIterator[App]:
    keys = keys_of(settings)
    login = login_of(settings)
    async with await JetStreamLog.connect(settings.nats_url, login=login, partitions=settings.partitions) as log:
        deck = Deck(keys, log)
        yield App(lambda server: register(server, deck), asyncio.Event().wait, {"log": lambda: log.connected})


async def main(settings: Settings) -> None:
    await serve("deck", settings, deck_app(settings))
