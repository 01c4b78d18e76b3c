"""The expert game (4.10): hands, what is passed, what runs out."""

import random

import pytest
from msgspec.structs import replace

from engine.games.welcome_to import GAME
from engine.games.welcome_to.dealing import pile
from engine.games.welcome_to.model import (
    HIDDEN,
    CardPassed,
    Claim,
    DeckReshuffled,
    HandDealt,
    NoUse,
    Park,
    RoundBegan,
    SeatGone,
    State,
    TakeTurn,
    Turn,
)
from engine.games.welcome_to.printed import CARDS
from engine.games.welcome_to.testing import after, cards_with, dealt, draw, experts, opened, reveal, step, take, town
from engine.kernel.chance import Chance
from engine.kernel.game import Over, Setup
from engine.kernel.refusal import Refusal
from engine.kernel.value import Referee, SeatView, Spectator

HANDS = ((0, 30, 60), (1, 31, 61), (2, 32, 62))
FULL = town("1 2 3 4 5 6 7 8 9 10", "1 2 3 4 5 6 7 8 9 10 11", "1 2 3 4 5 6 7 8 9 10 16 .")


def builds(hand: tuple[int, ...], *, number: int = 1, effect: int = 2) -> Turn:
    return Turn(hand[number], hand[effect], 0, 4)


def test_three_cards_each_from_one_deck() -> None:
    state = replace(opened(3, expert=True), plans=(0, 6, 12))
    chance = GAME.pending(state)
    assert isinstance(chance, Chance)
    assert chance.spec.count == 9
    state, events = draw(state, 5, 4, 3, 15, 14, 13, 25, 24, 23)
    assert events == (HandDealt(0, (5, 4, 3)), HandDealt(1, (15, 14, 13)), HandDealt(2, (25, 24, 23)), RoundBegan(1))
    assert state.hands == ((3, 4, 5), (13, 14, 15), (23, 24, 25))


def test_number_and_effect_come_from_two_cards() -> None:
    hand = cards_with((5, "surveyor"), (8, "landscaper"), (11, "real_estate"))
    state = experts(town(), town(), hands=(hand, (70, 71, 72)))
    pairs = {(command.turn.number, command.turn.effect) for command in GAME.legal(state, 0)}
    assert pairs == {(a, b) for a in hand for b in hand if a != b}
    with pytest.raises(Refusal, match="not_offered"):
        take(state, Turn(hand[0], hand[0], 0, 4))
    state = take(state, Turn(hand[0], hand[1], 1, 4, Park(1)))
    assert state.ready == (True, False)


def test_the_third_card_goes_to_the_right() -> None:
    """The seat before, among those at the table; two new ones follow."""
    state = experts(town(), town(), town(), hands=HANDS)
    state, events = reveal(state, *(builds(hand) for hand in HANDS))
    assert [event for event in events if isinstance(event, CardPassed)] == [
        CardPassed(0, 2, 0),
        CardPassed(1, 0, 1),
        CardPassed(2, 1, 2),
    ]
    assert state.hands == ((1,), (2,), (0,))
    assert state.discard == (30, 31, 32, 60, 61, 62)
    state, _ = draw(state, 50, 40, 51, 41, 52, 42)
    assert state.hands == ((1, 40, 50), (2, 41, 51), (0, 42, 52))


def test_a_hand_is_secret_and_a_passed_card_is_known_to_its_giver() -> None:
    state = experts(town(), town(), town(), hands=HANDS)
    state, events = reveal(state, *(builds(hand) for hand in HANDS))
    passed = next(event for event in events if event == CardPassed(0, 2, 0))
    for viewer, card in ((SeatView(0), 0), (SeatView(2), 0), (SeatView(1), HIDDEN), (Spectator(), HIDDEN)):
        assert GAME.redact(passed, viewer) == CardPassed(0, 2, card)
    state, (first, *_) = draw(state, 50, 40, 51, 41, 52, 42)
    assert GAME.redact(first, SeatView(1)) == HandDealt(0, (HIDDEN, HIDDEN))
    assert GAME.view(state, SeatView(0)).hands == ((1, 40, 50), (HIDDEN,) * 3, (0, HIDDEN, HIDDEN))
    assert GAME.view(state, Spectator()).hands == ((HIDDEN,) * 3,) * 3
    assert GAME.view(state, Referee()) == state


def test_nothing_is_offered_to_who_does_not_know_the_hand() -> None:
    state = GAME.view(experts(town(), town(), hands=HANDS[:2]), SeatView(1))
    assert list(GAME.legal(state, 0)) == []
    with pytest.raises(Refusal, match="hand_hidden"):
        GAME.choices(state, 0, ())


# -- refusal -----------------------------------------------------------------------------------------------------------


def test_who_refuses_still_passes_a_card_of_choice() -> None:
    """UNKNOWN-11: the other two are discarded."""
    state = experts(FULL, town(), hands=HANDS[:2])
    refusals = [command.turn.discards for command in GAME.legal(state, 0)]
    assert refusals == [(0, 30), (0, 60), (30, 60)]
    state, events = reveal(state, Turn(discards=(60, 0)), builds(HANDS[1]))
    assert CardPassed(0, 1, 30) in events
    assert state.discard == (0, 31, 60, 61)
    assert state.sheets[0].refusals == 1


