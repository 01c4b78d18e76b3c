"""``evolve`` believes: the position after a fact, the same for the full state and for a view with holes."""

from typing import assert_never

from msgspec.structs import replace

from engine.games.just4fun.model import (
    HIDDEN,
    Cards,
    DiscardReshuffled,
    Event,
    FieldLocked,
    FirstPlayerChosen,
    HandDiscarded,
    HandDrawn,
    HandExchanged,
    LayoutDealt,
    LineCompleted,
    PlayEnded,
    State,
    TokenPlaced,
    TurnBegan,
)
from engine.kernel.ahead import Ahead
from engine.kernel.seats import put


def evolve(state: State, event: Event) -> State:
    """The state after ``event``."""
    match event:
        case TokenPlaced(seat, field, cards):
            stack = state.stacks[field - 1]
            return replace(
                state,
                stacks=put(state.stacks, field - 1, put(stack, seat, stack[seat] + 1)),
                tokens=put(state.tokens, seat, state.tokens[seat] - 1),
                hands=put(state.hands, seat, _without(state.hands[seat], cards)),
                discard=state.discard + cards,
                last_field=field,
            )
        case HandDrawn(seat, cards):
            return replace(state, hands=put(state.hands, seat, tuple(sorted(state.hands[seat] + cards))))
        case TurnBegan(seat):
            return replace(state, active=seat, turn=state.turn + 1)
        case FieldLocked(seat, field, removed, returned):
            kept = tuple(count - gone for count, gone in zip(state.stacks[field - 1], removed, strict=True))
            back = tuple(count + gone for count, gone in zip(state.tokens, removed, strict=True))
            return replace(
                state,
                stacks=put(state.stacks, field - 1, kept),
                locks=put(state.locks, field - 1, seat),
                tokens=back if returned else state.tokens,
            )
        case HandExchanged(seat, cards):
            return replace(
                state,
                hands=put(state.hands, seat, ()),
                discard=state.discard + cards,
                exchanges=state.exchanges + 1,
            )
        case DiscardReshuffled():
            return replace(state, discard=())
        case LineCompleted(_, fields):
            return replace(state, lines=(*state.lines, fields))
        case HandDiscarded(seat, cards):
            return replace(
                state,
                hands=put(state.hands, seat, ()),
                discard=state.discard + cards,
                left=(*state.left, seat),
            )
        case PlayEnded(reason, ranks):
            return replace(state, reason=reason, ranks=ranks)
        case LayoutDealt(numbers):
            return replace(state, layout=numbers)
        case FirstPlayerChosen(seat):
            return replace(state, first=seat)
        case _:
            assert_never(event)


FOLD = Ahead(evolve)


def _without(hand: Cards, cards: Cards) -> Cards:
    """``hand`` after ``cards`` are played; a hidden hand grows shorter by as many."""
    rest = list(hand)
    for card in cards:
        rest.remove(card if card in rest else HIDDEN)
    return tuple(rest)
