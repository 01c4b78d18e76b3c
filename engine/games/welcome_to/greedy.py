"""How to play a seat greedily, by what the sheet is worth then.

``Greedy`` weighs its own sheet only. To the points it would score now it adds what is not points yet: room for numbers
to come, streets cut into estates, plans half done; and a refusal weighs more than it costs, for a turn is lost.
"""

from collections.abc import Iterator
from functools import lru_cache

from msgspec.structs import replace

from engine.games.welcome_to.legal import Place, discards_of, houses_for, uses
from engine.games.welcome_to.model import EMPTY, ROUNDABOUT, Claim, Command, Event, Sheet, State, TakeTurn, Turn
from engine.games.welcome_to.plans import claims_of, progress
from engine.games.welcome_to.printed import CARDS, ESTATE_POINTS, ESTATE_SIZES, NUMBERS, PLANS, STREETS
from engine.games.welcome_to.scoring import points
from engine.games.welcome_to.streets import STREETS_REMEMBERED, Street
from engine.games.welcome_to.turns import offers
from engine.games.welcome_to.writing import mark, write
from engine.kernel.brain import Brain, Lot

HOUSES_WEIGHED = 12
"""So many of the roomiest houses are looked at, shared out among the pairs of cards."""

POINT = 10
"""What one point weighs; the weights below are tenths of a point."""
HOUSE = 12
TEMP = 8
REFUSAL = 40
CROWDED = 3
LOST_HOUSE = 25
FENCED = 9
PLAN_HALF_DONE = 6
PROMOTED = 9
HOPED_FOR = (2, 3, 3, 2, 2, 2)
"""So many estates of each size, 1 first, a promotion may count on."""


class Greedy(Brain[State, Command, Event]):
    """The turn after which the own sheet weighs most; equals by lot."""

    def choose(self, view: State, lot: Lot) -> Command:
        best: list[Turn] = []
        most = 0
        for turn in _candidates(view, self.seat):
            weight, claimed = _weigh(view, view.sheets[self.seat], turn)
            if not best or weight > most:
                best, most = [claimed], weight
            elif weight == most:
                best.append(claimed)
        return TakeTurn(best[lot(len(best))])


# -- what is looked at -------------------------------------------------------------------------------------------------


def _candidates(state: State, seat: int) -> Iterator[Turn]:
    """All uses of the effect on the roomiest houses; a refusal only where nothing else can be done."""
    sheet = state.sheets[seat]
    found = False
    pairs = offers(state, seat)
    for number, effect in pairs:
        places = [Place(number, effect, street, house) for street, house in houses_for(sheet, number, effect)]
        places.sort(key=lambda place: _room_after(sheet, place), reverse=True)
        for place in places[: HOUSES_WEIGHED // len(pairs)]:
            for use in uses(sheet, place):
                found = True
                yield Turn(*place, use)
    if not found:
        yield Turn(discards=discards_of(state, seat)[0])


def _room_after(sheet: Sheet, place: Place) -> int:
    row = sheet.numbers[place.street]
    number = CARDS[place.number].number
    return _room((*row[: place.house], number, *row[place.house + 1 :])) - _room(row)


# -- what it is worth --------------------------------------------------------------------------------------------------


def _weigh(state: State, sheet: Sheet, turn: Turn) -> tuple[int, Turn]:
    """In tenths of a point, with every plan claimed that can be."""
    after = write(sheet, turn, state.plans)
    weight = 0
    claims: list[Claim] = []
    for plan, card in enumerate(state.plans):
        if sheet.plans[plan]:
            continue
        worth = PLANS[card].later if state.lowered[plan] else PLANS[card].first
        have, need = progress(PLANS[card], after, state.options)
        if have == need:
            claim = next(claims_of(state, after, plan))
            claims.append(claim)
            after = mark(after, claim, card)
            weight += POINT * worth
        else:
            weight += PLAN_HALF_DONE * worth * have * have // (need * need)
    return weight + _worth(after), replace(turn, claims=tuple(claims)) if claims else turn


def _worth(sheet: Sheet) -> int:
    weight = POINT * points(sheet).total + TEMP * sheet.temps - REFUSAL * sheet.refusals
    for street in STREETS:
        weight += _room(sheet.numbers[street]) + _fenced(sheet.numbers[street], sheet.fences[street])
    for size in ESTATE_SIZES:
        worth = ESTATE_POINTS[size - 1]
        weight += PROMOTED * HOPED_FOR[size - 1] * (worth[sheet.promotions[size - 1]] - worth[0])
    return weight


@lru_cache(STREETS_REMEMBERED)
def _room(street: Street) -> int:
    """Houses built, less the crowding of those to come: a gap wants three numbers for two houses."""
    weight = 0
    gap, floor = 0, NUMBERS[0] - 1
    for number in (*street, NUMBERS[-1] + 1):
        if number == EMPTY:
            gap += 1
            continue
        ceiling = NUMBERS[-1] + 1 if number == ROUNDABOUT else number
        if gap:
            free = ceiling - floor - 1
            weight -= CROWDED * max(0, 3 * gap - 2 * free) + LOST_HOUSE * max(0, gap - free)
        weight += HOUSE
        gap, floor = 0, NUMBERS[0] - 1 if number == ROUNDABOUT else number
    return weight


@lru_cache(STREETS_REMEMBERED)
def _fenced(street: Street, fences: Street) -> int:
    """What lies between fences and may become an estate, by how much of it is built."""
    weight = 0
    first = 0
    for last in (*fences, len(street) - 1):
        size = last - first + 1
        row = street[first : last + 1]
        if size in ESTATE_SIZES and ROUNDABOUT not in row:
            weight += FENCED * (1 + sum(number >= 0 for number in row)) // size
        first = last + 1
    return weight
