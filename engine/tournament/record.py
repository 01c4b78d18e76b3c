"""What counts: the closed rounds of an event as standings and pairing read them.

Everything is taken from the rounds as they stand now, so a correction, a void table or a revoked penalty is in every
number at once, and nothing of what was published is touched.
"""

from collections import Counter
from collections.abc import Collection, Iterable

from msgspec.structs import replace

from engine.tournament.awards import award_points
from engine.tournament.columns.meetings import meetings_of, seats_of
from engine.tournament.played import (
    Award,
    AwardKind,
    Deduction,
    Entrant,
    Entry,
    Exact,
    RoundResult,
    Seated,
    TableResult,
)
from engine.tournament.remembered import Remembered
from engine.tournament.standings.rules import StandingRules
from engine.tournament.state import EntrantState, RoundPhase, RoundState, Standing, TablePhase, TableState, Tournament

ROUNDS_REMEMBERED = 24
"""Closed rounds whose results are remembered, of all events together; one of 10,000 entrants is some 3 MB."""

REMEMBERED_MIN = 64
"""Tables of a round that is worth it."""

FIELDS_REMEMBERED = 8
ENTRANTS_REMEMBERED_MIN = 256
"""Fields of at least so many entrants are remembered."""

NEVER_TOOK_PART = (Standing.WAITING, Standing.WITHDRAWN)


def entrants_in(state: Tournament, stage: int) -> tuple[Entrant, ...]:
    """Who stands in the standings of a stage, by entry number, seeds from 1 without gaps.

    In a later stage the seeds are the places of the cut.
    """
    if not stage and len(state.entrants) >= ENTRANTS_REMEMBERED_MIN:
        return _entrants_at_first.of((state.entrants,), lambda: _entrants_in(state, stage))
    return _entrants_in(state, stage)


_entrants_at_first: Remembered[tuple[Entrant, ...]] = Remembered(FIELDS_REMEMBERED)


def _entrants_in(state: Tournament, stage: int) -> tuple[Entrant, ...]:
    if stage:
        cut = next(each for each in state.cuts if each.stage == stage)
        order = list(dict.fromkeys([*cut.entries, *_seated_in(state, stage)]))  # substitutes come last
    else:
        last = len(state.entrants) + 1
        order = [
            entry for _, entry in sorted([
                (each.seed or last, each.entry) for each in state.entrants if each.standing not in NEVER_TOOK_PART
            ])
        ]  # fmt: skip
    seeds = {entry: seed for seed, entry in enumerate(order, 1)}
    return tuple(
        [
            Entrant(each.entry, seeds[each.entry], each.ranked, each.standing is Standing.DISQUALIFIED)
            for each in state.entrants
            if each.entry in seeds
        ]
    )


def entrants_counted(state: Tournament, stage: int) -> tuple[Entrant, ...]:
    """Those of the stage, and whoever else played in a stage whose points it carries."""
    carries = _carried(state, stage)[:-1]
    if not carries:
        return entrants_in(state, stage)
    found = {each.entry: each for each in entrants_in(state, stage)}
    for carried in carries:
        for each in entrants_in(state, carried):
            found.setdefault(each.entry, replace(each, listed=False))
    return tuple(sorted(found.values(), key=lambda each: each.entry))


def rounds_counted(state: Tournament, stage: int, *, running: bool = False) -> tuple[RoundResult, ...]:
    """The closed rounds that count in the standings of a stage, in order; ``running`` takes in the one being played."""
    return tuple(result for _, result in results_by_round(state, stage, running=running))


def results_by_round(state: Tournament, stage: int, *, running: bool = False) -> list[tuple[int, RoundResult]]:
    """The same, each with the number of its round: an arena is one, and counts as many."""
    late = [each for each in state.entrants if each.since > 1 and each.standing not in NEVER_TOOK_PART]
    return [
        (played.number, result)
        for each in _carried(state, stage)
        for played in state.stage_rounds(each)
        if played.phase is RoundPhase.CLOSED or running
        for result in _results(state, played, late)
    ]


def deductions(state: Tournament, stage: int) -> tuple[Deduction, ...]:
    """The point penalties that stand in a stage: of its rounds, and of those whose points it carries. Nobody pays twice
    for one, and who does not play the stage has nothing there to pay with.
    """
    if not state.penalties:
        return ()
    here = {each.entry for each in entrants_in(state, stage)}
    stages = _carried(state, stage)
    return tuple(
        Deduction(each.entry, each.round, each.points)
        for each in state.penalties
        if each.kind == "points"
        and not each.revoked
        and each.entry in here
        and (state.rounds[each.round - 1].drafted.stage if state.rounds else 0) in stages
    )


def rules_of(state: Tournament) -> StandingRules:
    """The scoring of the event as standings take it; lots are drawn with the first seed that was revealed."""
    return replace(state.config.scoring, lot_seed=state.first_seed)


def award(state: Tournament, stage: int, text: str) -> Exact:
    """What an award is worth in a stage, at a table of its target size."""
    return award_points(state.config.scoring.scheme, state.config.stages[stage].target, text)


def met(state: Tournament) -> Counter[tuple[Entry, Entry]]:
    """How often two have sat at one table, lower entry first; whoever did not come met nobody."""
    return Counter({(a, b): times for a, b, times in meetings(state, range(1, len(state.entrants) + 1))})


def meetings(state: Tournament, among: Collection[Entry]) -> tuple[tuple[Entry, Entry, int], ...]:
    """The same in order, as a pairing is given it, of those who are ``among`` these."""
    return meetings_of([_came(table) for played in _held(state) for table in played.tables], among)


