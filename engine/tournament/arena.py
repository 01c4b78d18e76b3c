"""An arena as the log tells of it: who waits, since when, and when somebody has to look again.

The matching itself is ``formats.arena``; here the pool and the meetings are read off the event. Nobody is in the pool
who plays, has gone, or is not checked in; who was checked in when the arena began waits since then.
"""

from fractions import Fraction

from engine.kernel.value import Instant, Value
from engine.tournament.events import Pod
from engine.tournament.formats.arena import Rules, Waiting, seat, threshold_for
from engine.tournament.played import Entry
from engine.tournament.record import deductions, entrants_counted, met, rounds_counted, rules_of
from engine.tournament.standings.ranking import points_before
from engine.tournament.state import RoundState, Standing, TableState, Tournament


class Look(Value, frozen=True):
    """When the house must look at the arena again, and whether it closes then."""

    at: Instant
    closes: bool


def arena_pods(state: Tournament, now: RoundState, at: Instant) -> tuple[Pod, ...]:
    """The tables to be seated at this moment; none if everybody may wait on, or the clock stands still."""
    if not now.ends_at:
        return ()
    pods = seat(_pool(state, now), at, _rules(state, now), met(state))
    first = state.config.stages[now.drafted.stage].first_table + len(now.tables)
    return tuple(Pod(number, entries) for number, entries in enumerate(pods, first))


def arena_is_over(state: Tournament, now: RoundState, at: Instant) -> bool:
    """Its time is up, and no table plays."""
    return bool(now.ends_at) and at >= now.ends_at and not now.unsettled


def next_look(state: Tournament, now: RoundState) -> Look | None:
    """``None`` while nothing can change by time alone: a result, somebody who checks in, or a clock that goes on
    changes it.
    """
    if not now.ends_at:
        return None
    rules = _rules(state, now)
    pool = _pool(state, now)
    last = rules.horizon - rules.typical_us
    longest = min((who.since for who in pool), default=0)
    if len(pool) >= rules.smallest:
        at = longest if len(pool) >= rules.threshold else longest + rules.patience_us
        repeated = max((who.since for who in pool), default=0) + rules.patience_us
        for due in sorted({at, repeated}):
            if due <= last and seat(pool, due, rules, met(state)):
                return Look(due, closes=False)
    if not now.unsettled:
        return Look(rules.horizon, closes=True)
    return None


def _rules(state: Tournament, now: RoundState) -> Rules:
    stage = state.config.stages[now.drafted.stage]
    field = len(_who_may_play(state, now.drafted.stage))
    return Rules(
        smallest=max(2, stage.smallest),
        size=stage.target,
        threshold=max(stage.target, stage.pool or threshold_for(stage.target, field)),
        patience_us=stage.wait_ms * 1000,
        horizon=now.ends_at,
        typical_us=stage.typical_ms * 1000,
    )


def _pool(state: Tournament, now: RoundState) -> list[Waiting]:
    last: dict[Entry, TableState] = {}
    for table in now.tables:
        for entry in table.entries:
            last[entry] = table
    points = _points(state, now)
    began = now.started_at
    waiting = []
    for each in _who_may_play(state, now.drafted.stage):
        table_before = last.get(each)
        if table_before is None:
            waiting.append(Waiting(each, began, points.get(each, Fraction())))
        elif table_before.settled:
            waiting.append(
                Waiting(each, max(began, table_before.done_at), points.get(each, Fraction()), table_before.entries)
            )
    return waiting


def _points(state: Tournament, now: RoundState) -> dict[Entry, Fraction]:
    """The points of the arena so far: its finished tables count while it runs."""
    stage = now.drafted.stage
    played = rounds_counted(state, stage, running=True)
    return points_before(rules_of(state), entrants_counted(state, stage), played, deductions(state, stage))


def _who_may_play(state: Tournament, stage: int) -> list[Entry]:
    names = state.cuts[-1].entries if stage else tuple(each.entry for each in state.entrants)
    return [
        entry
        for entry in names
        if state.entrants[entry - 1].standing is Standing.IN and state.entrants[entry - 1].present
    ]
