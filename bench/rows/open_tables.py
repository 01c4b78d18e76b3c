"""What a move costs while many tables are open, and late in a long match. It should not matter."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from statistics import median
from typing import Final

from bench.kit.figures import Finding, Skipped, Wanted, alternate
from bench.kit.house import house, memory_mib, processes
from bench.kit.load import Asked
from bench.kit.openings import open_matches
from bench.kit.play import burst
from bench.kit.run import Run
from bench.kit.scripts import Script, scripts
from tests.e2e.command import Up

NUMBER = 5
TITLE = "many open tables, long matches"

GAME: Final = "just4fun"
SEATS: Final = 4
RATE: Final = 300.0
"""Moves a second."""
USUAL: Final = 50
"""Tables that the others are compared with."""
TABLES: Final = (1, 1_000, 10_000)
LONG: Final = 4_000
"""Commits: a long match stands there at its 2,000th move, since a move and its luck are two."""
SHORT: Final = 200
PAIRS: Final = 4
"""Long matches, and short ones."""


def measure(run: Run) -> Iterator[Finding | Skipped]:
    with ExitStack() as stack:
        tables = [count for count in TABLES if not run.quick or count < 10_000]
        halls = {
            count: _Hall(stack.enter_context(house(run.folder / f"open-{count}", "fast")), count, run)
            for count in (USUAL, *tables)
        }
        costs = alternate(run.rounds, {str(count): hall.cost for count, hall in halls.items()})
        for count in tables:
            yield Finding(
                row=NUMBER,
                what=f"CPU of a move at {RATE:.0f} moves/s, {count:,} tables open",
                unit="µs",
                ours=costs[str(count)],
                against=f"{USUAL} tables open",
                theirs=costs[str(USUAL)],
                wanted=Wanted(1.2, at_most=True) if count == max(TABLES) else None,
                note=halls[count].told,
            )
        most = tables[-1]
        rules = memory_mib(processes(halls[most].opened)[f"rules-{GAME}"])
        yield Finding(
            row=NUMBER,
            what=f"memory of the rules host, {most:,} tables open",
            unit="MiB",
            ours=(rules,),
            wanted=Wanted(1024, at_most=True),
        )
        if run.quick:
            yield Skipped(NUMBER, "10,000 open tables; a move late in a long match", "takes a full run")
            return
        yield _late(run, halls[USUAL].opened)


class _Hall:
    """A house with so many open tables. Each burst goes on at some of them, or at new ones where they are few."""

    def __init__(self, opened: Up, count: int, run: Run) -> None:
        self.opened = opened
        self.told = ""
        self._count = count
        self._moves = run.size(1_200, 450)
        self._bursts = 0
        self._each = max(1, self._moves // count)
        open_matches(opened.url, GAME, SEATS, [f"idle-{number}" for number in range(count - min(count, self._moves))])

    def cost(self) -> float:
        """Microseconds of all cores, a move."""
        self._bursts += 1
        played = scripts(GAME, SEATS, f"burst{self._bursts}", self._moves, each=self._each)
        open_matches(self.opened.url, GAME, SEATS, [match for match, _ in played])
        done = burst(self.opened, _asked(self.opened, played, min(self._count, len(played)), RATE))
        self.told = done.told
        return sum(cost for label, cost in done.cost_us.items() if label != "bots and spectators")


def _late(run: Run, opened: Up) -> Finding:
    """The median time to the answer of moves that come one after the other."""
    played = {name: scripts(GAME, SEATS, name, PAIRS * 70, each=70) for name in ("long", "short")}
    for name, commits in (("long", LONG), ("short", SHORT)):
        open_matches(opened.url, GAME, SEATS, [match for match, _ in played[name]], commits=commits)
    slices = {name: _slices(found, run.rounds) for name, found in played.items()}

    def work(name: str) -> Callable[[], float]:
        return lambda: median(burst(opened, _asked(opened, next(slices[name]), 1, 0.0)).measured.ack_ms)

    waited = alternate(run.rounds, {name: work(name) for name in played})
    return Finding(
        row=NUMBER,
        what=f"answer to a move behind {LONG:,} commits",
        unit="ms",
        ours=waited["long"],
        against=f"behind {SHORT}",
        theirs=waited["short"],
        wanted=Wanted(1.1, at_most=True),
    )


def _slices(played: list[Script], rounds: int) -> Iterator[list[Script]]:
    for number in range(rounds):
        yield [
            (match, said[len(said) * number // rounds : len(said) * (number + 1) // rounds]) for match, said in played
        ]


def _asked(opened: Up, played: list[Script], tables: int, rate: float) -> Asked:
    return Asked(
        opened.url,
        opened.services[f"rules-{GAME}"],
        GAME,
        SEATS,
        played,
        tables,
        rate=rate,
        watched=False,
        opened=True,
    )
