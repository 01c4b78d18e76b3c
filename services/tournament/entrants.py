"""One entrant: where to sit now, the line in the standings, and round by round what has been.

Published rounds alone are looked at, and of a table no more is told than with its round.
"""

import asyncio
from collections.abc import Iterator, Mapping
from fractions import Fraction

from engine.kernel.value import Value
from engine.tournament.exact import Exact, exact_text
from engine.tournament.people import entrant_of
from engine.tournament.played import Entry
from engine.tournament.standings.book import Awarded, Book
from engine.tournament.state import EntrantState, RoundPhase, RoundState, TableState, Tournament
from services.tournament.ledgers import Kept
from services.tournament.rounds import TableShown, points_paid, table_shown
from services.tournament.standings import Rankings, Shown
from services.tournament.whereabouts import SeatTaken, seat_of

HISTORY_MAX = 200
"""Tables and rounds told of one entrant, the newest of them: only an arena that goes on for days has more."""


class Appearance(Value, frozen=True):
    """One round, or one table of an arena. ``kind``: ``table``, or why there is none; ``seat`` counts from 0."""

    round: RoundState
    kind: str
    table: TableShown | None = None
    seat: int = 0
    points: Exact = ""


class EntrantShown(Value, frozen=True):
    """``line`` is of the newest standings that the entrant is in, those of ``stage``."""

    entrant: EntrantState
    seat: SeatTaken | None
    line: Shown | None
    keys: tuple[str, ...]
    stage: int
    history: tuple[Appearance, ...]

    @property
    def everybody(self) -> set[Entry]:
        """All who are named."""
        tables = (each.table for each in self.history if each.table is not None)
        return {self.entrant.entry, *(seat.entry for table in tables for seat in table.seats)}


async def entrant_shown(kept: Kept, rankings: Rankings, entry: Entry) -> EntrantShown:
    """Raises ``Refusal`` (``unknown_entrant``)."""
    revision, state = kept.ledger.revision, kept.state  # the event goes on while it is reckoned
    entrant = entrant_of(state, entry)
    stage, line, keys = await _line(kept, rankings, entry)
    closed = {each.drafted.stage for each in state.rounds if each.phase is RoundPhase.CLOSED}
    books = {each: (await rankings.of(revision, state, each)).book for each in sorted(closed)}
    history = await asyncio.to_thread(lambda: tuple(_history(state, books, entry)))
    return EntrantShown(entrant, _seat(state, entry), line, keys, stage, history[-HISTORY_MAX:])


async def _line(kept: Kept, rankings: Rankings, entry: Entry) -> tuple[int, Shown | None, tuple[str, ...]]:
    """The line, and the stage it is of: whoever missed the cut stands in an earlier one."""
    standings = await rankings.standings(kept, None, 0)
    newest = standings.stage
    for stage in range(newest, -1, -1):
        if stage != newest:
            standings = await rankings.standings(kept, stage, 0)
        line = next((line for line in standings.lines if line.entry == entry), None)
        if line is not None:
            return stage, line, standings.keys
    return 0, None, standings.keys


def _seat(state: Tournament, entry: Entry) -> SeatTaken | None:
    """In the newest published round; in an arena at the newest table."""
    now = state.newest
    if now is None:
        return None
    mine = [table for table in now.tables if entry in table.entries]
    return seat_of(state, now, mine[-1], entry) if mine else None


def _history(state: Tournament, books: Mapping[int, Book], entry: Entry) -> Iterator[Appearance]:
    for now in state.rounds:
        if now.phase is RoundPhase.CANCELLED:
            continue
        book = books.get(now.drafted.stage) if now.phase is RoundPhase.CLOSED else None
        awarded = _awarded(book, now, entry)
        mine = [table for table in now.tables if entry in table.entries]
        for table in mine:
            yield _at_table(state, now, table, entry, book, awarded)
        if not mine and (awarded is not None or entry in now.drafted.byes or entry in now.absent):
            unsaid = "bye" if entry in now.drafted.byes else "absent"
            yield Appearance(now, unsaid if awarded is None else awarded.kind.value, points=_points(book, awarded))


def _at_table(
    state: Tournament, now: RoundState, table: TableState, entry: Entry, book: Book | None, awarded: Awarded | None
) -> Appearance:
    paid = {} if book is None else points_paid(book, now, table.entries)
    shown = table_shown(state, now, table, paid)
    seat = table.entries.index(entry)
    return Appearance(now, "table", shown, seat, shown.seats[seat].points or _points(book, awarded))


def _awarded(book: Book | None, now: RoundState, entry: Entry) -> Awarded | None:
    """What the round has paid without a table; an arena pays nothing so."""
    if book is None or not now.drafted.pods:
        return None
    return next((each for each in book.awarded.get(entry, ()) if each.round == now.number), None)


def _points(book: Book | None, awarded: Awarded | None) -> Exact:
    return "" if book is None or awarded is None else exact_text(Fraction(awarded.points, book.unit))
