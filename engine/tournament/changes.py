"""Every published number that is another one now.

After each closed round the standings were published. Whoever corrects a result in round 1 after round 4 owes everybody
the list of what that changed, round by round; pairings are never among it.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import repeat
from typing import Final, Literal, TypeAlias

import numpy as np

from engine.kernel.value import Value
from engine.tournament.arrays import Integers
from engine.tournament.exact import exact_of, shown
from engine.tournament.played import Entry
from engine.tournament.ranking import Counted
from engine.tournament.standings.columns import PointsTable
from engine.tournament.standings.ranking import Figure, Line
from engine.tournament.standings.rules import Key
from engine.tournament.state import RoundPhase, Tournament

PLACE: Final = "place"
What: TypeAlias = Key | Literal["place"]


class Change(Value, frozen=True):
    """One figure as it was published after ``round`` and as it is now; empty where there was, or is, none."""

    round: int
    entry: Entry
    what: str
    """``place``, or the id of a key."""
    before: str
    after: str


def changes(before: Tournament, after: Tournament) -> tuple[Change, ...]:
    """What differs between the standings of two states of one event, by round and entrant."""
    found: list[Change] = []
    stages: dict[int, tuple[Counted, Counted]] = {}
    for played in after.rounds:
        was = before.rounds[played.number - 1] if played.number <= len(before.rounds) else None
        if was is None or was.phase is not RoundPhase.CLOSED:
            continue  # its figures had not been published
        stage, number = played.drafted.stage, played.number
        if stage not in stages:
            stages[stage] = Counted(before, stage), Counted(after, stage)
        then, now = stages[stage]
        old_table, new_table = then.table(number), now.table(number)
        if old_table and new_table:
            found.extend(_between(number, old_table, new_table))
            continue
        if then.through(number) == now.through(number):
            continue
        old = {line.entry: line for line in then.ranking(number).lines}
        new = {line.entry: line for line in now.ranking(number).lines}
        for entry in sorted(old.keys() | new.keys()):
            found.extend(_differences(number, entry, old.get(entry), new.get(entry)))
    return tuple(found)


def _differences(number: int, entry: Entry, old: Line | None, new: Line | None) -> Iterator[Change]:
    if old == new:
        return
    was, now = _figures(old), _figures(new)
    for what in was | now:
        if was.get(what) != now.get(what):
            yield Change(number, entry, what, figure_text(was.get(what)), figure_text(now.get(what)))


def _between(number: int, old: PointsTable, new: PointsTable) -> list[Change]:
    """The same of arrays: only what differs is put into words."""
    size = 1 + int(max(old.entries.max(initial=0), new.entries.max(initial=0)))
    found: list[tuple[Entry, int, str, str, str]] = []
    known: list[What] = list(dict.fromkeys([PLACE, *old.columns, *new.columns]))
    for index, what in enumerate(known):
        was, now = _values(old, what, size), _values(new, what, size)
        differing = np.flatnonzero((was != now).any(axis=0))
        texts = (_texts(values[:, differing]) for values in (was, now))
        found.extend(zip(differing.tolist(), repeat(index), repeat(what), *texts, strict=False))
    found.sort()
    return [Change(number, entry, what, before, after) for entry, _, what, before, after in found]


def _values(table: PointsTable, what: What, size: int) -> Integers:
    """Numerators and denominators in lowest terms, by entry; a denominator of 0 where there is no value."""
    values = np.zeros((2, size), np.int64)
    if what == PLACE:
        values[:, table.entries] = table.places, table.places > 0
        return values
    column = table.columns.get(what)
    if column is not None:
        values[:, table.entries] = column.lowest(table.entries)
    return values


def _texts(values: Integers) -> list[str]:
    return [
        str(top) if bottom == 1 else shown(Fraction(top, bottom)) if bottom else ""
        for top, bottom in zip(*values.tolist(), strict=True)
    ]


def _figures(line: Line | None) -> dict[str, Figure]:
    if line is None:
        return {}
    return {PLACE: str(line.place) if line.place else None, **dict(line.keys)}


def figure_text(figure: Figure) -> str:
    """A figure of the standings for people, exact; empty where the key does not apply."""
    if figure is None:
        return ""
    if isinstance(figure, tuple):
        return " ".join(shown(exact_of(each)) for each in figure)
    return shown(exact_of(figure))
