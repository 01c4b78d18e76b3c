"""``evolve`` believes: the position after a fact, the same for the full state and for a view with holes."""

from msgspec.structs import replace

from engine.games.just4fun.model import (
    EVENTS,
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
from engine.kernel.fold import Fold
from engine.kernel.seats import put

FOLD: Fold[State, Event] = Fold(EVENTS)


@FOLD.on(TokenPlaced)
def _token_placed(state: State, event: TokenPlaced) -> State:
    seat = event.seat
    field = event.field
    cards = event.cards
    stack = state.stacks[field - 1]
    return replace(
        state,
        stacks=put(state.stacks, field - 1, put(stack, seat, stack[seat] + 1)),
        tokens=put(state.tokens, seat, state.tokens[seat] - 1),
        hands=put(state.hands, seat, _without(state.hands[seat], cards)),
        discard=state.discard + cards,
        last_field=field,
    )


@FOLD.on(HandDrawn)
def _hand_drawn(state: State, event: HandDrawn) -> State:
    seat = event.seat
    return replace(state, hands=put(state.hands, seat, tuple(sorted(state.hands[seat] + event.cards))))


@FOLD.on(TurnBegan)
def _turn_began(state: State, event: TurnBegan) -> State:
    return replace(state, active=event.seat, turn=state.turn + 1)


@FOLD.on(FieldLocked)
def _field_locked(state: State, event: FieldLocked) -> State:
    field = event.field
    removed = event.removed
    kept = tuple(count - gone for count, gone in zip(state.stacks[field - 1], removed, strict=True))
    back = tuple(count + gone for count, gone in zip(state.tokens, removed, strict=True))
    return replace(
        state,
        stacks=put(state.stacks, field - 1, kept),
        locks=put(state.locks, field - 1, event.seat),
        tokens=back if event.returned else state.tokens,
    )


@FOLD.on(HandExchanged)
def _hand_exchanged(state: State, event: HandExchanged) -> State:
    return replace(
        state,
        hands=put(state.hands, event.seat, ()),
        discard=state.discard + event.cards,
        exchanges=state.exchanges + 1,
    )


@FOLD.on(DiscardReshuffled)
def _discard_reshuffled(state: State, event: DiscardReshuffled) -> State:
    return replace(state, discard=())


@FOLD.on(LineCompleted)
def _line_completed(state: State, event: LineCompleted) -> State:
    return replace(state, lines=(*state.lines, event.fields))


@FOLD.on(HandDiscarded)
def _hand_discarded(state: State, event: HandDiscarded) -> State:
    seat = event.seat
    return replace(
        state,
        hands=put(state.hands, seat, ()),
        discard=state.discard + event.cards,
        left=(*state.left, seat),
    )


@FOLD.on(PlayEnded)
def _play_ended(state: State, event: PlayEnded) -> State:
    return replace(state, reason=event.reason, ranks=event.ranks)


@FOLD.on(LayoutDealt)
def _layout_dealt(state: State, event: LayoutDealt) -> State:
    return replace(state, layout=event.numbers)


@FOLD.on(FirstPlayerChosen)
def _first_player_chosen(state: State, event: FirstPlayerChosen) -> State:
    return replace(state, first=event.seat)


FOLD.complete()


def _without(hand: Cards, cards: Cards) -> Cards:
    """``hand`` after ``cards`` are played; a hidden hand grows shorter by as many."""
    rest = list(hand)
    for card in cards:
        rest.remove(card if card in rest else HIDDEN)
    return tuple(rest)
