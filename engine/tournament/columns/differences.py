"""What differs between two points tables, found in their arrays: only that is put into words."""

from fractions import Fraction
from itertools import repeat
from typing import Final, Literal, TypeAlias

import numpy as np

from engine.tournament.columns.arrays import Integers
from engine.tournament.columns.table import PointsTable
from engine.tournament.exact import shown
from engine.tournament.played import Entry
from engine.tournament.standings.rules import Key

PLACE: Final = "place"
What: TypeAlias = Key | Literal["place"]


def differences(old: PointsTable, new: PointsTable) -> list[tuple[Entry, str, str, str]]:
    """Entrant, ``place`` or key, figure in the old table and in the new one; by entrant, in the order of the keys. A
    figure is empty where there is none.
    """
    size = 1 + int(max(old.entries.max(initial=0), new.entries.max(initial=0)))
    found: list[tuple[Entry, int, str, str, str]] = []
    known: list[What] = list(dict.fromkeys([PLACE, *old.columns, *new.columns]))
    for index, what in enumerate(known):
        was, now = _values(old, what, size), _values(new, what, size)
        differing = np.flatnonzero((was != now).any(axis=0))
        texts = (_texts(values[:, differing]) for values in (was, now))
        found.extend(zip(differing.tolist(), repeat(index), repeat(what), *texts, strict=False))
    found.sort()
    return [(entry, what, before, after) for entry, _, what, before, after in found]


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
