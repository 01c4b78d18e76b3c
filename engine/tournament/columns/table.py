"""The points table of a large field, reckoned by columns: all entrants at once, one array a key.

The terms of ``own`` and ``opponents`` say what a key is; here the same sums are made without them, for the keys that
most events are ordered by, and for whichever of the closed rounds. Everything is a 64-bit integer, and where one could
be too large, or a key has no column, there are no columns, and the terms are added up one entrant at a time.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, chain
from math import lcm
from typing import NamedTuple

import numpy as np

from engine.tournament.columns.arrays import Integers
from engine.tournament.columns.lots import lots_of
from engine.tournament.exact import Exact
from engine.tournament.played import Entry
from engine.tournament.remembered import Remembered
from engine.tournament.standings.book import REMEMBERED_MIN, SHEETS_REMEMBERED, Book, Sheet
from engine.tournament.standings.opponents import TIED_PARTS
from engine.tournament.standings.rules import Key

AMOUNT_MAX = 1 << 40
"""Of one amount, in parts of the unit."""
AMOUNTS_MAX = 1 << 20
"""So many of them add up to less than 2^60."""
COMPARED_MAX = 1 << 62
"""Of a value on the common denominator of its key."""
ROUNDS_ALL = AMOUNT_MAX
"""The number of no round, behind all."""
ENTRY_MAX = 1 << 17
"""Entrants are numbered without gaps: whoever has a greater number is not one of thousands."""


class Tables(NamedTuple):
    """All tables of one size, in the order of their rounds: one row each, one column a seat."""

    rounds: Integers
    entries: Integers
    places: Integers
    scores: Integers
    points: Integers
    """In parts of the book's unit."""
    counts: Integers
    """1 for who counts as an opponent, else 0."""

    def through(self, number: int) -> "Tables":
        """Those of the rounds up to ``number``."""
        rows = int(np.searchsorted(self.rounds, number, side="right"))
        return Tables(*(column[:rows] for column in self))


class Paid(NamedTuple):
    """What was awarded or deducted, in the order of the rounds."""

    rounds: Integers
    entries: Integers
    points: Integers


class Column(NamedTuple):
    """One key, by entry number; ``compared`` are the values on one common denominator."""

    numerators: Integers
    divisors: Integers
    compared: Integers

    def worth(self, entry: Entry) -> Fraction:
        return Fraction(int(self.numerators[entry]), int(self.divisors[entry]))

    def texts(self, entries: Integers, text: Callable[[int, int], str]) -> list[str]:
        """The values of ``entries`` by a function of numerator and denominator in lowest terms, which is called once
        for equal ones.
        """
        _, first, place = np.unique(self.compared[entries], return_index=True, return_inverse=True)
        tops, bottoms = self.lowest(entries[first])
        texts = [text(top, bottom) for top, bottom in zip(tops.tolist(), bottoms.tolist(), strict=True)]
        return [texts[index] for index in place.tolist()]

    def lowest(self, entries: Integers) -> tuple[Integers, Integers]:
        """Numerators and denominators in lowest terms."""
        tops, bottoms = self.numerators[entries], self.divisors[entries]
        common = np.gcd(tops, bottoms)
        return tops // common, bottoms // common


def exact(top: int, bottom: int) -> Exact:
    """The stored form of a fraction in lowest terms."""
    return str(top) if bottom == 1 else f"{top}/{bottom}"


class Reckoned:
    """What the keys of one moment have in common: the tables so far, and what everybody has."""

    def __init__(self, columns: "Columns", results: int, deductions: int) -> None:
        """With the rounds and the deductions up to these numbers."""
        self.size: int = columns.size
        self.unit: int = columns.book.unit
        self.tables = [each.through(results) for each in columns.tables]
        earned = np.zeros(self.size, np.int64)
        for each in self.tables:
            np.add.at(earned, each.entries.ravel(), each.points.ravel())
        _add(earned, columns.awards, results)
        self.earned = earned + columns.book.scaled(columns.book.start)
        """What tie-breaks take of opponents."""
        deducted = np.zeros(self.size, np.int64)
        _add(deducted, columns.deductions, deductions)
        self.points: Integers = self.earned - deducted

    def gathered(self, amounts: Callable[[Tables], Integers]) -> Integers:
        """The sum by entrant of what each seat of each table adds."""
        total = np.zeros(self.size, np.int64)
        for each in self.tables:
            np.add.at(total, each.entries.ravel(), amounts(each).ravel())
        return total


def _strength(now: Reckoned) -> tuple[Integers, Integers | int]:
    met = now.gathered(lambda each: each.counts.sum(axis=1, keepdims=True) - each.counts)

    def others(each: Tables) -> Integers:
        of_each = now.earned[each.entries] * each.counts
        result: Integers = of_each.sum(axis=1, keepdims=True) - of_each
        return result

    return now.gathered(others), now.unit * np.maximum(met, 1)


