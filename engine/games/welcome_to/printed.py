"""The printed matter: 81 construction cards, the score sheet, 28 city plans. Data and nothing else.

Streets, houses and fence slots count from 0, as their ids on the board do: street 0 is the upper one, slot *k* lies
between house *k* and house *k + 1*. The checks below are the margins that are printed in the rules.
"""

from typing import Literal, TypeAlias

from engine.kernel.value import Value

# -- construction cards ------------------------------------------------------------------------------------------------

Effect: TypeAlias = Literal["surveyor", "pool", "temp", "bis", "landscaper", "real_estate"]
"""Fence, pool, temporary worker, doubled number, park, promoted estates."""

EFFECTS: tuple[Effect, ...] = ("surveyor", "pool", "temp", "bis", "landscaper", "real_estate")


class Face(Value, frozen=True):
    """A construction card: a number in front, an effect on its back; the number side tells its effect too."""

    number: int
    effect: Effect


COPIES: tuple[tuple[int, ...], ...] = (
    (1, 0, 0, 0, 1, 1),
    (1, 0, 0, 0, 1, 1),
    (1, 1, 1, 1, 0, 0),
    (0, 1, 1, 1, 1, 1),
    (2, 0, 0, 0, 2, 2),
    (2, 1, 1, 1, 1, 1),
    (1, 1, 1, 1, 2, 2),
    (2, 1, 1, 1, 2, 2),
    (1, 1, 1, 1, 2, 2),
    (2, 1, 1, 1, 1, 1),
    (2, 0, 0, 0, 2, 2),
    (0, 1, 1, 1, 1, 1),
    (1, 1, 1, 1, 0, 0),
    (1, 0, 0, 0, 1, 1),
    (1, 0, 0, 0, 1, 1),
)
"""Rows are the numbers 1 to 15, columns are ``EFFECTS``."""

CARDS: tuple[Face, ...] = tuple(
    Face(number, effect)
    for number, row in enumerate(COPIES, 1)
    for effect, copies in zip(EFFECTS, row, strict=True)
    for _ in range(copies)
)
"""By card id, 0 to 80: by number, then by effect."""

assert len(CARDS) == 81

# -- the sheet ---------------------------------------------------------------------------------------------------------

STREETS = range(3)
HOUSES = (10, 11, 12)
"""Houses by street."""
POOLS = ((2, 6, 7), (0, 3, 7), (1, 6, 10))
"""By street, the houses that may have a pool."""

PARK_POINTS = ((0, 2, 4, 10), (0, 2, 4, 6, 14), (0, 2, 4, 6, 8, 18))
"""By street, what it is worth after so many parks; each track has one box less than values."""
POOL_POINTS = (0, 3, 6, 9, 13, 17, 21, 26, 31, 36)
BIS_COST = (0, 1, 3, 6, 9, 12, 16, 20, 24, 28)
REFUSAL_COST = (0, 0, 3, 5)
ROUNDABOUT_COST = (0, 3, 8)
ESTATE_POINTS = ((1, 3), (2, 3, 4), (3, 4, 5, 6), (4, 5, 6, 7, 8), (5, 6, 7, 8, 10), (6, 7, 8, 10, 12))
"""By size, 1 first: points of one such estate after so many promotions."""
TEMP_BOXES = 11
TEMP_POINTS = (7, 4, 1)
"""For the most temps crossed, the next number, the next."""
SOLO_TEMPS = 6
"""So many temps give a lone player the first of ``TEMP_POINTS``."""

NUMBERS = range(18)
"""What may stand on a house; cards alone give 1 to 15."""
TEMP_CHANGES = range(-2, 3)
ESTATE_SIZES = range(1, 7)
ROUNDABOUTS_MAX = len(ROUNDABOUT_COST) - 1
REFUSALS_MAX = len(REFUSAL_COST) - 1

assert sum(HOUSES) == 33
assert sum(map(len, POOLS)) == len(POOL_POINTS) - 1 == 9
assert sum(len(track) - 1 for track in PARK_POINTS) == 12

# -- city plans --------------------------------------------------------------------------------------------------------

PlanKind: TypeAlias = Literal[
    "estates",
    "all_houses",
    "street_ends",
    "bis_on_one_street",
    "temps",
    "parks_on_streets",
    "pools_on_streets",
    "parks_and_pools",
    "parks_pools_roundabout",
]


class Plan(Value, frozen=True):
    """A city plan card. ``stack`` is 1 to 3; ``advanced`` ones bear a star."""

    stack: int
    kind: PlanKind
    first: int
    """Points for all who complete it in the turn in which it is first completed."""
    later: int
    sizes: tuple[int, ...] = ()
    """Of the estates that kind ``estates`` asks for, sorted."""
    street: int = -1
    """The one street it speaks of."""
    count: int = 0
    """How many bis houses, temps or streets it asks for."""
    advanced: bool = False


def _estates(stack: int, first: int, later: int, *sizes: int) -> Plan:
    return Plan(stack, "estates", first, later, sizes=sizes)


PLANS: tuple[Plan, ...] = (
    _estates(1, 8, 4, 1, 1, 1, 1, 1, 1),
    _estates(1, 8, 4, 2, 2, 2, 2),
    _estates(1, 8, 4, 3, 3, 3),
    _estates(1, 6, 3, 4, 4),
    _estates(1, 8, 4, 5, 5),
    _estates(1, 10, 6, 6, 6),
    _estates(2, 11, 6, 1, 1, 1, 6),
    _estates(2, 10, 6, 2, 2, 5),
    _estates(2, 12, 7, 3, 3, 4),
    _estates(2, 8, 4, 3, 6),
    _estates(2, 9, 5, 4, 5),
    _estates(2, 9, 5, 1, 1, 1, 4),
    _estates(3, 12, 7, 1, 2, 6),
    _estates(3, 13, 7, 1, 4, 5),
    _estates(3, 7, 3, 3, 4),
    _estates(3, 7, 3, 2, 5),
    _estates(3, 11, 6, 1, 2, 2, 3),
    _estates(3, 13, 7, 2, 3, 5),
    Plan(1, "all_houses", 8, 4, street=2, advanced=True),
    Plan(1, "all_houses", 6, 3, street=0, advanced=True),
    Plan(1, "bis_on_one_street", 8, 3, count=5, advanced=True),
    Plan(1, "temps", 6, 3, count=7, advanced=True),
    Plan(1, "street_ends", 7, 4, advanced=True),
    Plan(2, "parks_on_streets", 7, 4, count=2, advanced=True),
    Plan(2, "pools_on_streets", 7, 4, count=2, advanced=True),
    Plan(2, "parks_pools_roundabout", 10, 5, advanced=True),
    Plan(2, "parks_and_pools", 10, 5, street=2, advanced=True),
    Plan(2, "parks_and_pools", 8, 3, street=1, advanced=True),
)
"""By plan id, 0 to 27. One of each stack is in play."""

assert len(PLANS) == 28
assert not any(plan.advanced for plan in PLANS if plan.stack == 3)
