"""What a viewer may know (J-22, J-23): everything on the table, its own hand, and of other hands only how many cards.

The discard pile is public in full, and so is a hand that is laid off.
"""

from typing import assert_never

from msgspec.structs import replace

from engine.games.just4fun.model import (
    HIDDEN,
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
from engine.kernel.value import Viewer, speaks_for


def redact(event: Event, viewer: Viewer) -> Event:
    """The event as ``viewer`` may know it. No catch-all: a new event must not leak by default."""
    match event:
        case HandDrawn(seat, cards):
            return event if speaks_for(viewer, seat) else HandDrawn(seat, (HIDDEN,) * len(cards))
        case (
            LayoutDealt()
            | FirstPlayerChosen()
            | TurnBegan()
            | TokenPlaced()
            | FieldLocked()
            | LineCompleted()
            | HandExchanged()
            | DiscardReshuffled()
            | HandDiscarded()
            | PlayEnded()
        ):
            return event
        case _:
            assert_never(event)


def view(state: State, viewer: Viewer) -> State:
    """The state with the cards hidden that ``viewer`` may not know."""
    hands = tuple(hand if speaks_for(viewer, seat) else (HIDDEN,) * len(hand) for seat, hand in enumerate(state.hands))
    return replace(state, hands=hands)