def _beaten(each: Tables) -> Integers:
    """By table, seat and other seat: parts of a win. Nobody beats himself, nor who does not count."""
    own, other = each.places[:, :, None], each.places[:, None, :]
    parts = TIED_PARTS * (own < other) + (own == other)
    seats = np.arange(each.places.shape[1])
    parts[:, seats, seats] = 0
    result: Integers = parts * each.counts[:, None, :]
    return result


def _beaten_strength(now: Reckoned) -> tuple[Integers, Integers | int]:
    total = now.gathered(lambda each: (_beaten(each) * now.earned[each.entries][:, None, :]).sum(axis=2))
    return total, TIED_PARTS * now.unit


KEYS: Mapping[Key, Callable[[Reckoned], tuple[Integers, Integers | int]]] = {
    "TP": lambda now: (now.points, now.unit),
    "RAW": lambda now: (now.gathered(lambda each: each.scores), 1),
    "SOS": _strength,
    "PSB": _beaten_strength,
    "BEAT": lambda now: (now.gathered(lambda each: _beaten(each).sum(axis=2)), TIED_PARTS),
}
"""The sums of a key by entry number, and what they are divided by. LOT is drawn and not summed."""


class PointsTable:
    """The points table after one round, as arrays: the ranked in order, then the disqualified, then the others."""

    def __init__(self, columns: "Columns", points: Integers, found: dict[Key, Column | None]) -> None:
        """``None`` stands for a column in which nobody has a value."""
        self.columns = found
        unit = np.full_like(points, columns.book.unit)
        self.points = Column(points, unit, points)
        inside = columns.inside
        parted = [(key, column.compared[inside]) for key, column in found.items() if column is not None]
        rows = np.lexsort([inside, *(-values for _, values in reversed(parted))])
        differs = np.zeros((len(parted) + 1, len(inside)), np.bool_)
        for index, (_, values) in enumerate(parted):
            differs[index, 1:] = np.diff(values[rows]) != 0
        differs[-1, :1] = True
        starts = np.flatnonzero(differs.any(axis=0))
        lengths = np.diff(np.append(starts, len(inside)))
        last = len(inside) + 1 if columns.book.rules.rank_disqualified else 0
        out, others = len(columns.out), len(columns.others)
        self.entries: Integers = np.concatenate([inside[rows], columns.out, columns.others])
        self.places: Integers = np.concatenate([np.repeat(starts + 1, lengths), np.repeat([last, 0], [out, others])])
        shared = out if last else 1
        self.sharing: Integers = np.concatenate([np.repeat(lengths, lengths), np.repeat([shared, 1], [out, others])])
        names: list[Key | None] = [*(key for key, _ in parted), None]
        deciding = np.full(len(self.entries), len(parted))
        deciding[starts] = differs[:, starts].argmax(axis=0)
        self.decided_by: list[Key | None] = [names[index] for index in deciding.tolist()]

    def figures(self, key: Key) -> Sequence[Exact | None]:
        """The values of a key as they are stored, in the order of ``entries``."""
        column = self.columns[key]
        return [None] * len(self.entries) if column is None else column.texts(self.entries, exact)


class Columns:
    """The results of a book as arrays. ``of`` makes them where they hold."""

    def __init__(self, book: Book, tables: list[Tables], awards: Paid, deductions: Paid, size: int) -> None:
        self.book = book
        self.tables = tables
        self.awards = awards
        self.deductions = deductions
        self.size = size
        listed = sorted((each for each in book.entrants.values() if each.listed), key=lambda each: each.entry)
        ranked = [each for each in listed if each.ranked]
        self.inside = _numbers(each.entry for each in ranked if not each.disqualified)
        self.out = _numbers(each.entry for each in ranked if each.disqualified)
        self.others = _numbers(each.entry for each in listed if not each.ranked)

    @classmethod
    def of(cls, book: Book) -> "Columns | None":
        """``None`` where rounds are left out, or a number may be too large."""
        if book.rules.best_of:
            return None
        size = max(book.entrants, default=0) + 1
        if size > ENTRY_MAX:
            return None
        counts = np.ones(size, np.int64)
        if not book.rules.substitutes_count:
            counts[[entry for entry, entrant in book.entrants.items() if not entrant.ranked]] = 0
        tables, awards = (
            _tables(book, counts),
            _paid([(each.round, entry, each.points) for entry, found in book.awarded.items() for each in found]),
        )
        deductions = _paid(
            [(number, entry, points) for entry, found in book.deducted.items() for number, points in found]
        )
        if tables is None or awards is None or deductions is None or book.scaled(book.start) > AMOUNT_MAX:
            return None
        return cls(book, tables, awards, deductions, size)

    def table(self, results: int = ROUNDS_ALL, deductions: int = ROUNDS_ALL) -> PointsTable | None:
        """After the rounds up to these numbers; ``None`` where a key has no column, or values are too large."""
        if any(key not in KEYS and key != "LOT" for key in self.book.rules.order):
            return None
        now = Reckoned(self, results, deductions)
        meetings = sum(each.places.size * each.places.shape[1] for each in now.tables)
        if int(np.abs(now.earned).max(initial=0)) * meetings * TIED_PARTS >= COMPARED_MAX:
            return None
        found: dict[Key, Column | None] = {}
        for key in self.book.rules.order:
            if key == "LOT":
                found[key] = self._lots()
                continue
            sums, divisor = KEYS[key](now)
            column = _column(sums, np.broadcast_to(np.asarray(divisor, np.int64), sums.shape))
            if column is None:
                return None
            found[key] = column
        return PointsTable(self, now.points, found)

    def points(self) -> dict[Entry, int]:
        """What everybody has at last, in parts of the unit."""
        points = Reckoned(self, ROUNDS_ALL, ROUNDS_ALL).points
        return dict(zip(self.book.entrants, points[list(self.book.entrants)].tolist(), strict=True))

    def _lots(self) -> Column | None:
        lots = lots_of(self.book.rules.lot_seed, self.size)
        return None if lots is None else Column(lots, np.ones(self.size, np.int64), lots)


