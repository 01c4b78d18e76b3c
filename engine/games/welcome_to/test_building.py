"""Numbers (4.2), refusals (4.3), fences (4.4), bis (4.5), parks, pools and real estate (4.6)."""

from typing import Any

import pytest

from engine.games.welcome_to import GAME
from engine.games.welcome_to.model import (
    Bis,
    Fence,
    NoUse,
    Park,
    Pool,
    Promotion,
    Sheet,
    TakeTurn,
    Temp,
    Turn,
    Use,
)
from engine.games.welcome_to.printed import Effect
from engine.games.welcome_to.testing import build, position, row, take, town, written
from engine.kernel.refusal import Refusal

FULL = town("1 2 3 4 5 6 7 8 9 10", "1 2 3 4 5 6 7 8 9 10 11", "1 2 3 4 5 6 7 8 9 10 11 12")


def shows(number: int, effect: Effect) -> dict[str, Any]:
    """The first combination; the others are out of the way."""
    return {"shown": ((number, effect), (8, "landscaper"), (11, "real_estate"))}


def build_first(sheet: Sheet, number: int, effect: Effect, house: tuple[int, int], use: Use | None = None) -> Sheet:
    return written(sheet, lambda state: build(state, 0, *house, use), **shows(number, effect))


def refused(sheet: Sheet, number: int, effect: Effect, house: tuple[int, int], use: Use | None = None) -> str:
    state = position(sheet, town(), **shows(number, effect))
    with pytest.raises(Refusal) as caught:
        take(state, build(state, 0, *house, use))
    assert caught.value.sentence.endswith(".")
    return caught.value.code


# -- numbers (4.2) -----------------------------------------------------------------------------------------------------


def test_numbers_grow_from_left_to_right_with_gaps() -> None:
    """4.2."""
    sheet = town("2 . 7")
    assert row(build_first(sheet, 5, "surveyor", (0, 1)), 0) == "2 5 7 . . . . . . ."
    assert refused(sheet, 7, "surveyor", (0, 1)) == "does_not_fit"
    assert refused(sheet, 2, "surveyor", (0, 1)) == "does_not_fit"
    assert refused(sheet, 5, "surveyor", (0, 3)) == "does_not_fit"
    assert row(build_first(sheet, 9, "surveyor", (0, 9)), 0) == "2 . 7 . . . . . . 9"


def test_a_house_is_written_once() -> None:
    assert refused(town("2 . 7"), 5, "surveyor", (0, 0)) == "house_taken"


def test_fences_do_not_restart_the_order_and_a_roundabout_does() -> None:
    """4.2."""
    assert refused(town("8 | ."), 5, "surveyor", (0, 1)) == "does_not_fit"
    assert row(build_first(town("8 R ."), 5, "surveyor", (0, 2)), 0) == "8 R 5 . . . . . . ."


@pytest.mark.parametrize("change", [-2, -1, 0, 1, 2])
def test_a_temp_changes_the_number_by_two_at_most_and_crosses_a_box(change: int) -> None:
    """4.2: the unchanged number is among the options."""
    sheet = build_first(town(), 7, "temp", (0, 4), Temp(change))
    assert sheet.numbers[0][4] == 7 + change
    assert sheet.temps == 1


def test_a_temp_may_be_left_unused() -> None:
    """4.2: taken for its number, no box."""
    sheet = build_first(town(), 7, "temp", (0, 4), NoUse())
    assert (sheet.numbers[0][4], sheet.temps) == (7, 0)


def test_only_a_temp_reaches_0_and_16_and_17_and_nothing_goes_beyond() -> None:
    """4.2."""
    assert build_first(town(), 1, "temp", (0, 0), Temp(-1)).numbers[0][0] == 0
    assert build_first(town(), 15, "temp", (0, 9), Temp(2)).numbers[0][9] == 17
    assert refused(town(), 1, "temp", (0, 0), Temp(-2)) == "does_not_fit"
    assert refused(town(), 7, "temp", (0, 0), Temp(3)) == "bad_change"


def test_with_all_temps_crossed_the_number_may_still_be_changed() -> None:
    """UNKNOWN-1: nothing more is crossed, so there is no use in leaving the number as it is."""
    sheet = town(temps=11)
    changed = build_first(sheet, 7, "temp", (0, 4), Temp(2))
    assert (changed.numbers[0][4], changed.temps) == (9, 11)
    assert refused(sheet, 7, "temp", (0, 4), Temp(0)) == "nothing_to_cross"


# -- refusals (4.3) ----------------------------------------------------------------------------------------------------


