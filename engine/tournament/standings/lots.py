"""Keys that compare those who are still equal: what they did against each other, and at last the lot."""

import hmac
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from engine.kernel.limits import SIDES_MAX
from engine.tournament.arrays import Integers
from engine.tournament.played import Entry
from engine.tournament.standings.book import Book
from engine.tournament.standings.terms import Sum, Term

LOTS_KEPT = 8
"""Events whose lots are remembered: 80 kB for 10,000 entrants."""


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


@lru_cache(maxsize=LOTS_KEPT)
def lots_of(seed: str, count: int) -> Integers | None:
    """The lots of the entrants 0 to ``count - 1``, by entry number; ``None`` as long as the seed is secret.

    The words are those of ``engine/luck/algorithm.py``: a die of 2^31 sides takes every word, and its lower 31 bits are
    what it shows, less one. Remembered, since it is the same in the standings after every round.
    """
    if not seed:
        return None
    key = bytes.fromhex(seed)
    digests = b"".join([hmac.digest(key, b"lot:%d\x00\x00\x00\x00\x00" % entry, "sha256") for entry in range(count)])
    dice = np.frombuffer(digests, ">u4").reshape(count, -1)[:, :2].astype(np.int64) % SIDES_MAX
    lots: Integers = dice[:, 0] * SIDES_MAX + dice[:, 1]
    lots.flags.writeable = False
    return lots
