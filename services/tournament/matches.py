"""What an event learns from the log of matches: how a match has ended, and who has not moved in it at all.

Results stand in a match's own events, so no game is folded for them; whose turn it is, only the game can say.
"""

from engine.games import game_of_rules
from engine.kernel.commit import BadLine, Commit, actor_seat, decode_line
from engine.kernel.game import Seats
from engine.kernel.history import AnyHistory, History
from engine.kernel.ledger import BrokenLog
from engine.kernel.match import Match
from engine.kernel.official import EVENTS, MatchEnded, RevealSeed, TurnExpired
from engine.kernel.ports import Log, Stored
from engine.kernel.value import Instant, Revision, Seat, Value
from engine.tournament.played import Entry, Seated
from engine.tournament.state import TableState


class Outcome(Value, frozen=True):
    """How a match has ended; ``revision`` is that of its last commit. ``ranks`` and ``totals`` by seat."""

    match: str
    revision: Revision
    ranks: tuple[int, ...]
    totals: tuple[int, ...]
    reason: str


class Missing(Value, frozen=True):
    """Who keeps a table waiting, not having moved at all; and when to look again, 0 if everybody has moved."""

    seats: tuple[Seat, ...]
    look_at: Instant


async def outcome_of(log: Log, match_id: str) -> Outcome | None:
    """``None`` while the match is not complete. Raises ``BrokenLog``, ``Unavailable``."""
    last = await log.last(match_id)
    if last is None or _commits(match_id, (last,))[0].command.type != RevealSeed.name:
        return None
    commits = _commits(match_id, await log.read(match_id, after=0))
    for commit in reversed(commits):
        for recorded in commit.events:
            if recorded.type == MatchEnded.name:
                ended = EVENTS.decode(recorded)
                assert isinstance(ended, MatchEnded)
                return Outcome(match_id, commits[-1].revision, ended.ranks, ended.totals, ended.reason)
    raise BrokenLog(match_id, commits[-1].revision, "it is complete, and has no end")


def seated_of(table: TableState, outcome: Outcome) -> tuple[Seated, ...]:
    """The result of a table: those who came, with the places among them alone (1, 2, 2, 4)."""
    came = [seat for seat, entry in enumerate(table.entries) if entry not in table.no_shows]
    return tuple(
        Seated(
            table.entries[seat],
            1 + sum(outcome.ranks[other] < outcome.ranks[seat] for other in came),
            outcome.totals[seat],
        )
        for seat in came
    )


async def missing_from(log: Log, match_id: str, patience_us: int, at: Instant) -> Missing:
    """Whose turn it has been for ``patience_us``, or ran out, and who has never moved. Raises like ``outcome_of``."""
    lines = await log.read(match_id, after=0)
    commits = _commits(match_id, lines)
    if not commits:
        return Missing((), 0)
    history: AnyHistory = History(Match(game_of_rules(commits[0].rules)), match_id)
    for stored in lines:
        history.accept(stored.line, stored.position)
    if history.state.ended is not None:
        return Missing((), 0)
    moved = {actor_seat(commit.actor) for commit in commits}
    still_here = set(range(history.state.opened.seats)) - set(history.state.left)
    silent = still_here - moved
    if not silent:
        return Missing((), 0)
    expired = {seat for commit in commits for seat in _expired(commit)}
    pending = set(history.pending.seats) if isinstance(history.pending, Seats) else set()
    waited_until = history.at + patience_us
    due = silent & (expired | (pending if at >= waited_until else set()))
    return Missing(tuple(sorted(due)), max(waited_until, at + patience_us // 4) if silent - due else 0)


def entries_of(table: TableState, seats: tuple[Seat, ...]) -> tuple[Entry, ...]:
    """Who sits there, and is not marked already."""
    return tuple(table.entries[seat] for seat in seats if table.entries[seat] not in table.no_shows)


def _expired(commit: Commit) -> tuple[Seat, ...]:
    for recorded in commit.events:
        if recorded.type == TurnExpired.name:
            expired = EVENTS.decode(recorded)
            assert isinstance(expired, TurnExpired)
            return expired.seats
    return ()


def _commits(match_id: str, lines: tuple[Stored, ...]) -> list[Commit]:
    try:
        return [decode_line(stored.line) for stored in lines]
    except BadLine as error:
        raise BrokenLog(match_id, 1, str(error)) from error