def test_a_permit_is_refused_only_where_no_number_fits() -> None:
    """4.3, UNKNOWN-15: the printed rule is "cannot", not "will not"."""
    state = position(town("1"), FULL)
    with pytest.raises(Refusal) as caught:
        take(state, Turn())
    assert caught.value.code == "must_build"
    assert take(state, Turn(), seat=1).ready == (False, True)


def test_nobody_is_forced_to_change_a_number() -> None:
    """4.3: a temp would make room, and it may be used or not."""
    narrow = town("4 . 6 7 8 9 10 11 12 13", "1 2 3 4 5 6 7 8 9 10 11", "1 2 3 4 5 6 7 8 9 10 11 12")
    state = position(narrow, town(), shown=((6, "temp"), (8, "landscaper"), (11, "real_estate")))
    commands = list(GAME.legal(state, 0))
    assert TakeTurn(Turn()) in commands
    assert TakeTurn(build(state, 0, 0, 1, Temp(-1))) in commands


def test_a_refusal_crosses_its_box_and_has_no_effect() -> None:
    """4.3."""
    state = position(FULL, town())
    with pytest.raises(Refusal) as caught:
        take(state, Turn(use=Park(0)))
    assert caught.value.code == "refusal_is_all"


def test_who_likes_may_refuse_where_the_table_allows_it() -> None:
    """4.3, option ``voluntary_refusal``."""
    state = position(town(), town(), voluntary_refusal=True)
    assert take(state, Turn()).ready == (True, False)


# -- fences (4.4) ------------------------------------------------------------------------------------------------------


def test_a_fence_may_stand_in_any_free_slot_of_any_street() -> None:
    """4.4: also between empty houses."""
    sheet = build_first(town("2"), 5, "surveyor", (0, 1), Fence(2, 10))
    assert sheet.fences == ((), (), (10,))
    assert refused(sheet, 6, "surveyor", (0, 3), Fence(2, 10)) == "no_fence_there"
    assert refused(sheet, 6, "surveyor", (0, 3), Fence(2, 11)) == "no_such_slot"


def test_no_fence_parts_a_bis_from_its_number() -> None:
    """4.4."""
    assert refused(town("5 5b"), 6, "surveyor", (0, 3), Fence(0, 0)) == "no_fence_there"


def test_no_fence_parts_a_used_estate_and_any_other_may_be_split() -> None:
    """4.4."""
    assert refused(town("1* 2* 3* |"), 6, "surveyor", (0, 4), Fence(0, 1)) == "no_fence_there"
    assert build_first(town("1 2 3 |"), 6, "surveyor", (0, 4), Fence(0, 0)).fences[0] == (0, 2)


def test_no_fence_in_a_street_that_a_plan_has_used() -> None:
    """UNKNOWN-6."""
    street = " ".join(f"{n}*" for n in range(1, 11))
    assert refused(town(street), 6, "surveyor", (1, 4), Fence(0, 4)) == "no_fence_there"


def test_two_used_estates_side_by_side_stay_two() -> None:
    """4.4: the fence between them is there already."""
    assert refused(town("1* | 2* |"), 6, "surveyor", (1, 4), Fence(0, 0)) == "no_fence_there"


# -- bis (4.5) ---------------------------------------------------------------------------------------------------------


def test_a_bis_stands_beside_its_number_on_either_side() -> None:
    """4.5: any number, on any street, not only the one just written."""
    sheet = town("", ". 9 .")
    for house in (0, 2):
        after = build_first(sheet, 4, "bis", (0, 3), Bis(1, house, 9))
        assert after.numbers[1][house] == 9
        assert after.bis[1] == (house,)
    assert refused(sheet, 4, "bis", (0, 3), Bis(1, 3, 9)) == "no_bis_there"
    assert refused(sheet, 4, "bis", (0, 3), Bis(1, 0, 8)) == "no_bis_there"


def test_the_number_just_written_may_be_doubled() -> None:
    """4.5: number first, then effect."""
    assert row(build_first(town(), 4, "bis", (0, 3), Bis(0, 4, 4)), 0) == ". . . 4 4 . . . . ."


def test_a_bis_may_be_doubled_again() -> None:
    """4.5: chains of any length."""
    sheet = build_first(town("", "9 9b 9b"), 4, "bis", (0, 3), Bis(1, 3, 9))
    assert sheet.numbers[1][:5] == (9, 9, 9, 9, -1)
    assert sheet.bis[1] == (1, 2, 3)


