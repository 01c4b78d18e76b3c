"""The book of a stage: all results as the tie-breaks read them, each entrant's own, in round order.

Points are integers in parts of ``unit``, the common denominator of everything that was ever paid, so that sums over
ten thousand entrants are sums of integers. What a disqualification changes has been changed before a line is written.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, cached_property, partial
from math import lcm
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec

from engine.tournament.exact import exact_of
from engine.tournament.played import (
    AwardKind,
    Deduction,
    Entrant,
    Entry,
    RoundResult,
    Seated,
    TableResult,
)
from engine.tournament.remembered import Remembered
from engine.tournament.schemes import Wager
from engine.tournament.standings.points import round_points
from engine.tournament.standings.rules import StandingRules
from engine.tournament.standings.terms import Sum, Term, minus

T = TypeVar("T")

SHEETS_REMEMBERED = 24
"""Rounds, of all events together: as many as ``record`` remembers the results of."""
REMEMBERED_MIN = 64
"""Tables of a round that is worth it."""


class Game(NamedTuple):
    """One table, by columns: the same index is the same seat."""

    round: int
    number: int
    entries: tuple[Entry, ...]
    places: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    points: tuple[int, ...]
    """In parts of the book's unit."""
    others: tuple[tuple[int, ...], ...]
    """For every seat the indices of the opponents that count."""


Played: TypeAlias = tuple[Game, int]
"""A table, and the index of one's own seat there."""


class Awarded(NamedTuple):
    """Points without a table, in parts of the book's unit."""

    round: int
    kind: AwardKind
    points: int


class Sheet:
    """The tables of one round and what each of them has paid, as a book reads them."""

    def __init__(self, tables: list[TableResult], paid: list[tuple[Fraction, ...]]) -> None:
        self.tables = tables
        self.paid = paid
        self.amounts = {points for seats in {id(seats): seats for seats in paid}.values() for points in seats}


_sheets: Remembered[Sheet] = Remembered(SHEETS_REMEMBERED)


