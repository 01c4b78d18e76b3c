"""Tabu search on swaps: the best swap of two chairs, again and again, whether it helps or not.

Whoever has just moved stays for a few steps, so the search climbs out of where it stands; the best grid on the way is
the result. The gain of every possible swap is kept and only rows of the two pods that changed are computed anew.

Many swaps are equally good in a large field. Gains are therefore scaled by ``SCALE`` and a lot for each chair, too
small to overrule one unit of cost, is added at each step: without it the search walks in circles among the first.
"""

import numpy as np

from engine.tournament.pairing.arrays import Integers
from engine.tournament.pairing.field import FORBIDDEN
from engine.tournament.pairing.lots import Lots

SCALE = 256
NOISE = SCALE // 2
"""Two lots below this are below one unit of cost."""
REST_MIN = 2
REST_LOTS = 4
"""Steps that a chair rests after a move: 2 to 5. With 8 to 27 the spread at 32 players was a fifth wider."""
TABU = 1 << 58
SAME = 1 << 60
"""The gain of a swap within one pod, which is none."""
OUT_OF_REACH = FORBIDDEN * SCALE // 2


def improve(
    costs: Integers, grid: Integers, out: int, steps: int, patience: int, floor: int, lots: Lots
) -> tuple[Integers, int, int]:
    """The best grid found, its cost, and the steps that it took.

    ``grid`` is pods by chairs, indices into ``costs``; ``out`` is the index that never moves, -1 for none. Ends at
    cost ``floor``, after ``patience`` steps without a better grid, or after ``steps``.
    """
    search = _Search(costs, grid, out)
    noise = lots.words(steps + len(costs)) % NOISE
    rests = REST_MIN + lots.words(2 * steps) % REST_LOTS
    until = np.zeros(len(costs), np.int64)
    best, best_cost, best_step, step = grid, search.cost, 0, 0
    while best_cost > floor and step < steps and step - best_step < patience:
        first, second = search.best_swap(np.where(until > step, TABU, noise[step : step + len(costs)]), best_cost)
        if search.gain[first, second] < OUT_OF_REACH:
            search.swap(first, second)
            until[first] = step + 1 + rests[2 * step]
            until[second] = step + 1 + rests[2 * step + 1]
        step += 1
        if search.cost < best_cost:
            best, best_cost, best_step = search.grid.copy(), search.cost, step
    return best, best_cost, step


class _Search:
    """A grid, and what every swap would change."""

    def __init__(self, costs: Integers, grid: Integers, out: int) -> None:
        self.size = grid.shape[1]
        count = len(costs)
        self.costs = costs
        self.out = out
        self.grid = grid.copy()
        self.slot = np.empty(count, np.int64)
        """Where in the grid each chair is."""
        self.slot[grid.ravel()] = np.arange(grid.size)
        self.pod = self.slot // self.size
        self.to_pod: Integers = costs[:, grid].sum(axis=2)
        """What each chair costs with all who sit in each pod."""
        everybody = np.arange(count)
        self.own = self.to_pod[everybody, self.pod]
        self.cost = int(costs[grid[:, :, None], grid[:, None, :]].sum()) // 2
        self.gain = np.empty((count, count), np.int64)
        self._measure(everybody)

    def best_swap(self, penalty: Integers, best_cost: int) -> tuple[int, int]:
        """The best swap among those who may move; or the best of all, if it leads below ``best_cost``."""
        first, second = divmod(int(self.gain.argmin()), len(self.gain))
        if self.cost + int(self.gain[first, second]) // SCALE < best_cost:
            return first, second
        return divmod(int((self.gain + penalty[:, None] + penalty).argmin()), len(self.gain))

    def swap(self, first: int, second: int) -> None:
        self.cost += int(self.gain[first, second]) // SCALE
        one, other = int(self.pod[first]), int(self.pod[second])
        change = self.costs[:, second] - self.costs[:, first]
        self.to_pod[:, one] += change
        self.to_pod[:, other] -= change
        slots = self.slot[[second, first]]
        self.slot[[first, second]] = slots
        self.pod[[first, second]] = other, one
        self.grid.flat[slots] = first, second
        changed = self.grid[[one, other]].ravel()
        self.own[changed] = self.to_pod[changed, self.pod[changed]]
        self._measure(changed[changed != self.out])

    def _measure(self, rows: Integers) -> None:
        pods = self.pod[rows]
        gain = self.to_pod[rows][:, self.pod] + self.to_pod[:, pods].T
        gain -= self.own[rows][:, None] + self.own + 2 * self.costs[rows]
        gain *= SCALE
        gain[pods[:, None] == self.pod] = SAME
        if self.out >= 0:
            gain[:, self.out] = SAME
            gain[rows == self.out] = SAME
        self.gain[rows] = gain
        self.gain[:, rows] = gain.T
