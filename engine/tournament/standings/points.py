"""What one table pays to those who sat at it, by every scheme; and the guards of a share that cannot be taken."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import assert_never

from engine.tournament.exact import exact_of
from engine.tournament.played import Entry, TableResult
from engine.tournament.schemes import (
    MatchPoints,
    NormalisedPlace,
    Places,
    Scheme,
    Share,
    Squares,
    Wager,
    Win,
    check_fits,
)

HUNDREDTHS = 100


def round_points(
    scheme: Scheme,
    tables: Iterable[TableResult],
    held: Mapping[Entry, Fraction],
    known: dict[tuple[int, ...], tuple[Fraction, ...]] | None = None,
) -> list[tuple[Fraction, ...]]:
    """The points of one round: for every table the points of its seats, in their order.

    ``held`` is what everybody had before the round, for wagers. ``known`` remembers between rounds of one scheme what
    tables of these places, or scores, pay. Raises ``Refusal`` ``bad_scheme`` if a table has a size
    that the scheme does not know.
    """
    match scheme:
        case MatchPoints():
            return match_points(tuple(tables))
        case Wager():
            return [wager_points(scheme, table, held) for table in tables]
        case _:
            known = {} if known is None else known
            by_place = isinstance(scheme, Places | Win | NormalisedPlace)
            found = []
            for table in tables:
                if by_place:
                    key = tuple([seat.place for seat in table.seated])
                else:
                    key = tuple([seat.score for seat in table.seated])
                if key not in known:
                    known[key] = table_points(scheme, table)
                found.append(known[key])
            return found


def table_points(scheme: Scheme, table: TableResult) -> tuple[Fraction, ...]:
    """The points of the seats of one table, in their order, for every scheme that needs no more than the table.

    Of ``match-points`` it tells those that this table alone would give. A wager depends on what everybody holds:
    ``wager_points``; here everybody holds the start. Raises ``Refusal`` ``bad_scheme`` for a size without points.
    """
    size = len(table.seated)
    check_fits(scheme, (size,))
    places = [seat.place for seat in table.seated]
    match scheme:
        case Places():
            row = [exact_of(text) for text in scheme.row(size) or ()]
            return tuple(_mean(row[place - 1 : place - 1 + places.count(place)]) for place in places)
        case Win():
            win, draw, loss = exact_of(scheme.win), exact_of(scheme.draw), exact_of(scheme.loss)
            first = win if places.count(1) == 1 else draw
            return tuple(first if place == 1 else loss for place in places)
        case NormalisedPlace():
            behind = max(size - 1, 1)
            return tuple(100 * (1 - (average_place(places, place) - 1) / behind) for place in places)
        case Share():
            return tuple(size * share for share in shares([seat.score for seat in table.seated]))
        case Squares():
            weights = [seat.score**2 + 4 * seat.score + 16 for seat in table.seated]
            return tuple(Fraction(100 * weight, sum(weights)) for weight in weights)
        case MatchPoints():
            return match_points((table,))[0]
        case Wager():
            return wager_points(scheme, table, {seat.entry: exact_of(scheme.start) for seat in table.seated})
        case _:
            assert_never(scheme)


def match_points(tables: tuple[TableResult, ...]) -> list[tuple[Fraction, ...]]:
    """2 for everyone in the round who was beaten, 1 for every tie. At one table the place decides, between tables the
    score; so a game's own rule for ties is kept where it was applied.
    """
    field = sorted(seat.score for table in tables for seat in table.seated)
    found = []
    for table in tables:
        own = sorted(seat.score for seat in table.seated)
        places = sorted(-seat.place for seat in table.seated)
        found.append(
            tuple(
                Fraction(
                    _against(field, seat.score) - _against(own, seat.score) + _against(places, -seat.place) - 1
                )  # the last: nobody ties with himself
                for seat in table.seated
            )
        )
    return found


def wager_points(scheme: Wager, table: TableResult, held: Mapping[Entry, Fraction]) -> tuple[Fraction, ...]:
    """What every seat wins or loses (negative); the sum is 0. Who has ``held`` nothing stakes nothing."""
    part = exact_of(scheme.stake)
    stakes = [max(0, held[seat.entry] * part * HUNDREDTHS // 1) for seat in table.seated]
    winners = sorted(seat.entry for seat in table.seated if seat.place == 1)
    each, rest = divmod(sum(stakes), len(winners))
    won = {entry: each + (number < rest) for number, entry in enumerate(winners)}
    return tuple(
        Fraction(won.get(seat.entry, 0) - stake, HUNDREDTHS) for seat, stake in zip(table.seated, stakes, strict=True)
    )


def average_place(places: Sequence[int], place: int) -> Fraction:
    """The mean of the places that the group on ``place`` takes up: 2.5 for both who share the second place."""
    return place + Fraction(places.count(place) - 1, 2)


def shares(scores: Sequence[int]) -> tuple[Fraction, ...]:
    """Every score as a part of the sum. Where a score is negative, all are raised by the lowest; a sum of 0 is shared
    evenly.
    """
    raised = not_negative(scores)
    total = sum(raised)
    return tuple(Fraction(score, total) if total else Fraction(1, len(raised)) for score in raised)


def not_negative(scores: Sequence[int]) -> list[int]:
    """The scores, raised by the lowest where that is negative, so that they can be compared as parts."""
    lowest = min(0, *scores)
    return [score - lowest for score in scores]


def _mean(points: Sequence[Fraction]) -> Fraction:
    return sum(points, Fraction()) / len(points)


def _against(ordered: Sequence[int], value: int) -> int:
    """2 for everything below ``value``, 1 for everything equal to it."""
    return bisect_left(ordered, value) + bisect_right(ordered, value)
