"""The order: entrants are parted by the first key, those who are equal by the second, and so on. Who is equal in all
keys shares the place.

The order follows from the results alone and never from the order in which they are given; within a shared place the
lower entry number is written first.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby, repeat
from math import lcm
from typing import TypeAlias

from engine.kernel.value import Value
from engine.tournament.columns.table import Columns, PointsTable, exact
from engine.tournament.exact import Exact, exact_text
from engine.tournament.played import Deduction, Entrant, Entry, RoundResult
from engine.tournament.standings.book import Book
from engine.tournament.standings.rules import Key, StandingRules
from engine.tournament.standings.terms import Worth
from engine.tournament.standings.tiebreaks import TIEBREAKS, Tiebreak

Figure: TypeAlias = Exact | tuple[Exact, ...] | None
"""The value of a key as it is stored: several numbers for PLACES; None where it does not apply (H2H among those who
have not all met, LOT before the seed is known)."""

SCALED_BITS_MAX = 512
"""Fractions whose common denominator is no longer than this are compared as integers; others as they are."""


class Line(Value, frozen=True):
    """One line of the standings. All keys are there, also those that decided nothing."""

    place: int
    """1 for the best, shared by equals (1, 2, 2, 4); 0 for those without a place."""
    entry: Entry
    points: Exact
    keys: tuple[tuple[Key, Figure], ...]
    sharing: int = 1
    """How many have this place."""
    decided_by: Key | None = None
    """The first key that differs from the line before; None for the first line, within a place, and for those who are
    behind because they are disqualified or not ranked."""


class Ranking:
    """Standings, and all that is needed to explain them: by columns where the book has them, else by terms."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.tied: dict[Key, dict[Entry, tuple[Entry, ...]]] = {}
        """For keys that are reckoned among equals: with whom."""
        self._worths: dict[Key, dict[Entry, Worth]] = {}
        entrants = sorted((each for each in book.entrants.values() if each.listed), key=lambda each: each.entry)
        inside = [entrant.entry for entrant in entrants if entrant.ranked and not entrant.disqualified]
        out = [entrant.entry for entrant in entrants if entrant.ranked and entrant.disqualified]
        self._entries = [entrant.entry for entrant in entrants]
        columns = Columns.of(book)
        self._table = columns.table() if columns else None
        if self._table:
            self.lines = tuple(self._by_columns(self._table))
        else:
            self.lines = (*self._ranked(inside), *self._behind(entrants, inside, out))

    def _by_columns(self, table: PointsTable) -> Iterable[Line]:
        figures = [zip(repeat(key), table.figures(key), strict=False) for key in self.book.rules.order]
        return map(
            Line,
            table.places.tolist(),
            table.entries.tolist(),
            table.points.texts(table.entries, exact),
            zip(*figures, strict=True),
            table.sharing.tolist(),
            table.decided_by,
        )

    def _ranked(self, entries: list[Entry]) -> Iterable[Line]:
        groups: list[tuple[list[Entry], Key | None]] = [(entries, None)] if entries else []
        for key in self.book.rules.order:
            groups = self._refined(groups, TIEBREAKS[key])
        place = 1
        lines = []
        for group, decided_by in groups:
            for number, entry in enumerate(group):
                lines.append(self._line(entry, place, len(group), decided_by if number == 0 else None))
            place += len(group)
        return lines

    def _refined(
        self, groups: list[tuple[list[Entry], Key | None]], by: Tiebreak
    ) -> list[tuple[list[Entry], Key | None]]:
        """The groups, parted by one more key; each with the key that sets it behind the one before."""
        if by.only_among_equals:
            worths: dict[Entry, Worth] = {}
            self.tied[by.id] = {}
            for group, _ in groups:
                worths |= by.worths(self.book, group)
                self.tied[by.id] |= dict.fromkeys(group, tuple(group))
        else:
            worths = by.worths(self.book, self._entries)
        self._worths[by.id] = worths
        found: list[tuple[list[Entry], Key | None]] = []
        for group, decided_by in groups:
            if len(group) == 1 or group[0] not in worths:
                found.append((group, decided_by))
                continue
            comparable = _comparable({entry: worths[entry] for entry in group})
            ordered = sorted(group, key=comparable.__getitem__, reverse=by.higher_is_better)
            for number, (_, equal) in enumerate(groupby(ordered, key=comparable.__getitem__)):
                found.append((list(equal), decided_by if number == 0 else by.id))
        return found

    def _behind(self, entrants: Sequence[Entrant], inside: list[Entry], out: list[Entry]) -> Iterable[Line]:
        place = len(inside) + 1 if self.book.rules.rank_disqualified else 0
        substitutes = [entrant.entry for entrant in entrants if not entrant.ranked]
        for entry in out:
            yield self._line(entry, place, len(out) if place else 1)
        for entry in substitutes:
            yield self._line(entry, 0, 1)

    def _line(self, entry: Entry, place: int, sharing: int, decided_by: Key | None = None) -> Line:
        points = exact_text(Fraction(self.book.points[entry], self.book.unit))
        keys = tuple([(key, figure_of(self.worth(key, entry))) for key in self.book.rules.order])
        return Line(place, entry, points, keys, sharing, decided_by)

    def worth(self, key: Key, entry: Entry) -> Worth | None:
        """The value of one key, or None where it does not apply."""
        if self._table:
            column = self._table.columns[key]
            return None if column is None else column.worth(entry)
        return self._worths[key].get(entry)


def standings(
    rules: StandingRules,
    entrants: tuple[Entrant, ...],
    rounds: tuple[RoundResult, ...],
    deductions: tuple[Deduction, ...] = (),
    planned_rounds: int = 0,
) -> tuple[Line, ...]:
    """All listed entrants in order: the ranked, then the disqualified, then those who are not ranked.

    ``rounds`` are the closed ones; ``planned_rounds`` is how many there will be (0: no more), which only a virtual
    opponent needs. Raises ``Refusal`` ``bad_scheme`` if a table has a size without points.
    """
    return Ranking(Book(rules, entrants, rounds, deductions, planned_rounds)).lines


def points_before(
    rules: StandingRules,
    entrants: tuple[Entrant, ...],
    rounds: tuple[RoundResult, ...],
    deductions: tuple[Deduction, ...] = (),
) -> dict[Entry, Fraction]:
    """What everybody has before the next round is paired: the ``points`` of the standings, deductions and all."""
    book = Book(rules, entrants, rounds, deductions)
    columns = Columns.of(book)
    points = columns.points() if columns else book.points
    different = {each: Fraction(each, book.unit) for each in set(points.values())}
    return {entry: different[each] for entry, each in points.items()}


def figure_of(worth: Worth | None) -> Figure:
    """The stored form of a value."""
    if worth is None:
        return None
    return tuple(map(exact_text, worth)) if isinstance(worth, tuple) else exact_text(worth)


def _comparable(worths: Mapping[Entry, Worth]) -> Mapping[Entry, Worth | int]:
    """The same order in integers, where these stay short: they compare ten times as fast as fractions."""
    single = {entry: worth for entry, worth in worths.items() if isinstance(worth, Fraction)}
    if len(single) < len(worths):
        return worths
    common = 1
    for denominator in {worth.denominator for worth in single.values()}:
        common = lcm(common, denominator)
        if common.bit_length() > SCALED_BITS_MAX:
            return worths
    return {entry: worth.numerator * (common // worth.denominator) for entry, worth in single.items()}
