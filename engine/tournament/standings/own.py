"""Keys from an entrant's own tables: points, places and scores. Nobody else's results enter.

An award of a round without a table (bye, absence, late entry, no-show) counts as points in TP, PROG and DROP1. In all
the others it adds nothing, since nobody was beaten and nothing was scored.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from engine.tournament.played import Entry
from engine.tournament.standings.book import Book, Game
from engine.tournament.standings.points import average_place, not_negative, shares
from engine.tournament.standings.terms import Sum, Term, mean, without

LINE = "line"
"""The reason of a table that ended with a line."""


def points(book: Book, entry: Entry) -> Sum:
    """TP: all points of the closed rounds and awards, less deductions; with ``best_of`` only the best rounds."""
    return book.points_sums[entry]


def wins(book: Book, entry: Entry) -> Sum:
    """WINS: 1 for every table won; who shares the first place with others has his part of it. Awards win nothing."""
    return _by_table(
        book,
        entry,
        lambda game, seat: Fraction(1, game.places.count(1)) if game.places[seat] == 1 else None,
        "first place",
    )


def places(book: Book, entry: Entry) -> Sum:
    """PLACES: how many first places, then how many second ones, and so on; a tie counts as the best of its places.
    Awards have no place.
    """
    terms = [
        Term(game.round, game.number, 0, 1, f"place {game.places[seat]}", game.places[seat] - 1)
        for game, seat in book.played[entry]
    ]
    return Sum(terms, width=_largest(book))


def raw(book: Book, entry: Entry) -> Sum:
    """RAW: all scores as the game counts them. Awards have no score."""
    return Sum([Term(game.round, game.number, 0, game.scores[seat], "score") for game, seat in book.played[entry]])


def share(book: Book, entry: Entry) -> Sum:
    """SHARE: the scores, each as a part of all scores at its table. At a table without any score everybody has an even
    part; where a score is negative, all are raised by the lowest. Awards have no part.
    """
    return _by_table(book, entry, lambda game, seat: shares(game.scores)[seat], "part of the table")


def normalised(book: Book, entry: Entry) -> Sum:
    """NORM: SHARE times the size of the table: 1 for every average score, whatever the size. Awards add nothing."""
    return _by_table(
        book, entry, lambda game, seat: len(game.scores) * shares(game.scores)[seat], "part of the average"
    )


def against_winner(book: Book, entry: Entry) -> Sum:
    """VSWIN: the scores, each as a part of the best at its table; 1 if nobody scored. Negative scores as in SHARE.
    Awards add nothing.
    """
    return _by_table(
        book,
        entry,
        lambda game, seat: _part(not_negative(game.scores)[seat], not_negative(game.scores)),
        "part of the best score",
    )


def against_best_opponent(book: Book, entry: Entry) -> Sum:
    """VSOPP: the scores, each as a part of the best among the opponents, so that only winners are above 1. If they
    have no score, they count as 1 against somebody who has one. Negative scores as in SHARE. Awards, and tables without
    opponents, add nothing.
    """

    def against(game: Game, seat: int) -> Fraction | None:
        scores = not_negative(game.scores)
        others = scores[:seat] + scores[seat + 1 :]
        return _part(scores[seat], others) if others else None

    return _by_table(book, entry, against, "part of the best opponent")


def progress(book: Book, entry: Entry) -> Sum:
    """PROG: the points after every closed round, added up, so that early points count more often. Awards count in their
    round, deductions from theirs.
    """
    terms = [
        Term(number, 0, 0, int(sum([term.amount for term in book.points_terms(entry, number).terms])), "points after")
        for number in book.rounds
    ]
    return Sum(terms, book.unit)


def average(book: Book, entry: Entry) -> Sum:
    """AVGPLACE: the mean place over all tables, ties at the mean of their places; lower is better. Awards have no
    place; who has sat at no table has the last place of the largest one.
    """
    terms = [
        Term(game.round, game.number, 0, average_place(game.places, game.places[seat]), "place")
        for game, seat in book.played[entry]
    ]
    return mean(terms or [Term(0, 0, 0, _largest(book), "never at a table")])


def without_worst(book: Book, entry: Entry) -> Sum:
    """DROP1: TP without the worst round that counts. A round without a table is as good as what it was awarded, 0 if
    nothing was; deductions stay.
    """
    rounds = sorted(book.by_round(entry), key=lambda term: -term.amount)[: book.rules.best_of or None]
    total = book.points_sums[entry]
    return without(total, (rounds[-1], "worst round")) if rounds else total


def lines(book: Book, entry: Entry) -> Sum:
    """LINES: 1 for every table that was won with a line; who shares it has a part. Awards add nothing."""
    return _by_table(
        book,
        entry,
        lambda game, seat: (
            Fraction(1, game.places.count(1)) if game.reason == LINE and game.places[seat] == 1 else None
        ),
        "won with a line",
    )


def _by_table(book: Book, entry: Entry, amount: Callable[[Game, int], Fraction | None], label: str) -> Sum:
    found = [(game, amount(game, seat)) for game, seat in book.played[entry]]
    return Sum([Term(game.round, game.number, 0, part, label) for game, part in found if part is not None])


def _part(score: int, of: Sequence[int]) -> Fraction:
    best = max(of)
    return Fraction(1) if score == best else Fraction(score, max(1, best))


def _largest(book: Book) -> int:
    """Seats at the largest table of the stage, and at least one."""

    def compute() -> int:
        return max((len(game.entries) for found in book.played.values() for game, _ in found), default=1)

    return book.remembered("largest table", compute)
