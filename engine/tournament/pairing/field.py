"""The contenders of a round in order, and what it costs to put any two of them together.

Every cost is a cost of a pair, so that a search can tell what a change costs by adding up rows:

=====================  =============================================================================
two contenders         ``repeat_points * (2m - 1)`` for the m-th repeat, plus the gap of their points,
                       plus what their protection costs
an empty chair and     ``short_points * ((s + 1)^2 - s^2 - 1)`` for one who had s short tables, plus the gap
a contender            from its points to the end of the standings where short tables belong
a sitting-out chair    nothing for those who may have the bye, ``FORBIDDEN`` for all others
and anybody
two empty chairs       ``FORBIDDEN``: sizes differ by one at most
=====================  =============================================================================

A short table is thus a full one with an empty chair in it, and a bye is a table with one real chair. Both are searched
like everything else. Positions 0 to n - 1 are the contenders, then come the empty chairs, and last the one number that
stands for every chair of somebody who sits out.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from engine.kernel.refusal import Refusal
from engine.tournament.columns.arrays import Integers, table_of
from engine.tournament.pairing.lots import Lots
from engine.tournament.pairing.problem import NEVER, Contender, PodProblem
from engine.tournament.sizes import byes_needed, table_sizes

FORBIDDEN = 10**14
"""More than any table can cost: 120 pairs of NEVER and of meetings and gaps at their limits, times ``UNIT_MAX``, are
below 3 * 10^13. Sixteen times as much, 256 times over (``improve.py``), still fits in 64 bits."""


class Field:
    """The problem as arrays. ``order`` is who stands where: points first, then lots or seeds."""

    def __init__(self, problem: PodProblem) -> None:
        self.problem = problem
        self.order = in_order(problem)
        self.place = {contender.entry: place for place, contender in enumerate(self.order)}
        self.count = len(self.order)
        self.byes = byes_needed(self.count, problem.smallest, problem.largest)
        if self.byes and not problem.byes_allowed:
            raise Refusal("not_seatable", f"{self.count} players cannot all be seated, and nobody may sit out.")
        self.sizes = table_sizes(self.count - self.byes, problem.smallest, problem.target, problem.largest)
        self.size = self.sizes[0]
        self.empty = sum(size < self.size for size in self.sizes)
        """Empty chairs: one at each short table."""
        self.out = self.count + self.empty
        """The number of every chair of somebody who sits out."""

    @cached_property
    def sitting_out(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Places that have a bye for certain, and the equals of whom some have one too.

        The fewest earlier byes come first, then the fewest points. Who of equal ones it is, is for the search.
        """
        if not self.byes:
            return (), ()
        keys = [(contender.byes, contender.points) for contender in self.order]
        last = sorted(keys)[self.byes - 1]
        certain = tuple(place for place, key in enumerate(keys) if key < last)
        equals = tuple(place for place, key in enumerate(keys) if key == last)
        if len(certain) + len(equals) == self.byes:
            return certain + equals, ()
        return certain, equals

    @cached_property
    def points(self) -> Integers:
        """By position; an empty chair has the points of the end of the standings where short tables belong."""
        own = [contender.points for contender in self.order]
        end = own[-1] if self.problem.short_at == "bottom" else own[0]
        return np.array([*own, *[end] * self.empty, 0], np.int64)

    @cached_property
    def again(self) -> Integers:
        """By position: what another short table costs."""
        weight = self.problem.short_points * self.problem.unit
        own = [weight * 2 * contender.short_tables for contender in self.order]
        return np.array([*own, *[0] * (self.empty + 1)], np.int64)

    @cached_property
    def _position_of(self) -> Integers:
        """By entry; the last is for who is no contender."""
        entries = [one.entry for one in self.order]
        known = np.full(max(entries, default=0) + 2, -1, np.int64)
        known[entries] = np.arange(self.count)
        return known

    def positions(self, entries: Integers) -> Integers:
        """Where entries stand; -1 for who is no contender."""
        known = self._position_of
        result: Integers = known[np.where((entries >= 0) & (entries < len(known)), entries, -1)]
        return result

    @cached_property
    def met(self) -> Integers:
        """Position, position and times of every two contenders who have met; columns."""
        return self._placed(table_of(self.problem.met))

    @cached_property
    def apart(self) -> Integers:
        """Position, position and cost in tournament points of every two who are to be kept apart; columns."""
        return self._placed(np.array(self.problem.apart, np.int64).reshape(-1, 3))

    @cached_property
    def fixed(self) -> Integers:
        """The same of those who have different tables of their own."""
        rows = [(a, b, NEVER) for a, b in fixed_apart(self.order)]
        return self._placed(np.array(rows, np.int64).reshape(-1, 3))

    def _placed(self, table: Integers) -> Integers:
        first, second, figure = self.positions(table[:, 0]), self.positions(table[:, 1]), table[:, 2]
        result: Integers = np.stack([first, second, figure])[:, (first >= 0) & (second >= 0)]
        return result

    @cached_property
    def pairs(self) -> tuple[Integers, Integers, Integers]:
        """Positions and positions of pairs that cost more than their gap, and how much more; by the first position."""
        unit = self.problem.unit
        repeats = self.met * 1
        repeats[2] = self.problem.repeat_points * unit * (2 * repeats[2] - 1)
        others = np.concatenate([self.apart, self.fixed], axis=1)
        others[2] *= unit
        pairs = np.concatenate([repeats, others], axis=1)
        first, second, more = pairs[:, np.argsort(pairs[0], kind="stable")]
        return first, second, more

    @cached_property
    def _first_pair(self) -> Integers:
        """By position: where its ``pairs`` begin, and one more."""
        result: Integers = np.searchsorted(self.pairs[0], np.arange(self.out + 2))
        return result

    def _pairs_of(self, ids: Integers) -> tuple[Integers, Integers, Integers]:
        """Those of the ``pairs`` whose first is one of ``ids``."""
        begins = self._first_pair[ids]
        lengths = self._first_pair[ids + 1] - begins
        rows = np.arange(lengths.sum()) + np.repeat(begins - np.cumsum(lengths) + lengths, lengths)
        first, second, more = self.pairs
        return first[rows], second[rows], more[rows]

    def matrix(self, ids: Integers) -> Integers:
        """What each two of ``ids`` (ascending positions) cost at one table."""
        points, count = self.points[ids], len(ids)
        costs: Integers = np.abs(points[:, None] - points)
        local = np.full(self.out + 1, -1, np.int64)
        local[ids] = np.arange(count)
        first, second, more = self._pairs_of(ids)
        a, b = local[first], local[second]
        inside = b >= 0
        a, b, more = a[inside], b[inside], more[inside]
        np.add.at(costs, (a, b), more)
        np.add.at(costs, (b, a), more)
        empty = (ids >= self.count) & (ids < self.out)
        costs[empty] += self.again[ids]
        costs[:, empty] += self.again[ids][:, None]
        costs[np.ix_(empty, empty)] = FORBIDDEN
        if count and ids[-1] == self.out:
            costs[-1] = costs[:, -1] = FORBIDDEN
            equals = local[list(self.sitting_out[1])]
            costs[-1, equals] = costs[equals, -1] = 0
        np.fill_diagonal(costs, 0)
        return costs

    def costs(self, grid: Integers) -> Integers:
        """What each pod of ``grid`` costs (a row is the positions of one pod)."""
        pods, size = grid.shape
        points = self.points[grid]
        gaps = np.abs(points[:, :, None] - points[:, None, :])
        empty = (grid >= self.count) & (grid < self.out)
        gaps += empty[:, :, None] * self.again[grid][:, None, :] + empty[:, None, :] * self.again[grid][:, :, None]
        gaps[(grid == self.out).any(axis=1)] = 0
        result: Integers = gaps.sum(axis=(1, 2)) // 2
        pod_of = np.full(self.out + 1, -1, np.int64)
        pod_of[grid.ravel()] = np.repeat(np.arange(pods), size)
        pod_of[self.out] = -1
        first, second, more = self._pairs_of(grid.ravel()[grid.ravel() < self.out])
        together = pod_of[first] == pod_of[second]
        np.add.at(result, pod_of[first][together], more[together])
        return result

    def floor(self, grid: Integers) -> int:
        """What the same chairs would cost, cut in order, if nobody had met and nothing stood against it."""
        cut = np.sort(grid[(grid != self.out).all(axis=1)].ravel())
        points = self.points[cut if self.problem.short_at == "bottom" else np.roll(cut, (cut >= self.count).sum())]
        rows = points.reshape(-1, self.size)
        return int(np.abs(rows[:, :, None] - rows[:, None, :]).sum()) // 2

    def entries(self, positions: Sequence[int]) -> tuple[int, ...]:
        """The entrants who stand there; chairs are nobody."""
        return tuple(self.order[position].entry for position in positions if position < self.count)


def in_order(problem: PodProblem) -> tuple[Contender, ...]:
    """The contenders by points, the most first; equal ones by lot or by seed. Tie-breaks have no say."""
    contenders = sorted(problem.contenders, key=lambda contender: contender.seed)
    if problem.order == "lots":
        contenders = Lots(problem.seed, f"round-{problem.round}/order").shuffled(contenders)
    return tuple(sorted(contenders, key=lambda contender: -contender.points))


def fixed_apart(order: Sequence[Contender]) -> list[tuple[int, int]]:
    """Pairs of entries who cannot both be at their fixed tables if they share one, the lower entry first."""
    fixed = sorted((contender.entry, contender.fixed_table) for contender in order if contender.fixed_table)
    return [
        (entry, other)
        for index, (entry, table) in enumerate(fixed)
        for other, second in fixed[index + 1 :]
        if table != second
    ]
