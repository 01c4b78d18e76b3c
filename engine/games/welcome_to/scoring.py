"""Points, ranks and how far each seat has come; from revealed sheets alone, so a score can never leak (4.9)."""

from functools import lru_cache
from typing import NamedTuple, TypeAlias

from engine.games.welcome_to import labels
from engine.games.welcome_to.model import Options, Sheet, State
from engine.games.welcome_to.plans import progress
from engine.games.welcome_to.printed import (
    BIS_COST,
    ESTATE_POINTS,
    PARK_POINTS,
    PLANS,
    POOL_POINTS,
    REFUSAL_COST,
    ROUNDABOUT_COST,
    SOLO_TEMPS,
    STREETS,
    TEMP_POINTS,
)
from engine.games.welcome_to.streets import counts_by_size, roundabouts
from engine.kernel.game import Objective, ScoreLine, SeatScore
from engine.kernel.seats import ranks_of
from engine.kernel.value import Seat

SHEETS_REMEMBERED = 1 << 10


class Points(NamedTuple):
    """What one sheet is worth by itself; only temps need the others."""

    plans: tuple[int, ...]
    parks: tuple[int, ...]
    """By street."""
    pools: int
    estates: tuple[tuple[int, int], ...]
    """By size, 1 first: how many, and what each is worth."""
    bis: int
    refusals: int
    roundabouts: int
    """These three are costs, 0 or less."""

    @property
    def total(self) -> int:
        estates = sum(count * worth for count, worth in self.estates)
        costs = self.bis + self.refusals + self.roundabouts
        return sum(self.plans) + sum(self.parks) + self.pools + estates + costs


@lru_cache(SHEETS_REMEMBERED)
def points(sheet: Sheet) -> Points:
    """Tracks score their first value that is not crossed. Nothing keeps a total from falling below 0.

    UNKNOWN-2: a tenth bis costs no more than the ninth.
    """
    doubled = min(sum(map(len, sheet.bis)), len(BIS_COST) - 1)
    return Points(
        plans=sheet.plans,
        parks=tuple(PARK_POINTS[street][sheet.parks[street]] for street in STREETS),
        pools=POOL_POINTS[sum(map(len, sheet.pools))],
        estates=tuple(
            (count, worth[crossed])
            for count, worth, crossed in zip(counts_by_size(sheet), ESTATE_POINTS, sheet.promotions, strict=True)
        ),
        bis=-BIS_COST[doubled],
        refusals=-REFUSAL_COST[sheet.refusals],
        roundabouts=-ROUNDABOUT_COST[roundabouts(sheet)],
    )


def temp_points(state: State) -> tuple[int, ...]:
    """By seat: 7, 4 and 1 for the most temps, the next number and the next (4.9).

    Equal numbers share the full value and use up one rank; no temps, no points. Solo: 7 for at least six. A seat that
    has left is in nobody's way.
    """
    if state.solo:
        return (TEMP_POINTS[0] if state.sheets[0].temps >= SOLO_TEMPS else 0,)
    here = [0 if seat in state.left else sheet.temps for seat, sheet in enumerate(state.sheets)]
    ranking = sorted({temps for temps in here if temps}, reverse=True)
    worth = dict(zip(ranking, TEMP_POINTS, strict=False))
    return tuple(worth.get(temps, 0) for temps in here)


def totals(state: State) -> tuple[int, ...]:
    return tuple(points(sheet).total + temps for sheet, temps in zip(state.sheets, temp_points(state), strict=True))


# -- ranks -------------------------------------------------------------------------------------------------------------


def ranks(state: State) -> tuple[int, ...]:
    """1 for the best; a tie goes to more estates, then more of size 1, then 2 ... 6; else it is shared (4.9).

    Used estates count, rows of seven or more do not. Ours: the same order ranks those below the first, and seats that
    have left come last and share that rank.
    """
    sums = totals(state)
    return ranks_of([_key(state, seat, sums[seat]) for seat in state.seats])


def _key(state: State, seat: Seat, total: int) -> tuple[int, ...]:
    if seat in state.left:
        return (0,)
    counts = counts_by_size(state.sheets[seat])
    return (1, total, sum(counts), *counts)


# -- scores ------------------------------------------------------------------------------------------------------------


def scores(state: State, language: str) -> tuple[SeatScore, ...]:
    """What counting would give now, and the three city plans as objectives.

    A hundred seats decide one after the other and change no sheet, and every commit is asked what it has scored. So the
    scores of some positions are kept, and found by the very sheets, not by what is on them.
    """
    rest = (state.plans, state.left, state.options)
    kept = _kept.get((id(state.sheets), language))
    if kept is not None and kept[0] is state.sheets and kept[1] == rest:
        return kept[2]
    made = _scores(state, language)
    if len(_kept) >= POSITIONS_REMEMBERED:
        _kept.clear()
    _kept[id(state.sheets), language] = (state.sheets, rest, made)
    return made


POSITIONS_REMEMBERED = 1 << 9

_Rest: TypeAlias = tuple[tuple[int, ...], tuple[Seat, ...], Options]
_kept: dict[tuple[int, str], tuple[tuple[Sheet, ...], _Rest, tuple[SeatScore, ...]]] = {}


def _scores(state: State, language: str) -> tuple[SeatScore, ...]:
    temps = temp_points(state)
    return tuple(
        SeatScore(
            seat=seat,
            total=points(sheet).total + temps[seat],
            lines=_lines(sheet, temps[seat], state.options.advanced, language),
            objectives=_objectives(sheet, state.plans, state.options, language),
        )
        for seat, sheet in enumerate(state.sheets)
    )


@lru_cache(SHEETS_REMEMBERED)
def _lines(sheet: Sheet, temps: int, advanced: bool, language: str) -> tuple[ScoreLine, ...]:
    worth = points(sheet)
    lines = [
        *(ScoreLine(f"plan{n}", labels.plan(language, n), got) for n, got in enumerate(worth.plans)),
        *(ScoreLine(f"park{street}", labels.parks(language, street), got) for street, got in enumerate(worth.parks)),
        ScoreLine("pools", labels.pools(language, sum(map(len, sheet.pools))), worth.pools),
        ScoreLine("temps", labels.temps(language, sheet.temps), temps),
        *(
            ScoreLine(f"estate{size}", labels.estates(language, size, count, each), count * each)
            for size, (count, each) in enumerate(worth.estates, 1)
        ),
        ScoreLine("bis", labels.bis(language, sum(map(len, sheet.bis))), worth.bis),
        ScoreLine("refusals", labels.refusals(language, sheet.refusals), worth.refusals),
    ]
    if advanced:
        lines.append(ScoreLine("roundabouts", labels.roundabouts(language, roundabouts(sheet)), worth.roundabouts))
    return tuple(lines)


@lru_cache(SHEETS_REMEMBERED)
def _objectives(sheet: Sheet, plans: tuple[int, ...], options: Options, language: str) -> tuple[Objective, ...]:
    """Each city plan that is dealt: met when it is completed, or could be claimed."""
    found = []
    for n, card in enumerate(plans):
        if card >= 0:
            have, need = progress(PLANS[card], sheet, options)
            label = labels.objective(language, n, PLANS[card], sheet, options)
            found.append(Objective(f"plan{n}", label, need if sheet.plans[n] else have, need))
    return tuple(found)