@pytest.mark.parametrize("discards", [(), (0,), (0, 0), (0, 31), (0, 30, 60)])
def test_a_refusal_discards_two_cards_of_the_hand(discards: tuple[int, ...]) -> None:
    """UNKNOWN-11."""
    state = experts(FULL, town(), hands=HANDS[:2])
    with pytest.raises(Refusal, match="bad_discards"):
        take(state, Turn(discards=discards))


def test_a_refusal_needs_that_none_of_the_three_numbers_fits() -> None:
    """4.3, 4.10."""
    state = experts(town(), town(), hands=HANDS[:2])
    with pytest.raises(Refusal, match="must_build"):
        take(state, Turn(discards=(0, 30)))


def test_who_builds_chooses_no_discards_and_elsewhere_there_are_none() -> None:
    state = experts(town(), town(), hands=HANDS[:2])
    with pytest.raises(Refusal, match="no_discards"):
        take(state, replace(builds(HANDS[0]), discards=(0, 30)))


# -- the deck ----------------------------------------------------------------------------------------------------------


def test_a_deck_that_runs_out_in_the_middle_of_a_deal_is_made_of_the_discards() -> None:
    """UNKNOWN-10: the deal goes on where it stopped."""
    discard = tuple(range(6, 80))
    state = replace(experts(town(), town(), hands=((0,), (1,))), discard=discard, open=False)
    assert len(pile(state)) == 5
    state = replace(state, discard=tuple(range(4, 80)))
    state, events = draw(state, 80, 3, 2)
    assert events == (HandDealt(0, (80, 3)), HandDealt(1, (2,)), DeckReshuffled((), ()))
    chance = GAME.pending(state)
    assert isinstance(chance, Chance)
    assert (chance.spec.count, len(pile(state))) == (1, 76)
    state, events = draw(state, 44)
    assert events == (HandDealt(1, (44,)), RoundBegan(2))


def test_a_deck_that_is_just_used_up_is_shuffled_before_the_next_deal() -> None:
    """UNKNOWN-10: with 27 seats all cards are in hands."""
    hands = [tuple(range(3 * seat, 3 * seat + 3)) for seat in range(27)]
    state = experts(*[town()] * 27, hands=hands)
    assert pile(state) == ()
    state, events = reveal(state, *(builds(hand) for hand in hands))
    assert events[-1] == DeckReshuffled((), ())
    assert len(pile(state)) == 54


def test_a_granted_shuffle_leaves_the_passed_cards_where_they_are() -> None:
    """UNKNOWN-12."""
    sheet = town("1 2 3 4 | 5 6 7 8 | . .")
    state = experts(sheet, town(), hands=HANDS[:2], plans=(3, 10, 14))
    claim = Claim(0, ((0, 0, 3), (0, 4, 7)))
    turn = Turn(30, 60, 2, 4, claims=(claim,), reshuffle=True)
    state, events = reveal(state, turn, builds(HANDS[1]))
    assert DeckReshuffled((0,), ()) in events
    assert state.hands == ((1,), (0,))
    assert len(pile(state)) == 79


# -- seats -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "may"), [(1, False), (2, True), (27, True), (28, False), (100, False)])
def test_for_2_to_27_seats(seats: int, may: bool) -> None:
    """4.10: it takes a neighbour. Ours: one deck deals 27 hands of three."""
    options = opened(2, expert=True).options
    if may:
        GAME.initial(Setup(seats, options))
    else:
        with pytest.raises(Refusal, match="expert_seats"):
            GAME.initial(Setup(seats, options))


def test_who_leaves_discards_the_hand_face_up_and_is_passed_over() -> None:
    """Ours."""
    state = experts(town(), town(), town(), hands=HANDS)
    (gone,) = GAME.leave(state, 1)
    assert gone == SeatGone(1, (1, 31, 61))
    assert GAME.redact(gone, Spectator()) == gone
    state = after(state, (gone,))
    state, events = reveal(state, builds(HANDS[0]), builds(HANDS[2]))
    assert [event for event in events if isinstance(event, CardPassed)] == [CardPassed(0, 2, 0), CardPassed(2, 0, 2)]


def test_a_deal_that_waited_for_the_leaver_alone_is_done() -> None:
    """Ours."""
    state = replace(experts(town(), town(), town(), hands=((0, 30, 60), (1, 31, 61), (2, 32))), open=False, round=4)
    assert GAME.leave(state, 2) == (SeatGone(2, (2, 32)), RoundBegan(5))


@pytest.mark.parametrize("number", range(6))
def test_a_random_play_keeps_all_81_cards(number: int) -> None:
    dice = random.Random(number)
    state: State = dealt(opened(2 + number, expert=True, advanced=bool(number % 2)), dice)
    while not isinstance(GAME.pending(state), Over):
        state = after(state, step(state, dice))
        cards = [*pile(state), *state.discard, *(card for hand in state.hands for card in hand)]
        assert sorted(cards) == list(range(len(CARDS)))


def test_an_effect_may_be_left_unused() -> None:
    """4.1."""
    state = experts(town(), town(), hands=HANDS[:2])
    assert any(command == TakeTurn(Turn(30, 60, 0, 4, NoUse())) for command in GAME.legal(state, 0))
