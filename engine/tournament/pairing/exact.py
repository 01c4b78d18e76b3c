"""The best pairing of a handful, by trying them all: the first who is free, with every company he can have.

What is left of a field can be reached in many ways but has one best ending, so each set of the free is solved once.
"""

from itertools import combinations

import numpy as np

from engine.tournament.columns.arrays import Integers
from engine.tournament.pairing.field import Field

EXACT_MAX = 12
"""Contenders. Twelve in three tables are 5,775 pairings and below 50 ms; sixteen are 450 times as many."""

Ending = tuple[int, tuple[tuple[int, ...], ...]]
"""Cost and pods of positions."""


def solve(field: Field, grid: Integers) -> Integers:
    """The cheapest grid with the chairs of ``grid``; of equal ones the first in the order of the standings."""
    return np.array(_Exact(field, grid).best()[1], np.int64)


class _Exact:
    def __init__(self, field: Field, grid: Integers) -> None:
        ids = np.unique(grid)
        self.costs = dict(
            zip(
                ids.tolist(),
                (dict(zip(ids.tolist(), row, strict=True)) for row in field.matrix(ids).tolist()),
                strict=True,
            )
        )
        self.size = field.size
        self.out = field.out
        self.equals = frozenset(field.sitting_out[1])
        self.people = tuple(position for position in ids.tolist() if position < field.count)
        self.empty = tuple(position for position in ids.tolist() if field.count <= position < field.out)
        self.byes = int((grid == field.out).any(axis=1).sum())
        self.known: dict[tuple[tuple[int, ...], int, int], Ending | None] = {}

    def best(self) -> Ending:
        ending = self._ending(self.people, len(self.empty), self.byes)
        assert ending is not None, "the sizes fit the field"
        return ending

    def _ending(self, free: tuple[int, ...], empty: int, byes: int) -> Ending | None:
        """The cheapest way to seat ``free`` with so many empty chairs and byes left; ``None`` if there is none."""
        if not free:
            return (0, ()) if empty == byes == 0 else None
        key = (free, empty, byes)
        if key not in self.known:
            self.known[key] = self._first_seated(free, empty, byes)
        return self.known[key]

    def _first_seated(self, free: tuple[int, ...], empty: int, byes: int) -> Ending | None:
        best: Ending | None = None
        first, others = free[0], free[1:]
        for short in (False, True) if empty else (False,):
            chair = self.empty[empty - 1 :][:1] if short else ()
            for company in combinations(others, self.size - 1 - short):
                left = tuple(position for position in others if position not in company)
                best = self._better(best, (first, *company, *chair), self._ending(left, empty - short, byes))
        if byes and first in self.equals:
            best = self._better(best, (first, *(self.out,) * (self.size - 1)), self._ending(others, empty, byes - 1))
        return best

    def _better(self, best: Ending | None, pod: tuple[int, ...], rest: Ending | None) -> Ending | None:
        if rest is None:
            return best
        cost = rest[0] + sum(self.costs[a][b] for a, b in combinations(pod, 2))
        return (cost, (pod, *rest[1])) if best is None or cost < best[0] else best
