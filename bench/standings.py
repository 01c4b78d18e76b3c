"""How long standings take: pods of four, placement points, ordered by TP, SOS, PSB, RAW.

    python -m bench.standings [ENTRANTS] [ROUNDS]

The field is drawn with the luck of the house, so that every run ranks the same results.
"""

import sys
from collections.abc import Iterator
from time import process_time

from engine.kernel.chance import Roll
from engine.luck.algorithm import outcome
from engine.tournament.played import Entrant, RoundResult, Seated, TableResult
from engine.tournament.schemes import scheme_of
from engine.tournament.standings.book import Book
from engine.tournament.standings.explained import explain_line
from engine.tournament.standings.ranking import Ranking, points_before, standings
from engine.tournament.standings.rules import StandingRules

POD = 4
SCORE_MAX = 100
REPEATS = 3
SEED = bytes(32)


def field(entrants: int, rounds: int) -> tuple[tuple[Entrant, ...], tuple[RoundResult, ...]]:
    """Random pods and random scores; equal scores share a place."""
    entries = tuple(Entrant(number, number) for number in range(1, entrants + 1))
    return entries, tuple(RoundResult(number, tuple(_tables(entrants, number))) for number in range(1, rounds + 1))


def _tables(entrants: int, number: int) -> Iterator[TableResult]:
    order = sorted(range(1, entrants + 1), key=lambda entry: outcome(SEED, f"seat:{number}:{entry}", Roll(2**31, 1)))
    for table, first in enumerate(range(0, entrants - entrants % POD, POD), 1):
        scores = outcome(SEED, f"score:{number}:{table}", Roll(SCORE_MAX, POD))
        seated = zip(order[first : first + POD], scores, strict=True)
        yield TableResult(
            table, tuple(Seated(entry, 1 + sum(other > score for other in scores), score) for entry, score in seated)
        )


def main(entrants: int = 10_000, rounds: int = 6) -> None:
    """Prints the best of a few runs, in milliseconds of this process alone."""
    rules = StandingRules(scheme_of("5-3-2-1"))
    entries, results = field(entrants, rounds)
    ranking = Ranking(Book(rules, entries, results))
    for name, run in (
        ("standings", lambda: standings(rules, entries, results)),
        ("points_before", lambda: points_before(rules, entries, results)),
        ("explain_line", lambda: explain_line(ranking, entrants)),
    ):
        best = min(_seconds(run) for _ in range(REPEATS))
        print(f"{name:>14} {entrants} entrants {rounds} rounds: {best * 1000:.1f} ms")


def _seconds(run: object) -> float:
    assert callable(run)
    begin = process_time()
    run()
    return process_time() - begin


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
