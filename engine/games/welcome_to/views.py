"""What a viewer may know: every sheet as far as it is revealed, the cards on the table, its own turn, its own hand.

Until all have decided, others see of a seat only that it is ready. In the expert game a hand is its seat's alone; the
card that was passed is known to its giver too (4.10).
"""

from typing import assert_never

from msgspec.structs import replace

from engine.games.welcome_to.model import (
    HIDDEN,
    CardPassed,
    Cards,
    CardsShown,
    CombinationsShown,
    DeckReshuffled,
    Event,
    HandDealt,
    PlanDealt,
    PlanScored,
    PlayEnded,
    RoundBegan,
    RoundEnded,
    SeatGone,
    SoloCardShown,
    State,
    TurnRevealed,
    TurnTaken,
)
from engine.kernel.value import Seat, Viewer, speaks_for


def redact(event: Event, viewer: Viewer) -> Event:
    """The event as ``viewer`` may know it. No catch-all: a new event must not leak by default."""
    match event:
        case TurnTaken(seat):
            return event if speaks_for(viewer, seat) else TurnTaken(seat, None)
        case HandDealt(seat, cards):
            return event if speaks_for(viewer, seat) else HandDealt(seat, (HIDDEN,) * len(cards))
        case CardPassed(seat, to):
            known = speaks_for(viewer, seat) or speaks_for(viewer, to)
            return event if known else CardPassed(seat, to, HIDDEN)
        case (
            PlanDealt()
            | CombinationsShown()
            | CardsShown()
            | SoloCardShown()
            | RoundBegan()
            | TurnRevealed()
            | PlanScored()
            | RoundEnded()
            | DeckReshuffled()
            | SeatGone()
            | PlayEnded()
        ):
            return event
        case _:
            assert_never(event)


def view(state: State, viewer: Viewer) -> State:
    """The state with what is hidden that ``viewer`` may not know."""
    turns = tuple(turn if speaks_for(viewer, seat) else None for seat, turn in enumerate(state.turns))
    if not state.options.expert:
        return replace(state, turns=turns)
    hands = tuple(_hand(state, seat, viewer) for seat in state.seats)
    return replace(state, turns=turns, hands=hands)


def _hand(state: State, seat: Seat, viewer: Viewer) -> Cards:
    hand = state.hands[seat]
    if speaks_for(viewer, seat):
        return hand
    known = hand[:1] if speaks_for(viewer, state.givers[seat]) else ()
    return known + (HIDDEN,) * (len(hand) - len(known))
