"""What was played, as standings read it: results by table, what else was awarded, and what was taken away.

An entrant has a number within the event, from 1 in the order of entry, and nothing else; people are the service's.
Exact values are texts (``"11/4"``) where they are stored and ``Fraction`` where they are computed: never floats, so
that three times 10/3 is 10 and equal totals compare equal.
"""

from enum import Enum
from typing import TypeAlias

from engine.kernel.value import Value

Entry: TypeAlias = int
"""The number of an entrant within its event: 1, 2, 3 ... in the order of entry, for ever."""

Exact: TypeAlias = str
"""An integer or a fraction in lowest terms with a positive denominator: ``"7"``, ``"11/4"``, ``"-1/2"``."""


class Entrant(Value, frozen=True):
    """One who takes part. ``ranked`` is false for substitutes and house players, who fill a table and win nothing."""

    entry: Entry
    seed: int
    """1 is the best seed. Every entrant has another one."""
    ranked: bool = True
    disqualified: bool = False


class Seated(Value, frozen=True):
    """One entrant at one table. ``place`` is 1 for the best, ties share a place (1, 2, 2, 4) and it already holds the
    game's own tie rule; ``score`` is the game's total.
    """

    entry: Entry
    place: int
    score: int


class TableResult(Value, frozen=True):
    """One table that counts. Who did not show up is not among ``seated``, but has an ``Award``; so the size of the
    table is the number of those who played.
    """

    number: int
    seated: tuple[Seated, ...]
    reason: str = ""
    """How the game ended, a literal of the game's ("line")."""


class AwardKind(Enum):
    """Why somebody has points, or none, without a table."""

    BYE = "bye"
    """There was no place left."""
    ABSENT = "absent"
    """By his own doing: dropped, not checked in."""
    LATE = "late"
    """The round was before he came."""
    NO_SHOW = "no_show"
    """Paired, and did not come to the table."""


class Award(Value, frozen=True):
    """Points of one round without a table."""

    entry: Entry
    kind: AwardKind
    points: Exact


class RoundResult(Value, frozen=True):
    """One closed round."""

    number: int
    tables: tuple[TableResult, ...]
    awards: tuple[Award, ...] = ()


class Deduction(Value, frozen=True):
    """A point penalty that stands. ``points`` is what is taken away."""

    entry: Entry
    round: int
    points: Exact
