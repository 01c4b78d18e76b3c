"""How an event is getting on: its tables by state, which play longest, when the round may end, what is waited for."""

import asyncio
from statistics import median_low

from engine.kernel.value import Instant, Value
from engine.tournament.drafting import stage_is_over
from engine.tournament.formats.forecast import forecast
from engine.tournament.state import Phase, RoundPhase, RoundState, TablePhase, TableState, Tournament, match_id

SLOWEST_MAX = 10

TYPICAL_MS = 3_600_000
"""How long a match is thought to last before any has been seen."""

MINUTE_US = 60_000_000


class SlowTable(Value, frozen=True):
    """A table that is playing."""

    number: int
    match: str
    playing_ms: int


class Status(Value, frozen=True):
    """Of the newest round. The ends are 0 if nothing plays."""

    waiting: int = 0
    open: int = 0
    done: int = 0
    disputed: int = 0
    slowest: tuple[SlowTable, ...] = ()
    expected_end: Instant = 0
    earliest_end: Instant = 0
    latest_end: Instant = 0
    ends_at: Instant = 0
    left_ms: int = 0
    """Of a paused clock."""


async def status_of(state: Tournament, at: Instant) -> Status:
    """What can be said at this moment."""
    now = state.newest
    if now is None:
        return Status()
    running = sorted((table for table in now.tables if table.phase is TablePhase.OPEN), key=lambda it: it.opened_at)
    ends = (0, 0, 0)
    if running:
        ages = [max(0, at - table.opened_at) for table in running]
        guess = await asyncio.to_thread(forecast, _lengths(now), ages, _typical_minutes(state, now))
        ends = (at + guess.expected_us, at + guess.early_us, at + guess.late_us)
    return Status(
        waiting=sum(table.phase is TablePhase.WAITING for table in now.tables),
        open=len(running),
        done=sum(table.phase in (TablePhase.DONE, TablePhase.VOID) for table in now.tables),
        disputed=sum(table.disputed for table in now.tables),
        slowest=tuple(_slow(state, now, table, at) for table in running[:SLOWEST_MAX]),
        expected_end=ends[0],
        earliest_end=ends[1],
        latest_end=ends[2],
        ends_at=now.ends_at,
        left_ms=now.left_ms,
    )


def waits_for(state: Tournament) -> str:
    """What comes next, a stable literal; empty once the event is finished."""
    match state.phase:
        case Phase.CREATED:
            return "open_registration"
        case Phase.REGISTRATION:
            return "close_registration"
        case Phase.FINISHED:
            return ""
        case _:
            return "publish" if state.draft is not None else _next_of(state)


def _next_of(state: Tournament) -> str:
    now = state.newest
    if now is not None and now.phase is RoundPhase.PUBLISHED:
        return "start"
    if now is not None and now.phase is RoundPhase.RUNNING:
        undecided = any(table.disputed for table in now.tables)
        playing = any(not table.settled and not table.disputed for table in now.tables)
        return "referee" if undecided and not playing else "results"
    if now is None or now.drafted.stage != state.stage or not stage_is_over(state):
        return "draft"
    return "cut" if state.stage + 1 < len(state.config.stages) else "finish"


def _slow(state: Tournament, now: RoundState, table: TableState, at: Instant) -> SlowTable:
    playing_ms = max(0, at - table.opened_at) // 1000
    return SlowTable(table.number, match_id(state.id, now.number, table.index, table.attempt), playing_ms)


def _lengths(now: RoundState) -> list[int]:
    """Of the matches of a round that have ended, in microseconds."""
    return [max(1, table.done_at - table.opened_at) for table in now.tables if table.done_at and table.opened_at]


def _typical_minutes(state: Tournament, now: RoundState) -> int:
    """What the event has said, or what its rounds of this game have shown, or an hour."""
    said = state.config.stages[now.drafted.stage].typical_ms
    seen = [
        length
        for each in state.rounds
        if each.drafted.game == now.drafted.game and each.number != now.number
        for length in _lengths(each)
    ]
    typical_us = said * 1000 or (median_low(seen) if seen else TYPICAL_MS * 1000)
    return max(1, typical_us // MINUTE_US)
