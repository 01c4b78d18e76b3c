"""What fits into a street: numbers, fences, doubled numbers, and the estates that stand there.

All of it looks at one street at a time, as tuples of integers, and remembers what it has found: a hundred sheets ask
about the same few thousand streets again and again.
"""

from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from engine.games.welcome_to.model import EMPTY, ROUNDABOUT, Estate, Sheet
from engine.games.welcome_to.printed import ESTATE_SIZES, HOUSES, NUMBERS, STREETS

Street: TypeAlias = tuple[int, ...]
"""What stands in its houses."""

STREETS_REMEMBERED = 1 << 14
NOTHING_FITS = (NUMBERS[-1], NUMBERS[0])

assert min(HOUSES) > max(ESTATE_SIZES)  # so a street without a fence has no estate

# -- numbers (4.2) -----------------------------------------------------------------------------------------------------


Gap: TypeAlias = tuple[int, int, int, int]
"""Empty houses side by side: the two numbers strictly between which one may be written there, the first house, and the
first behind them.
"""

SPOTS: tuple[tuple[tuple[int, int], ...], ...] = tuple(
    tuple((street, house) for house in range(HOUSES[street])) for street in STREETS
)
"""``(street, house)`` of every house, by street."""


@lru_cache(STREETS_REMEMBERED)
def room(street: Street) -> tuple[int, tuple[Gap, ...]]:
    """The numbers that fit anywhere, as in ``fitting``, and the gaps from left to right.

    Numbers grow; fences do not restart the order, a roundabout does (4.2).
    """
    fit = 0
    found: list[Gap] = []
    first, low = 0, NUMBERS[0] - 1
    for house, number in enumerate((*street, ROUNDABOUT)):
        if number == EMPTY:
            continue
        if first < house:
            high = NUMBERS[-1] + 1 if number == ROUNDABOUT else number
            found.append((low, high, first, house))
            fit |= bits(low + 1, high - 1)
        first, low = house + 1, NUMBERS[0] - 1 if number == ROUNDABOUT else number
    return fit, tuple(found)


def bounds(street: Street, house: int) -> tuple[int, int]:
    """The two numbers strictly between which one may be written on ``house``; on a filled one nothing fits."""
    for low, high, first, end in room(street)[1]:
        if first <= house < end:
            return low, high
    return NOTHING_FITS


def fits(street: Street, house: int, number: int) -> bool:
    """Whether ``number`` may be written on ``house``; never below 0 or above 17."""
    low, high = bounds(street, house)
    return low < number < high


def spots_for(sheet: Sheet, least: int, most: int) -> tuple[tuple[int, int], ...]:
    """The houses where some number from ``least`` to ``most`` may be written."""
    found: tuple[tuple[int, int], ...] = ()
    for street, spots in zip(sheet.numbers, SPOTS, strict=True):
        for low, high, first, end in room(street)[1]:
            if low < most and least < high and low + 1 < high:
                found += spots[first:end]
    return found


def fitting(sheet: Sheet) -> int:
    """The numbers that fit anywhere, as bits: ``1 << number`` is set."""
    a, b, c = sheet.numbers
    return room(a)[0] | room(b)[0] | room(c)[0]


def bits(least: int, most: int) -> int:
    """The numbers from ``least`` to ``most`` as in ``fitting``; what is below 0 is no number."""
    return (1 << most + 1) - (1 << max(0, least))


def is_full(sheet: Sheet) -> bool:
    """Bis houses and roundabouts fill too (4.8, 4.9)."""
    a, b, c = sheet.numbers
    return not (EMPTY in a or EMPTY in b or EMPTY in c)


def empty_spots(sheet: Sheet) -> tuple[tuple[int, int], ...]:
    return tuple(
        [
            spot
            for street, spots in zip(sheet.numbers, SPOTS, strict=True)
            for _, _, first, end in room(street)[1]
            for spot in spots[first:end]
        ]
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
        [
            slot
            for slot, (left, right) in enumerate(pairwise(street))
            if (left != right or left < 0) and slot not in fences and not (used and slot in used and slot + 1 in used)
        ]
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
    for last in (*fences, len(street) - 1):
        if last - first < len(ESTATE_SIZES) and min(street[first : last + 1]) >= 0:
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
        [
            (street, first, last)
            for street, fences in enumerate(sheet.fences)
            if fences  # a street is longer than the largest estate
            for first, last in _free_in(sheet.numbers[street], fences, sheet.used[street])
        ]
    )


def free_sizes(sheet: Sheet) -> list[int]:
    """How many houses each of ``free_estates`` has."""
    found = []
    for street, fences in enumerate(sheet.fences):
        if fences:
            used = sheet.used[street]
            numbers = sheet.numbers[street]
            free = _free_in(numbers, fences, used) if used else estates_in(numbers, fences)
            found += [last - first + 1 for first, last in free]
    return found


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
