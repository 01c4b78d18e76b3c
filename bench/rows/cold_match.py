"""One match of 300 commits that nobody has in memory: read from the log, chain checked, folded.

It lies in a log between the lines of some hundred others, each time another match of a game with many commits. The
library beside it rebuilds an aggregate of 300 events from an SQLite file in its own process. The raw way asks the same
server for the same lines by one batched direct get with plain nats-py, and looks at none of them.
"""

import time
from collections.abc import Callable, Coroutine, Iterator
from itertools import count
from typing import Any, Final

import uvloop

from bench.kit.figures import Finding, PeerMissing, Skipped, Wanted, alternate
from bench.kit.past import PLAYED, Stocked, match_of, past_of, stocked
from bench.kit.raw_read import RawReader
from bench.kit.run import Run
from bench.peers.in_python import python_peer
from engine.kernel.history import History
from engine.kernel.ports import Stored
from services.kit.following import match_of_rules, rules_of
from services.kit.jetstream import JetStreamLog

NUMBER = 7
TITLE = "a cold match"

GAME: Final = "memcel"
COMMITS: Final = 300
OURS: Final = "ours"
RAW: Final = "raw"
LIBRARY: Final = "library"


def measure(run: Run) -> Iterator[Finding | Skipped]:
    matches = run.size(200, 60)
    stock = [(GAME, match_of(GAME, number)[:COMMITS]) for number in range(PLAYED)]
    assert all(len(lines) == COMMITS for _, lines in stock)
    missing: Skipped | None = None
    with stocked(run.folder / "cold", past_of(stock, matches * COMMITS)) as log:
        cold = _Cold(log, matches, run.size(20, 10))
        works: dict[str, Callable[[], float]] = {OURS: cold.ours, RAW: cold.raw}
        try:
            python_peer(run, "eventsourcing", 0.2)
        except PeerMissing as absent:
            missing = Skipped(NUMBER, "eventsourcing, a rebuild of 300 events", str(absent))
        else:
            works[LIBRARY] = lambda: python_peer(run, "eventsourcing", 0.4 if run.quick else 1.0)["rebuild_ms"]
        measured = alternate(run.rounds, works)
    note = f"{cold.cpu_ms:.1f} ms of our CPU; read alone {cold.read_ms:.1f} ms"
    if LIBRARY in measured:
        yield _finding(measured[OURS], "eventsourcing on SQLite, rebuild", measured[LIBRARY], 1.0, note)
    if missing is not None:
        yield missing
    yield _finding(measured[OURS], "batched direct get, nats-py, nothing parsed", measured[RAW], 1.5, note)


def _finding(ours: tuple[float, ...], against: str, theirs: tuple[float, ...], bound: float, note: str) -> Finding:
    return Finding(
        row=NUMBER, what=f"a cold match of {COMMITS} commits", unit="ms", ours=ours, against=against, theirs=theirs,
        wanted=Wanted(bound, at_most=True), note=note,
    )  # fmt: skip


class _Cold:
    """Milliseconds of one match, the mean of ``each`` that have not been asked for in this round."""

    def __init__(self, log: Stocked, matches: int, each: int) -> None:
        self._url = log.url
        self._matches = matches
        self._each = each
        self._next = {OURS: count(), RAW: count()}
        self.cpu_ms = self.read_ms = 0.0

    def ours(self) -> float:
        return uvloop.run(self._ours())

    def raw(self) -> float:
        return uvloop.run(self._raw())

    async def _ours(self) -> float:
        reading = 0.0

        async def one(match: str) -> None:
            nonlocal reading
            began = time.perf_counter()
            whole = await log.whole(match)
            reading += time.perf_counter() - began
            lines = [Stored(whole.position, line) for line in whole.lines]
            history = History(match_of_rules(rules_of(match, lines[0])), match)
            history.catch_up(lines)
            assert history.revision == COMMITS

        async with await JetStreamLog.connect(self._url) as log:
            used = time.process_time()
            took = await self._timed(OURS, one)
            self.cpu_ms = 1000 * (time.process_time() - used) / self._each
        self.read_ms = 1000 * reading / self._each
        return took

    async def _raw(self) -> float:
        async with RawReader.connected(self._url) as reader:

            async def one(match: str) -> None:
                assert await reader.read(GAME, match) == COMMITS

            return await self._timed(RAW, one)

    async def _timed(self, who: str, one: Callable[[str], Coroutine[Any, Any, None]]) -> float:
        asked = [f"past-{next(self._next[who]) % self._matches}" for _ in range(self._each)]
        began = time.perf_counter()
        for match in asked:
            await one(match)
        return 1000 * (time.perf_counter() - began) / self._each
