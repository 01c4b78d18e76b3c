"""A turn: options, playing cards, the forced exchange, whose turn is next.

J-01 to J-05, J-09, J-13 to J-16, J-20, J-25.
"""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from engine.games.just4fun import GAME, rules
from engine.games.just4fun.layouts import DECK, LAYOUTS, TIER_OF, TIERS
from engine.games.just4fun.model import (
    Cards,
    ExchangeHand,
    FieldLocked,
    FirstPlayerChosen,
    HandDrawn,
    HandExchanged,
    LayoutDealt,
    Options,
    PlaceToken,
    PlayEnded,
    TokenPlaced,
    TurnBegan,
)
from engine.games.just4fun.testing import checkered, do, draw, opened, options, position
from engine.kernel.chance import Chance, Draw, Roll
from engine.kernel.game import Seats, Setup
from engine.kernel.opening import options_of
from engine.kernel.refusal import Refusal

TURNED = [[36 - 6 * row - column for column in range(6)] for row in range(6)]

# -- options and the opening -------------------------------------------------------------------------------------------


def test_the_printed_board() -> None:
    """J-01."""
    assert LAYOUTS["original"][:6] == (1, 14, 30, 24, 19, 8)
    assert LAYOUTS["row_major_test"] == tuple(range(1, 37))
    assert [(tier.first, tier.last) for tier in TIERS] == [(1, 9), (10, 19), (20, 29), (30, 36)]
    assert [TIER_OF[number - 1] for number in (9, 10, 19, 20, 29, 30)] == [0, 1, 1, 2, 2, 3]


def test_the_deck_has_55_cards() -> None:
    assert len(DECK) == 55
    assert [DECK.count(value) for value in (1, 12, 13, 19)] == [4, 4, 1, 1]


def test_a_host_may_bring_a_layout() -> None:
    """J-01."""
    assert opened(2, layout=TURNED).layout == tuple(range(36, 0, -1))


def test_a_random_layout_is_dealt_in_public() -> None:
    """J-01."""
    state = opened(2, layout="random")
    assert GAME.pending(state) == Chance("layout", Draw(tuple(range(1, 37)), 36))
    numbers = tuple(range(36, 0, -1))
    state, events = draw(state, *numbers)
    assert events == (LayoutDealt(numbers),)
    assert state.layout == numbers


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"layout": TURNED[:5]}, "6 rows of 6"),
        ({"layout": [*TURNED[:5], TURNED[5][:5]]}, "6 rows of 6"),
        ({"layout": [[37, *TURNED[0][1:]], *TURNED[1:]]}, "not 37"),
        ({"layout": [[1, *TURNED[0][1:]], *TURNED[1:]]}, "36 is missing"),
        ({"layout": "yucata"}, "layout"),
        ({"first_player": "the funniest"}, "first_player"),
        ({"first_player": True}, "first_player"),
        ({"reshuffle": "never"}, "reshuffle"),
        ({"rounds": 20}, "rounds"),
    ],
)
def test_options_that_are_none_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        options_of(GAME, given)


@pytest.mark.parametrize("given", [{}, {"layout": TURNED, "first_player": 1}, {"reshuffle": "when_needed"}])
def test_options_survive_json(given: dict[str, Any]) -> None:
    first = options(**given)
    assert msgspec.json.decode(msgspec.json.encode(first), type=Options) == first
    assert msgspec.convert(msgspec.to_builtins(first), Options) == first


def test_the_first_player_is_drawn_by_lot() -> None:
    """J-02."""
    state = opened(3)
    assert GAME.pending(state) == Chance("first", Roll(3, 1))
    state, events = draw(state, 3)
    assert events == (FirstPlayerChosen(2),)
    assert GAME.pending(state) == Chance("deck", Draw(DECK, 12))


def test_the_host_may_name_the_first_player() -> None:
    """J-02; four cards go to each seat in one draw, and play goes clockwise from there."""
    state = opened(2, first_player=1)
    state, events = draw(state, 1, 2, 3, 4, 5, 6, 7, 8)
    assert events == (HandDrawn(0, (1, 2, 3, 4)), HandDrawn(1, (5, 6, 7, 8)), TurnBegan(1))
    assert GAME.pending(state) == Seats((1,))


