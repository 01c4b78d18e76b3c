"""Every turn that a seat may take: exactly what ``turns.check`` accepts, sorted and made one by one.

A turn is built in steps: cards, house, use of the effect, roundabout, claims, reshuffle. Each function here offers one
of them; ``choices`` leads people along the same steps.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, assert_never

from msgspec.structs import astuple, replace

from engine.games.welcome_to.model import (
    NO_CARD,
    Bis,
    Card,
    Cards,
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
from engine.games.welcome_to.plans import PARK_BOXES, all_claims, may_reshuffle
from engine.games.welcome_to.printed import (
    CARDS,
    ESTATE_SIZES,
    HOUSES,
    POOLS,
    ROUNDABOUTS_MAX,
    STREETS,
    TEMP_BOXES,
    TEMP_CHANGES,
)
from engine.games.welcome_to.streets import (
    STREETS_REMEMBERED,
    Street,
    bis_spots,
    bits,
    bounds,
    empty_spots,
    fits,
    free_slots,
    roundabouts,
    spots_for,
)
from engine.games.welcome_to.turns import can_refuse, cards_of, offers, promotions_max
from engine.games.welcome_to.writing import build_roundabout, fill, write
from engine.kernel.value import Seat

NO_SPOT: Spot = ()
UNUSED = NoUse()
PROMOTIONS = tuple(map(Promotion, ESTATE_SIZES))
TEMPS = tuple(map(Temp, TEMP_CHANGES))
FENCES = tuple(tuple(Fence(street, slot) for slot in range(HOUSES[street] - 1)) for street in STREETS)
"""By street and slot."""


def turns(state: State, seat: Seat) -> Iterator[Turn]:
    """All turns of a seat that is to decide, from no more than its view."""
    sheet = state.sheets[seat]
    for base, spots in _bases(state, seat):
        for spot in spots:
            turn = replace(base, roundabout=spot) if spot else base
            yield from endings(state, write(sheet, turn, state.plans), turn)


def endings(state: State, after: Sheet, turn: Turn) -> Iterator[Turn]:
    """A turn without claims, then with each set of claims that the sheet after it meets, without and with the wish."""
    for claims in all_claims(state, after):
        if not claims:
            yield turn
            continue
        yield replace(turn, claims=claims)
        if may_reshuffle(state, claims):
            yield replace(turn, claims=claims, reshuffle=True)


def _bases(state: State, seat: Seat) -> Iterator[tuple[Turn, list[Spot]]]:
    """Refusals and buildings without roundabout and claims, each with the roundabouts that go with it, or none."""
    sheet = state.sheets[seat]
    spots = roundabout_spots(state, sheet)
    refusable = [spot for spot in (NO_SPOT, *spots) if can_refuse(state, seat, spot)]
    if refusable:
        for discards in discards_of(state, seat):
            yield Turn(discards=discards), refusable
    for number, effect in sorted(offers(state, seat)):
        for street, house in empty_spots(sheet):
            for use, there in uses_and_spots(sheet, number, effect, (street, house), spots):
                yield Turn(number, effect, street, house, use), there


# -- the steps ---------------------------------------------------------------------------------------------------------


def roundabout_spots(state: State, sheet: Sheet) -> tuple[Spot, ...]:
    """Where a roundabout may stand before anything else is done (4.8)."""
    if not state.options.advanced or roundabouts(sheet) >= ROUNDABOUTS_MAX:
        return ()
    return empty_spots(sheet)


def discards_of(state: State, seat: Seat) -> tuple[Cards, ...]:
    """UNKNOWN-11: the pairs that an expert may discard with a refusal; elsewhere nothing is discarded."""
    if not state.options.expert:
        return ((),)
    a, b, c = sorted(cards_of(state, seat))
    return ((a, b), (a, c), (b, c))


class Place(NamedTuple):
    """A number card on a house, before its effect."""

    number: Card
    effect: Card
    street: int
    house: int


def can_be_written(number: Card, effect: Card, fit: int) -> bool:
    """Whether the number, or what a temp can make of it, is among those that ``fit``."""
    return bool(fit & (TEMPED if CARDS[effect].effect == "temp" else PRINTED)[number])


PRINTED = tuple(1 << face.number for face in CARDS)
"""By card, its number as in ``streets.fitting``."""
TEMPED = tuple(bits(face.number + TEMP_CHANGES[0], face.number + TEMP_CHANGES[-1]) for face in CARDS)
"""By card, what a temp can make of its number."""


def houses_for(sheet: Sheet, number: Card, effect: Card) -> tuple[Spot, ...]:
    """The houses where the number, or what a temp can make of it, can stand."""
    printed = CARDS[number].number
    if CARDS[effect].effect == "temp":
        return spots_for(sheet, printed + TEMP_CHANGES[0], printed + TEMP_CHANGES[-1])
    return spots_for(sheet, printed, printed)


def uses(sheet: Sheet, place: Place) -> list[Use]:
    """How the effect may be used once the number stands there, unused first, sorted; empty if it cannot stand there."""
    row = sheet.numbers[place.street]
    printed = CARDS[place.number].number
    effect = CARDS[place.effect].effect
    stands = fits(row, place.house, printed)
    found: list[Use] = [UNUSED] if stands else []
    if effect == "temp":
        low, high = bounds(row, place.house)
        found += [
            temp
            for change, temp in zip(TEMP_CHANGES, TEMPS, strict=True)
            if low < printed + change < high and (change or sheet.temps < TEMP_BOXES)
        ]
        return found
    if not stands:
        return []
    match effect:
        case "surveyor":
            for street in STREETS:
                found += _fences(street, sheet.numbers[street], sheet.fences[street], sheet.used[street])
        case "pool":
            if place.house in POOLS[place.street]:
                found.append(Pool(place.street, place.house))
        case "bis":
            written = fill(sheet.numbers, place.street, place.house, printed)
            for street in STREETS:
                found += _bis(street, written[street], sheet.fences[street])
        case "landscaper":
            if sheet.parks[place.street] < PARK_BOXES[place.street]:
                found.append(Park(place.street))
        case "real_estate":
            found += [PROMOTIONS[at] for at, boxes in enumerate(sheet.promotions) if boxes < promotions_max(at + 1)]
        case _:
            assert_never(effect)
    return found


@lru_cache(STREETS_REMEMBERED)
def _fences(street: int, numbers: Street, fences: Street, used: Street) -> tuple[Fence, ...]:
    of_street = FENCES[street]
    return tuple([of_street[slot] for slot in free_slots(numbers, fences, used)])


@lru_cache(STREETS_REMEMBERED)
def _bis(street: int, numbers: Street, fences: Street) -> tuple[Bis, ...]:
    return tuple([Bis(street, house, number) for house, number in bis_spots(numbers, fences)])


def uses_and_spots(
    sheet: Sheet, number: Card, effect: Card, house: tuple[int, int], spots: tuple[Spot, ...]
) -> list[tuple[Use, list[Spot]]]:
    """The uses with number and effect on a house, each with the roundabouts that go with it, none among them.

    Where a use is possible by itself, a roundabout may follow it in any box still empty. A roundabout that comes first
    matters only where it lets a number fit that does not fit otherwise, which is in its own street.
    """
    place = Place(number, effect, *house)
    alone = uses(sheet, place)
    found: list[tuple[Use, list[Spot]]] = [(use, [NO_SPOT, *_left_by(use, house, spots)]) for use in alone]
    later: dict[Use, list[Spot]] = {}
    street, box = house
    for spot in spots:
        if spot[0] == street and spot[1] != box:
            before = build_roundabout(sheet, spot)
            if bounds(before.numbers[street], box) != bounds(sheet.numbers[street], box):
                for use in uses(before, place):
                    if use not in alone:
                        later.setdefault(use, []).append(spot)
    if later:
        found = sorted([*found, *later.items()], key=lambda one: astuple(one[0]))
    return found


def _left_by(use: Use, house: tuple[int, int], spots: tuple[Spot, ...]) -> Iterator[Spot]:
    taken: tuple[Spot, ...] = (house, (use.street, use.house)) if isinstance(use, Bis) else (house,)
    return (spot for spot in spots if spot not in taken)


def is_known(state: State, seat: Seat) -> bool:
    """Whether the cards of the seat are known to whoever asks: they are not, to others, in an expert view."""
    return min(cards_of(state, seat), default=NO_CARD) >= 0
