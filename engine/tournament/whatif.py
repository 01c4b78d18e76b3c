"""What if: the log of an event folded once more with other results, or under other rules.

Results that are supposed take the place of what the log says of their tables, whenever it says it. Published pairings
stay in the fold, because the results that are known were played by them; beside each later round stands the draft that
its seed would have made then.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from engine.kernel.commit import Commit
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament import events as e
from engine.tournament.changes import Change, changes
from engine.tournament.config import Config, config_from
from engine.tournament.drafting import draft_round
from engine.tournament.events import EVENTS, Pod
from engine.tournament.fold import evolve_all
from engine.tournament.played import Entry, Seated, TableResult
from engine.tournament.state import RoundPhase, TablePhase, TableState, Tournament


class Supposed(Value, frozen=True):
    """Scores in seat order of those who came; the greater is the better place, equal ones share one."""

    round: int
    table: int
    scores: tuple[int, ...]


class OtherRound(Value, frozen=True):
    """A later round as its own seed would have drawn it. ``moved``: who would have sat with others than they did."""

    round: int
    pods: tuple[Pod, ...]
    moved: int


class Outcome(Value, frozen=True):
    """The event as it would have been, and what is different."""

    state: Tournament
    changes: tuple[Change, ...]
    rounds: tuple[OtherRound, ...]


def what_if(
    actual: Tournament,
    commits: Iterable[Commit],
    supposed: tuple[Supposed, ...],
    overrides: Mapping[str, Any] | None = None,
) -> Outcome:
    """``commits`` are all of the event, ``actual`` is their fold; ``overrides`` is merged into the configuration.

    Raises ``Refusal``: ``unknown_table`` or ``no_result`` for a table that has none to suppose, ``bad_scores``,
    ``bad_config``.
    """
    wanted = {(each.round, each.table): each for each in supposed}
    for each in supposed:
        _check(actual, each)
    state: Tournament | None = None
    others: list[OtherRound] = []
    waiting: list[e.Event] = []
    """Events that nobody need see one by one."""
    for commit in commits:
        for recorded in commit.events:
            event = EVENTS.decode(recorded)
            if isinstance(event, e.Created | e.Configured) and overrides:
                event = replace(event, config=_merged(event.config, overrides))
            if isinstance(event, e.RoundDrafted):
                state, waiting = evolve_all(state, waiting), []
                if state is not None:
                    _redraft(state, event, others)
            waiting.append(event)
            if isinstance(event, e.ResultReported | e.ResultCorrected | e.TableAdjudicated):
                supposition = wanted.get((event.round, event.table))
                if supposition is not None:
                    state, waiting = evolve_all(state, waiting), []
                    assert state is not None
                    state = _with_result(state, supposition)
    state = evolve_all(state, waiting)
    assert state is not None
    published = {each.number for each in state.rounds}
    return Outcome(state, changes(actual, state), tuple(each for each in others if each.round in published))


def _check(state: Tournament, supposed: Supposed) -> None:
    table = _table(state, supposed)
    if table.phase is not TablePhase.DONE:
        raise Refusal("no_result", f"Table {supposed.table} of round {supposed.round} has no result to suppose.")
    came = len(table.entries) - len(table.no_shows)
    if len(supposed.scores) != came:
        raise Refusal("bad_scores", f"At table {supposed.table} there are {came} scores.", Kind.INVALID)


def _table(state: Tournament, supposed: Supposed) -> TableState:
    place = -1
    if 1 <= supposed.round <= len(state.rounds):
        place = state.rounds[supposed.round - 1].place_of(supposed.table)
    if place < 0:
        raise Refusal("unknown_table", f"Round {supposed.round} has no table {supposed.table}.", Kind.MISSING)
    return state.rounds[supposed.round - 1].tables[place]


def placed(entries: Iterable[Entry], scores: Iterable[int]) -> tuple[Seated, ...]:
    """Scores as a result: the greatest is first, equal ones share a place. Both in seat order."""
    pairs = tuple(zip(entries, scores, strict=True))
    return tuple(Seated(entry, 1 + sum(other > score for _, other in pairs), score) for entry, score in pairs)


def _with_result(state: Tournament, supposed: Supposed) -> Tournament:
    now = state.rounds[supposed.round - 1]
    place = now.place_of(supposed.table)
    table = now.tables[place]
    came = [entry for entry in table.entries if entry not in table.no_shows]
    result = TableResult(table.number, placed(came, supposed.scores), "supposed")
    changed = replace(now, tables=now.tables.set(place, replace(table, result=result)))
    rounds = (*state.rounds[: now.number - 1], changed, *state.rounds[now.number :])
    return replace(state, rounds=rounds)


def _redraft(state: Tournament, drafted: e.RoundDrafted, others: list[OtherRound]) -> None:
    """The draft that this state and the revealed seed make; noted if it is not the one that was made."""
    if state.newest is None or state.newest.phase is not RoundPhase.CLOSED or drafted.stage != state.stage:
        return
    try:
        other = draft_round(state, drafted.seed)
    except Refusal:
        return  # under these rules there would have been no such round
    company: dict[Entry, frozenset[Entry]] = {}
    for pod in drafted.pods:
        company |= dict.fromkeys(pod.entries, frozenset(pod.entries))
    moved = sum(
        company.get(entry) != each for each in map(frozenset, (p.entries for p in other.pods)) for entry in each
    )
    others[:] = [each for each in others if each.round != drafted.round]
    if moved:
        others.append(OtherRound(drafted.round, other.pods, moved))


def _merged(config: Config, overrides: Mapping[str, Any]) -> Config:
    return config_from(_merge(msgspec.to_builtins(config), overrides))


def _merge(base: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        held = merged.get(key)
        if isinstance(held, dict) and isinstance(value, Mapping) and "kind" not in value:
            merged[key] = _merge(held, value)
        else:
            merged[key] = value
    return merged
