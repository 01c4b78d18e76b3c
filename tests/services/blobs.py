"""Complete matches in a log and in the table of blobs, for the tests of both."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import msgspec
from sqlmodel import create_engine

from engine.games import find_game
from engine.kernel.facts import Fact
from engine.kernel.ports import Clock, Position, Stored, Unavailable
from engine.kernel.value import Viewer
from services.kit.clock import SystemClock
from services.kit.database import table_of
from services.kit.memory_log import MemoryLog
from services.kit.read_model import ReadModel
from services.spectator.app import FEED_VERSION, Gallery
from services.spectator.feed import Feed
from services.spectator.tables import TABLES, CompleteMatch
from tests.kit.databases import Store
from tests.kit.nats import until
from tests.kit.table import play
from tests.services.small_house import GAME, Heard

LINES = list(play(find_game(GAME), 2, {}, 1).lines)
MATCH = msgspec.json.decode(LINES[0])["match"]
OTHER = "m-2"
BLOBS = table_of(CompleteMatch)


class Reads(MemoryLog):
    """Counts what is read of which match, and is away when it is told to be."""

    def __init__(self, partitions: int = 1, *, epoch: str = "memory") -> None:
        super().__init__(partitions, epoch=epoch)
        self.reads: list[str] = []
        self.away = False

    async def read(self, match: str, *, after: Position, limit: int = 0) -> tuple[Stored, ...]:
        self.reads.append(match)
        if self.away:
            raise Unavailable("log_unavailable", "The log did not answer.")
        return await super().read(match, after=after, limit=limit)


async def put(log: MemoryLog, match: str, lines: list[bytes]) -> None:
    for line in lines:
        stored = await MemoryLog.read(log, match, after=0)
        await log.append(GAME, match, line, expected=stored[-1].position if stored else 0)


def rows(store: Store, statement: Any) -> list[Any]:
    """What a statement finds, asked beside the service."""
    if store.server is not None:
        url = store.server.url.replace("postgresql://", "postgresql+psycopg://")
        password = store.password_file.read_text().strip() if store.password_file else ""
        engine = create_engine(url, connect_args={"password": password})
    else:
        engine = create_engine(store.url)
    try:
        with engine.begin() as connection:
            done = connection.execute(statement)
            return list(done) if done.returns_rows else []
    finally:
        engine.dispose()


def blobs(store: Store) -> dict[str, Any]:
    with suppress(Exception):  # the table is made when the service comes up
        return {row.match_id: row for row in rows(store, BLOBS.select())}
    return {}


async def kept(store: Store, *matches: str) -> None:
    await until(lambda: set(matches) <= set(blobs(store)), f"{matches} are kept")


async def exported(gallery: Gallery, match: str) -> list[bytes]:
    return [line async for lines in gallery.export(match) for line in lines]


async def told(gallery: Gallery, viewer: Viewer, match: str) -> list[Fact]:
    async with aclosing(gallery.facts(match, viewer, 0)) as facts:
        return [fact async for fact in facts]


@asynccontextmanager
async def gallery_alone(log: MemoryLog, store: Store, clock: Clock | None = None) -> AsyncIterator[Gallery]:
    """No other service reads this log."""
    model = ReadModel(store.url, "feed", FEED_VERSION, TABLES, password_file=store.password_file)
    gallery = Gallery(log, Feed(Heard(), log), model, clock or SystemClock())
    await gallery.prepare()
    running = asyncio.create_task(gallery.run())
    try:
        yield gallery
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await model.close()
