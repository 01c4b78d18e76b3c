"""Whether a turn is allowed, asked as a whole: cards, number, effect, roundabout, refusal, claims, reshuffle."""

from collections.abc import Callable
from typing import Any, assert_never

from engine.games.welcome_to.model import (
    EMPTY,
    NO_CARD,
    Bis,
    Card,
    Cards,
    Claim,
    Fence,
    NoUse,
    Park,
    Pool,
    Promotion,
    Sheet,
    Spot,
    State,
    Temp,
    Turn,
    Use,
)
from engine.games.welcome_to.plans import PARK_BOXES, holds, may_reshuffle
from engine.games.welcome_to.printed import (
    CARDS,
    ESTATE_POINTS,
    ESTATE_SIZES,
    HOUSES,
    POOLS,
    ROUNDABOUTS_MAX,
    STREETS,
    TEMP_BOXES,
    TEMP_CHANGES,
    Effect,
)
from engine.games.welcome_to.streets import bis_spots, fits, fitting, free_slots, roundabouts
from engine.games.welcome_to.writing import build_roundabout, mark, number_written, write, write_number
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat

EFFECT_OF: dict[type[Use], Effect] = {
    Fence: "surveyor",
    Pool: "pool",
    Temp: "temp",
    Bis: "bis",
    Park: "landscaper",
    Promotion: "real_estate",
}

# -- cards -------------------------------------------------------------------------------------------------------------


def cards_of(state: State, seat: Seat) -> Cards:
    """The three cards whose numbers are offered to a seat."""
    return state.hands[seat] if state.options.expert else state.numbers


def offers(state: State, seat: Seat) -> tuple[tuple[Card, Card], ...]:
    """Number card and effect card of every combination (4.1); in expert and solo any two of three (4.10, 4.11)."""
    if state.effects:
        return tuple(zip(state.numbers, state.effects, strict=True))
    cards = cards_of(state, seat)
    return tuple((number, effect) for number in cards for effect in cards if number != effect)


# -- the whole turn ----------------------------------------------------------------------------------------------------


def check(state: State, seat: Seat, turn: Turn) -> None:
    """Raises a ``Refusal`` that names the first thing that is wrong."""
    sheet = state.sheets[seat]
    if turn.roundabout:
        may_build_roundabout(state, sheet, turn.roundabout)
    if turn.number == NO_CARD:
        _may_refuse(state, seat, turn)
    else:
        _may_choose(state, seat, turn)
        _may_write(sheet, turn)
    if turn.claims or turn.reshuffle:
        _may_claim(state, write(sheet, _without_claims(turn), state.plans), turn)


def _without_claims(turn: Turn) -> Turn:
    return Turn(turn.number, turn.effect, turn.street, turn.house, turn.use, turn.discards, turn.roundabout)


def may_build_roundabout(state: State, sheet: Sheet, spot: Spot) -> None:
    """4.8: advanced only, two a game and one a turn (UNKNOWN-9), in any empty box."""
    if not state.options.advanced:
        raise Refusal("no_roundabouts", "Roundabouts belong to the advanced rules.")
    if len(spot) != 2 or not _is_house(*spot):
        raise Refusal("no_such_house", "A roundabout stands on one house of a street.", Kind.INVALID)
    if roundabouts(sheet) >= ROUNDABOUTS_MAX:
        raise Refusal("no_roundabout_left", f"A town has {ROUNDABOUTS_MAX} roundabouts at most.")
    street, house = spot
    if sheet.numbers[street][house] != EMPTY:
        raise Refusal("house_taken", f"House {house + 1} of street {street + 1} is taken: no roundabout fits there.")


def _is_house(street: int, house: int) -> bool:
    return street in STREETS and 0 <= house < HOUSES[street]


# -- refusal (4.3) -----------------------------------------------------------------------------------------------------


def can_refuse(state: State, seat: Seat, roundabout: Spot) -> bool:
    """Only if none of the printed numbers fits, with the roundabout of this turn, if there is one, already built.

    Nobody is forced to change a number with a temp or to make room with a roundabout.
    """
    if state.options.voluntary_refusal:
        return True
    sheet = state.sheets[seat]
    if roundabout:
        sheet = build_roundabout(sheet, roundabout)
    return none_fits(cards_of(state, seat), fitting(sheet))


