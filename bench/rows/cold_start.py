"""The whole log followed from its first line, and scoring's read model made again of it.

Beside following stands what nats-py does with the same stream: an ordered push consumer whose callback does nothing.
Told beside it, not bounded: how long a rules host takes to know which matches of its game are open, with a bookmark
half as far behind as one may be. Beside that stands what it takes without, which is to read every line of the game.
And beside scoring's rebuild, which folds each commit with its chain checked and writes SQLite, stands the projection of
a library of event sourcing that folds and stores nothing.

The full run has 300,000 commits. Three million, put there by hand, take 3 GB and minutes. A reader's CPU a commit was
4.4 µs to follow them all. Of one game, whose lines come with headers, a rules host took 7 to 9 µs a line and the server
17 to 21: together 90 s, and with a bookmark at the end 2 ms.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Final

import nats
import uvloop
from nats.aio.msg import Msg

from bench.kit.figures import Finding, PeerMissing, Skipped, Wanted, alternate
from bench.kit.past import STREAM, Line, Stocked, match_of, past, renamed, stocked
from bench.kit.run import Run
from bench.peers.in_python import python_peer
from engine.kernel.commit import decode_line, line_hash
from engine.kernel.official import RevealSeed
from services.kit.beats import BOOKMARK_VERSION, Bookmark
from services.kit.clock import SystemClock
from services.kit.jetstream import JetStreamLog
from services.kit.read_model import ReadModel
from services.rules.open_matches import BOOKMARK_LINES, OpenMatches
from services.scoring.app import Scoring
from services.scoring.tables import TABLES, VERSION

NUMBER = 8
TITLE = "a cold start"

UNIT: Final = "commits/s"
GAME: Final = "just4fun"
FOLLOWED: Final = Wanted(0.5)
PEERS: Final[dict[str, tuple[str, Wanted | None]]] = {
    "rebuild_per_cpu_second": ("aggregates rebuilt from SQLite", Wanted(2.0)),
    "projection_per_cpu_second": ("one projection in memory", None),
}
"""Keys of ``python_peer``: what it is, and what is wanted beside it."""
ENDS_S: Final = 60.0
LOOK_S: Final = 0.02


def measure(run: Run) -> Iterator[Finding | Skipped]:
    commits, delivered, rebuilt = run.size(300_000, 40_000), run.size(30_000, 10_000), run.size(30_000, 6_000)
    opened = run.size(3_000, 300)
    with stocked(run.folder / "whole", chain(_openings(opened), past(commits))) as log:
        uvloop.run(_leave_bookmark(log))
        works: dict[str, _Clocked] = {
            "follow": _Clocked(lambda: uvloop.run(_follow(log.url, log.lines)), log.lines),
            "whole": _Clocked(lambda: uvloop.run(_know(log.url, opened, bookmarks=False)), log.lines),
            "start": _Clocked(lambda: uvloop.run(_know(log.url, opened, bookmarks=True)), 1),
            "raw": _Clocked(lambda: uvloop.run(_deliver(log.url, delivered)), delivered),
        }
        measured = alternate(run.rounds, works)
        raw = measured["raw"]
        told = {name: f"{work.cpu_us:.1f} µs of the reader's CPU a commit" for name, work in works.items()}
        yield Finding(
            row=NUMBER, what="the log followed from its start", unit=UNIT, ours=measured["follow"],
            against="ordered push delivery of the same stream, nats-py", theirs=raw, wanted=FOLLOWED,
            note=f"{log.lines:,} commits; {told['follow']}; theirs {told['raw']}",
        )  # fmt: skip
        yield Finding(
            row=NUMBER, what="which matches of one game are open", unit="ms",
            ours=tuple(1_000 / rate for rate in measured["start"]), against="without a bookmark, from every line",
            theirs=tuple(1_000 * log.lines / rate for rate in measured["whole"]),
            note=f"{opened:,} are; {works['start'].cpu_us / 1_000:.0f} ms of the host's CPU, without a bookmark "
            f"{works['whole'].cpu_us * log.lines / 1_000:.0f} ms",
        )  # fmt: skip
    with stocked(run.folder / "projected", past(rebuilt)) as log:
        yield from _projections(run, log)


def _projections(run: Run, log: Stocked) -> Iterator[Finding | Skipped]:
    """In events a second of CPU: a commit of ours has several, one of theirs is an event."""
    rebuild = _Rebuild(log, run.folder)
    works: dict[str, Callable[[], float]] = {"ours": rebuild}
    missing: Skipped | None = None
    try:
        python_peer(run, "eventsourcing", 0.2)
    except PeerMissing as absent:
        missing = Skipped(NUMBER, "eventsourcing", str(absent))
    else:
        works |= {key: partial(_theirs, run, key) for key in PEERS}
    measured = alternate(run.rounds, works)
    events = rebuild.events / log.lines
    for what, figures in (
        ("commits", tuple(each / events for each in measured["ours"])),
        ("events", measured["ours"]),
    ):
        for key, (against, wanted) in PEERS.items():
            theirs = measured.get(key, ())
            yield Finding(
                row=NUMBER, what=f"scoring made again, {what}", unit=f"{what}/s of CPU", ours=figures,
                against=f"eventsourcing, {against}, events/s of CPU" if theirs else "", theirs=theirs,
                wanted=wanted if theirs else None,
                note=f"{1e6 / median(figures):.1f} µs each; {events:.1f} events a commit",
            )  # fmt: skip
    if missing is not None:
        yield missing


def _theirs(run: Run, key: str) -> float:
    return python_peer(run, "eventsourcing", 0.4 if run.quick else 1.0)[key]


class _Clocked:
    """Commits a second, and microseconds of this process a commit."""

    def __init__(self, work: Callable[[], None], commits: int) -> None:
        self._work = work
        self._commits = commits
        self._cpu_us: list[float] = []

    def __call__(self) -> float:
        began, used = time.perf_counter(), time.process_time()
        self._work()
        passed, used = time.perf_counter() - began, time.process_time() - used
        self._cpu_us.append(1e6 * used / self._commits)
        return self._commits / passed

    @property
    def cpu_us(self) -> float:
        """Of a commit."""
        return median(self._cpu_us)


async def _follow(url: str, commits: int) -> None:
    async with await JetStreamLog.connect(url) as log, aclosing(log.follow(0, after=0)) as pages:
        async for page in pages:
            if page[-1].position >= commits:
                return


def _openings(count: int) -> Iterator[Line]:
    """As many matches of the game that nobody has moved in."""
    first = match_of(GAME, 0)[:1]
    for number in range(count):
        match = f"open-{number}"
        yield Line(GAME, match, 1, decode_line(first[0]).at, next(renamed(first, match)))


async def _leave_bookmark(stock: Stocked) -> None:
    """Half as far behind as one may be: about a quarter of the lines are of the game. In a small log half way."""
    behind = stock.lines - min(4 * BOOKMARK_LINES // 2, stock.lines // 2)
    is_open: set[str] = set()
    async with await JetStreamLog.connect(stock.url) as log:
        async with aclosing(log.follow(0, after=0, game=GAME)) as pages:
            async for page in pages:
                for stored in page:
                    commit = decode_line(stored.line)
                    (is_open.discard if commit.command.type == RevealSeed.name else is_open.add)(commit.match)
                if stored.position >= behind:
                    break
        epoch = (await log.bounds(0)).epoch
        left_open = tuple(sorted(is_open))
        bookmark = Bookmark(BOOKMARK_VERSION, epoch, stored.position, commit.match, line_hash(stored.line), left_open)
        await log.beats().leave(GAME, 0, bookmark)


async def _know(url: str, opened: int, *, bookmarks: bool) -> None:
    """What a rules host does before it knows which matches are open."""
    async with await JetStreamLog.connect(url) as log:
        matches = OpenMatches(log, GAME, log.beats() if bookmarks else None)
        following = asyncio.ensure_future(matches.follow(0, lambda match: None, lambda heading: None))
        known = len(await matches.all())
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following
    assert known == opened, known


async def _deliver(url: str, commits: int) -> None:
    client = await nats.connect(url)
    done = asyncio.Event()
    heard = 0

    async def hear(message: Msg) -> None:
        nonlocal heard
        heard += 1
        if heard == commits:
            done.set()

    try:
        await client.jetstream().subscribe(
            STREAM.subject("*", "*"), stream=STREAM.name, ordered_consumer=True, cb=hear, pending_msgs_limit=0,
            pending_bytes_limit=0,
        )  # fmt: skip
        await asyncio.wait_for(done.wait(), ENDS_S)
    finally:
        await client.close()


class _Rebuild:
    """Scoring on a new file, until it has written all that the log has: events a second of this process's CPU."""

    def __init__(self, log: Stocked, folder: Path) -> None:
        self._log = log
        self._folder = folder
        self._made = 0
        self.events = uvloop.run(_events(log))

    def __call__(self) -> float:
        self._made += 1
        used = time.process_time()
        uvloop.run(self._rebuild(self._folder / f"scoring-{self._made}.sqlite"))
        return self.events / (time.process_time() - used)

    async def _rebuild(self, file: Path) -> None:
        model = ReadModel(f"sqlite:///{file}", "scoring", VERSION, TABLES)
        async with await JetStreamLog.connect(self._log.url) as log:
            scoring = Scoring(log, model, SystemClock())
            try:
                await scoring.prepare()
                await _until(scoring.run, lambda: scoring.taken[0] == self._log.lines)
            finally:
                await model.close()


async def _until(run: Callable[[], Awaitable[None]], is_enough: Callable[[], bool]) -> None:
    running = asyncio.ensure_future(run())
    try:
        async with asyncio.timeout(ENDS_S):
            while not is_enough() and not running.done():  # noqa: ASYNC110 - no event tells of it
                await asyncio.sleep(LOOK_S)
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def _events(stocked: Stocked) -> int:
    events = 0
    async with await JetStreamLog.connect(stocked.url) as log, aclosing(log.follow(0, after=0)) as pages:
        async for page in pages:
            events += sum(len(decode_line(stored.line).events) for stored in page)
            if page[-1].position == stocked.lines:
                break
    return events
