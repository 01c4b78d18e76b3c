"""Points, temps, the tie-break, ranks, objectives (2.2, 4.4, 4.9)."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.games.welcome_to import GAME
from engine.games.welcome_to.model import Sheet
from engine.games.welcome_to.scoring import points, ranks, temp_points, totals
from engine.games.welcome_to.testing import position, town


def temps(*counts: int, **given: Any) -> tuple[int, ...]:
    return temp_points(position(*(town(temps=count) for count in counts), **given))


def test_a_track_scores_its_first_value_that_is_not_crossed() -> None:
    """2.2."""
    sheet = town("", "1~ . . 2~", parks=(3, 1, 0), refusals=2, plans=(8, 0, 3))
    worth = points(sheet)
    assert worth.parks == (10, 2, 0)
    assert worth.pools == 6
    assert worth.refusals == -3
    assert worth.total == 8 + 3 + 12 + 6 - 3


@pytest.mark.parametrize(("refusals", "cost"), [(0, 0), (1, 0), (2, 3), (3, 5)])
def test_the_first_refusal_is_free(refusals: int, cost: int) -> None:
    """2.2."""
    assert points(town(refusals=refusals)).refusals == -cost


def test_roundabouts_cost_3_then_5_more() -> None:
    """4.8."""
    assert [points(town(street)).roundabouts for street in ("", "R", "R . R")] == [0, -3, -8]


def test_a_tenth_bis_costs_no_more() -> None:
    """UNKNOWN-2."""
    nine, ten = ("9 " + "9b " * count for count in (9, 10))
    assert points(town("", nine)).bis == points(town("", ten)).bis == -28


def test_a_total_may_fall_below_0() -> None:
    """2.2."""
    assert points(town("R . R", refusals=3)).total == -13


def test_estates_score_by_size_and_promotion() -> None:
    """2.2: used ones too."""
    sheet = town("1* | 2 | 3 4 5 |", promotions=(1, 0, 2, 0, 0, 0))
    assert points(sheet).estates[:3] == ((2, 3), (0, 2), (1, 5))
    assert points(sheet).total == 11


def test_seven_houses_in_a_row_are_no_estate() -> None:
    """4.4."""
    assert points(town("1 2 3 4 5 6 7 |")).total == 0
    assert points(town("1 2 3 4 5 6 |")).total == 6


def test_a_bis_is_a_house_of_its_estate_and_a_roundabout_is_of_none() -> None:
    """4.4, 4.5."""
    assert points(town("5 5b |")).estates[1] == (1, 2)
    assert [count for count, _ in points(town("1 R 2 3 |")).estates] == [1, 1, 0, 0, 0, 0]


def test_both_ends_of_a_street_are_fenced() -> None:
    """2.1."""
    assert points(town(". . . . . . . | 8 9 10")).estates[2] == (1, 3)


# -- temps (4.9) -------------------------------------------------------------------------------------------------------


def test_the_most_temps_get_7_the_next_number_4_the_next_1() -> None:
    assert temps(5, 5, 3, 2, 0) == (7, 7, 4, 1, 0)
    assert temps(0, 1, 2, 3, 4) == (0, 0, 1, 4, 7)


def test_a_tie_uses_up_one_rank() -> None:
    assert temps(2, 2, 2, 1, 1) == (7, 7, 7, 4, 4)


def test_no_temps_no_points() -> None:
    assert temps(0, 0) == (0, 0)
    assert temps(1, 0) == (7, 0)


def test_alone_six_temps_give_7() -> None:
    assert temps(6) == (7,)
    assert temps(5) == (0,)


def test_a_seat_that_has_left_is_in_nobodys_way() -> None:
    """Ours."""
    state = position(town(temps=5), town(temps=3), town(temps=2))
    assert temp_points(replace(state, left=(0,))) == (0, 7, 4)


# -- the tie-break (4.9) -----------------------------------------------------------------------------------------------


def ranked(first: Sheet, second: Sheet) -> tuple[int, ...]:
    """The ranks of two sheets with equal totals; plan points make up what is missing."""
    gap = points(first).total - points(second).total
    first = replace(first, plans=(max(0, -gap), 0, 0))
    second = replace(second, plans=(max(0, gap), 0, 0))
    state = position(first, second)
    assert totals(state)[0] == totals(state)[1]
    assert tuple(reversed(ranks(position(second, first)))) == ranks(state)
    return ranks(state)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (town("1 | 2 | 3 |"), town("1 2 3 4 5 6 | 7 |")),
        (town("1 | 2 3 4 |"), town("1 2 | 3 4 |")),
        (town("1 2 | 3 4 5 6 |"), town("1 2 3 | 4 5 6 |")),
        (town("1 2 3 | 4 5 6 7 8 |"), town("1 2 3 4 | 5 6 7 8 |")),
        (town("1 2 3 4 |", "1 2 3 4 5 6 |"), town("1 2 3 4 5 |", "1 2 3 4 5 |")),
        (town("1 2 3 4 5 |"), town("1 2 3 4 5 6 |")),
    ],
    ids=["all estates", "size 1", "size 2", "size 3", "size 4", "size 5"],
)
def test_a_tie_goes_down_the_steps(better: Sheet, worse: Sheet) -> None:
    assert ranked(better, worse) == (1, 2)


def test_after_sizes_1_to_5_and_the_sum_size_6_is_equal_and_the_win_is_shared() -> None:
    """The last two steps: whoever ties in all that went before has as many of size 6."""
    assert ranked(town("1 2 3 4 5 6 |"), town("", "2 3 5 6 7 8 |")) == (1, 1)


def test_used_estates_count_and_seven_in_a_row_do_not() -> None:
    """4.9, 4.4."""
    assert ranked(town("1* | 2* |"), town("1 |")) == (1, 2)
    assert ranked(town("1 |"), town("", "1 2 3 4 5 6 7 |")) == (1, 2)


def test_ties_share_a_rank_and_the_next_one_follows() -> None:
    state = position(town(plans=(8, 0, 0)), town(), town(), town("1 |"))
    assert ranks(state) == (1, 3, 3, 2)
    assert ranks(replace(state, left=(0, 1))) == (3, 3, 2, 1)


# -- scores ------------------------------------------------------------------------------------------------------------


def test_the_lines_add_up_and_have_their_keys() -> None:
    sheet = town("1 | R 3 4 | 5 5b", parks=(1, 2, 3), temps=2, refusals=2, plans=(6, 0, 0))
    score = GAME.scores(position(sheet, town(), advanced=True))[0]
    assert sum(line.points for line in score.lines) == score.total
    assert {line.key: line.points for line in score.lines} == {
        "plan0": 6,
        "plan1": 0,
        "plan2": 0,
        "park0": 2,
        "park1": 4,
        "park2": 6,
        "pools": 0,
        "temps": 7,
        "estate1": 1,
        "estate2": 2,
        "estate3": 0,
        "estate4": 0,
        "estate5": 0,
        "estate6": 0,
        "bis": -1,
        "refusals": -3,
        "roundabouts": -3,
    }


def test_an_objective_says_what_is_missing() -> None:
    state = position(town("1 2 3 4 |"), town(plans=(3, 0, 0)), plans=(3, 10, 14))
    first, second, third = GAME.scores(state)[0].objectives
    assert (first.have, first.need, first.met) == (1, 2, False)
    assert "missing sizes: 4" in first.label
    assert "missing sizes: 5" in second.label
    assert "missing sizes: 3" in third.label
    assert GAME.scores(state)[1].objectives[0].met
