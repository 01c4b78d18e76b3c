"""The pile and the reshuffle (J-12)."""

from collections import Counter

import pytest
from msgspec.structs import replace

from engine.games.just4fun import GAME
from engine.games.just4fun.layouts import DECK
from engine.games.just4fun.model import (
    Cards,
    DiscardReshuffled,
    HandDrawn,
    PlaceToken,
    State,
    TurnBegan,
)
from engine.games.just4fun.rules import pile, pile_size
from engine.games.just4fun.testing import do, draw, position
from engine.kernel.chance import Chance, Draw

HANDS: tuple[Cards, Cards] = ((1, 2, 3, 4), (5, 6, 7, 8))


def with_pile(cards: Cards, reshuffle: str) -> State:
    """Two seats, and all but ``cards`` on the discard pile."""
    rest = Counter(DECK) - Counter(cards) - Counter(HANDS[0]) - Counter(HANDS[1])
    return position(hands=HANDS, discard=tuple(sorted(rest.elements())), reshuffle=reshuffle)


def asked(state: State) -> Draw:
    chance = GAME.pending(state)
    assert isinstance(chance, Chance)
    assert isinstance(chance.spec, Draw)
    return chance.spec


def test_the_pile_is_the_deck_without_hands_and_discard() -> None:
    state = with_pile((9, 9, 19), "when_empty")
    assert pile(state) == (9, 9, 19)
    assert pile_size(state) == 3


@pytest.mark.parametrize("reshuffle", ["when_empty", "when_needed"])
def test_a_pile_that_runs_out_in_the_middle_of_a_draw(reshuffle: str) -> None:
    """J-12: the cards just played are in the new pile; the rest is drawn from it."""
    state, _ = do(with_pile((9, 19), reshuffle), PlaceToken(10, (1, 2, 3, 4)))
    assert asked(state) == Draw((9, 19), 2)
    state, events = draw(state, 19, 9)
    assert events == (HandDrawn(0, (19, 9)), DiscardReshuffled(49))
    assert asked(state) == Draw(tuple(sorted((Counter(DECK) - Counter((9, 19, 5, 6, 7, 8))).elements())), 2)
    assert {1, 2, 3, 4} < set(asked(state).cards)
    state, events = draw(state, 1, 2)
    assert events == (HandDrawn(0, (1, 2)), TurnBegan(1))
    assert state.hands[0] == (1, 2, 9, 19)
    assert state.discard == ()


def test_a_pile_that_runs_out_exactly_is_renewed_at_once() -> None:
    """J-12, ``when_empty``."""
    state, _ = do(with_pile((9, 19), "when_empty"), PlaceToken(3, (1, 2)))
    state, events = draw(state, 9, 19)
    assert events == (HandDrawn(0, (9, 19)), DiscardReshuffled(47), TurnBegan(1))
    assert pile_size(state) == 47


def test_a_pile_that_runs_out_exactly_is_renewed_when_a_card_is_needed() -> None:
    """J-12, ``when_needed``: by the next seat's turn, whose played cards are then in the new pile."""
    state, _ = do(with_pile((9, 19), "when_needed"), PlaceToken(3, (1, 2)))
    state, events = draw(state, 9, 19)
    assert events == (HandDrawn(0, (9, 19)), TurnBegan(1))
    assert pile_size(state) == 0
    state, played = do(state, PlaceToken(5, (5,)), seat=1)
    assert played[-1] == DiscardReshuffled(48)
    assert asked(state).count == 1
    assert 5 in asked(state).cards


def test_a_view_knows_how_many_cards_are_asked_but_not_which_are_left() -> None:
    """J-22: on a view the hidden cards of others are among those that may come."""
    state, _ = do(with_pile((9, 19), "when_empty"), PlaceToken(3, (1, 2)))
    hidden = replace(state, hands=((3, 4), (0, 0, 0, 0)))
    assert asked(hidden) == Draw((5, 6, 7, 8, 9, 19), 2)
