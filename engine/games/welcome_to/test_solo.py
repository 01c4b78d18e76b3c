"""The solo game (4.11): one seat, a row of three cards, the Solo card in the lower half."""

import random
from collections import Counter

import pytest
from msgspec.structs import replace

from engine.games.welcome_to import GAME
from engine.games.welcome_to.dealing import UPPER_HALF, pile
from engine.games.welcome_to.model import (
    SOLO_CARD,
    CardsShown,
    Claim,
    PlanScored,
    PlayEnded,
    RoundBegan,
    SoloCardShown,
    State,
    TakeTurn,
    Turn,
)
from engine.games.welcome_to.testing import after, draw, opened, position, reveal, step, town
from engine.kernel.chance import Chance
from engine.kernel.game import Over
from engine.kernel.value import SeatView


def drawn(cards: int, *, row: tuple[int, ...] = (), shown: bool = False) -> State:
    """A deal after so many cards are gone, besides a row that is being drawn."""
    gone = tuple(card for card in range(81) if card not in row)[:cards]
    return replace(opened(1), plans=(0, 6, 12), discard=gone, numbers=row, solo_shown=shown, round=cards // 3)


def asked(state: State) -> tuple[int, int, bool]:
    """How many cards are drawn, from how many, and whether the Solo card is among them."""
    chance = GAME.pending(state)
    assert isinstance(chance, Chance)
    assert chance.label == "deck"
    cards = chance.spec.cards  # type: ignore[union-attr]  # a draw of cards
    return chance.spec.count, len(cards), SOLO_CARD in cards


def test_number_and_effect_come_from_two_of_three_cards() -> None:
    state = position(town(), shown=((5, "surveyor"), (8, "landscaper"), (11, "real_estate")))
    pairs = {(command.turn.number, command.turn.effect) for command in GAME.legal(state, 0)}
    assert len(pairs) == 6
    state, _ = reveal(state, Turn(state.numbers[0], state.numbers[1], 0, 0))
    assert state.numbers == ()
    assert len(state.discard) == 3


def test_the_solo_card_comes_with_card_41_at_the_earliest() -> None:
    """The 14th turn draws one card of the upper half, then two with the Solo card among what remains."""
    assert UPPER_HALF == 40
    assert asked(drawn(0)) == (3, 81, False)
    assert asked(drawn(36)) == (3, 45, False)
    assert asked(drawn(39)) == (1, 42, False)
    assert asked(drawn(39, row=(80,))) == (2, 42, True)
    assert asked(drawn(42)) == (3, 40, True)


def test_the_solo_card_is_replaced_and_holds_this_turn_already() -> None:
    """UNKNOWN-16."""
    state, events = draw(drawn(42), 50, SOLO_CARD, 60)
    assert events == (SoloCardShown(), CardsShown((50, 60)))
    assert state.lowered == (True, True, True)
    assert asked(state) == (1, 37, False)
    state, events = draw(state, 70)
    assert events == (CardsShown((70,)), RoundBegan(15))
    assert state.numbers == (50, 60, 70)
    assert asked(drawn(45, shown=True)) == (3, 36, False)


def test_plans_give_their_lower_value_once_the_solo_card_has_come() -> None:
    """4.11."""
    sheet = town("1 2 3 4 | 5 6 7 8 | . .")
    for lowered, points in ((False, 6), (True, 3)):
        state = replace(position(sheet, plans=(3, 10, 14)), lowered=(lowered,) * 3)
        claim = Claim(0, ((0, 0, 3), (0, 4, 7)))
        _, events = reveal(state, Turn(state.numbers[0], state.numbers[1], 2, 4, claims=(claim,)))
        assert PlanScored(0, 0, points) in events


def test_27_turns_at_most() -> None:
    """The deck is the end, also when the Solo card is all that remains of it."""
    state = replace(position(town()), round=27)
    row = state.numbers
    state = replace(state, discard=tuple(card for card in range(81) if card not in row))
    state, events = reveal(state, Turn(row[0], row[1], 0, 4))
    assert events[-1] == PlayEnded("deck", (1,))
    assert GAME.pending(state) == Over((1,), "deck")


def test_with_the_last_cards_the_solo_card_may_still_come() -> None:
    assert asked(drawn(78)) == (3, 4, True)
    state, _ = draw(drawn(78), 80, 79, SOLO_CARD)
    assert asked(state) == (1, 1, False)


@pytest.mark.parametrize("advanced", [False, True])
def test_the_solo_card_lies_anywhere_in_the_lower_half_and_no_state_knows_where(advanced: bool) -> None:
    """UNKNOWN-14: also with the advanced rules."""
    turns: Counter[int] = Counter()
    for number in range(12):
        dice = random.Random(number)
        state = opened(1, advanced=advanced)
        while not isinstance(GAME.pending(state), Over):
            events = step(state, dice)
            if SoloCardShown() in events:
                turns[state.round + 1] += 1
            state = after(state, events)
            assert GAME.view(state, SeatView(0)) == state
            assert len(pile(state)) == 81 - len(state.discard) - len(state.numbers)
    assert not turns or min(turns) >= 14


def test_the_score_is_bare_and_a_lone_player_is_first() -> None:
    """UNKNOWN-13."""
    state = position(town(temps=6))
    assert GAME.scores(state)[0].total == 7


def test_a_refusal_discards_the_row() -> None:
    state = position(town(), voluntary_refusal=True)
    assert TakeTurn(Turn()) in list(GAME.legal(state, 0))
    state, _ = reveal(state, Turn())
    assert (len(state.discard), state.sheets[0].refusals) == (3, 1)
