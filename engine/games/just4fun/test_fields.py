"""Majorities, bars and locks (J-06, J-07, J-08, J-17)."""

import pytest

from engine.games.just4fun import GAME
from engine.games.just4fun.fields import holder, is_open, locks
from engine.games.just4fun.model import FieldLocked, PlaceToken
from engine.games.just4fun.testing import do, position
from engine.kernel.refusal import Refusal

RED, YELLOW, WHITE = 0, 1, 2


@pytest.mark.parametrize(
    ("stack", "red", "yellow", "white"),
    [
        pytest.param((2, 1, 0), True, True, False, id="A4-1"),
        pytest.param((3, 2, 0), True, True, False, id="A4-3"),
        pytest.param((1, 1, 1), True, True, True, id="level"),
        pytest.param((2, 2, 1), True, True, True, id="two others together are no bar"),
    ],
)
def test_a_seat_is_barred_by_one_other_with_two_more(
    stack: tuple[int, ...], red: bool, yellow: bool, white: bool
) -> None:
    """J-06: each opponent is compared singly."""
    state = position(3, stacks={12: stack})
    assert [is_open(state, 12, seat) for seat in range(3)] == [red, yellow, white]
    assert state.locks[11] == -1


def test_a_barred_seat_is_refused() -> None:
    state = position(3, stacks={12: (2, 1, 0)}, hands=[(1,), (2,), (12, 5)], active=WHITE)
    with pytest.raises(Refusal, match="field_barred"):
        GAME.decide(PlaceToken(12, (12,)), state, WHITE)


def test_a_lead_of_two_over_each_other_seat_locks_and_removes() -> None:
    """A4-2."""
    state, events = do(position(3, stacks={12: (2, 1, 0)}, hands=[(12,)]), PlaceToken(12, (12,)))
    assert events[1] == FieldLocked(RED, 12, (0, 1, 0), False)
    assert state.stacks[11] == (3, 0, 0)
    assert state.locks[11] == RED
    assert not any(is_open(state, 12, seat) for seat in range(3))


def test_a_lead_of_one_does_not_lock() -> None:
    """A4-3."""
    state, events = do(position(3, stacks={12: (2, 2, 0)}, hands=[(12,)]), PlaceToken(12, (12,)))
    assert len(events) == 1
    assert holder(state.stacks[11]) == RED


def test_a_second_token_locks_only_where_nobody_else_has_one() -> None:
    assert locks((2, 0, 0), RED)
    assert not locks((2, 1, 0), RED)
    assert not locks((2, 0, 1), RED)


def test_a_locked_field_is_closed_to_its_owner_too() -> None:
    """J-07."""
    with pytest.raises(Refusal, match="field_locked"):
        GAME.decide(PlaceToken(12, (12,)), position(stacks={12: (2, 0)}, hands=[(12,)]), RED)


def test_the_switch_lets_the_owner_burn_a_token_there() -> None:
    """J-07, ``owner_may_add_to_locked``: legal and useless; the field is not locked twice."""
    state = position(stacks={12: (2, 0)}, hands=[(12,), (12,)], owner_may_add_to_locked=True)
    state, events = do(state, PlaceToken(12, (12,)))
    assert len(events) == 1
    assert state.stacks[11] == (3, 0)
    assert not is_open(state, 12, YELLOW)


@pytest.mark.parametrize(("returned", "tokens"), [(False, (19, 20, 20)), (True, (19, 21, 20))])
def test_removed_tokens_leave_the_game_or_return(returned: bool, tokens: tuple[int, ...]) -> None:
    """J-08, both ways of ``removed_tokens_return``."""
    state = position(3, stacks={12: (2, 1, 0)}, hands=[(12,)], removed_tokens_return=returned)
    state, _ = do(state, PlaceToken(12, (12,)))
    assert state.tokens == tokens


@pytest.mark.parametrize(
    ("stack", "owner"),
    [
        pytest.param((2, 3, 2), YELLOW, id="A4-5"),
        pytest.param((2, 1, 2), -1, id="A4-6"),
        pytest.param((1, 0, 0), RED, id="one token is enough"),
        pytest.param((0, 0, 0), -1, id="empty"),
        pytest.param((4, 4, 3), -1, id="tie on top"),
    ],
)
def test_a_majority_is_strict(stack: tuple[int, ...], owner: int) -> None:
    """J-17."""
    assert holder(stack) == owner


@pytest.mark.parametrize(("field", "stack", "points"), [(23, (2, 3, 2), [0, 23, 0]), (7, (2, 1, 2), [0, 0, 0])])
def test_a_field_scores_for_its_majority(field: int, stack: tuple[int, ...], points: list[int]) -> None:
    """A4-5 and A4-6, J-17."""
    assert [score.total for score in GAME.scores(position(3, stacks={field: stack}))] == points
