"""What fits into a street: numbers, fences, doubled numbers, and the estates that stand there.

All of it looks at one street at a time, as tuples of integers, and remembers what it has found: a hundred sheets ask
about the same few thousand streets again and again.
"""

from functools import lru_cache
from typing import TypeAlias

from engine.games.welcome_to.model import EMPTY, ROUNDABOUT, Estate, Sheet
from engine.games.welcome_to.printed import ESTATE_SIZES, NUMBERS, STREETS

Street: TypeAlias = tuple[int, ...]
"""What stands in its houses."""

STREETS_REMEMBERED = 1 << 14
NOTHING_FITS = (NUMBERS[-1], NUMBERS[0])

# -- numbers (4.2) -----------------------------------------------------------------------------------------------------


@lru_cache(STREETS_REMEMBERED)
def bounds(street: Street) -> tuple[tuple[int, int], ...]:
    """By house, the two numbers strictly between which one may be written; for a filled house nothing fits.

    Numbers grow from left to right; fences do not restart the order, a roundabout does (4.2).
    """
    below: list[int] = []
    floor = NUMBERS[0] - 1
    for number in street:
        below.append(floor)
        floor = number if number >= 0 else NUMBERS[0] - 1 if number == ROUNDABOUT else floor
    above: list[int] = []
    ceiling = NUMBERS[-1] + 1
    for number in reversed(street):
        above.append(ceiling)
        ceiling = number if number >= 0 else NUMBERS[-1] + 1 if number == ROUNDABOUT else ceiling
    pairs = zip(street, below, reversed(above), strict=True)
    return tuple((low, high) if number == EMPTY else NOTHING_FITS for number, low, high in pairs)


def fits(street: Street, house: int, number: int) -> bool:
    """Whether ``number`` may be written on ``house``; never below 0 or above 17."""
    low, high = bounds(street)[house]
    return low < number < high


@lru_cache(STREETS_REMEMBERED)
def fits_somewhere(street: Street, number: int) -> bool:
    return any(low < number < high for low, high in bounds(street))


def can_write(sheet: Sheet, number: int) -> bool:
    """Whether the sheet has any place for ``number``."""
    return any(fits_somewhere(street, number) for street in sheet.numbers)


def is_full(sheet: Sheet) -> bool:
    """Bis houses and roundabouts fill too (4.8, 4.9)."""
    return not any(EMPTY in street for street in sheet.numbers)


def empty_spots(sheet: Sheet) -> tuple[tuple[int, int], ...]:
    return tuple(
        (street, house) for street in STREETS for house, number in enumerate(sheet.numbers[street]) if number == EMPTY
    )


def roundabouts(sheet: Sheet) -> int:
    return sum(street.count(ROUNDABOUT) for street in sheet.numbers)


# -- fences and bis (4.4, 4.5) -----------------------------------------------------------------------------------------


@lru_cache(STREETS_REMEMBERED)
def free_slots(street: Street, fences: Street, used: Street) -> tuple[int, ...]:
    """Where a fence may be built: not where one is, nor between equal numbers, nor inside what a plan has used.

    Two neighbours that are both used and not fenced off belong to one estate, or to one street that a plan for all
    houses has used: UNKNOWN-6 is the same rule.
    """
    return tuple(
        slot
        for slot in range(len(street) - 1)
        if slot not in fences
        and not (street[slot] == street[slot + 1] >= 0)
        and not (slot in used and slot + 1 in used)
    )


@lru_cache(STREETS_REMEMBERED)
def bis_spots(street: Street, fences: Street) -> tuple[tuple[int, int], ...]:
    """``(house, number)`` of every bis that may be written: beside its number, with no fence between (4.5)."""
    found = []
    for house, number in enumerate(street):
        if number != EMPTY:
            continue
        if house > 0 and street[house - 1] >= 0 and house - 1 not in fences:
            found.append((house, street[house - 1]))
        if house + 1 < len(street) and street[house + 1] >= 0 and house not in fences:
            found.append((house, street[house + 1]))
    return tuple(sorted(found))


# -- estates (4.4) -----------------------------------------------------------------------------------------------------


@lru_cache(STREETS_REMEMBERED)
def estates_in(street: Street, fences: Street) -> tuple[tuple[int, int], ...]:
    """``(first, last)`` of each estate: one to six numbered houses between two fences.

    Seven or more are none, and a roundabout is never part of one.
    """
    found = []
    first = 0
    for last in range(len(street)):
        if last in fences or last == len(street) - 1:
            if last - first + 1 in ESTATE_SIZES and min(street[first : last + 1]) >= 0:
                found.append((first, last))
            first = last + 1
    return tuple(found)


def estates(sheet: Sheet) -> tuple[Estate, ...]:
    """All estates of a sheet, sorted; also those that a plan has used."""
    return tuple(
        (street, first, last)
        for street in STREETS
        for first, last in estates_in(sheet.numbers[street], sheet.fences[street])
    )


def free_estates(sheet: Sheet) -> tuple[Estate, ...]:
    """Those of which no house has served a plan yet (3.3)."""
    return tuple(
        (street, first, last)
        for street in STREETS
        for first, last in _free_in(sheet.numbers[street], sheet.fences[street], sheet.used[street])
    )


@lru_cache(STREETS_REMEMBERED)
def _free_in(street: Street, fences: Street, used: Street) -> tuple[tuple[int, int], ...]:
    return tuple(
        (first, last) for first, last in estates_in(street, fences) if not any(first <= house <= last for house in used)
    )


def size_of(estate: Estate) -> int:
    _, first, last = estate
    return last - first + 1


def counts_by_size(sheet: Sheet) -> list[int]:
    """How many estates of each size there are, 1 first."""
    counts = [0] * len(ESTATE_SIZES)
    for street in STREETS:
        for first, last in estates_in(sheet.numbers[street], sheet.fences[street]):
            counts[last - first] += 1
    return counts
