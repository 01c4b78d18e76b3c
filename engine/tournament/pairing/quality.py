"""How good pods are: the same figures for what the engine found and for what somebody edited by hand."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from engine.kernel.value import Value
from engine.tournament.columns.arrays import Integers
from engine.tournament.pairing.bounds import repeats_floor
from engine.tournament.pairing.field import Field, fixed_apart
from engine.tournament.pairing.problem import NEVER, Pod, PodProblem, Quality
from engine.tournament.played import Entry

Company: TypeAlias = Sequence[Entry]


class Terms(Value, frozen=True):
    """What makes up the cost of a table, or the difference of two, in ``1/unit`` points."""

    repeats: int = 0
    gaps: int = 0
    """Differences of points, pair by pair."""
    apart: int = 0
    """Protected pairs, and contenders with different tables of their own."""
    short: int = 0
    """Short tables for those who had one."""
    misplaced_short: int = 0
    """How far a short table is from the end of the standings where it belongs."""

    @property
    def total(self) -> int:
        return self.repeats + self.gaps + self.apart + self.short + self.misplaced_short

    def plus(self, other: "Terms", sign: int = 1) -> "Terms":
        """The sum, or with ``sign`` -1 the difference."""
        return Terms(
            self.repeats + sign * other.repeats,
            self.gaps + sign * other.gaps,
            self.apart + sign * other.apart,
            self.short + sign * other.short,
            self.misplaced_short + sign * other.misplaced_short,
        )


class Ledger:
    """The costs of a problem by entries instead of arrays: for figures that people read."""

    def __init__(self, problem: PodProblem) -> None:
        self.problem = problem
        self.contenders = {contender.entry: contender for contender in problem.contenders}
        self.met = {(a, b): times for a, b, times in problem.met}
        self.apart = {(a, b): cost for a, b, cost in problem.apart}
        self.fixed = frozenset(fixed_apart(problem.contenders))
        points = [contender.points for contender in problem.contenders]
        self.end = min(points, default=0) if problem.short_at == "bottom" else max(points, default=0)

    def pair(self, first: Entry, second: Entry) -> Terms:
        """What these two cost at one table."""
        key = (min(first, second), max(first, second))
        times = self.met.get(key, 0)
        unit = self.problem.unit
        return Terms(
            repeats=self.problem.repeat_points * unit * (2 * times - 1) if times else 0,
            gaps=abs(self.contenders[first].points - self.contenders[second].points),
            apart=unit * (self.apart.get(key, 0) + NEVER * (key in self.fixed)),
        )

    def pod(self, entries: Company, size: int) -> Terms:
        """What a table costs in a round whose full tables have ``size`` seats."""
        total = Terms()
        for index, first in enumerate(entries):
            for second in entries[index + 1 :]:
                total = total.plus(self.pair(first, second))
        for entry in entries if len(entries) < size else ():
            one = self.contenders[entry]
            again = 2 * one.short_tables * self.problem.short_points * self.problem.unit
            total = total.plus(Terms(short=again, misplaced_short=abs(one.points - self.end)))
        return total


def quality_of(problem: PodProblem, pods: Sequence[Pod], field: Field | None = None) -> Quality:
    """The figures of ``pods``, which may be a draft that was edited. Entries that are no contenders are an error of
    the caller (``check`` finds them). ``field`` is that of the problem, if it has been made.

    Raises ``Refusal``: ``not_seatable``.
    """
    field = field or Field(problem)
    size = max((len(pod.entries) for pod in pods), default=0)
    pod_of = np.full(field.count, -1, np.int64)
    gaps = spread = short_again = misplaced = short = 0
    end = field.order[-1 if problem.short_at == "bottom" else 0].points if field.order else 0
    for seats in sorted({len(pod.entries) for pod in pods}):
        of_size = [number for number, pod in enumerate(pods) if len(pod.entries) == seats]
        places = np.array([[field.place[entry] for entry in pods[number].entries] for number in of_size], np.int64)
        pod_of[places] = np.array(of_size)[:, None]
        points = field.points[places]
        gaps += int(np.abs(points[:, :, None] - points[:, None, :]).sum()) // 2
        spread += int((points.max(axis=1) - points.min(axis=1)).sum())
        if seats < size:
            short += int(field.again[places].sum() + np.abs(points - end).sum())
            short_again += sum(field.order[place].short_tables > 0 for place in places.ravel().tolist())
    fixed = {one.entry: one.fixed_table for one in field.order if one.fixed_table}
    if fixed:
        misplaced = sum(fixed.get(entry, pod.table) != pod.table for pod in pods for entry in pod.entries)
    repeats, apart = _together(field.met, pod_of), _together(field.apart, pod_of)
    together = _together(np.stack(field.pairs), pod_of)
    return Quality(
        repeats=repeats.shape[1],
        repeats_floor=repeats_floor(field.met[:2], field.count, field.sizes),
        spread=spread,
        spread_floor=_spread_floor(field, {entry for pod in pods for entry in pod.entries}),
        apart_broken=apart.shape[1],
        short_again=short_again,
        misplaced=misplaced,
        cost=gaps + short + int(together[2].sum()),
    )


def _together(pairs: Integers, pod_of: Integers) -> Integers:
    """Those of the pairs who sit at one table."""
    first = pod_of[pairs[0]]
    result: Integers = pairs[:, (first == pod_of[pairs[1]]) & (first >= 0)]
    return result


def _spread_floor(field: Field, seated: set[Entry]) -> int:
    points = [contender.points for contender in field.order if contender.entry in seated]
    total = start = 0
    for size in field.sizes if field.problem.short_at == "bottom" else field.sizes[::-1]:
        row = points[start : start + size]
        total += row[0] - row[-1] if row else 0
        start += size
    return total
