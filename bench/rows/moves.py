"""Accepted moves a second: 50 tables of four, a spectator at each; real rules, deck, scoring, and a log that keeps it.

Beside it boardgame.io does what it does with a move of a small game, and the bare way shows what is left of the same
parts without rules. All of them take turns in one run. The end of a burst is the moment at which the last spectator has
seen the last move.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Final

from bench.kit.figures import Finding, PeerMissing, Skipped, Wanted, alternate
from bench.kit.house import house
from bench.kit.load import Asked
from bench.kit.play import Burst, burst
from bench.kit.run import Run
from bench.kit.scripts import Script, scripts
from bench.peers.bare import BareWay, fsyncs
from bench.peers.boardgame_io import BoardgameIo
from services.local.nats_server import Durability
from tests.e2e.command import Up

NUMBER = 1
TITLE = "accepted moves a second"

GAMES: Final = ("just4fun", "memcel", "welcome_to")
SEATS: Final = 4
TABLES: Final = 50
UNIT: Final = "moves/s"

WANTED: Final = {
    ("fast", "in memory"): 2.0,
    ("fast", "file store"): 5.0,
    ("fast", "bare"): 0.8,
    ("strict", "in memory"): 1.2,
    ("strict", "file store"): 3.5,
    ("strict", "bare"): 0.8,
}

Measured = dict[str, tuple[float, ...]]


def measure(run: Run) -> Iterator[Finding | Skipped]:
    seconds = run.size(3, 1)
    with ExitStack() as stack:
        played = _Scripts(run)
        works: dict[str, Callable[[], float]] = {}
        halls: dict[str, _Hall] = {}
        for durability in _profiles(run):
            opened = stack.enter_context(house(run.folder / durability, durability))
            bare = stack.enter_context(BareWay(run, durability))
            for game in _games(run):
                hall = halls[f"{durability} {game}"] = _Hall(opened, game, played)
                works[f"{durability} {game}"] = hall.moves
            works[f"{durability} bare"] = partial(_per_second, bare, seconds)
        missing = _enter_boardgame(run, stack, works, seconds)
        works["fsync"] = partial(fsyncs, run.folder)
        measured = alternate(run.rounds, works)
    for durability in _profiles(run):
        yield from _findings(durability, measured, halls)
    yield from missing


def _findings(durability: Durability, measured: Measured, halls: "dict[str, _Hall]") -> Iterator[Finding | Skipped]:
    row = 1 if durability == "fast" else 2
    for game in GAMES:
        ours = measured.get(f"{durability} {game}")
        if ours is None:
            continue
        note = halls[f"{durability} {game}"].told
        for store in ("in memory", "file store"):
            if store in measured:
                wanted = Wanted(WANTED[durability, store])
                against = f"boardgame.io, {SEATS} players, {store}"
                yield _finding(row, f"{game}, {durability}", ours, against, measured[store], wanted, note)
                note = ""
        bare = measured[f"{durability} bare"]
        wanted = Wanted(WANTED[durability, "bare"])
        yield _finding(3, f"{game}, {durability}", ours, "bare way, no rules", bare, wanted, note)
        if durability == "strict":
            yield _finding(2, f"{game}, {durability}", ours, "raw fsyncs of the disk", measured["fsync"], None, "")


def _finding(
    row: int,
    what: str,
    ours: tuple[float, ...],
    against: str,
    theirs: tuple[float, ...],
    wanted: Wanted | None,
    note: str,
) -> Finding:
    return Finding(
        row=row,
        what=f"moves: {what}",
        unit=UNIT,
        ours=ours,
        against=against,
        theirs=theirs,
        wanted=wanted,
        note=note,
    )


def _enter_boardgame(
    run: Run, stack: ExitStack, works: dict[str, Callable[[], float]], seconds: float
) -> list[Skipped]:
    try:
        memory = stack.enter_context(BoardgameIo(run, "memory", players=SEATS))
        flat = stack.enter_context(BoardgameIo(run, "flatfile", players=SEATS, warm_s=1.0))
    except PeerMissing as missing:
        return [Skipped(NUMBER, "boardgame.io", str(missing))]
    works["in memory"] = partial(_per_second, memory, seconds)
    works["file store"] = partial(_per_second, flat, seconds)
    return []


class _Scripts:
    """Each burst of a game plays new matches; the houses of both profiles play the same ones."""

    def __init__(self, run: Run) -> None:
        self._moves = run.size(5_000, 1_000)
        self._made: dict[tuple[str, int], list[Script]] = {}

    def of(self, game: str, number: int) -> list[Script]:
        if (game, number) not in self._made:
            self._made[game, number] = scripts(game, SEATS, f"{game}-{number}", self._moves)
        return self._made[game, number]


class _Hall:
    """The tables of one game in one house."""

    def __init__(self, opened: Up, game: str, played: _Scripts) -> None:
        self._opened = opened
        self._game = game
        self._played = played
        self._bursts: list[Burst] = []

    def moves(self) -> float:
        asked = Asked(
            self._opened.url,
            self._opened.services[f"rules-{self._game}"],
            self._game,
            SEATS,
            self._played.of(self._game, len(self._bursts)),
            TABLES,
        )
        self._bursts.append(burst(self._opened, asked))
        return self._bursts[-1].measured.per_second

    @property
    def told(self) -> str:
        last = self._bursts[-1]
        return f"{last.told}; to the spectator p50 {last.measured.seen(0.5):.1f}, p99 {last.measured.seen(0.99):.1f} ms"


def _per_second(peer: BoardgameIo | BareWay, seconds: float) -> float:
    return peer.moves(seconds).per_second


def _profiles(run: Run) -> tuple[Durability, ...]:
    return ("fast",) if run.quick else ("fast", "strict")


def _games(run: Run) -> tuple[str, ...]:
    return GAMES[:1] if run.quick else GAMES
