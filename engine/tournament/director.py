"""The process of an event: what the house owes it now. It asks, and never decides.

A pure function of the folded event, so after a crash the same steps are found again. Some steps end in a fact of the
event (a table opened, a result); the others ask a rules service for what is harmless to repeat, under ids that follow
from the event alone, so whoever carries them out may forget that it has.
"""

from typing import Any, TypeAlias

from msgspec.structs import replace

from engine.kernel.value import Instant, Seat, Value
from engine.tournament.arena import next_look
from engine.tournament.played import Entry
from engine.tournament.state import (
    RoundPhase,
    RoundState,
    TablePhase,
    TableState,
    Tournament,
    deal_group,
    match_id,
)


class OpenTable(Value, frozen=True):
    """The match of a table is to be opened, and then told of. ``deal``: how many tables are dealt alike; 0 for one."""

    round: int
    table: int
    attempt: int
    match: str
    game: str
    options: dict[str, Any]
    players: tuple[str, ...]
    """Opaque ids in seat order."""
    group: str = ""
    deal: int = 0


class AwaitResult(Value, frozen=True):
    """The match is being played; its end is the table's result."""

    round: int
    table: int
    match: str


class VacateSeats(Value, frozen=True):
    """These seats have nobody: no-shows, or all of a match that does not count any more."""

    match: str
    game: str
    seats: tuple[Seat, ...]


class AbandonMatch(Value, frozen=True):
    """A table of a deal that does not play: its match is opened all the same, if it is not yet, and left by all.
    Without it the deal would never be complete, and no table of the round would have a result.
    """

    opening: OpenTable


class HoldMatch(Value, frozen=True):
    """The clock of the round is paused for the ``pause``-th time, or goes on: the match stands still with it."""

    match: str
    game: str
    pause: int
    held: bool


class HurryMatch(Value, frozen=True):
    """Time is called: the match is played to its end by defaults. Once more after each extension, of the table or of
    the round, which ``extended_ms`` adds up.
    """

    match: str
    game: str
    extended_ms: int


class CallTimeAt(Value, frozen=True):
    """At ``at``, unless the clock has been moved by then."""

    at: Instant
    round: int
    tables: tuple[int, ...]


class LookAtArena(Value, frozen=True):
    """At ``at`` tables may have to be seated, or the arena closed."""

    at: Instant
    round: int
    beat: int
    closes: bool


class ExpectPlayers(Value, frozen=True):
    """At ``at``, whoever of the table has not moved though it was their turn is a no-show."""

    at: Instant
    round: int
    table: int
    match: str
    entries: tuple[Entry, ...]
    """In seat order."""


Step: TypeAlias = (
    OpenTable
    | AwaitResult
    | VacateSeats
    | AbandonMatch
    | HoldMatch
    | HurryMatch
    | CallTimeAt
    | LookAtArena
    | ExpectPlayers
)


class Director:
    """A ``Process`` over an event."""

    def resume(self, state: Tournament) -> tuple[Step, ...]:
        """All that is owed now, in the order it is to be done."""
        if not state.rounds:
            return ()
        newest = state.newest
        steps: list[Step] = []
        for cancelled in state.rounds:
            if cancelled.phase is RoundPhase.CANCELLED and cancelled.number >= len(state.rounds) - 1:
                steps.extend(_given_up(state, cancelled, table) for table in cancelled.tables)
        if newest is not None:
            steps.extend(_round_steps(state, newest))
        return tuple(steps)


def _round_steps(state: Tournament, now: RoundState) -> list[Step]:
    steps: list[Step] = []
    for table in now.tables:
        if table.attempt > 1:
            steps.append(_given_up(state, now, replace(table, attempt=table.attempt - 1)))
        by_hand = table.phase is TablePhase.DONE and not table.match
        if table.phase is TablePhase.VOID or by_hand:
            steps.append(_given_up(state, now, table))
        elif table.phase is TablePhase.WAITING:
            steps.append(_opening(state, now, table))
        elif table.phase is TablePhase.OPEN:
            steps.extend(_at_open_table(state, now, table))
    if now.phase is RoundPhase.RUNNING:
        steps.extend(_clock_steps(state, now))
    return steps


def _given_up(state: Tournament, now: RoundState, table: TableState) -> VacateSeats | AbandonMatch:
    """What is owed to a match that does not count, whether it is open or not."""
    opening = _opening(state, now, table)
    if opening.group:
        return AbandonMatch(opening)
    return VacateSeats(opening.match, opening.game, tuple(range(len(table.entries))))


def _opening(state: Tournament, now: RoundState, table: TableState) -> OpenTable:
    stage = state.config.stages[now.drafted.stage]
    game = now.drafted.game
    step = OpenTable(
        round=now.number,
        table=table.number,
        attempt=table.attempt,
        match=_match(state, now, table),
        game=game,
        options=stage.options.get(game, {}),
        players=tuple(state.entrants[entry - 1].player for entry in table.entries),
    )
    if stage.duplicate and table.attempt == 1:
        return replace(step, group=deal_group(state.id, now.number), deal=len(now.tables))
    return step


def _at_open_table(state: Tournament, now: RoundState, table: TableState) -> list[Step]:
    game = now.drafted.game
    match = _match(state, now, table)
    steps: list[Step] = [AwaitResult(now.number, table.number, match)]
    if table.no_shows:
        seats = tuple(seat for seat, entry in enumerate(table.entries) if entry in table.no_shows)
        steps.append(VacateSeats(match, game, seats))
    if now.pauses:
        steps.append(HoldMatch(match, game, now.pauses, held=bool(now.left_ms)))
    clocks = state.config.clocks
    if table.time_called and clocks.on_round_end == "call":
        steps.append(HurryMatch(match, game, now.extended_ms + table.extended_ms))
    if clocks.no_show_ms and now.phase is RoundPhase.RUNNING:
        at = table.opened_at + clocks.no_show_ms * 1000
        steps.append(ExpectPlayers(at, now.number, table.number, match, table.entries))
    return steps


def _clock_steps(state: Tournament, now: RoundState) -> list[Step]:
    """When the clock of the round runs out; tables that were given more time are called when theirs does."""
    if state.config.stages[now.drafted.stage].format == "arena":
        look = next_look(state, now)
        return [LookAtArena(look.at, now.number, now.beat + 1, look.closes)] if look is not None else []
    if not now.ends_at:
        return []
    due: dict[Instant, list[int]] = {}
    for table in now.tables:
        if not table.settled and not table.time_called:
            due.setdefault(now.ends_at + table.extended_ms * 1000, []).append(table.number)
    return [CallTimeAt(at, now.number, tuple(tables)) for at, tables in sorted(due.items())]


def _match(state: Tournament, now: RoundState, table: TableState) -> str:
    return match_id(state.id, now.number, table.index, table.attempt)