def test_no_fence_between_a_bis_and_its_number() -> None:
    """4.5, in either order: the fence first, or the bis first."""
    assert refused(town("", "9 | ."), 4, "bis", (0, 3), Bis(1, 1, 9)) == "no_bis_there"
    assert refused(town("", "9 9b"), 4, "surveyor", (0, 3), Fence(1, 0)) == "no_fence_there"


def test_a_roundabout_has_no_bis() -> None:
    """4.5."""
    assert refused(town("", "R ."), 4, "bis", (0, 3), Bis(1, 1, -2)) == "no_bis_there"


def test_a_bis_on_a_pool_house_loses_the_pool() -> None:
    """4.5: a pool comes only with its effect and a number of its own."""
    after = build_first(town(". . . ."), 4, "bis", (0, 1), Bis(0, 2, 4))
    assert after.pools == ((), (), ())
    assert refused(after, 4, "pool", (0, 2), Pool(0, 2)) == "house_taken"


def test_a_tenth_bis_is_allowed() -> None:
    """UNKNOWN-2."""
    sheet = town("", "9 9b 9b 9b 9b 9b 9b 9b 9b 9b")
    after = build_first(sheet, 4, "bis", (0, 3), Bis(1, 10, 9))
    assert len(after.bis[1]) == 10


# -- parks, pools, real estate (4.6) -----------------------------------------------------------------------------------


def test_a_park_is_built_in_the_street_of_the_number() -> None:
    """4.6."""
    assert build_first(town(), 5, "landscaper", (1, 2), Park(1)).parks == (0, 1, 0)
    assert refused(town(), 5, "landscaper", (1, 2), Park(0)) == "park_elsewhere"


def test_a_full_park_track_does_nothing_and_the_number_may_still_be_taken() -> None:
    """2.2."""
    sheet = town(parks=(3, 0, 0))
    assert refused(sheet, 5, "landscaper", (0, 2), Park(0)) == "parks_full"
    assert build_first(sheet, 5, "landscaper", (0, 2)).numbers[0][2] == 5


def test_a_pool_needs_a_pool_house_for_the_number_of_this_turn() -> None:
    """4.6."""
    assert build_first(town(), 6, "pool", (0, 2), Pool(0, 2)).pools == ((2,), (), ())
    assert refused(town(), 6, "pool", (0, 3), Pool(0, 3)) == "no_pool_there"
    assert refused(town(), 6, "pool", (0, 3), Pool(0, 2)) == "pool_elsewhere"


def test_a_missed_pool_cannot_be_built_later() -> None:
    """4.6."""
    missed = build_first(town(), 6, "pool", (0, 2), NoUse())
    assert missed.pools == ((), (), ())
    assert refused(missed, 7, "pool", (0, 3), Pool(0, 2)) == "pool_elsewhere"


def test_any_column_may_be_promoted_until_it_is_full() -> None:
    """4.6: no estate of that size is needed."""
    assert build_first(town(), 5, "real_estate", (0, 2), Promotion(6)).promotions == (0, 0, 0, 0, 0, 1)
    assert refused(town(promotions=(1, 0, 0, 0, 0, 0)), 5, "real_estate", (0, 2), Promotion(1)) == "column_full"
    assert refused(town(), 5, "real_estate", (0, 2), Promotion(7)) == "no_such_size"


def test_with_all_columns_full_only_the_number_is_left() -> None:
    """2.2."""
    state = position(town(promotions=(1, 2, 3, 4, 4, 4)), town(), **shows(5, "real_estate"))
    uses = {command.turn.use for command in GAME.legal(state, 0) if command.turn.number == state.numbers[0]}
    assert uses == {NoUse()}


@pytest.mark.parametrize(
    ("effect", "use"),
    [
        ("surveyor", Park(0)),
        ("pool", Temp(1)),
        ("temp", Fence(0, 3)),
        ("bis", Promotion(1)),
        ("landscaper", Pool(0, 2)),
    ],
)
def test_an_effect_is_that_of_the_card(effect: Effect, use: Use) -> None:
    assert refused(town(), 6, effect, (0, 2), use) == "wrong_effect"


def test_number_and_effect_come_from_one_combination() -> None:
    """4.1."""
    state = position(town(), town())
    with pytest.raises(Refusal) as caught:
        take(state, Turn(state.numbers[0], state.effects[1], 0, 0))
    assert caught.value.code == "not_offered"


@pytest.mark.parametrize(("street", "house"), [(-1, 0), (3, 0), (0, 10), (0, -1), (10**9, 0)])
def test_a_house_has_to_exist(street: int, house: int) -> None:
    state = position(town(), town())
    with pytest.raises(Refusal) as caught:
        take(state, build(state, 0, street, house))
    assert caught.value.code == "no_such_house"
