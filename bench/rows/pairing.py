"""Pairing, as good and as fast as when it was designed, and what a large event asks of one process.

Repeats, spread and seats follow from the seeds and are the same on every machine; times are seconds of a process, which
count its work and not that of others. The bounds are those of the study that pairing was designed by: whole events of
pods of four over six rounds.
"""

import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from typing import Final, TypeVar

import msgspec

from bench.kit.figures import Finding, Skipped, Wanted
from bench.kit.large_event import Taken
from bench.kit.run import Run
from bench.kit.swiss import Figures

NUMBER = 12
TITLE = "pairing, standings and fold of an event"

T = TypeVar("T")

SPREAD: Final = {64: 0.98, 256: 0.112}
"""Points a table between the best and the least, at most. In larger fields it is that of cutting alone."""
ROUNDED: Final = 0.0005
"""The leaders of a large field have sometimes met, and then cutting alone is out of reach by a point an event: spreads
are compared to three decimals."""
ROUND_S: Final = {64: 0.34, 256: 0.68, 1_000: 2.2, 10_000: 1.04}
"""The slowest round."""
EVENTS: Final = {64: 10, 256: 10, 1_000: 10, 10_000: 2}
"""Ten, as the bounds are means over ten; one of 10,000 says as much as ten of 1,000."""
MEMORY_MB_MAX: Final = 120
LARGE: Final = 10_000
FOLD_S: Final = 0.20
"""From the first event to standings with tie-breaks, as measured of a log that was an eighth as long and no chain."""
WHAT_IF_S: Final = 1.0
"""Somebody is waiting for it."""
ENDS_S: Final = 300.0


def measure(run: Run) -> Iterator[Finding | Skipped]:
    for players in (64, 256) if run.quick else EVENTS:
        run.say(f"pairing {players:,} players")
        yield from _pairing(players, _ran("bench.kit.swiss", Figures, players, run.size(EVENTS[players], 1)))
    if run.quick:
        yield Skipped(NUMBER, "1,000 and 10,000 players", "for the full run")
        return
    run.say(f"an event of {LARGE:,} players")
    yield from _large(_ran("bench.kit.large_event", Taken, LARGE))


def _pairing(players: int, found: Figures) -> Iterator[Finding]:
    what = f"{players:,} players"
    yield Finding(
        row=NUMBER, what=f"{what}, pairs that meet again", unit="an event", ours=(found.repeats,),
        wanted=Wanted(0, at_most=True), note=f"{found.seats_uneven:.1%} have a seat twice more than another",
    )  # fmt: skip
    spread = SPREAD.get(players, found.floor + ROUNDED)
    yield Finding(
        row=NUMBER, what=f"{what}, spread of points", unit="a table", ours=(found.spread,),
        wanted=Wanted(round(spread, 6), at_most=True), note=f"cutting alone: {found.floor:.4f}",
    )  # fmt: skip
    yield Finding(
        row=NUMBER, what=f"{what}, slowest round", unit="s", ours=found.round_s,
        wanted=Wanted(ROUND_S[players], at_most=True),
    )  # fmt: skip
    if players == LARGE:
        yield Finding(
            row=NUMBER, what=f"{what}, memory, the event included", unit="MB", ours=(float(found.memory_mb),),
            wanted=Wanted(MEMORY_MB_MAX, at_most=True),
        )  # fmt: skip


def _large(taken: Taken) -> Iterator[Finding]:
    what = f"event of {LARGE:,}"
    fold, standings, lines = (median(each) for each in (taken.fold, taken.standings, taken.lines))
    yield Finding(
        row=NUMBER, what=f"{what}, folded from zero and ranked", unit="s",
        ours=tuple(map(sum, zip(taken.fold, taken.standings, strict=True))), wanted=Wanted(FOLD_S, at_most=True),
        note=f"{taken.commits:,} commits with their chain {fold:.3f} s (their lines decoded, encoded and hashed, and "
        f"nothing else: {lines:.3f} s), standings {standings:.3f} s",
    )  # fmt: skip
    yield Finding(
        row=NUMBER, what=f"{what}, a round: drafted, and 2,500 results", unit="s",
        ours=tuple(map(sum, zip(taken.draft, taken.results, strict=True))),
        note=f"results {max(taken.results):.2f} s at most; created and checked in {taken.create:.2f} s",
    )  # fmt: skip
    yield Finding(
        row=NUMBER, what=f"{what}, what if one result were another", unit="s", ours=taken.what_if,
        wanted=Wanted(WHAT_IF_S, at_most=True), note="twelve standings, and five rounds paired anew",
    )  # fmt: skip


def _ran(module: str, kind: type[T], *arguments: int) -> T:
    """What a program has found, in a process of its own."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=ENDS_S, check=False)
    assert done.returncode == 0, f"{module} failed: {done.stderr.decode(errors='replace')[-2000:]}"
    return msgspec.json.decode(done.stdout, type=kind)
