"""Who has met whom, and who sat where, counted over all tables of an event."""

from collections.abc import Collection, Sequence
from itertools import chain, combinations

import numpy as np

from engine.tournament.columns.arrays import Integers
from engine.tournament.played import Entry


def meetings_of(tables: Sequence[tuple[Entry, ...]], among: Collection[Entry]) -> tuple[tuple[Entry, Entry, int], ...]:
    """Every two of ``among`` who were at one of the ``tables``, the lower entry first, and how often; in order."""
    pairs = [
        np.sort(entries[:, [a, b]], axis=1)
        for size, entries in _by_size(tables).items()
        for a, b in combinations(range(size), 2)
    ]
    if not pairs:
        return ()
    table = np.concatenate(pairs)
    base = int(table.max()) + 1
    there = np.zeros(base, np.bool_)
    there[[entry for entry in among if entry < base]] = True
    table = table[there[table].all(axis=1)]
    codes, times = np.unique(table[:, 0] * base + table[:, 1], return_counts=True)
    return tuple(zip((codes // base).tolist(), (codes % base).tolist(), times.tolist(), strict=True))


def seats_of(tables: Sequence[tuple[Entry, ...]]) -> dict[Entry, tuple[int, ...]]:
    """How often each entrant sat in seat 0, 1, 2 ..., up to the last that they had."""
    by_size = _by_size(tables)
    if not by_size:
        return {}
    width = max(by_size)
    taken = np.zeros((1 + max(int(entries.max()) for entries in by_size.values()), width), np.int64)
    for size, entries in by_size.items():
        for seat in range(size):
            taken[:, seat] += np.bincount(entries[:, seat], minlength=len(taken))
    last = width - (taken[:, ::-1] > 0).argmax(axis=1)
    sat = np.flatnonzero(taken.any(axis=1))
    rows = zip(sat.tolist(), last[sat].tolist(), map(tuple, taken[sat].tolist()), strict=True)
    return {entry: seats[:length] for entry, length, seats in rows}


def _by_size(tables: Sequence[tuple[Entry, ...]]) -> dict[int, Integers]:
    """Tables as arrays, one for each size that there is."""
    found: dict[int, list[tuple[Entry, ...]]] = {}
    for entries in tables:
        found.setdefault(len(entries), []).append(entries)
    return {
        size: np.array(list(chain.from_iterable(of_size)), np.int64).reshape(-1, size)
        for size, of_size in found.items()
        if size
    }