def none_fits(cards: Cards, fit: int) -> bool:
    """Whether none of the numbers of these cards is among those that ``fit``."""
    numbers = 0
    for card in cards:
        numbers |= 1 << CARDS[card].number
    return not numbers & fit


def _may_refuse(state: State, seat: Seat, turn: Turn) -> None:
    if turn.effect != NO_CARD or turn.use != NoUse() or (turn.street, turn.house) != (-1, -1):
        raise Refusal("refusal_is_all", "Who refuses the permit writes no number and uses no effect.", Kind.INVALID)
    if not can_refuse(state, seat, turn.roundabout):
        raise Refusal("must_build", "A permit can only be refused where none of the numbers fits.")
    if not state.options.expert and turn.discards:
        raise Refusal("no_discards", "Cards are only kept and discarded in the expert game.", Kind.INVALID)
    if state.options.expert:
        hand = cards_of(state, seat)
        if len(set(turn.discards)) != 2 or len(turn.discards) != 2 or not set(turn.discards) <= set(hand):
            raise Refusal("bad_discards", "Who refuses discards two cards of the hand and passes the third.")


# -- number and effect -------------------------------------------------------------------------------------------------


def _may_choose(state: State, seat: Seat, turn: Turn) -> None:
    if turn.discards:
        raise Refusal("no_discards", "Who builds does not choose what to discard.", Kind.INVALID)
    pairs = zip(state.numbers, state.effects, strict=True) if state.effects else offers(state, seat)
    if (turn.number, turn.effect) not in pairs:
        raise Refusal("not_offered", "These two cards are not offered together.")
    if not _is_house(turn.street, turn.house):
        raise Refusal("no_such_house", "There is no such house.", Kind.INVALID)
    _may_use(turn)


def _may_use(turn: Turn) -> None:
    """The effect is that of the card, and its arguments make sense on any sheet."""
    use = turn.use
    if type(use) is NoUse:
        return
    if EFFECT_OF[type(use)] != CARDS[turn.effect].effect:
        raise Refusal("wrong_effect", "This is not the effect of the card.")
    match use:
        case Fence(street, slot):
            if street not in STREETS or not 0 <= slot < HOUSES[street] - 1:
                raise Refusal("no_such_slot", "There is no room for a fence there.", Kind.INVALID)
        case Pool(street, house):
            if (street, house) != (turn.street, turn.house):
                raise Refusal("pool_elsewhere", "A pool is built in the house whose number is written.")
        case Temp(change):
            if change not in TEMP_CHANGES:
                raise Refusal("bad_change", "A temp changes the number by 2 at most.", Kind.INVALID)
        case Bis(street, house):
            if not _is_house(street, house):
                raise Refusal("no_such_house", "There is no such house.", Kind.INVALID)
        case Park(street):
            if street != turn.street:
                raise Refusal("park_elsewhere", "A park is built in the street where the number is written.")
        case Promotion(size):
            if size not in ESTATE_SIZES:
                raise Refusal("no_such_size", "Estates have 1 to 6 houses.", Kind.INVALID)
        case NoUse():
            return
        case _:
            assert_never(use)


def _may_write(sheet: Sheet, turn: Turn) -> None:
    """Number, then effect, one block; the roundabout after it or before it, whichever is possible (4.8)."""
    if turn.roundabout:
        try:
            _number_then_effect(sheet, turn)
        except Refusal:
            _number_then_effect(build_roundabout(sheet, turn.roundabout), turn)
            return
        if turn.roundabout in ((turn.street, turn.house), _bis_spot(turn.use)):
            raise Refusal("roundabout_in_the_way", "The roundabout and this turn's house take the same box.")
    else:
        _number_then_effect(sheet, turn)


def _bis_spot(use: Use) -> Spot:
    return (use.street, use.house) if isinstance(use, Bis) else ()