def test_a_first_player_who_is_not_there_is_refused() -> None:
    with pytest.raises(Refusal, match="bad_first_player"):
        GAME.initial(Setup(2, options(first_player=2)))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_everybody_has_20_tokens_whatever_the_number_of_seats(seats: int) -> None:
    """J-20."""
    assert opened(seats).tokens == (20,) * seats
    assert GAME.pending(opened(seats, first_player=0)) == Chance("deck", Draw(DECK, 4 * seats))


# -- placing -----------------------------------------------------------------------------------------------------------


def test_5_11_and_13_make_29_and_three_cards_are_drawn() -> None:
    """A4-4, and J-25: the third card of the printed example is the 13. J-05: one token for three cards."""
    state, events = do(position(hands=[(5, 11, 13, 2)]), PlaceToken(29, (5, 11, 13)))
    assert events == (TokenPlaced(0, 29, (5, 11, 13)),)
    assert state.stacks[28] == (1, 0)
    assert state.tokens == (19, 20)
    assert state.discard == (5, 11, 13)
    chance = GAME.pending(state)
    assert isinstance(chance, Chance)
    assert isinstance(chance.spec, Draw)
    assert chance.spec.count == 3


def test_5_11_and_3_do_not_make_29() -> None:
    """J-25."""
    with pytest.raises(Refusal, match="wrong_sum"):
        GAME.decide(PlaceToken(29, (3, 5, 11)), position(hands=[(3, 5, 11, 2)]), 0)


def test_the_order_of_the_cards_is_no_matter() -> None:
    """J-04: equal sets of cards are one command."""
    assert PlaceToken(29, (13, 5, 11)) == PlaceToken(29, (5, 11, 13))


def test_the_player_picks_among_sets_with_the_same_sum() -> None:
    """J-04."""
    state = position(hands=[(1, 4, 5, 5)])
    fives = [command for command in GAME.legal(state, 0) if isinstance(command, PlaceToken) and command.field == 5]
    assert fives == [PlaceToken(5, (1, 4)), PlaceToken(5, (5,))]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (PlaceToken(37, (18, 19)), "no_such_field"),
        (PlaceToken(0, ()), "no_such_field"),
        (PlaceToken(5, ()), "bad_cards"),
        (PlaceToken(5, (1, 1, 1, 1, 1)), "bad_cards"),
        (PlaceToken(4, (2, 2)), "cards_not_in_hand"),
        (PlaceToken(7, (7,)), "cards_not_in_hand"),
        (PlaceToken(2, (0, 2)), "cards_not_in_hand"),
        (PlaceToken(3, (2,)), "wrong_sum"),
        (ExchangeHand(), "must_play"),
    ],
)
def test_what_the_rules_forbid(command: PlaceToken | ExchangeHand, code: str) -> None:
    """J-03: there is no pass and no exchange at will; J-04: no field beyond 36."""
    with pytest.raises(Refusal, match=code):
        GAME.decide(command, position(hands=[(2, 5, 18, 19)]), 0)


def test_only_the_active_seat_moves() -> None:
    with pytest.raises(Refusal, match="not_your_turn"):
        GAME.decide(PlaceToken(9, (9,)), position(), 1)


def test_sums_above_36_are_not_offered() -> None:
    """J-04."""
    fields = {c.field for c in GAME.legal(position(hands=[(16, 17, 18, 19)]), 0) if isinstance(c, PlaceToken)}
    assert fields == {16, 17, 18, 19, 33, 34, 35, 36}


# -- no playable card --------------------------------------------------------------------------------------------------

CLOSED = dict.fromkeys((1, 2, 3, 4, 5, 6, 7, 8, 9, 10), (0, 2))
CLOSED_TO_ALL = {field: (*stack, 0) for field, stack in CLOSED.items()}
STUCK: Cards = (1, 2, 3, 4)


