"""What a turn leaves on the sheet. It believes the turn; whether it was allowed, ``turns`` has asked before."""

from collections.abc import Callable
from typing import Any, assert_never, get_args

from msgspec.structs import replace

from engine.games.welcome_to.model import (
    NO_CARD,
    ROUNDABOUT,
    Bis,
    Card,
    Claim,
    Fence,
    NoUse,
    Park,
    Places,
    Pool,
    Promotion,
    Sheet,
    Spot,
    Temp,
    Turn,
    Use,
)
from engine.games.welcome_to.printed import CARDS, HOUSES, PLANS, STREETS, TEMP_BOXES
from engine.kernel.seats import put


def number_written(card: Card, use: Use) -> int:
    """The number of the card, as a temp has changed it."""
    return CARDS[card].number + (use.change if type(use) is Temp else 0)


def write(sheet: Sheet, turn: Turn, plans: tuple[int, ...]) -> Sheet:
    """The sheet after number, effect or refusal, roundabout and claims. The points of a claim are not part of it."""
    refused = turn.number == NO_CARD
    sheet = replace(sheet, refusals=sheet.refusals + 1) if refused else write_number_and_use(sheet, turn)
    if turn.roundabout:
        sheet = build_roundabout(sheet, turn.roundabout)
    for claim in turn.claims:
        sheet = mark(sheet, claim, plans[claim.plan])
    return sheet


def write_number(sheet: Sheet, turn: Turn) -> Sheet:
    number = number_written(turn.number, turn.use)
    return replace(sheet, numbers=fill(sheet.numbers, turn.street, turn.house, number))


def write_number_and_use(sheet: Sheet, turn: Turn) -> Sheet:
    use = turn.use
    numbers = fill(sheet.numbers, turn.street, turn.house, number_written(turn.number, use))
    return _USED[type(use)](sheet, numbers, use)


def _fenced(sheet: Sheet, numbers: Places, use: Fence) -> Sheet:
    return replace(sheet, numbers=numbers, fences=_add(sheet.fences, use.street, use.slot))


def _promoted(sheet: Sheet, numbers: Places, use: Promotion) -> Sheet:
    return replace(sheet, numbers=numbers, promotions=_plus_one(sheet.promotions, use.size - 1))


def _planted(sheet: Sheet, numbers: Places, use: Park) -> Sheet:
    return replace(sheet, numbers=numbers, parks=_plus_one(sheet.parks, use.street))


def _crossed(sheet: Sheet, numbers: Places, use: Temp) -> Sheet:
    """UNKNOWN-1: with all boxes crossed the number may still be changed."""
    return replace(sheet, numbers=numbers, temps=min(sheet.temps + 1, TEMP_BOXES))


def _doubled(sheet: Sheet, numbers: Places, use: Bis) -> Sheet:
    street, house = use.street, use.house
    return replace(sheet, numbers=fill(numbers, street, house, use.number), bis=_add(sheet.bis, street, house))


def _dug(sheet: Sheet, numbers: Places, use: Pool) -> Sheet:
    return replace(sheet, numbers=numbers, pools=_add(sheet.pools, use.street, use.house))


_USED: dict[type[Use], Callable[[Sheet, Places, Any], Sheet]] = {
    NoUse: lambda sheet, numbers, use: replace(sheet, numbers=numbers),
    Fence: _fenced,
    Promotion: _promoted,
    Park: _planted,
    Temp: _crossed,
    Bis: _doubled,
    Pool: _dug,
}
"""A table, because every turn of every sheet comes by here, more than once (``engine/kernel/fold.py``)."""
assert _USED.keys() == set(get_args(Use))


def build_roundabout(sheet: Sheet, spot: Spot) -> Sheet:
    """It fills its box and brings both its fences (4.8); at the end of a street there is one to bring."""
    street, house = spot
    fences = sheet.fences
    for slot in (house - 1, house):
        if 0 <= slot < HOUSES[street] - 1 and slot not in fences[street]:
            fences = _add(fences, street, slot)
    return replace(sheet, numbers=fill(sheet.numbers, street, house, ROUNDABOUT), fences=fences)


def mark(sheet: Sheet, claim: Claim, card: int) -> Sheet:
    """The houses that a claim uses are used for good (3.3); plans about tracks use none."""
    used = sheet.used
    for street, house in houses_used(claim, card):
        used = _add(used, street, house)
    return replace(sheet, used=used)


def houses_used(claim: Claim, card: int) -> tuple[tuple[int, int], ...]:
    """``(street, house)`` of every house that serves a claim of the city plan ``card``."""
    plan = PLANS[card]
    match plan.kind:
        case "estates":
            return tuple((street, house) for street, first, last in claim.estates for house in range(first, last + 1))
        case "all_houses":
            return tuple((plan.street, house) for house in range(HOUSES[plan.street]))
        case "street_ends":
            return tuple((street, house) for street in STREETS for house in (0, HOUSES[street] - 1))
        case "bis_on_one_street" | "temps" | "parks_on_streets" | "pools_on_streets":
            return ()
        case "parks_and_pools" | "parks_pools_roundabout":
            return ()
        case _:
            assert_never(plan.kind)


def fill(numbers: Places, street: int, house: int, value: int) -> Places:
    return put(numbers, street, put(numbers[street], house, value))


def _add(places: Places, street: int, place: int) -> Places:
    return put(places, street, tuple(sorted((*places[street], place))))


def _plus_one(boxes: tuple[int, ...], at: int) -> tuple[int, ...]:
    return put(boxes, at, boxes[at] + 1)