def _number_then_effect(sheet: Sheet, turn: Turn) -> None:
    """4.2, then the effect on the sheet that bears the number already."""
    number = number_written(turn.number, turn.use)
    street = sheet.numbers[turn.street]
    if street[turn.house] != EMPTY:
        raise Refusal("house_taken", f"House {turn.house + 1} of street {turn.street + 1} is taken.")
    if not fits(street, turn.house, number):
        raise Refusal("does_not_fit", f"{number} does not fit there: numbers grow from left to right, from 0 to 17.")
    _effect(sheet, turn)


def _effect(sheet: Sheet, turn: Turn) -> None:
    """Whether there is room for the effect once the number stands on the sheet (4.4 to 4.6)."""
    use = turn.use
    if type(use) is not NoUse:
        _ROOM_FOR[type(use)](sheet, turn, use)


def _room_for_fence(sheet: Sheet, turn: Turn, use: Fence) -> None:
    street = use.street
    if use.slot not in free_slots(write_number(sheet, turn).numbers[street], sheet.fences[street], sheet.used[street]):
        raise Refusal(
            "no_fence_there",
            "No fence can be built there: one is there, or it would part equal numbers or a used estate.",
        )


def _room_for_pool(sheet: Sheet, turn: Turn, use: Pool) -> None:
    if use.house not in POOLS[use.street]:
        raise Refusal("no_pool_there", "This house has no room for a pool.")


def _room_for_temp(sheet: Sheet, turn: Turn, use: Temp) -> None:
    if not use.change and sheet.temps >= TEMP_BOXES:
        raise Refusal("nothing_to_cross", "All temps are crossed, and the number stays as it is.")


def _room_for_bis(sheet: Sheet, turn: Turn, use: Bis) -> None:
    street = use.street
    if (use.house, use.number) not in bis_spots(write_number(sheet, turn).numbers[street], sheet.fences[street]):
        raise Refusal("no_bis_there", "A bis stands beside its number, in an empty house, with no fence between.")


def _room_for_park(sheet: Sheet, turn: Turn, use: Park) -> None:
    if sheet.parks[use.street] >= PARK_BOXES[use.street]:
        raise Refusal("parks_full", "All parks of this street are built.")


def _room_for_promotion(sheet: Sheet, turn: Turn, use: Promotion) -> None:
    if sheet.promotions[use.size - 1] >= promotions_max(use.size):
        raise Refusal("column_full", f"Estates of {use.size} cannot be promoted any further.")


_ROOM_FOR: dict[type[Use], Callable[[Sheet, Turn, Any], None]] = {
    Fence: _room_for_fence,
    Pool: _room_for_pool,
    Temp: _room_for_temp,
    Bis: _room_for_bis,
    Park: _room_for_park,
    Promotion: _room_for_promotion,
}
assert _ROOM_FOR.keys() == EFFECT_OF.keys()


def promotions_max(size: int) -> int:
    return len(ESTATE_POINTS[size - 1]) - 1


# -- claims (4.7) ------------------------------------------------------------------------------------------------------


def _may_claim(state: State, sheet: Sheet, turn: Turn) -> None:
    """At the end of the turn, also of one that refused (UNKNOWN-5); nobody has to (UNKNOWN-7)."""
    claimed: list[Claim] = []
    for claim in turn.claims:
        if not 0 <= claim.plan < len(state.plans):
            raise Refusal("no_such_plan", "There are three city plans, 0 to 2.", Kind.INVALID)
        if sheet.plans[claim.plan] or any(claim.plan == other.plan for other in claimed):
            raise Refusal("plan_done", f"City plan {claim.plan + 1} can be completed once.")
        if not holds(state, sheet, claim):
            raise Refusal("plan_not_met", f"City plan {claim.plan + 1} is not met by these estates.")
        sheet = mark(sheet, claim, state.plans[claim.plan])
        claimed.append(claim)
    if turn.reshuffle and not may_reshuffle(state, turn.claims):
        raise Refusal("no_reshuffle", "Only who is first to complete a plan may ask for a new shuffle.")
