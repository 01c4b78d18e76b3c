"""The printed matter against the margins of the rules (sections 1 to 3)."""

from collections import Counter

import pytest

from engine.games.welcome_to.printed import (
    BIS_COST,
    CARDS,
    COPIES,
    EFFECTS,
    ESTATE_POINTS,
    HOUSES,
    NUMBERS,
    PARK_POINTS,
    PLANS,
    POOL_POINTS,
    POOLS,
    REFUSAL_COST,
    ROUNDABOUT_COST,
)


def test_the_deck_has_81_cards_and_both_printed_margins() -> None:
    """Section 1."""
    assert len(CARDS) == 81
    assert Counter(face.effect for face in CARDS) == dict(zip(EFFECTS, (18, 9, 9, 9, 18, 18), strict=True))
    by_number = Counter(face.number for face in CARDS)
    assert [by_number[number] for number in range(1, 16)] == [3, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 3]
    assert len({(face.number, face.effect) for face in CARDS}) == 66


def test_the_deck_is_symmetric() -> None:
    """Section 1: n and 16 - n have the same cards."""
    assert COPIES[::-1] == COPIES


@pytest.mark.parametrize("effect", ["pool", "temp", "bis"])
def test_the_rare_effects_share_one_list_of_numbers(effect: str) -> None:
    """Section 1."""
    assert [face.number for face in CARDS if face.effect == effect] == [3, 4, 6, 7, 8, 9, 10, 12, 13]


def test_the_numbers_of_the_common_effects() -> None:
    """Section 1."""
    numbers = {effect: [face.number for face in CARDS if face.effect == effect] for effect in EFFECTS}
    assert numbers["surveyor"] == [1, 2, 3, 5, 5, 6, 6, 7, 8, 8, 9, 10, 10, 11, 11, 13, 14, 15]
    assert numbers["landscaper"] == numbers["real_estate"]
    assert numbers["landscaper"] == [1, 2, 4, 5, 5, 6, 7, 7, 8, 8, 9, 9, 10, 11, 11, 12, 14, 15]


def test_the_sheet_has_33_houses_9_pools_30_slots_and_12_parks() -> None:
    """Section 2.1."""
    assert sum(HOUSES) == 33
    assert sum(map(len, POOLS)) == 9
    assert sum(houses - 1 for houses in HOUSES) == 30
    assert sum(len(track) - 1 for track in PARK_POINTS) == 12
    assert all(house < HOUSES[street] for street, houses in enumerate(POOLS) for house in houses)
    assert (NUMBERS[0], NUMBERS[-1]) == (0, 17)


def test_the_tracks() -> None:
    """Section 2.2: values, boxes, and 18 boxes for 18 real-estate cards."""
    assert PARK_POINTS == ((0, 2, 4, 10), (0, 2, 4, 6, 14), (0, 2, 4, 6, 8, 18))
    assert POOL_POINTS == (0, 3, 6, 9, 13, 17, 21, 26, 31, 36)
    assert BIS_COST == (0, 1, 3, 6, 9, 12, 16, 20, 24, 28)
    assert REFUSAL_COST == (0, 0, 3, 5)
    assert ROUNDABOUT_COST == (0, 3, 8)
    assert [len(column) - 1 for column in ESTATE_POINTS] == [1, 2, 3, 4, 4, 4]
    assert [column[0] for column in ESTATE_POINTS] == [1, 2, 3, 4, 5, 6]
    assert [column[-1] for column in ESTATE_POINTS] == [3, 4, 6, 8, 10, 12]


def test_there_are_18_plans_and_10_with_a_star() -> None:
    """Section 3: stacks of 6, 6, 6, and of 11, 11, 6."""
    plain = [plan for plan in PLANS if not plan.advanced]
    assert [sum(plan.stack == stack for plan in plain) for stack in (1, 2, 3)] == [6, 6, 6]
    assert [sum(plan.stack == stack for plan in PLANS) for stack in (1, 2, 3)] == [11, 11, 6]
    assert all(plan.first > plan.later > 0 for plan in PLANS)
    assert all((plan.kind == "estates") != plan.advanced for plan in PLANS)
    assert all(plan.sizes == tuple(sorted(plan.sizes)) for plan in PLANS)
    assert len(set(PLANS)) == 28


def test_the_points_of_the_plans() -> None:
    """Sections 3.1 and 3.2."""
    values = [(plan.first, plan.later) for plan in PLANS]
    assert values[:6] == [(8, 4), (8, 4), (8, 4), (6, 3), (8, 4), (10, 6)]
    assert values[6:12] == [(11, 6), (10, 6), (12, 7), (8, 4), (9, 5), (9, 5)]
    assert values[12:18] == [(12, 7), (13, 7), (7, 3), (7, 3), (11, 6), (13, 7)]
    assert values[18:23] == [(8, 4), (6, 3), (8, 3), (6, 3), (7, 4)]
    assert values[23:] == [(7, 4), (7, 4), (10, 5), (10, 5), (8, 3)]
