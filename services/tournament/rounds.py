"""A round as it is shown: the draft, or what was published, with the points of each table once it is closed."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament.events import RoundDrafted
from engine.tournament.exact import Exact, exact_text
from engine.tournament.played import Entry
from engine.tournament.record import result_of
from engine.tournament.standings.book import Book
from engine.tournament.state import RoundPhase, RoundState, TablePhase, TableState, Tournament, match_id
from services.tournament.ledgers import Kept
from services.tournament.standings import Rankings
from services.tournament.why import round_of

PointsPaid: TypeAlias = Mapping[tuple[int, Entry], Exact]
"""By the number of the table and the entry."""


class SeatShown(Value, frozen=True):
    """``place`` 0 and ``points`` empty where there are none."""

    entry: Entry
    place: int = 0
    score: int = 0
    points: Exact = ""
    no_show: bool = False


class TableShown(Value, frozen=True):
    """In seat order."""

    state: TableState
    match: str
    seats: tuple[SeatShown, ...]


class RoundShown(Value, frozen=True):
    """``drafted`` is what the pods were made from; ``phase`` is ``draft`` for one that is not public."""

    drafted: RoundDrafted
    phase: str
    tables: tuple[TableShown, ...]
    absent: tuple[Entry, ...] = ()
    ends_at: int = 0
    left_ms: int = 0


async def round_shown(kept: Kept, rankings: Rankings, number: int, *, draft: bool) -> RoundShown:
    """A published round (0: the newest), or the draft. Raises ``Refusal``: ``unknown_round``, ``no_draft``."""
    revision, state = kept.ledger.revision, kept.state  # the event goes on while it is reckoned
    if draft:
        return _draft(state)
    now = round_of(state, number)
    points: PointsPaid = {}
    if now.phase is RoundPhase.CLOSED:
        points = points_paid((await rankings.of(revision, state, now.drafted.stage)).book, now)
    tables = tuple(table_shown(state, now, table, points) for table in now.tables)
    return RoundShown(now.drafted, now.phase.value, tables, now.absent, now.ends_at, now.left_ms)


def table_shown(state: Tournament, now: RoundState, table: TableState, points: PointsPaid) -> TableShown:
    """A table of a published round, as everybody may see it."""
    match = match_id(state.id, now.number, table.index, table.attempt)
    return TableShown(table, match, _seats(state, now, table, points))


def points_paid(book: Book, now: RoundState, entries: Iterable[Entry] | None = None) -> PointsPaid:
    """What each seat of a closed round has been paid, or those of some entrants, by the book of its stage."""
    found: dict[tuple[int, Entry], Exact] = {}
    arena = not now.drafted.pods
    tables = {table.number for table in now.tables}
    for entry in book.played if entries is None else entries:
        for game, seat in book.played.get(entry, ()):
            if (arena and game.number in tables) or game.round == now.number:
                found[game.number, entry] = exact_text(Fraction(game.points[seat], book.unit))
    return found


def _draft(state: Tournament) -> RoundShown:
    draft = state.draft
    if draft is None:
        raise Refusal("no_draft", "No round is drafted.", Kind.MISSING)
    tables = tuple(
        TableShown(TableState(index, pod.table, pod.entries), "", tuple(map(SeatShown, pod.entries)))
        for index, pod in enumerate(draft.pods, 1)
    )
    return RoundShown(draft, "draft", tables)


def _seats(state: Tournament, now: RoundState, table: TableState, points: PointsPaid) -> tuple[SeatShown, ...]:
    result = result_of(state, now, table)
    seated = {} if result is None else {each.entry: each for each in result.seated}
    seats = []
    for entry in table.entries:
        each = seated.get(entry)
        seats.append(
            SeatShown(
                entry,
                each.place if each is not None else 0,
                each.score if each is not None else 0,
                table.awarded if table.phase is TablePhase.VOID else points.get((table.number, entry), ""),
                entry in table.no_shows,
            )
        )
    return tuple(seats)