class Book:
    """Raises ``Refusal`` ``bad_scheme`` if a table has a size for which the scheme has no points."""

    def __init__(
        self,
        rules: StandingRules,
        entrants: Iterable[Entrant],
        rounds: Iterable[RoundResult],
        deductions: Iterable[Deduction] = (),
        planned_rounds: int = 0,
    ) -> None:
        self.rules = rules
        self.entrants = {entrant.entry: entrant for entrant in entrants}
        closed = sorted(rounds, key=lambda result: result.number)
        self.rounds = tuple(result.number for result in closed)
        assert len(set(self.rounds)) == len(self.rounds), "a round is given once"
        self.planned_rounds = max(planned_rounds, len(closed))
        self._remembered: dict[str, Any] = {}
        self._out = {entry for entry, entrant in self.entrants.items() if entrant.disqualified}

        self._closed = closed
        self._taken = sorted(deductions, key=lambda deduction: (deduction.round, deduction.entry))
        self.sheets = self._sheets()
        self.start = exact_of(rules.scheme.start) if isinstance(rules.scheme, Wager) else Fraction()
        amounts = {points for sheet in self.sheets for points in sheet.amounts}
        amounts |= {exact_of(award.points) for result in closed for award in result.awards}
        amounts |= {exact_of(deduction.points) for deduction in self._taken} | {self.start}
        self.unit = lcm(*{points.denominator for points in amounts})

    def _sheets(self) -> list[Sheet]:
        scheme = self.rules.scheme
        if isinstance(scheme, Wager):
            tables = [self._tables_of(result) for result in self._closed]
            return list(map(Sheet, tables, self._wagered(scheme, tables)))
        known: dict[tuple[int, ...], tuple[Fraction, ...]] = {}

        def made(result: RoundResult) -> Sheet:
            tables = self._tables_of(result)
            return Sheet(tables, round_points(scheme, tables, {}, known))

        as_played = not (self.rules.refund_disqualified and self._out)
        return [
            _sheets.of((result, scheme), partial(made, result))
            if as_played and len(result.tables) >= REMEMBERED_MIN
            else made(result)
            for result in self._closed
        ]

    def _tables_of(self, result: RoundResult) -> list[TableResult]:
        tables = sorted(result.tables, key=lambda table: table.number)
        if not (self.rules.refund_disqualified and self._out):
            return tables
        return [as_if_last(table, self._out) for table in tables]

    def _wagered(self, scheme: Wager, tables: list[list[TableResult]]) -> list[list[tuple[Fraction, ...]]]:
        paid = []
        held = dict.fromkeys(self.entrants, exact_of(scheme.start))
        due = iter([*self._taken, None])
        deduction = next(due)
        for result, of_round in zip(self._closed, tables, strict=True):
            while deduction and deduction.round < result.number:
                held[deduction.entry] -= exact_of(deduction.points)
                deduction = next(due)
            paid.append(round_points(scheme, of_round, held))
            for table, points in zip(of_round, paid[-1], strict=True):
                for seat, won in zip(table.seated, points, strict=True):
                    held[seat.entry] += won
            for award in result.awards:
                held[award.entry] += exact_of(award.points)
        return paid

    def tables(self) -> Iterator[tuple[int, TableResult, tuple[int, ...]]]:
        """Every table with the number of its round and what it has paid, in the order of the rounds."""
        scaled: dict[int, tuple[int, ...]] = {}  # by identity: tables that pay alike share one tuple
        for result, sheet in zip(self._closed, self.sheets, strict=True):
            for table, points in zip(sheet.tables, sheet.paid, strict=True):
                if id(points) not in scaled:
                    scaled[id(points)] = tuple(map(self.scaled, points))
                yield result.number, table, scaled[id(points)]

    @cached_property
    def played(self) -> dict[Entry, list[Played]]:
        """Everybody's own tables."""
        found: dict[Entry, list[Played]] = {entry: [] for entry in self.entrants}
        for number, table, points in self.tables():
            entries = tuple([seat.entry for seat in table.seated])
            game = Game(
                number,
                table.number,
                entries,
                tuple([seat.place for seat in table.seated]),
                tuple([seat.score for seat in table.seated]),
                table.reason,
                points,
                self._others(entries),
            )
            for index, entry in enumerate(entries):
                found[entry].append((game, index))
        return found

    @cached_property
    def awarded(self) -> dict[Entry, list[Awarded]]:
        """Everybody's awards."""
        found: dict[Entry, list[Awarded]] = {entry: [] for entry in self.entrants}
        for result in self._closed:
            for award in result.awards:
                found[award.entry].append(Awarded(result.number, award.kind, self.scaled(exact_of(award.points))))
        return found

    @cached_property
    def deducted(self) -> dict[Entry, list[tuple[int, int]]]:
        """What was taken from everybody, by round."""
        found: dict[Entry, list[tuple[int, int]]] = {entry: [] for entry in self.entrants}
        for deduction in self._taken:
            found[deduction.entry].append((deduction.round, self.scaled(exact_of(deduction.points))))
        return found

    def _others(self, entries: tuple[Entry, ...]) -> tuple[tuple[int, ...], ...]:
        count = self.rules.substitutes_count
        return _others(tuple([count or self.entrants[entry].ranked for entry in entries]))

    def scaled(self, points: Fraction) -> int:
        """Points in parts of ``unit``."""
        return points.numerator * (self.unit // points.denominator)

    def remembered(self, key: str, compute: Callable[[], T]) -> T:
        """What several entrants need, reckoned once."""
        if key not in self._remembered:
            self._remembered[key] = compute()
        found: T = self._remembered[key]
        return found

    def by_round(self, entry: Entry) -> list[Term]:
        """What every closed round has paid, in order; without a result it is 0. Deductions are not among them."""
        played = [Term(game.round, game.number, 0, game.points[seat], "table") for game, seat in self.played[entry]]
        if len(played) == len(self.rounds):
            return played
        found = {term.round: term for term in played}
        for number, kind, points in self.awarded[entry]:
            found[number] = Term(number, 0, 0, points, kind.value)
        return [found.get(number) or Term(number, 0, 0, 0, "no result") for number in self.rounds]

    def points_terms(self, entry: Entry, through: int | None = None) -> Sum:
        """The points after round ``through``, or at last, with what does not count taken out again."""
        rounds = self.by_round(entry)
        deducted = self.deducted[entry]
        if through is not None:
            rounds = [term for term in rounds if term.round <= through]
            deducted = [(number, points) for number, points in deducted if number <= through]
        terms = list(rounds)
        if self.start:
            terms.insert(0, Term(0, 0, 0, self.scaled(self.start), "start"))
        if 0 < self.rules.best_of < len(rounds):
            worst = sorted(rounds, key=lambda term: -term.amount)[self.rules.best_of :]
            terms += [minus(term, "not among the best") for term in worst]
        terms += [Term(number, 0, 0, -points, "deduction") for number, points in deducted]
        return Sum(terms, self.unit)

    @cached_property
    def points_sums(self) -> dict[Entry, Sum]:
        """``points_terms`` of everybody, at last."""
        return {entry: self.points_terms(entry) for entry in self.entrants}

    @cached_property
    def points(self) -> dict[Entry, int]:
        """What everybody has, in parts of ``unit``: the one number that standings, tie-breaks and pairings use."""
        return {entry: int(sum([term.amount for term in total.terms])) for entry, total in self.points_sums.items()}

    @cached_property
    def earned(self) -> dict[Entry, int]:
        """The same without deductions: what tie-breaks take of opponents. A penalty costs nobody else anything."""
        taken = {entry: sum([points for _, points in self.deducted[entry]]) for entry in self.points}
        return {entry: points + taken[entry] for entry, points in self.points.items()}


@cache
def _others(counts: tuple[bool, ...]) -> tuple[tuple[int, ...], ...]:
    """For every seat the other seats that count."""
    counting = [index for index, is_one in enumerate(counts) if is_one]
    return tuple([tuple([index for index in counting if index != own]) for own in range(len(counts))])


def as_if_last(table: TableResult, out: set[Entry]) -> TableResult:
    """The table with those who are ``out`` behind all others, with no more than the lowest score of the others."""
    stay = [seat for seat in table.seated if seat.entry not in out]
    if not stay or len(stay) == len(table.seated):
        return table
    lowest = min(seat.score for seat in stay)
    seated = tuple(_moved(seat, stay, lowest, seat.entry in out) for seat in table.seated)
    return msgspec.structs.replace(table, seated=seated)


def _moved(seat: Seated, stay: Sequence[Seated], lowest: int, is_out: bool) -> Seated:
    if is_out:
        return msgspec.structs.replace(seat, place=len(stay) + 1, score=min(seat.score, lowest))
    return msgspec.structs.replace(seat, place=1 + sum(other.place < seat.place for other in stay))
