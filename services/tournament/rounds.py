"""A round as it is shown: the draft, or what was published, with the points of each table once it is closed."""

from fractions import Fraction

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament.events import RoundDrafted
from engine.tournament.exact import Exact, exact_text
from engine.tournament.played import Entry
from engine.tournament.record import result_of
from engine.tournament.state import RoundPhase, RoundState, TablePhase, TableState, Tournament, match_id
from services.tournament.ledgers import Kept
from services.tournament.standings import Rankings
from services.tournament.why import round_of


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
    state = kept.state
    if draft:
        return _draft(state)
    now = round_of(state, number)
    points = await _points(kept, rankings, now) if now.phase is RoundPhase.CLOSED else {}
    tables = tuple(
        TableShown(
            table,
            match_id(state.id, now.number, table.index, table.attempt),
            _seats(state, now, table, points),
        )
        for table in now.tables
    )
    return RoundShown(now.drafted, now.phase.value, tables, now.absent, now.ends_at, now.left_ms)


def _draft(state: Tournament) -> RoundShown:
    draft = state.draft
    if draft is None:
        raise Refusal("no_draft", "No round is drafted.", Kind.MISSING)
    tables = tuple(
        TableShown(TableState(index, pod.table, pod.entries), "", tuple(map(SeatShown, pod.entries)))
        for index, pod in enumerate(draft.pods, 1)
    )
    return RoundShown(draft, "draft", tables)


def _seats(
    state: Tournament, now: RoundState, table: TableState, points: dict[tuple[int, Entry], Exact]
) -> tuple[SeatShown, ...]:
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


async def _points(kept: Kept, rankings: Rankings, now: RoundState) -> dict[tuple[int, Entry], Exact]:
    """What each seat of a closed round has been paid, by table and entry."""
    book = (await rankings.of(kept.ledger.revision, kept.state, now.drafted.stage)).book
    found: dict[tuple[int, Entry], Exact] = {}
    arena = not now.drafted.pods
    tables = {table.number for table in now.tables}
    for entry, played in book.played.items():
        for game, seat in played:
            if (arena and game.number in tables) or game.round == now.number:
                found[game.number, entry] = exact_text(Fraction(game.points[seat], book.unit))
    return found
