"""Keys that compare those who are still equal: what they did against each other, and at last the lot."""

from collections.abc import Sequence

from engine.tournament.columns.lots import lots_of
from engine.tournament.played import Entry
from engine.tournament.standings.book import Book
from engine.tournament.standings.terms import Sum, Term


def head_to_head(book: Book, tied: Sequence[Entry]) -> dict[Entry, Sum]:
    """H2H: the points at tables where at least two of those sat who are still equal. It counts only if every two of
    them have met; else it decides nothing, and nobody has a value. Awards meet nobody.
    """
    group = set(tied)
    if len(group) < 2:
        return {}
    found: dict[Entry, Sum] = {}
    for entry in tied:
        shared = [(game, seat) for game, seat in book.played[entry] if len(group.intersection(game.entries)) > 1]
        met = {other for game, _ in shared for other in game.entries}
        if not group <= met:
            return {}
        terms = [Term(game.round, game.number, 0, game.points[seat], "among equals") for game, seat in shared]
        found[entry] = Sum(terms, book.unit)
    return found


def lot(book: Book, entries: Sequence[Entry]) -> dict[Entry, Sum]:
    """LOT: a number of 62 bits that ``tavolata-luck-1`` draws from the published seed for ``lot:<entry>``, two dice of
    2^31 sides; the higher one stands before. Nobody has one as long as ``lot_seed`` is empty. Awards do not matter.
    """
    lots = lots_of(book.rules.lot_seed, max(entries, default=0) + 1)
    if lots is None:
        return {}
    return {entry: Sum([Term(0, 0, 0, int(lots[entry]), "lot")]) for entry in entries}
