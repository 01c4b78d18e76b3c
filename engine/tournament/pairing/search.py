"""From the standings to pods: cut, mend in bands, then polish where it still costs.

1. The order of the field is cut into pods. With nobody met and nothing protected that is the answer.
2. Bands of neighbouring pods that cost more than cutting alone must are improved, then once more with bands that are
   shifted by half, so that no seam stays.
3. Windows of a few pods are improved as long as steps are left. Where costs are high they are drawn more often.

The budget is counted in steps and never in seconds: a slow machine finds the same pods.
"""

from itertools import pairwise

import numpy as np

from engine.tournament.columns.arrays import Integers
from engine.tournament.pairing.exact import EXACT_MAX, solve
from engine.tournament.pairing.field import Field
from engine.tournament.pairing.improve import improve
from engine.tournament.pairing.lots import Lots

STEPS = 2000
"""Steps of a round, the bands included. Four times as many gain 0.6 % of cost at 64 players and nothing at 256."""
BAND_CHAIRS = 256
"""A step of the search reads the square of this."""
BAND_STEPS = 1000
BAND_PATIENCE = 100
WINDOW_PODS = 8
WINDOW_DOUBLINGS = 2
"""Windows have 8 pods or 16: some exchanges need room, most are found sooner without."""
LOOK_STEPS = 10
"""What it takes from the budget to look at a window, whether it is improved or not."""
WINDOW_STEPS = 100


def search(field: Field) -> Integers:
    """Pods by chairs: the positions of everybody who is seated or whose bye is open, with the chairs between them."""
    grid = cut(field)
    if field.count <= EXACT_MAX:
        return solve(field, grid)
    return _Searching(field, grid).run()


def cut(field: Field) -> Integers:
    """The field in order, pod by pod; of equal candidates for a bye the last have it."""
    certain, equals = field.sitting_out
    byes = equals[len(equals) - (field.byes - len(certain)) :] if equals else ()
    gone = {*certain, *byes}
    seated = [position for position in range(field.count) if position not in gone]
    empty = iter(range(field.count, field.out))
    sizes = field.sizes if field.problem.short_at == "bottom" else field.sizes[::-1]
    rows: list[list[int]] = []
    start = 0
    for size in sizes:
        rows.append(seated[start : start + size] + ([next(empty)] if size < field.size else []))
        start += size
    rows += [[position, *[field.out] * (field.size - 1)] for position in byes]
    return np.array(sorted(rows), np.int64)


class _Searching:
    def __init__(self, field: Field, grid: Integers) -> None:
        self.field = field
        self.grid = grid
        self.lots = Lots(field.problem.seed, f"round-{field.problem.round}/search")
        self.steps = STEPS

    def run(self) -> Integers:
        pods = len(self.grid)
        bands = -(-pods // max(2, BAND_CHAIRS // self.field.size))
        edges = [pods * number // bands for number in range(bands + 1)]
        middles = [0, *((a + b) // 2 for a, b in pairwise(edges)), pods]
        for cuts in (edges, middles) if bands > 1 else (edges,):
            costs = self.field.costs(self.grid)  # what happens in one band changes nothing in another
            for start, stop in pairwise(cuts):
                self._improve(start, stop, BAND_STEPS, BAND_PATIENCE, int(costs[start:stop].sum()))
        self._polish()
        return self.grid

    def _polish(self) -> None:
        floor = self.field.floor(self.grid)
        costs = self.field.costs(self.grid)
        changed = True
        while self.steps > 0:
            if changed:
                # Pods of like points stand together again, or a window would hold strangers.
                seats = np.where(self.grid < self.field.out, self.grid, 0)
                order = np.argsort(seats.sum(axis=1), kind="stable")
                self.grid, costs = self.grid[order], costs[order]
            window = min(WINDOW_PODS << self.lots.below(WINDOW_DOUBLINGS), len(self.grid))
            reached = np.cumsum(costs)
            if reached[-1] <= floor:
                break
            pod = int(np.searchsorted(reached, self.lots.below(int(reached[-1])), side="right"))
            start = min(max(0, pod - self.lots.below(window)), len(self.grid) - window)
            self.steps -= LOOK_STEPS
            cost = int(costs[start : start + window].sum())
            changed = self._improve(start, start + window, WINDOW_STEPS, WINDOW_STEPS, cost)
            if changed:
                costs[start : start + window] = self.field.costs(self.grid[start : start + window])

    def _improve(self, start: int, stop: int, steps: int, patience: int, cost: int) -> bool:
        """Improves the pods from ``start`` to ``stop``, whose cost is ``cost``, where that is more than it must be;
        whether it has.
        """
        chairs = self.grid[start:stop]
        if cost <= 0:
            return False
        floor = self.field.floor(chairs)
        if cost <= floor:
            return False
        ids, local = np.unique(chairs, return_inverse=True)
        out = len(ids) - 1 if ids[-1] == self.field.out else -1
        grid = local.reshape(chairs.shape)
        better, _, taken = improve(self.field.matrix(ids), grid, out, steps, patience, floor, self.lots)
        self.steps -= taken
        self.grid[start:stop] = ids[better]
        return better is not grid
