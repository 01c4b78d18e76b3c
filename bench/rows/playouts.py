"""Random playouts in process, four seats: what a bot that searches, a simulation and an audit do all day.

What an action is, ``bench/kit/playouts.py`` says. Everything runs in a process of its own, ours and the libraries, and
the processor's clock is read. The libraries list what is legal, choose one, and apply it: tic-tac-toe written in Python
on OpenSpiel, connect four on PettingZoo, and python-chess.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from statistics import median
from typing import Final

import msgspec

from bench.kit.figures import Finding, PeerMissing, Skipped, Wanted, alternate
from bench.kit.playouts import Figures
from bench.kit.run import Run
from bench.peers.in_python import Library, python_peer

NUMBER = 10
TITLE = "random playouts in process"

SEATS: Final = 4
UNIT: Final = "actions/s"
PEER_OF: Final[dict[str, Library]] = {"just4fun": "openspiel", "memcel": "openspiel", "welcome_to": "chess"}
NAMES: Final[dict[Library, str]] = {
    "openspiel": "OpenSpiel, tic-tac-toe in Python",
    "chess": "python-chess",
    "pettingzoo": "PettingZoo, connect four",
}
WANTED: Final = Wanted(1.0)
COPY_WANTED: Final = Wanted(0.5, at_most=True)
ENDS_S: Final = 60.0


def measure(run: Run) -> Iterator[Finding | Skipped]:
    ours = {game: _Ours(game, run) for game in PEER_OF}
    theirs: dict[Library, _Theirs] = {}
    missing: list[Skipped] = []
    for library in NAMES:
        if run.quick and library == "pettingzoo":
            missing.append(Skipped(NUMBER, NAMES[library], "for the full run"))
            continue
        try:
            peer = _Theirs(library, run)
            peer()
        except PeerMissing as absent:
            missing.append(Skipped(NUMBER, NAMES[library], str(absent)))
        else:
            theirs[library] = peer
    works: dict[str, Callable[[], float]] = {**ours, **{str(library): peer for library, peer in theirs.items()}}
    measured = alternate(run.rounds, works)
    for game, library in PEER_OF.items():
        against = library if library in theirs else ""
        yield Finding(
            row=NUMBER,
            what=f"playouts: {game}",
            unit=UNIT,
            ours=measured[game],
            against=NAMES[library] if against else "",
            theirs=measured.get(against, ()),
            wanted=WANTED if against else None,
            note=ours[game].told,
        )
    if "pettingzoo" in theirs:
        yield _told("playouts: just4fun", measured["just4fun"], "pettingzoo", measured["pettingzoo"])
    if "openspiel" in theirs:
        copies = theirs["openspiel"].last["clone_us"]
        for game, work in ours.items():
            made = work.copies[-run.rounds :]
            yield Finding(
                row=NUMBER,
                what=f"copy of a state: {game}",
                unit="µs",
                ours=made,
                against=f"{NAMES['openspiel']}, clone",
                theirs=(copies,) * len(made),
                wanted=COPY_WANTED,
                note="states are values: a search keeps the one it has",
            )
    yield from missing


def _told(what: str, ours: tuple[float, ...], library: Library, theirs: tuple[float, ...]) -> Finding:
    return Finding(row=NUMBER, what=what, unit=UNIT, ours=ours, against=NAMES[library], theirs=theirs)


class _Ours:
    """One game."""

    def __init__(self, game: str, run: Run) -> None:
        self._command = [sys.executable, "-m", "bench.kit.playouts", game, str(SEATS), "0.4" if run.quick else "1.2"]
        self._made: list[Figures] = []

    def __call__(self) -> float:
        done = subprocess.run(self._command, capture_output=True, timeout=ENDS_S, check=False)
        assert done.returncode == 0, f"the playouts failed: {done.stderr.decode(errors='replace')[-2000:]}"
        self._made.append(msgspec.json.decode(done.stdout, type=Figures))
        return self._made[-1].per_cpu_second

    @property
    def copies(self) -> tuple[float, ...]:
        return tuple(figures.copy_us for figures in self._made)

    @property
    def told(self) -> str:
        moves = median(figures.moves_per_cpu_second for figures in self._made)
        kernel = median(figures.kernel_per_cpu_second for figures in self._made)
        return f"{moves:,.0f} commands of seats/s; {kernel:,.0f} actions/s through the kernel, with clock and line"


class _Theirs:
    """One library."""

    def __init__(self, library: Library, run: Run) -> None:
        self._library = library
        self._run = run
        self.last: dict[str, float] = {}

    def __call__(self) -> float:
        self.last = python_peer(self._run, self._library, 0.4 if self._run.quick else 1.2)
        return self.last["per_cpu_second"]
