"""Tabu search on swaps: the best swap of two chairs, again and again, whether it helps or not.

Whoever has just moved stays for a few steps, so the search climbs out of where it stands; the best grid on the way is
the result. The gain of every possible swap is kept and only rows of the two pods that changed are computed anew.

Many swaps are equally good in a large field. Gains are therefore scaled by ``SCALE`` and a lot for each chair, too
small to overrule one unit of cost, is added at each step: without it the search walks in circles among the first.
"""

import numpy as np

from engine.tournament.columns.arrays import Integers
from engine.tournament.pairing.field import FORBIDDEN
from engine.tournament.pairing.lots import Lots

SCALE = 256
NOISE = SCALE // 2
"""Two lots below this are below one unit of cost."""
REST_MIN = 2
REST_LOTS = 4
"""Steps that a chair rests after a move: 2 to 5. With 8 to 27 the spread at 32 players was a fifth wider."""
AHEAD = 100
"""Steps that lots are made for at a time: most searches end long before their last."""
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
    count = len(costs)
    noises, resting = lots.later(steps + count), lots.later(2 * steps)
    ahead = min(steps, AHEAD)
    noise = noises.words(count) % NOISE
    rests: list[int] = []
    until = np.zeros(count, np.int64)
    best, best_cost, best_step, step = grid, search.cost, 0, 0
    while best_cost > floor and step < steps and step - best_step < patience:
        if step % ahead == 0:
            noise = np.concatenate((noise, noises.words(ahead) % NOISE))
            rests += (REST_MIN + resting.words(2 * ahead) % REST_LOTS).tolist()
        swap, gain = search.best()
        if search.cost + gain // SCALE >= best_cost:
            # It does not lead below the best there was, so it has to be one of those who do not rest.
            swap, gain = search.best_with(np.where(until > step, TABU, noise[step : step + count]))
        if gain < OUT_OF_REACH:
            first, second = divmod(swap, count)
            search.swap(first, second, gain)
            until[first] = step + 1 + rests[2 * step]
            until[second] = step + 1 + rests[2 * step + 1]
        step += 1
        if search.cost < best_cost:
            best, best_cost, best_step = search.grid.copy(), search.cost, step
    return best, best_cost, step


class _Search:
    """A grid, and what every swap would change. A step costs a few dozen calls of numpy on small arrays, so they are
    the cheap ones: ``take`` where an index would do, costs that are scaled beforehand, memory that is used again.
    """

    def __init__(self, costs: Integers, grid: Integers, out: int) -> None:
        self.size = grid.shape[1]
        count = len(costs)
        self.costs: Integers = SCALE * costs
        self.twice: Integers = 2 * self.costs
        self.out = out
        self.grid = grid.copy()
        slot = np.empty(count, np.int64)
        slot[grid.ravel()] = np.arange(grid.size)
        self.slot: list[int] = slot.tolist()
        """Where in the grid each chair is."""
        self.pod: Integers = slot // self.size
        self.to_pod: Integers = self.costs[grid].sum(axis=1)
        """By pod: what each chair costs with all who sit in it, scaled as all costs here."""
        everybody = np.arange(count)
        self.own: Integers = self.to_pod[self.pod, everybody]
        self.cost = int(costs[grid[:, :, None], grid[:, None, :]].sum()) // 2
        self.gain: Integers = np.empty((count, count), np.int64)
        self._every_gain: Integers = self.gain.reshape(-1)
        self._with: Integers = np.empty((count, count), np.int64)
        self._two: Integers = np.empty(2 * self.size, np.int64)
        self._measure(everybody, self.pod)

    def best(self) -> tuple[int, int]:
        """The best swap, as its place in the table of all, and its gain."""
        swap = int(self._every_gain.argmin())
        return swap, self._every_gain.item(swap)

    def best_with(self, penalty: Integers) -> tuple[int, int]:
        """The same where each chair has a penalty; the gain is without it."""
        np.add(self.gain, penalty[:, None], out=self._with)
        np.add(self._with, penalty, out=self._with)
        swap = int(self._with.argmin())
        return swap, self._every_gain.item(swap)

    def swap(self, first: int, second: int, gain: int) -> None:
        """Two change places, which changes the cost by ``gain``."""
        self.cost += gain // SCALE
        one, other = self.slot[first] // self.size, self.slot[second] // self.size
        change = self.costs[second] - self.costs[first]
        self.to_pod[one] += change
        self.to_pod[other] -= change
        here, there = self.slot[first], self.slot[second]
        self.slot[first], self.slot[second] = there, here
        self.pod[first], self.pod[second] = other, one
        self.grid.flat[here], self.grid.flat[there] = second, first
        changed: Integers = np.concatenate((self.grid[one], self.grid[other]))
        pods = self._two
        pods[: self.size], pods[self.size :] = one, other
        self.own[changed] = self.to_pod[pods, changed]
        if self.out >= 0:
            stay = changed != self.out
            changed, pods = changed[stay], pods[stay]
        self._measure(changed, pods)

    def _measure(self, rows: Integers, pods: Integers) -> None:
        """The gains of all swaps with the chairs ``rows``, who sit in ``pods``."""
        gain = self.to_pod.take(rows, axis=1).take(self.pod, axis=0).T
        gain += self.to_pod.take(pods, axis=0)
        gain -= self.own
        gain -= self.own.take(rows)[:, None]
        gain -= self.twice.take(rows, axis=0)
        np.copyto(gain, SAME, where=pods[:, None] == self.pod)
        if self.out >= 0:
            gain[:, self.out] = SAME
            gain[rows == self.out] = SAME
        self.gain[rows] = gain
        self.gain[:, rows] = gain.T
