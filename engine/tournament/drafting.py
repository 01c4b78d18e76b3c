"""The draft of the next round: who takes part, who sits together by the stage's format, and where.

Every format ends in a ``PodProblem``, so seats, table numbers and the figures of quality are the same for all; only
Swiss rounds and heats leave the choice of the pods to the pairing engine. The draft follows from the log and the
revealed seed alone, so anybody can make it again.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm
from operator import attrgetter
from typing import assert_never

from msgspec.structs import replace

from engine.kernel.refusal import Refusal
from engine.tournament.config import Stage
from engine.tournament.events import Pod, RoundDrafted, RoundQuality
from engine.tournament.exact import exact_text
from engine.tournament.formats.groups import group_stage
from engine.tournament.formats.planned import planned
from engine.tournament.formats.pods import snake
from engine.tournament.knockout import next_pods, plan_begun
from engine.tournament.pairing import (
    NEVER,
    UNIT_MAX,
    Contender,
    Pairing,
    PodProblem,
    Quality,
    byes_needed,
    pair,
    quality_of,
    seat_pods,
)
from engine.tournament.pairing import Pod as PairedPod
from engine.tournament.played import Entry
from engine.tournament.record import (
    byes_had,
    deductions,
    entrants_counted,
    entrants_in,
    meetings,
    rounds_counted,
    rules_of,
    seats_taken,
    short_tables,
)
from engine.tournament.sizes import table_sizes
from engine.tournament.standings.ranking import points_before
from engine.tournament.state import RoundState, Standing, Tournament

PLAN = "plan/1"
"""Who made the pods where the format did, and not the pairing engine."""

Pods = tuple[tuple[Entry, ...], ...]


@dataclass(frozen=True)
class Called:
    """Those a round is drafted for, best seed first; ``fill`` may complete a table and win nothing."""

    active: tuple[Entry, ...]
    fill: tuple[Entry, ...] = ()


@dataclass(frozen=True)
class Scores:
    """What everybody has, in whole parts of a point: so many to the point that nothing is cut off; or so fine a part
    that what is cut off matters to nobody, since shares of a table have ever longer denominators.
    """

    points: dict[Entry, int]
    unit: int


def draft_round(state: Tournament, seed: str) -> RoundDrafted:
    """Raises ``Refusal`` where the field cannot be seated, or a table of the round before leaves open who goes on."""
    stage = state.stage_now
    stage_round = len(state.stage_rounds(state.stage)) + 1
    called = who_plays(state, stage, stage_round)
    scores = _scores(state)
    pairing = _pairing(state, stage, stage_round, called, seed, scores)
    return RoundDrafted(
        round=state.next_round,
        stage=state.stage,
        stage_round=stage_round,
        game=stage.game_of(stage_round),
        seed=seed,
        engine=pairing.engine,
        pods=tuple(Pod(pod.table, pod.entries) for pod in pairing.pods),
        byes=pairing.byes,
        quality=_quality(pairing.quality, scores.unit),
    )


def problem_of(state: Tournament, drafted: RoundDrafted) -> PodProblem:
    """What the pairing engine was asked for a draft, if the state is the one it was made from."""
    stage = state.config.stages[drafted.stage]
    called = who_plays(state, stage, drafted.stage_round)
    pods = tuple(pod.entries for pod in drafted.pods) if drafted.engine == PLAN else None
    return _problem(state, stage, drafted.stage_round, called, drafted.seed, _scores(state), pods)


def quality_of_draft(state: Tournament, drafted: RoundDrafted, pods: tuple[Pod, ...]) -> RoundQuality:
    """The figures of an edited draft."""
    problem = problem_of(state, replace(drafted, pods=pods))
    return _quality(quality_of(problem, tuple(PairedPod(pod.table, pod.entries) for pod in pods)), problem.unit)


def absent_of(state: Tournament, drafted: RoundDrafted) -> tuple[Entry, ...]:
    """Who takes part in the stage, could play this round, and is in neither a pod nor among the byes."""
    if state.config.stages[drafted.stage].format in ("elimination", "heats", "arena"):
        return ()
    seated = {*drafted.byes, *(entry for pod in drafted.pods for entry in pod.entries)}
    return tuple(
        each.entry
        for each in entrants_in(state, drafted.stage)
        if each.entry not in seated
        and each.ranked
        and state.entrants[each.entry - 1].standing is Standing.IN
        and state.entrants[each.entry - 1].since <= drafted.round
    )


def stage_is_over(state: Tournament) -> bool:
    """Whether the stage has played all its rounds; those still open count as played."""
    stage = state.stage_now
    rounds = state.stage_rounds(state.stage)
    match stage.format:
        case "swiss" | "planned" | "heats":
            return len(rounds) >= stage.rounds
        case "arena":
            return bool(rounds)
        case "groups":
            return bool(rounds) and len(rounds) >= len(_group_plan(state, stage, Called(()), ""))
        case "elimination":
            return bool(rounds) and len(rounds) >= len(plan_begun(stage, rounds[0]))
        case _:
            assert_never(stage.format)


def who_plays(state: Tournament, stage: Stage, stage_round: int) -> Called:
    """Those who are in, present and not too late for the round, in the order of their seeds."""
    active: list[Entry] = []
    fill: list[Entry] = []
    everybody = list(state.entrants)
    for each in sorted(entrants_in(state, state.stage), key=attrgetter("seed")):
        now = everybody[each.entry - 1]
        in_heat = stage.format != "heats" or not now.heats or stage_round in now.heats
        if now.standing is Standing.IN and now.present and now.since <= state.next_round and in_heat:
            (active if each.ranked else fill).append(each.entry)
    return Called(tuple(active), tuple(fill))


# -- by format ---------------------------------------------------------------------------------------------------------


def _pairing(state: Tournament, stage: Stage, stage_round: int, called: Called, seed: str, scores: Scores) -> Pairing:
    match stage.format:
        case "swiss" | "heats":
            return pair(_problem(state, stage, stage_round, called, seed, scores))
        case "arena":
            return Pairing(PLAN, (), (), Quality(0, 0, 0, 0, 0, 0, 0, 0))
        case "planned":
            pods, byes = _repaired(_plan(state, stage, called, seed)[stage_round - 1], called, stage, moves=True)
        case "groups":
            roster = set(_roster(state, state.stage_rounds(state.stage), called))
            grouped = Called(tuple(entry for entry in called.active if entry in roster))  # who came later has no group
            pods, byes = _repaired(
                _group_plan(state, stage, called, seed)[stage_round - 1], grouped, stage, moves=False
            )
        case "elimination":
            pods, byes = next_pods(state, stage, state.stage_rounds(state.stage), called.active)
        case _:
            assert_never(stage.format)
    return seat_pods(_problem(state, stage, stage_round, called, seed, scores, pods), pods, byes, engine=PLAN)


def _plan(state: Tournament, stage: Stage, called: Called, seed: str) -> tuple[Pods, ...]:
    """All rounds of a planned stage, from those who were there for the first and its seed."""
    rounds = state.stage_rounds(state.stage)
    roster = _roster(state, rounds, called)
    first_seed = rounds[0].drafted.seed if rounds else seed
    sizes = table_sizes(len(roster), stage.smallest, stage.target, stage.largest)
    plan = planned(len(roster), sizes, stage.rounds, bytes.fromhex(first_seed))
    return tuple(tuple(tuple(roster[place - 1] for place in pod) for pod in pods) for pods in plan)


def _group_plan(state: Tournament, stage: Stage, called: Called, seed: str) -> tuple[Pods, ...]:
    """All rounds of a group stage, from those who were there for the first and its seed."""
    rounds = state.stage_rounds(state.stage)
    roster = _roster(state, rounds, called)
    groups = max(1, len(roster) // stage.group_size) if stage.group_size else 1
    first_seed = rounds[0].drafted.seed if rounds else seed
    return group_stage(roster, groups, stage.target, stage.tables, bytes.fromhex(first_seed))


def _roster(state: Tournament, rounds: tuple[RoundState, ...], called: Called) -> tuple[Entry, ...]:
    """Who was there when the stage began, best seed first."""
    if not rounds:
        return called.active
    first = rounds[0].drafted
    seeds = {each.entry: each.seed for each in entrants_in(state, state.stage)}
    return tuple(sorted((*first.byes, *(entry for pod in first.pods for entry in pod.entries)), key=seeds.__getitem__))


def _repaired(plan: Pods, called: Called, stage: Stage, *, moves: bool) -> tuple[Pods, tuple[Entry, ...]]:
    """A planned round for those who are there now: the others' seats stay empty, newcomers take free ones.

    A table that has become too small is given up; its people join others where ``moves``, or have a bye.
    """
    there = set(called.active)
    pods = [[entry for entry in pod if entry in there] for pod in plan]
    in_plan = {entry for pod in plan for entry in pod}
    loose = [entry for entry in called.active if entry not in in_plan] if moves else []
    for pod in sorted((pod for pod in pods if 0 < len(pod) < stage.smallest), key=len):
        loose.extend(pod)
        pod.clear()
    kept = [pod for pod in pods if pod]
    for entry in list(loose) if moves else ():
        room = [pod for pod in kept if len(pod) < stage.largest]
        if room:
            min(room, key=len).append(entry)
            loose.remove(entry)
    if moves and len(loose) >= stage.smallest:
        seated = len(loose) - byes_needed(len(loose), stage.smallest, stage.largest)
        tables = len(table_sizes(seated, stage.smallest, stage.target, stage.largest))
        kept.extend(list(each) for each in snake(loose[:seated], tables))
        loose = loose[seated:]
    sitting_out = [entry for entry in called.active if entry not in in_plan] if not moves else []
    if not kept:
        raise Refusal("too_few", "Too few are present to fill a table.")
    return tuple(tuple(pod) for pod in kept), tuple(sorted({*loose, *sitting_out}))


# -- what the pairing engine is given ----------------------------------------------------------------------------------


def _problem(
    state: Tournament,
    stage: Stage,
    stage_round: int,
    called: Called,
    seed: str,
    scores: Scores,
    pods: Pods | None = None,
) -> PodProblem:
    """The question to the pairing engine; with ``pods`` made already, only seats and tables are left to ask for."""
    sizes = {len(pod) for pod in pods or ()}
    if pods is None:
        entries = [*called.active, *_filling(len(called.active), called.fill, stage.target)]
    else:
        entries = [entry for pod in pods for entry in pod]
    seeds = {each.entry: each.seed for each in entrants_in(state, state.stage)}
    shorts, byes, seats = short_tables(state), byes_had(state), seats_taken(state)
    present, everybody = set(entries), list(state.entrants)
    flat = stage.format == "heats"
    last = stage.power_last_round and stage_round == stage.rounds
    return PodProblem(
        seed=seed,
        round=state.next_round,
        contenders=tuple(
            [
                Contender(
                    entry=entry,
                    points=0 if flat else scores.points[entry],
                    seed=seeds[entry],
                    short_tables=shorts.get(entry, 0),
                    byes=byes.get(entry, 0),
                    seats=seats.get(entry, ()),
                    fixed_table=everybody[entry - 1].fixed_table,
                )
                for entry in sorted(entries)
            ]
        ),
        smallest=min(sizes, default=stage.smallest),
        target=max(sizes, default=stage.target),
        largest=max(sizes, default=stage.largest),
        met=meetings(state, present),
        apart=tuple(
            (*each.entries, each.points or NEVER)
            for each in state.apart
            if each.first <= state.next_round <= (each.last or state.next_round) and set(each.entries) <= present
        ),
        unit=scores.unit,
        repeat_points=0 if last else stage.repeat_points,
        short_points=stage.short_points,
        order="seed" if stage_round == 1 and stage.first_round == "seed" else "lots",
        short_at=stage.short_tables,
        first_table=stage.first_table,
    )


def _filling(count: int, fill: tuple[Entry, ...], target: int) -> tuple[Entry, ...]:
    """As many house players as complete the last table, if there are enough of them."""
    missing = -count % target
    return fill[:missing] if missing <= len(fill) else ()


def _scores(state: Tournament) -> Scores:
    entrants = entrants_counted(state, state.stage)
    points = points_before(
        rules_of(state), entrants, rounds_counted(state, state.stage), deductions(state, state.stage)
    )
    different = {id(each): each for each in points.values()}  # equal ones are mostly one
    unit = min(lcm(*{each.denominator for each in different.values()}), UNIT_MAX)
    whole = {identity: floor(each * unit) for identity, each in different.items()}
    return Scores({entry: whole[id(each)] for entry, each in points.items()}, unit)


def _quality(quality: Quality, unit: int) -> RoundQuality:
    return RoundQuality(
        repeats=quality.repeats,
        repeats_bound=quality.repeats_floor,
        spread=exact_text(Fraction(quality.spread, unit)),
        spread_bound=exact_text(Fraction(quality.spread_floor, unit)),
        broken=quality.apart_broken,
        misplaced=quality.misplaced,
    )
