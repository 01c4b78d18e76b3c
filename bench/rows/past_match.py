"""A past match from its blob, until a visitor has a board: one read of the spectator's read model, chain checked.

A gallery has followed a log of many complete matches and kept each of them. Another one, on the same SQLite file, is
asked for one after the other of which it knows nothing. Whoever opens the page of a match that is over is shown its
last position first, drawn, with scores and words; a link into the game shows another one. The raw way asks the log
server for the same lines by one batched direct get with plain nats-py, and looks at none of them.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, closing, suppress
from itertools import count
from pathlib import Path
from sqlite3 import connect
from typing import Any, Final

import uvloop

from bench.kit.figures import Finding, Skipped, Wanted, alternate
from bench.kit.past import PLAYED, Stocked, match_of, past_of, stocked
from bench.kit.raw_read import RawReader
from bench.kit.run import Run
from engine.kernel.value import Spectator
from services.kit.clock import SystemClock
from services.kit.jetstream import JetStreamLog
from services.kit.read_model import ReadModel
from services.spectator import app
from services.spectator.app import FEED_VERSION, Gallery
from services.spectator.feed import Feed
from services.spectator.tables import TABLES

NUMBER = 7
TITLE = "a past match"

GAME: Final = "memcel"
LAST: Final = "last"
ANY: Final = "any"
WHOLE: Final = "whole"
EXPORT: Final = "export"
RAW: Final = "raw"

KEPT: Final = "SELECT count(*), sum(length(lines)) * 1.0 / sum(commits) FROM complete_match"


def measure(run: Run) -> Iterator[Finding | Skipped]:
    stock = [(GAME, match_of(GAME, number)) for number in range(PLAYED)]
    commits = sum(len(lines) for _, lines in stock) // PLAYED
    with stocked(run.folder / "past", past_of(stock, run.size(100, 32) * commits)) as log:
        past = _Past(log, run.folder / "past.sqlite", [len(lines) for _, lines in stock], run.size(12, 8))
        kept_s = uvloop.run(past.keep())
        works = {LAST: past.last, ANY: past.any, WHOLE: past.whole, EXPORT: past.export, RAW: past.raw}
        measured = alternate(run.rounds, works)
    against = "batched direct get, nats-py, nothing parsed"

    def found(what: str, who: str, wanted: Wanted | None = None, note: str = "") -> Finding:
        return Finding(
            row=NUMBER, what=what, unit="ms", ours=measured[who], against=against, theirs=measured[RAW],
            wanted=wanted, note=f"{past.cpu_ms[who]:.1f} ms of our CPU{note}",
        )  # fmt: skip

    yield found(
        f"a past match of {commits} commits from its blob: to the first board, the last one", LAST,
        Wanted(0.5, at_most=True),
        f", {past.bytes:.0f} bytes a commit kept; {log.lines:,} commits kept in {kept_s:.1f} s",
    )  # fmt: skip
    yield found("the same, to the board at a revision by lot", ANY)
    yield found("the same, all of it folded first: one room in 16", WHOLE)
    yield found("the same for an export: checked, not folded", EXPORT)


class Nobody:
    """A feed that nobody hears."""

    async def publish(self, subject: str, payload: bytes) -> None: ...

    async def flush(self) -> None: ...


class _Past:
    """Milliseconds of one match, the mean of ``each`` that have not been asked for in this round."""

    def __init__(self, log: Stocked, file: Path, lengths: list[int], each: int) -> None:
        self._log = log
        self._file = file
        self._lengths = lengths
        self._each = each
        self._next = {who: count() for who in (LAST, ANY, WHOLE, EXPORT, RAW)}
        self._matches = 0
        self.cpu_ms: dict[str, float] = {}
        self.bytes = 0.0

    async def keep(self) -> float:
        """Follow the whole log once, which keeps every match of it; seconds."""
        async with self._gallery() as gallery:
            began = time.perf_counter()
            running = asyncio.create_task(gallery.run())
            while gallery.taken[0] < self._log.lines:
                assert not running.done(), running.exception()
                await asyncio.sleep(0.02)
            kept_s = time.perf_counter() - began
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
        with closing(connect(self._file)) as database:
            [(self._matches, self.bytes)] = database.execute(KEPT)
        return kept_s

    def last(self) -> float:
        return uvloop.run(self._board(LAST, lambda commits: 0))

    def any(self) -> float:
        dice = random.Random(0)
        return uvloop.run(self._board(ANY, lambda commits: dice.randint(1, commits)))

    def whole(self) -> float:
        every, app.CHECKED_EVERY = app.CHECKED_EVERY, 1
        try:
            return uvloop.run(self._board(WHOLE, lambda commits: 0))
        finally:
            app.CHECKED_EVERY = every

    def export(self) -> float:
        return uvloop.run(self._export())

    def raw(self) -> float:
        return uvloop.run(self._raw())

    async def _board(self, who: str, revision_of: Callable[[int], int]) -> float:
        async with self._gallery() as gallery:

            async def one(number: int) -> None:
                revision = revision_of(self._length(number))
                shown = await gallery.snapshot(f"past-{number}", Spectator(), revision)
                assert shown.svg
                assert shown.newest == self._length(number)

            return await self._timed(who, one)

    async def _export(self) -> float:
        async with self._gallery() as gallery:

            async def one(number: int) -> None:
                lines = [line async for several in gallery.export(f"past-{number}") for line in several]
                assert len(lines) == self._length(number)

            return await self._timed(EXPORT, one)

    async def _raw(self) -> float:
        async with RawReader.connected(self._log.url) as reader:

            async def one(number: int) -> None:
                assert await reader.read(GAME, f"past-{number}") == self._length(number)

            return await self._timed(RAW, one)

    def _length(self, number: int) -> int:
        return self._lengths[number % len(self._lengths)]

    @asynccontextmanager
    async def _gallery(self) -> AsyncIterator[Gallery]:
        """A new one, which has no rooms."""
        model = ReadModel(f"sqlite:///{self._file}", "feed", FEED_VERSION, TABLES)
        async with await JetStreamLog.connect(self._log.url) as log:
            gallery = Gallery(log, Feed(Nobody(), log), model, SystemClock())
            await gallery.prepare()
            yield gallery
            await model.close()

    async def _timed(self, who: str, one: Callable[[int], Coroutine[Any, Any, None]]) -> float:
        asked = [next(self._next[who]) % self._matches for _ in range(self._each)]
        await one(asked[0])
        began, used = time.perf_counter(), time.process_time()
        for number in asked[1:]:
            await one(number)
        self.cpu_ms[who] = 1000 * (time.process_time() - used) / (self._each - 1)
        return 1000 * (time.perf_counter() - began) / (self._each - 1)
