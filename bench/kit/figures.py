"""What a benchmark says: figures that were measured in the same run, and what is wanted of them.

Machines differ and are noisy, so what counts is a ratio of two works that took turns (``alternate``), one ratio a
round. A figure without a peer is compared with a bound of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from statistics import median
from typing import Final

from engine.kernel.value import Value

ROUNDS: Final = 5
"""Alternations of a full run. A quick one makes fewer and says so."""


class Wanted(Value, frozen=True):
    """A bound: at least ``bound``, or at most if ``at_most``."""

    bound: float
    at_most: bool = False

    def holds(self, value: float) -> bool:
        return value <= self.bound if self.at_most else value >= self.bound

    def __str__(self) -> str:
        return f"{'≤' if self.at_most else '≥'} {self.bound:g}"


class Outcome(StrEnum):
    """What became of a bound. ``TOLD`` is a figure of which nothing is wanted."""

    MET = "met"
    MISSED = "missed"
    TOLD = "told"


class Finding(Value, frozen=True, kw_only=True):
    """One line of the table. ``ours`` and ``theirs`` hold a figure a round, in ``unit``; ``theirs`` is empty where the
    bound is one of ours alone.
    """

    row: int
    what: str
    unit: str
    ours: tuple[float, ...]
    against: str = ""
    theirs: tuple[float, ...] = ()
    wanted: Wanted | None = None
    note: str = ""

    @property
    def compared(self) -> tuple[float, ...]:
        """What the bound is about: ours over theirs by round, or ours."""
        if not self.theirs:
            return self.ours
        return tuple(mine / other for mine, other in zip(self.ours, self.theirs, strict=True))

    @property
    def outcome(self) -> Outcome:
        """Whether the median holds."""
        if self.wanted is None:
            return Outcome.TOLD
        return Outcome.MET if self.wanted.holds(median(self.compared)) else Outcome.MISSED


class Skipped(Value, frozen=True):
    """A line of the table that could not be measured here, and why."""

    row: int
    what: str
    reason: str


class PeerMissing(Exception):
    """A peer that cannot be had on this machine; the reason is a sentence."""


def alternate(rounds: int, works: Mapping[str, Callable[[], float]]) -> dict[str, tuple[float, ...]]:
    """Each work once a round, in turn; every other round backwards, so that none is always the first."""
    names = list(works)
    measured: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        for name in names if number % 2 == 0 else reversed(names):
            measured[name].append(works[name]())
    return {name: tuple(figures) for name, figures in measured.items()}


def spread(figures: Sequence[float]) -> tuple[float, float, float]:
    """Median, least and most."""
    return median(figures), min(figures), max(figures)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of them lie; 0.5 is the median. Raises ``ValueError`` for none."""
    ranked = sorted(values)
    if not ranked:
        raise ValueError("no value was measured")
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]
