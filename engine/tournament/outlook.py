"""What the rounds to come can still change: who is through the cut, or has won the last stage, and who is out.

Only what is certain is said. Everything that a round can bring is taken into account, with every bye and absence; what
people may still decide is not: corrections, penalties, and places that are given up. So whoever is out may yet be
called, if others go. Where points have no bounds that are known beforehand, nothing is said of anybody.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from fractions import Fraction

from engine.tournament.config import Stage
from engine.tournament.drafting import stage_is_over
from engine.tournament.exact import exact_of
from engine.tournament.formats.chances import Chance, chances
from engine.tournament.played import Entry
from engine.tournament.record import award
from engine.tournament.schemes import NormalisedPlace, Places, Scheme, Win
from engine.tournament.state import Phase, RoundPhase, RoundState, Standing, TablePhase, Tournament


def cut_after(state: Tournament, stage: int) -> int:
    """How many go on from a stage to the next: those of the cut that was made, or as many as it will take; 0 if there
    is no line, since it is the last stage or everybody goes on.
    """
    if stage < state.stage:
        return len(next(each for each in state.cuts if each.stage == stage + 1).entries)
    return state.config.stages[stage + 1].entrants if stage + 1 < len(state.config.stages) else 0


def outlook(
    state: Tournament, stage: int, points: Mapping[Entry, Fraction], places: Mapping[Entry, int]
) -> dict[Entry, Chance]:
    """The chance of everybody who is in, by the ``points`` and ``places`` of the standings of the stage after its
    closed rounds; places are 1 and more. Empty where nothing is certain.
    """
    there = {entry for entry in places if state.entrants[entry - 1].standing is Standing.IN}
    if stage < state.stage:
        through = set(next(each for each in state.cuts if each.stage == stage + 1).entries)
        return {entry: Chance.CLINCHED if entry in through else Chance.ELIMINATED for entry in there}
    last = stage + 1 == len(state.config.stages)
    size = 1 if last else cut_after(state, stage)
    rounds = state.stage_rounds(stage)
    closed = sum(each.phase is RoundPhase.CLOSED for each in rounds)
    config = state.config.stages[stage]
    if not size or not closed or state.phase is Phase.FINISHED:
        return {}
    if config.format == "elimination":
        return _of_ladder(state, rounds[-1], places, there) if last else {}
    bounds = _bounds(state, stage)
    if bounds is None or _may_come(state, stage):
        return {}
    left = config.rounds - closed
    if left <= 0:
        return _by_place(places, there, _contending(state, places), size)
    return _by_points(points, there, _contending(state, places), size, left, bounds)


def _of_ladder(
    state: Tournament, newest: RoundState, places: Mapping[Entry, int], there: set[Entry]
) -> dict[Entry, Chance]:
    """Who is in the newest round may still win; once it was the final, who is first has."""
    playing = {*newest.drafted.byes, *(entry for table in newest.tables for entry in table.entries)}
    over = newest.phase is RoundPhase.CLOSED and stage_is_over(state)
    staying = Chance.CLINCHED if over else Chance.ALIVE
    return {
        entry: staying if entry in playing and not (over and places[entry] > 1) else Chance.ELIMINATED
        for entry in there
    }


def _by_place(places: Mapping[Entry, int], there: set[Entry], contending: set[Entry], size: int) -> dict[Entry, Chance]:
    """Every tie-break has been reckoned: who still shares the place at the line waits for the rule of the cut."""
    found = {}
    rivals = sorted(places[entry] for entry in contending)
    ahead = sorted(places[entry] for entry in there)
    for entry in there:
        not_behind = bisect_right(rivals, places[entry]) - 1
        before = bisect_left(ahead, places[entry])
        found[entry] = Chance.CLINCHED if not_behind < size else Chance.ELIMINATED if before >= size else Chance.ALIVE
    return found


def _by_points(
    points: Mapping[Entry, Fraction],
    there: set[Entry],
    contending: set[Entry],
    size: int,
    left: int,
    bounds: tuple[Fraction, Fraction],
) -> dict[Entry, Chance]:
    """Who has dropped may return and stand in the way; but nobody is out because of them."""
    least, most = bounds
    against_all = chances({entry: points[entry] for entry in contending}, size, left, most, least)
    against_those_in = chances({entry: points[entry] for entry in there}, size, left, most, least)
    return {
        entry: Chance.CLINCHED
        if against_all[entry] is Chance.CLINCHED
        else Chance.ELIMINATED
        if against_those_in[entry] is Chance.ELIMINATED
        else Chance.ALIVE
        for entry in there
    }


def _contending(state: Tournament, places: Mapping[Entry, int]) -> set[Entry]:
    return {entry for entry in places if state.entrants[entry - 1].standing is not Standing.DISQUALIFIED}


def _may_come(state: Tournament, stage: int) -> bool:
    """Whether somebody who is in no line yet may enter."""
    return stage == 0 and state.next_round <= state.config.registration.late_until


def _bounds(state: Tournament, stage: int) -> tuple[Fraction, Fraction] | None:
    """The least and the most that a round to come can bring anybody; ``None`` where that is not known."""
    config = state.config.stages[stage]
    rules = state.config.scoring
    paid = _paid(rules.scheme, config)
    if config.format not in ("swiss", "planned") or rules.best_of or rules.order[0] != "TP" or not paid:
        return None
    awards = state.config.awards
    texts = [award(state, stage, text) for text in (awards.bye, awards.absent, awards.no_show)]
    for played in state.stage_rounds(stage):
        if played.phase is not RoundPhase.CLOSED:
            texts.extend(table.awarded for table in played.tables if table.phase is TablePhase.VOID)
    known = [Fraction(0), *paid, *map(exact_of, texts)]  # whoever drops has nothing from then on
    return min(known), max(known)


def _paid(scheme: Scheme, stage: Stage) -> list[Fraction]:
    """What seats may be paid at the tables of a stage; nothing where that depends on more than the place."""
    match scheme:
        case Places():
            rows = [scheme.row(size) for size in range(1, stage.largest + 1)]
            return [exact_of(text) for row in rows for text in row or ()]
        case Win(win, draw, loss):
            return [exact_of(text) for text in (win, draw, loss)]
        case NormalisedPlace():
            return [Fraction(0), Fraction(100)]
        case _:
            return []
