"""Roundabouts (4.8), and refusals beside them (4.3)."""

from typing import Any

import pytest

from engine.games.welcome_to import GAME
from engine.games.welcome_to.model import ROUNDABOUT, Bis, Fence, Sheet, TakeTurn, Turn, Use
from engine.games.welcome_to.printed import Effect
from engine.games.welcome_to.testing import build, position, reveal, row, take, town
from engine.kernel.refusal import Refusal

BOTTOM = "1 2 3 4 5 6 7 8 9 10 11 12"
MIDDLE = "1 2 3 4 5 6 7 8 9 10 11"


def build_with(
    sheet: Sheet,
    number: int,
    effect: Effect,
    house: tuple[int, int],
    roundabout: tuple[int, int],
    use: Use | None = None,
) -> Sheet:
    state = position(sheet, town(), shown=((number, effect), (8, "landscaper"), (11, "real_estate")), advanced=True)
    turn = build(state, 0, *house, use, roundabout=roundabout)
    assert TakeTurn(turn) in set(GAME.legal(state, 0))
    return reveal(state, turn, build(state, 0, 0, 0))[0].sheets[0]


def code_of(sheet: Sheet, turn_of: Any, **given: Any) -> str:
    state = position(sheet, town(), **({"advanced": True} | given))
    with pytest.raises(Refusal) as caught:
        take(state, turn_of(state))
    return caught.value.code


def test_a_roundabout_comes_with_its_two_fences_beside_number_and_effect() -> None:
    """4.8: it replaces nothing."""
    sheet = build_with(town(), 5, "surveyor", (0, 1), (1, 4), Fence(2, 0))
    assert sheet.numbers[0][1] == 5
    assert sheet.numbers[1][4] == ROUNDABOUT
    assert sheet.fences == ((), (3, 4), (0,))


def test_at_the_end_of_a_street_one_fence_is_enough_and_one_that_stands_stays() -> None:
    """4.8."""
    assert build_with(town(), 5, "surveyor", (0, 1), (1, 0)).fences[1] == (0,)
    assert build_with(town(), 5, "surveyor", (0, 1), (1, 10)).fences[1] == (9,)
    assert build_with(town("", ". . . . | ."), 5, "surveyor", (0, 1), (1, 4)).fences[1] == (3, 4)


def test_it_may_come_before_the_number_and_make_room() -> None:
    """4.8: 5 does not fit behind 8, but behind a roundabout."""
    assert row(build_with(town("8 ."), 5, "surveyor", (0, 2), (0, 1)), 0) == "8 R 5 . . . . . . ."


def test_it_may_come_after_the_number() -> None:
    """4.8: the fence of this turn is drawn first; the roundabout would have brought it."""
    sheet = build_with(town(), 5, "surveyor", (0, 1), (1, 4), Fence(1, 3))
    assert sheet.fences[1] == (3, 4)


def test_before_the_number_its_fence_stands_already() -> None:
    """4.8: a number that needs the roundabout first cannot take the fence it brings."""

    def turn_of(state: Any) -> Turn:
        return build(state, 0, 0, 2, Fence(0, 1), roundabout=(0, 1))

    assert code_of(town("8 ."), turn_of) == "no_fence_there"


def test_house_bis_and_roundabout_take_different_boxes() -> None:
    """4.8: only an empty box."""
    assert code_of(town(), lambda state: build(state, 0, 0, 1, roundabout=(0, 1))) == "roundabout_in_the_way"
    assert code_of(town("3"), lambda state: build(state, 0, 0, 1, roundabout=(0, 0))) == "house_taken"

    def doubled(state: Any) -> Turn:
        return build(state, 0, 0, 1, Bis(0, 2, 4), roundabout=(0, 2))

    shown = ((4, "bis"), (8, "landscaper"), (11, "real_estate"))
    assert code_of(town(), doubled, shown=shown) == "roundabout_in_the_way"


def test_two_a_game_and_only_with_the_advanced_rules() -> None:
    """4.8, UNKNOWN-9: one a turn is all that a turn can say."""

    def turn_of(state: Any) -> Turn:
        return build(state, 0, 0, 1, roundabout=(2, 3))

    assert code_of(town("", "R . R"), turn_of) == "no_roundabout_left"
    assert code_of(town(), turn_of, advanced=False) == "no_roundabouts"
    assert code_of(town(), lambda state: build(state, 0, 0, 1, roundabout=(2,))) == "no_such_house"
    assert code_of(town(), lambda state: build(state, 0, 0, 1, roundabout=(2, 12))) == "no_such_house"


def test_it_fills_the_last_box() -> None:
    """4.8, 4.9: no empty box is left, play ends."""
    state = position(town("1 2 3 4 5 6 7 8 . .", MIDDLE, BOTTOM), town(), advanced=True)
    turn = build(state, 2, 0, 9, roundabout=(0, 8))
    state, _ = reveal(state, turn, build(state, 0, 0, 0))
    assert state.reason == "houses"


# -- refusals ----------------------------------------------------------------------------------------------------------

TIGHT = town("12 . 13 14 15 16 17 . . .", MIDDLE, BOTTOM)
"""None of 5, 8 and 11 fits: behind 12 to 17 nothing does."""


def test_nobody_has_to_make_room_with_a_roundabout() -> None:
    """4.3: and who makes room builds there."""
    state = position(TIGHT, town(), advanced=True)
    legal = set(GAME.legal(state, 0))
    assert TakeTurn(Turn()) in legal
    assert TakeTurn(build(state, 0, 0, 8, roundabout=(0, 7))) in legal
    assert code_of(TIGHT, lambda state: Turn(roundabout=(0, 7))) == "must_build"


def test_a_refusal_beside_a_roundabout_after_which_nothing_fits() -> None:
    """4.3: the roundabout takes the only place, or makes none."""
    state = position(TIGHT, town(), advanced=True)
    assert TakeTurn(Turn(roundabout=(0, 9))) in set(GAME.legal(state, 0))
    only = town("4 . 13 14 15 16 17 17b 17b 17b", MIDDLE, BOTTOM)
    state = position(only, town(), advanced=True)
    assert TakeTurn(Turn()) not in set(GAME.legal(state, 0))
    state, _ = reveal(state, Turn(roundabout=(0, 1)), build(state, 0, 0, 0))
    assert state.sheets[0].refusals == 1
    assert state.reason == "houses"


def test_what_is_allowed_with_a_roundabout_in_one_of_two_orders_is_listed_once() -> None:
    """4.8: the order leaves no trace."""
    state = position(town("8 . . 12", MIDDLE, BOTTOM), town(), advanced=True)
    legal = [command.turn for command in GAME.legal(state, 0)]
    assert len(set(legal)) == len(legal)
