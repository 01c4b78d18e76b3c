"""What is asked of the pairing and what it answers: plain values, integers only.

A problem holds everything that decides a pairing, down to the published seed. So the same problem has the same
answer, byte for byte, wherever it is computed and in whatever order its contenders are listed.
"""

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament.columns.arrays import table_of
from engine.tournament.played import Entry

ENGINE = "pods/1"
"""The name of this algorithm and its version. Whatever changes one pod of one problem gets another number."""

NEVER = 1_000_000
"""The cost in tournament points of a pair that is to be kept apart whenever that is possible."""

CONTENDERS_MAX = 20_000
TABLE_SIZE_MAX = 16
"""The largest games of the house have 12 seats."""
UNIT_MAX = 60_000
"""27,720 divides evenly by 1 to 12, which is enough for every share of a table."""
POINTS_MAX = 1_000_000
"""Tournament points of one contender, and the largest weight that a problem may set."""
TIMES_MAX = 100
"""Meetings of one pair. These limits together keep every sum of the search far inside 64 bits (``field.py``)."""

Times: TypeAlias = tuple[Entry, Entry, int]

_SEED = re.compile(r"[0-9a-f]{64}")


class Contender(Value, frozen=True):
    """One active, checked-in entrant. ``points`` are tournament points times the problem's ``unit``, the very figure
    that the standings show, penalties included; it may be negative.
    """

    entry: Entry
    points: int
    seed: int
    """1 is the best. Every contender has another one."""
    short_tables: int = 0
    """Earlier tables below the largest size of their round."""
    byes: int = 0
    seats: tuple[int, ...] = ()
    """How often it sat in seat 0, 1, 2 ...; what is not named counts 0."""
    fixed_table: int = 0
    """The table number it always has; 0 for none."""


class PodProblem(Value, frozen=True):
    """One round to be paired. Weights are in tournament points of spread, so that a person can judge them.

    Refuses to exist with code ``bad_pairing`` when its parts contradict each other.
    """

    seed: str
    """64 hex digits: the seed that is published for this round."""
    round: int
    contenders: tuple[Contender, ...]
    smallest: int
    target: int
    largest: int
    met: tuple[Times, ...] = ()
    """(entry, entry, times), the lower entry first. Entrants who are not contenders may stand here."""
    apart: tuple[Times, ...] = ()
    """Protected pairs: (entry, entry, cost in tournament points); ``NEVER`` for a hard one."""
    unit: int = 1
    """What one tournament point is in ``points``."""
    repeat_points: int = 10
    """What one repeated meeting is worth. 0 is power pods, 1000 is never if it can be avoided."""
    short_points: int = 50
    """How much a contender is spared a further short table."""
    order: Literal["lots", "seed"] = "lots"
    """What stands behind the points: lots drawn from ``seed``, or the seeding, as in a seeded first round."""
    short_at: Literal["bottom", "top"] = "bottom"
    """Where in the standings short tables belong, if nothing speaks against it."""
    byes_allowed: bool = True
    """Whether those for whom no table sizes exist may sit out."""
    seat_power: int = 2
    """2 balances seats for all alike, 4 protects whoever is worst off."""
    first_table: int = 1
    taken_tables: tuple[int, ...] = ()
    """Numbers that this round must not use."""

    def __post_init__(self) -> None:
        self._check_figures()
        entries = {contender.entry for contender in self.contenders}
        _check(len(entries) == len(self.contenders), "An entrant stands twice among the contenders.")
        seeds = {contender.seed for contender in self.contenders}
        _check(len(seeds) == len(self.contenders), "Two contenders have the same seed.")
        for what, pairs, most in (("apart", self.apart, NEVER), ("met", self.met, TIMES_MAX)):
            _check_pairs(what, pairs, most)

    def _check_figures(self) -> None:
        _check(_SEED.fullmatch(self.seed) is not None, "The seed of a round is 64 lower-case hex digits.")
        _check(
            2 <= self.smallest <= self.target <= self.largest <= TABLE_SIZE_MAX,
            f"Table sizes are 2 <= smallest <= target <= largest <= {TABLE_SIZE_MAX}.",
        )
        _check(len(self.contenders) <= CONTENDERS_MAX, f"A round has at most {CONTENDERS_MAX} contenders.")
        _check(1 <= self.unit <= UNIT_MAX, f"The unit of points is 1 to {UNIT_MAX}.")
        _check(self.round >= 1 and self.first_table >= 1, "Rounds and tables are counted from 1.")
        _check(
            all(0 <= weight <= 1000 for weight in (self.repeat_points, self.short_points)),
            "The weights of repeats and short tables are 0 to 1000 points.",
        )
        _check(2 <= self.seat_power <= 4, "The power of seat balance is 2 to 4.")
        points_max = POINTS_MAX * self.unit
        for one in self.contenders:
            if not (
                one.entry >= 1
                and one.seed >= 1
                and abs(one.points) <= points_max
                and one.fixed_table >= 0
                and 0 <= one.short_tables <= TIMES_MAX
                and 0 <= one.byes <= TIMES_MAX
                and (not one.seats or (min(one.seats) >= 0 and max(one.seats) <= TIMES_MAX))
            ):
                _check(False, f"The figures of entrant {one.entry} are out of range.")


class Pod(Value, frozen=True):
    """One table of the round; ``entries`` sit in this order, seat 0 first."""

    table: int
    entries: tuple[Entry, ...]


class Quality(Value, frozen=True):
    """How good a pairing is, and how good it could be at most. Spreads and cost are in ``1/unit`` points."""

    repeats: int
    """Pairs that meet again."""
    repeats_floor: int
    """Repeats that counting alone makes unavoidable; results may force more (``bounds.py``)."""
    spread: int
    """The sum over the tables of the best points minus the least."""
    spread_floor: int
    """The spread of cutting the standings into tables, whoever has met whom."""
    apart_broken: int
    """Protected pairs at one table."""
    short_again: int
    """Contenders at a short table who had one before."""
    misplaced: int
    """Contenders who are not at their fixed table."""
    cost: int
    """What the search has made small (``field.py``)."""


class Pairing(Value, frozen=True):
    """The answer: every contender is in one pod or has a bye. Pods stand by table number, byes by entry."""

    engine: str
    pods: tuple[Pod, ...]
    byes: tuple[Entry, ...]
    quality: Quality


def everyone(pods: Iterable[Pod]) -> list[Entry]:
    """All who sit somewhere, table by table."""
    return [entry for pod in pods for entry in pod.entries]


def _check_pairs(what: str, pairs: tuple[Times, ...], most: int) -> None:
    sentence = f"A pair in '{what}' names the lower entry first and has a figure from 1 to {most}."
    try:
        first, second, figure = table_of(pairs).T
    except (OverflowError, ValueError) as error:
        raise Refusal("bad_pairing", sentence, Kind.INVALID) from error
    _check(bool(((first < second) & (figure >= 1) & (figure <= most)).all()), sentence)
    rows = np.lexsort((second, first))
    again = (np.diff(first[rows]) == 0) & (np.diff(second[rows]) == 0)
    _check(not again.any(), f"A pair stands twice in '{what}'.")


def _check(holds: bool, sentence: str) -> None:
    if not holds:
        raise Refusal("bad_pairing", sentence, Kind.INVALID)
