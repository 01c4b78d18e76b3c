"""The deck: what remains of it, what is drawn next, and what comes of a draw.

Standard (4.1): three shuffled stacks of 27 of which one card each is turned are the same as three cards drawn from all
that remain; the first turn draws six. No draw depends on what players do until a reshuffle is granted.

Solo (4.11): the Solo card is somewhere in the lower half, below ``UPPER_HALF`` cards. Which cards lie above it need not
be decided: they are drawn from all, and the Solo card joins those that remain once the upper half is used up.
"""

from engine.games.welcome_to.model import (
    HAND_SIZE,
    NO_PLAN,
    NOBODY,
    SOLO_CARD,
    Cards,
    CardsShown,
    CombinationsShown,
    DeckReshuffled,
    Event,
    HandDealt,
    PlanDealt,
    RoundBegan,
    SoloCardShown,
    State,
)
from engine.games.welcome_to.printed import CARDS, PLANS
from engine.kernel.chance import Chance, Draw, Drawn, Outcome
from engine.kernel.seats import at_table
from engine.kernel.value import Seat

STACKS = 3
UPPER_HALF = 40
"""The other half, of 41, gets the Solo card; so it comes with card 41 at the earliest, in the 14th turn."""

DECK = range(len(CARDS))
assert HAND_SIZE == STACKS


def pile(state: State) -> Cards:
    """What remains of the deck, sorted. In a view the cards of hidden hands are among them."""
    gone = {*state.discard, *state.numbers, *state.effects}.union(*state.hands)
    return tuple([card for card in DECK if card not in gone])


def pile_size(state: State) -> int:
    held = sum(map(len, state.hands))
    return len(DECK) - len(state.discard) - len(state.numbers) - len(state.effects) - held


def owed(state: State) -> tuple[int, ...]:
    """By seat, how many cards its expert hand lacks; none once the seat has left."""
    return tuple(0 if seat in state.left else HAND_SIZE - len(hand) for seat, hand in enumerate(state.hands))


# -- what is drawn -----------------------------------------------------------------------------------------------------


def next_draw(state: State) -> Chance:
    """The plans, each under a label of its own so that none disturbs another, then the cards of the next turn."""
    for plan, card in enumerate(state.plans):
        if card == NO_PLAN:
            return Chance(f"plan{plan + 1}", Draw(_stack_of_plans(state, plan + 1), 1))
    if state.options.expert:
        return Chance("deck", Draw(pile(state), min(sum(owed(state)), pile_size(state))))
    if state.solo:
        return Chance("deck", _solo_draw(state))
    return Chance("deck", Draw(pile(state), STACKS if state.numbers else 2 * STACKS))


def _stack_of_plans(state: State, stack: int) -> tuple[int, ...]:
    return tuple(
        card for card, plan in enumerate(PLANS) if plan.stack == stack and (state.options.advanced or not plan.advanced)
    )


def _solo_draw(state: State) -> Draw:
    cards = pile(state)
    missing = STACKS - len(state.numbers)
    above = UPPER_HALF - (len(DECK) - len(cards))
    if above > 0:
        return Draw(cards, min(missing, above))
    return Draw(cards if state.solo_shown else (*cards, SOLO_CARD), missing)


# -- what comes of it --------------------------------------------------------------------------------------------------


def resolve(outcome: Outcome, state: State) -> tuple[Event, ...]:
    """The events of the luck that ``pending`` asked for."""
    assert isinstance(outcome, Drawn)
    cards = outcome.cards
    if outcome.label != "deck":
        return (PlanDealt(int(outcome.label.removeprefix("plan")) - 1, cards[0]),)
    if state.options.expert:
        return _deal_hands(state, cards)
    if state.solo:
        return _show_row(state, cards)
    effects = state.numbers or cards[:STACKS]
    return (CombinationsShown(effects, cards[-STACKS:]), RoundBegan(state.round + 1))


def _deal_hands(state: State, cards: Cards) -> tuple[Event, ...]:
    """Expert: to the first seat at the table, who has the Solo card, then on (4.10).

    UNKNOWN-10: when the deck runs out in the middle of a deal, the discards are the new deck and the deal goes on.
    """
    events: list[Event] = []
    at = 0
    for seat, count in enumerate(owed(state)):
        if taken := cards[at : at + count]:
            events.append(HandDealt(seat, taken))
            at += count
    if len(cards) < sum(owed(state)):
        events.append(DeckReshuffled((), ()))
    else:
        events.append(RoundBegan(state.round + 1))
    return tuple(events)


def _show_row(state: State, cards: Cards) -> tuple[Event, ...]:
    """Solo: three cards; the Solo card is replaced by the next one (UNKNOWN-16)."""
    events: list[Event] = []
    if SOLO_CARD in cards:
        events.append(SoloCardShown())
    if shown := tuple(card for card in cards if card != SOLO_CARD):
        events.append(CardsShown(shown))
    if len(state.numbers) + len(shown) == STACKS:
        events.append(RoundBegan(state.round + 1))
    return tuple(events)


def right_neighbour(state: State, seat: Seat) -> Seat:
    """Who sits to the right (4.10): seats count clockwise, so it is the one before, among those at the table."""
    seats = at_table(len(state.sheets), state.left)
    return seats[seats.index(seat) - 1] if len(seats) > 1 else NOBODY