def seats_taken(state: Tournament) -> dict[Entry, tuple[int, ...]]:
    """How often each entrant sat in seat 0, 1, 2 ..., up to the last that they had."""
    return seats_of([table.entries for played in _held(state) for table in played.tables])


def short_tables(state: Tournament) -> Counter[Entry]:
    """How often each entrant sat at a table below its stage's target."""
    count: Counter[Entry] = Counter()
    for played in _held(state):
        target = state.config.stages[played.drafted.stage].target
        count.update([e for table in played.tables if len(table.entries) < target for e in table.entries])
    return count


def byes_had(state: Tournament) -> Counter[Entry]:
    """How often each entrant had a bye. An own absence is none, however it came about."""
    return Counter(entry for played in _held(state) for entry in played.drafted.byes)


def result_of(state: Tournament, played: RoundState, table: TableState) -> TableResult | None:
    """The result of a table as it counts, table losses put in; ``None`` if it has none."""
    return _counted(table, _lost(state, played))


def _carried(state: Tournament, stage: int) -> list[int]:
    """The stage, and those before it whose points count on in it; in order."""
    stages = [stage]
    while state.config.stages[stages[0]].carry and stages[0] > 0:
        stages.insert(0, stages[0] - 1)
    return stages


def _held(state: Tournament) -> list[RoundState]:
    return [each for each in state.rounds if each.phase is not RoundPhase.CANCELLED]


def _seated_in(state: Tournament, stage: int) -> list[Entry]:
    return [entry for played in state.stage_rounds(stage) for table in played.tables for entry in table.entries]


def _lost(state: Tournament, played: RoundState) -> list[Entry]:
    """Who has lost the table of a round by a penalty that stands."""
    return [
        each.entry
        for each in state.penalties
        if each.kind == "table_loss" and each.round == played.number and not each.revoked
    ]


def _counted(table: TableState, lost: list[Entry]) -> TableResult | None:
    if table.result is None or table.phase is not TablePhase.DONE:
        return None
    return _with_losses(table.result, lost) if lost else table.result


def _results(state: Tournament, played: RoundState, late: list[EntrantState]) -> list[RoundResult]:
    """One round; an arena is as many as it had tables, since nobody waits there for another."""
    if state.config.stages[played.drafted.stage].format == "arena":
        lost = _lost(state, played)
        results = [(table, _counted(table, lost)) for table in played.tables]
        return [
            RoundResult(played.number + table.index - 1, (result,)) for table, result in results if result is not None
        ]
    latecomers = [each for each in late if each.since > played.number]
    if latecomers or played.phase is not RoundPhase.CLOSED or len(played.tables) < REMEMBERED_MIN:
        return [_result(state, played, latecomers)]
    return [_results_closed.of((played, state.penalties, state.config), lambda: _result(state, played, []))]


_results_closed: Remembered[RoundResult] = Remembered(ROUNDS_REMEMBERED)


def _result(state: Tournament, played: RoundState, latecomers: list[EntrantState]) -> RoundResult:
    lost = _lost(state, played)
    counted = [_counted(table, lost) for table in played.tables]
    return RoundResult(
        played.number, tuple([each for each in counted if each is not None]), _awards(state, played, latecomers)
    )


def _awards(state: Tournament, played: RoundState, latecomers: list[EntrantState]) -> tuple[Award, ...]:
    """What the round counts for those who have no table in it, one award each.

    Who was drawn to a table and had a substitute did not come; who was that substitute has played, bye or not.
    """
    policy = state.config.awards
    stage = played.drafted.stage
    heats = state.config.stages[stage].format == "heats"
    awarded: dict[Entry, Award] = {}

    def give(entries: Iterable[Entry], kind: AwardKind, points: Exact) -> None:
        awarded.update((entry, Award(entry, kind, points)) for entry in entries if entry not in seated)

    seated: set[Entry] = set()
    for table in played.tables:
        seated.update(_came(table))
    give(played.drafted.byes, AwardKind.BYE, award(state, stage, policy.bye))
    if not heats:
        give(played.absent, AwardKind.ABSENT, award(state, stage, policy.absent))
    drawn = [entry for pod in played.drafted.pods for entry in pod.entries]
    if not seated.issuperset(drawn):
        give(drawn, AwardKind.NO_SHOW, award(state, stage, policy.no_show))
    if stage == 0 and not heats:
        late = [each.entry for each in latecomers]
        give(late, AwardKind.LATE, award(state, stage, policy.late))
    for table in played.tables:
        if table.phase is TablePhase.VOID:
            awarded.update((entry, Award(entry, AwardKind.VOID, table.awarded)) for entry in _came(table))
    return tuple(awarded.values())


def _came(table: TableState) -> tuple[Entry, ...]:
    """Who sits there and was not missing."""
    return tuple([each for each in table.entries if each not in table.no_shows]) if table.no_shows else table.entries


def _with_losses(result: TableResult, lost: list[Entry]) -> TableResult:
    """Who lost the table by a penalty is last, together with others who did; the rest move up."""
    if not any(each.entry in lost for each in result.seated):
        return result
    kept = [each for each in result.seated if each.entry not in lost]
    seated = []
    for each in result.seated:
        better = sum(other.place < each.place for other in kept)
        place = len(kept) + 1 if each.entry in lost else better + 1
        seated.append(Seated(each.entry, place, each.score))
    return TableResult(result.number, tuple(seated), result.reason)
