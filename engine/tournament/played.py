"""What was played, as standings read it: results by table, what else was awarded, and what was taken away.

An entrant has a number within the event, from 1 in the order of entry, and nothing else; people are the service's.
Exact values are texts (``"11/4"``) where they are stored and ``Fraction`` where they are computed: never floats, so
that three times 10/3 is 10 and equal totals compare equal.
"""

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

from engine.kernel.value import Value
from engine.tournament.exact import Exact as Exact
from engine.tournament.exact import exact_of

Entry: TypeAlias = int
"""The number of an entrant within its event: 1, 2, 3 ... in the order of entry, for ever."""


class Entrant(Value, frozen=True):
    """One who takes part. ``ranked`` is false for substitutes and house players, who fill a table and win nothing."""

    entry: Entry
    seed: int
    """1 is the best seed. Every entrant has another one."""
    ranked: bool = True
    disqualified: bool = False
    listed: bool = True
    """Not of a stage's own, but met in one whose points it carries: an opponent, and no line."""


class Seated(Value, frozen=True, array_like=True):
    """One entrant at one table. ``place`` is 1 for the best, ties share a place (1, 2, 2, 4) and it already holds the
    game's own tie rule; ``score`` is the game's total. Stored as ``[entry, place, score]``: an event has tens of
    thousands.
    """

    entry: Entry
    place: int
    score: int


class TableResult(Value, frozen=True):
    """One table that counts. Who did not show up is not among ``seated``, but has an ``Award``; so the size of the
    table is the number of those who played; nobody may have.
    """

    number: int
    seated: tuple[Seated, ...]
    reason: str = ""
    """How the game ended, a literal of the game's ("line")."""

    def __post_init__(self) -> None:
        places = tuple([seat.place for seat in self.seated])
        if not _are_places(places):
            raise ValueError(f"{sorted(places)} are no places of one table: whoever ties shares the best of the group")
        _check_once("table", self.number, [seat.entry for seat in self.seated])


@lru_cache(maxsize=1 << 12)
def _are_places(places: tuple[int, ...]) -> bool:
    """Whether one table can end so: 1, 2, 2, 4, in any order."""
    ordered = sorted(places)
    return all(place == 1 + ordered.index(place) for place in ordered)


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
    VOID = "void"
    """Played, and the table does not count."""


class Award(Value, frozen=True):
    """Points of one round without a table."""

    entry: Entry
    kind: AwardKind
    points: Exact

    def __post_init__(self) -> None:
        exact_of(self.points)


class RoundResult(Value, frozen=True):
    """One closed round, in which everybody has one result: a table that was played again is here once, and who has a
    table has no award.
    """

    number: int
    tables: tuple[TableResult, ...]
    awards: tuple[Award, ...] = ()

    def __post_init__(self) -> None:
        seated = [seat.entry for table in self.tables for seat in table.seated]
        _check_once("round", self.number, [*seated, *(award.entry for award in self.awards)])


class Deduction(Value, frozen=True):
    """A point penalty that stands. ``points`` is what is taken away."""

    entry: Entry
    round: int
    points: Exact

    def __post_init__(self) -> None:
        exact_of(self.points)


def _check_once(what: str, number: int, entries: Sequence[Entry]) -> None:
    if len(set(entries)) == len(entries):
        return
    found: set[Entry] = set()
    for entry in entries:
        if entry in found:
            raise ValueError(f"entrant {entry} has two results in {what} {number}")
        found.add(entry)
