"""How long a move takes to its spectator while tables are played at the pace of people, beside boardgame.io.

50 tables of four, at 300 moves a second of them all together, and at 1,000. Both count from when a move was sent; where
it had to wait for its table, from when it was due.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Final

from bench.kit.figures import Finding, PeerMissing, Skipped, Wanted, alternate
from bench.kit.house import house
from bench.kit.load import Asked
from bench.kit.play import burst
from bench.kit.run import Run
from bench.kit.scripts import scripts
from bench.peers.boardgame_io import BoardgameIo
from services.local.nats_server import Durability
from tests.e2e.command import Up

NUMBER = 4
TITLE = "from a move to its spectator"

GAME: Final = "just4fun"
SEATS: Final = 4
TABLES: Final = 50
RATE: Final = 300
FAST: Final = 1_000
"""Moves a second of all tables together."""
FAST_P99_MS: Final = 6.0
P50: Final = Wanted(1.2, at_most=True)
P99: Final = Wanted(1.0, at_most=True)


def measure(run: Run) -> Iterator[Finding | Skipped]:
    seconds, less = run.size(5, 2), 3
    with ExitStack() as stack:
        works: dict[str, _Paced] = {}
        for durability in _profiles(run):
            opened = stack.enter_context(house(run.folder / f"latency-{durability}", durability))
            works[durability] = _house(opened, RATE, seconds if durability == "fast" else less)
            if durability == "fast" and not run.quick:
                works[f"{durability} {FAST}"] = _house(opened, FAST, less)
        try:
            peer = stack.enter_context(BoardgameIo(run, players=SEATS))
            works["peer"] = _peer(peer, RATE, seconds)
            if not run.quick:
                works[f"peer {FAST}"] = _peer(peer, FAST, less)
        except PeerMissing as missing:
            yield Skipped(NUMBER, "boardgame.io", str(missing))
        alternate(run.rounds, works)
    for durability in _profiles(run):
        peers = works.get("peer")
        told = durability != "fast"
        yield from _findings(
            f"{RATE} moves/s, {durability}", works[durability], peers, None if told else P50, None if told else P99
        )
    if run.quick:
        yield Skipped(NUMBER, f"{FAST:,} moves/s; profile strict", "takes a full run")
        return
    limit = Wanted(FAST_P99_MS, at_most=True)
    ours, theirs = works[f"fast {FAST}"], works.get(f"peer {FAST}")
    yield from _findings(f"{FAST:,} moves/s, fast", ours, theirs, None, None)
    yield Finding(row=NUMBER, what=f"p99 at {FAST:,} moves/s, fast", unit="ms", ours=tuple(ours.p99), wanted=limit)


class _Paced:
    """One party at one pace. A call is a burst; it returns p50 in milliseconds."""

    def __init__(self, play: Callable[[int], tuple[float, float, str]]) -> None:
        self._play = play
        self.p50: list[float] = []
        self.p99: list[float] = []
        self.told = ""

    def __call__(self) -> float:
        p50, p99, self.told = self._play(len(self.p50))
        self.p50.append(p50)
        self.p99.append(p99)
        return p50


def _house(opened: Up, rate: int, seconds: int) -> _Paced:
    moves = rate * seconds
    rules = opened.services[f"rules-{GAME}"]

    def play(number: int) -> tuple[float, float, str]:
        played = scripts(GAME, SEATS, f"paced-{rate}-{number}", moves, each=-(-moves // TABLES))
        done = burst(opened, Asked(opened.url, rules, GAME, SEATS, played, TABLES, rate=float(rate)))
        return done.measured.seen(0.5), done.measured.seen(0.99), done.told

    return _Paced(play)


def _peer(peer: BoardgameIo, rate: int, seconds: int) -> _Paced:
    def play(_: int) -> tuple[float, float, str]:
        figure = peer.paced(rate, seconds, matches=TABLES)
        return figure.p50_ms, figure.p99_ms, ""

    return _Paced(play)


def _findings(
    what: str, ours: _Paced, peer: _Paced | None, p50: Wanted | None, p99: Wanted | None
) -> Iterator[Finding]:
    """Nothing is wanted of a ratio where the peer is missing."""
    for name, wanted, mine, theirs in (
        ("p50", p50, ours.p50, peer.p50 if peer else []),
        ("p99", p99, ours.p99, peer.p99 if peer else []),
    ):
        yield Finding(
            row=NUMBER,
            what=f"{name} at {what}",
            unit="ms",
            ours=tuple(mine),
            against="boardgame.io, in memory" if theirs else "",
            theirs=tuple(theirs),
            wanted=wanted if theirs else None,
            note=ours.told if name == "p50" else "",
        )


def _profiles(run: Run) -> tuple[Durability, ...]:
    return ("fast",) if run.quick else ("fast", "strict")