def _column(numerators: Integers, divisors: Integers) -> Column | None:
    """``None`` where the common denominator is too large."""
    common = lcm(*np.unique(divisors).tolist())
    most = int(np.abs(numerators).max(initial=0))
    if most * common >= COMPARED_MAX:
        return None
    return Column(numerators, divisors, numerators * (common // divisors))


def _tables(book: Book, counts: Integers) -> list[Tables] | None:
    """By size, in the order of the rounds; ``None`` where an amount is too large."""
    sheets = [_sheet_columns(sheet) for sheet in book.sheets]
    if not sheets:
        return []
    found: list[SheetColumns] = [sheet for sheet in sheets if sheet is not None]
    amounts = [book.scaled(points) for sheet in found for points in sheet.amounts]
    if len(found) < len(sheets) or max(map(abs, amounts), default=0) > AMOUNT_MAX:
        return None
    before = accumulate([len(sheet.amounts) for sheet in found], initial=0)
    of_size, entries, places, scores = (np.concatenate(columns) for columns in list(zip(*found, strict=True))[:4])
    begins = np.concatenate([sheet.begins + length for sheet, length in zip(found, before, strict=False)])
    if len(entries) > AMOUNTS_MAX or ((scores > AMOUNT_MAX) | (scores < -AMOUNT_MAX)).any():
        return None
    of_round = np.repeat(np.array(book.rounds, np.int64), [len(sheet.sizes) for sheet in found])
    paid = np.array(amounts, np.int64)
    first = np.cumsum(of_size) - of_size
    by_size = []
    for size in np.unique(of_size).tolist():
        of_these = np.flatnonzero(of_size == size)
        at = first[of_these][:, None] + np.arange(size)
        points = paid[begins[of_these][:, None] + np.arange(size)]
        by_size.append(Tables(of_round[of_these], entries[at], places[at], scores[at], points, counts[entries[at]]))
    return by_size


class SheetColumns(NamedTuple):
    """Tables of one round one after the other, seat by seat."""

    sizes: Integers
    """By table."""
    entries: Integers
    places: Integers
    scores: Integers
    begins: Integers
    """By table: where in ``amounts`` the points of its first seat are."""
    amounts: tuple[Fraction, ...]


_known_sheets: Remembered[SheetColumns | None] = Remembered(SHEETS_REMEMBERED)


def _sheet_columns(sheet: Sheet) -> SheetColumns | None:
    """``None`` where a number has no 64 bits."""
    if len(sheet.tables) < REMEMBERED_MIN:
        return _made(sheet)
    return _known_sheets.of((sheet,), lambda: _made(sheet))


def _made(sheet: Sheet) -> SheetColumns | None:
    seats = list(chain.from_iterable([table.seated for table in sheet.tables]))
    patterns = {id(points): points for points in sheet.paid}
    begins = dict(zip(patterns, accumulate(map(len, patterns.values()), initial=0), strict=False))
    try:
        return SheetColumns(
            np.array([len(points) for points in sheet.paid], np.int64),
            np.array([seat.entry for seat in seats], np.int64),
            np.array([seat.place for seat in seats], np.int64),
            np.array([seat.score for seat in seats], np.int64),
            np.array([begins[id(points)] for points in sheet.paid], np.int64),
            tuple(chain.from_iterable(patterns.values())),
        )
    except OverflowError:
        return None


def _numbers(entries: Iterable[Entry]) -> Integers:
    return np.array(list(entries), np.int64)


def _paid(rows: list[tuple[int, Entry, int]]) -> Paid | None:
    rows.sort()
    if len(rows) > AMOUNTS_MAX or any(abs(points) > AMOUNT_MAX for _, _, points in rows):
        return None
    table = np.array(rows, np.int64).reshape(-1, 3)
    return Paid(table[:, 0], table[:, 1], table[:, 2])


def _add(total: Integers, paid: Paid, number: int) -> None:
    rows = int(np.searchsorted(paid.rounds, number, side="right"))
    np.add.at(total, paid.entries[:rows], paid.points[:rows])
