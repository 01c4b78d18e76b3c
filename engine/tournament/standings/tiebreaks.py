"""All keys that standings can be ordered by: their English name, their direction, and the function that reckons them.

The docstring of each function is its definition, and says what an award without a table does to it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from engine.tournament.played import Entry
from engine.tournament.standings import lots, opponents, own
from engine.tournament.standings.book import Book
from engine.tournament.standings.rules import Key
from engine.tournament.standings.terms import Sum, Worth

Alone: TypeAlias = Callable[[Book, Entry], Sum]
"""Reckons one entrant, whoever else there is."""

Together: TypeAlias = Callable[[Book, Sequence[Entry]], dict[Entry, Sum]]
"""Reckons several; who is missing in the answer has no value."""


class Tiebreak(NamedTuple):
    """One key. Exactly one of ``alone`` and ``together`` is set."""

    id: Key
    label: str
    alone: Alone | None = None
    together: Together | None = None
    higher_is_better: bool = True
    only_among_equals: bool = False
    """Whether it is reckoned anew for every group of those who are still equal."""

    def sums(self, book: Book, entries: Sequence[Entry]) -> dict[Entry, Sum]:
        """The terms of all ``entries``."""
        if self.together:
            return self.together(book, entries)
        return {entry: self._alone(book, entry) for entry in entries}

    def worths(self, book: Book, entries: Sequence[Entry]) -> dict[Entry, Worth]:
        """The values alone: no more terms exist at one time than one entrant has."""
        if self.together:
            return {entry: total.worth() for entry, total in self.together(book, entries).items()}
        return {entry: self._alone(book, entry).worth() for entry in entries}

    @property
    def definition(self) -> str:
        """The docstring of the function that reckons it."""
        return (self.alone or self.together).__doc__ or ""

    def _alone(self, book: Book, entry: Entry) -> Sum:
        assert self.alone
        return self.alone(book, entry)


TIEBREAKS: Mapping[Key, Tiebreak] = {
    tiebreak.id: tiebreak
    for tiebreak in (
        Tiebreak("TP", "Points", own.points),
        Tiebreak("WINS", "Wins", own.wins),
        Tiebreak("PLACES", "Most first, second, third places", own.places),
        Tiebreak("RAW", "Total score", own.raw),
        Tiebreak("SHARE", "Share of the scores", own.share),
        Tiebreak("NORM", "Score against the average", own.normalised),
        Tiebreak("VSWIN", "Score against the winner", own.against_winner),
        Tiebreak("VSOPP", "Score against the best opponent", own.against_best_opponent),
        Tiebreak("SOS", "Mean points of the opponents", opponents.strength),
        Tiebreak("SOS-C1", "Opponents' points without the lowest", opponents.strength_without_lowest),
        Tiebreak("SOS-M1", "Opponents' points without the lowest and the highest", opponents.strength_median),
        Tiebreak("XSOS", "Strength of the opponents' opponents", opponents.strength_of_strength),
        Tiebreak("PSB", "Points of the opponents beaten", opponents.beaten_strength),
        Tiebreak("BEAT", "Opponents beaten", opponents.beaten),
        Tiebreak("PROG", "Points after every round, added up", own.progress),
        Tiebreak("AVGPLACE", "Mean place", own.average, higher_is_better=False),
        Tiebreak("DROP1", "Points without the worst round", own.without_worst),
        Tiebreak("H2H", "Points against each other", together=lots.head_to_head, only_among_equals=True),
        Tiebreak("LOT", "Lot", together=lots.lot),
        Tiebreak("LINES", "Wins with a line", own.lines),
        Tiebreak("OMW", "Opponents' match wins", opponents.match_wins),
        Tiebreak("BH", "Buchholz", opponents.buchholz),
        Tiebreak("BH-C1", "Buchholz without the lowest", opponents.buchholz_without_lowest),
        Tiebreak("SB", "Sonneborn-Berger", opponents.sonneborn_berger),
    )
}