def test_a_hand_that_makes_no_open_field_is_exchanged() -> None:
    """J-13: all cards go first, then four are drawn; no token, and the turn is over."""
    state = position(stacks=CLOSED, hands=[STUCK])
    assert list(GAME.legal(state, 0)) == [ExchangeHand()]
    state, events = do(state, ExchangeHand())
    assert events == (HandExchanged(0, STUCK),)
    assert state.discard == STUCK
    assert state.tokens == (20, 20)
    state, events = draw(state, 5, 5, 5, 5)
    assert events == (HandDrawn(0, (5, 5, 5, 5)), TurnBegan(1))


def test_no_second_try_with_the_new_hand() -> None:
    """J-13: even where the new hand is stuck as well."""
    state, _ = do(position(stacks=CLOSED, hands=[(1, 2, 3, 4)]), ExchangeHand())
    state, _ = draw(state, 1, 1, 2, 2)
    assert GAME.pending(state) == Seats((1,))


def test_a_seat_without_tokens_is_passed_over_and_draws_nothing() -> None:
    """J-14. Seen elsewhere: a seat without tokens that redraws a blocked hand and so moves the deck."""
    state = position(3, stacks=CLOSED_TO_ALL, hands=[(11,), STUCK], tokens=(5, 0, 5))
    state, _ = do(state, PlaceToken(11, (11,)))
    state, events = draw(state, 7)
    assert events == (HandDrawn(0, (7,)), TurnBegan(2))
    assert state.hands[1] == STUCK


def test_the_last_one_with_tokens_goes_on_alone() -> None:
    """J-14."""
    state = position(hands=[(1, 5, 9, 9)], tokens=(2, 0))
    state, _ = do(state, PlaceToken(5, (5,)))
    state, events = draw(state, 7)
    assert events[-1] == TurnBegan(0)


def test_the_fields_are_counted_when_nobody_can_ever_place_again() -> None:
    """J-16: whatever the cards. Only field 36 is open, this token locks it, and all seats have tokens left."""
    owners = checkered(LAYOUTS["original"])
    state = position(stacks=owners | {36: (1, 0)}, hands=[(8, 9, 19)], tokens=(5, 5))
    state, events = do(state, PlaceToken(36, (8, 9, 19)))
    assert [type(event) for event in events] == [TokenPlaced, FieldLocked, PlayEnded]
    assert state.reason == "points"


def test_a_field_open_to_seats_without_tokens_alone_is_no_reason_to_go_on() -> None:
    """J-16: field 35 is open to seat 0, which has played its last token, and barred to seat 1."""
    stacks: dict[int, tuple[int, ...]] = checkered(LAYOUTS["original"]) | {36: (1, 0, 0), 35: (2, 0, 1)}
    stacks = {field: (*stack, 0)[:3] for field, stack in stacks.items()}
    state = position(3, stacks=stacks, hands=[(8, 9, 19)], tokens=(1, 5, 0))
    _, events = do(state, PlaceToken(36, (8, 9, 19)))
    assert isinstance(events[-1], PlayEnded)
    assert events[-1].reason == "points"


def test_play_without_end_is_counted_too() -> None:
    """Ours: field 1 is open for ever when all ones are held by seats that have no tokens left."""
    state = position(hands=[(2, 2, 3, 3)], stacks=dict.fromkeys(range(2, 37), (0, 2)), tokens=(5, 0))
    state, events = do(replace(state, exchanges=rules.EXCHANGES_MAX - 1), ExchangeHand())
    assert events == (HandExchanged(0, (2, 2, 3, 3)), PlayEnded("points", (2, 1)))


def test_the_last_token_of_a_seat_still_draws_while_others_go_on() -> None:
    """By the letter: whoever has placed draws up to four, tokens left or not."""
    state, events = do(position(hands=[(3, 9, 9, 9)], tokens=(1, 4)), PlaceToken(3, (3,)))
    assert len(events) == 1
    assert isinstance(GAME.pending(state), Chance)


def test_a_win_ends_the_play_before_anything_is_drawn() -> None:
    """J-09."""
    state, _ = do(position(stacks={33: (1, 0), 11: (1, 0), 9: (1, 0)}, hands=[(16, 1, 1, 1)]), PlaceToken(16, (16,)))
    assert state.hands[0] == (1, 1, 1)
    assert not isinstance(GAME.pending(state), Chance)
