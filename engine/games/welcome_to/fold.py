"""``evolve`` believes: the position after a fact, the same for the full state and for a view with holes."""

from typing import assert_never

from msgspec.structs import replace

from engine.games.welcome_to.model import (
    HIDDEN,
    NO_CARD,
    NOBODY,
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
    Turn,
    TurnRevealed,
    TurnTaken,
)
from engine.games.welcome_to.writing import write
from engine.kernel.ahead import Ahead
from engine.kernel.seats import put
from engine.kernel.value import Seat


def evolve(state: State, event: Event) -> State:
    """The state after ``event``."""
    match event:
        case TurnTaken(seat, turn):
            return replace(state, turns=put(state.turns, seat, turn), ready=put(state.ready, seat, True))
        case TurnRevealed(seat, turn):
            return _revealed(state, seat, turn)
        case PlanScored(seat, plan, points):
            sheet = state.sheets[seat]
            return replace(
                state, sheets=put(state.sheets, seat, replace(sheet, plans=put(sheet.plans, plan, points)))
            )
        case CardPassed(seat, to, card):
            return replace(state, hands=put(state.hands, to, (card,)), givers=put(state.givers, to, seat))
        case RoundEnded(lowered):
            row = state.numbers if state.solo else ()
            return replace(
                state,
                open=False,
                lowered=tuple(old or plan in lowered for plan, old in enumerate(state.lowered)),
                numbers=() if state.solo else state.numbers,
                discard=_laid(state.discard, row),
            )
        case CombinationsShown(effects, numbers):
            gone = tuple(card for card in state.effects if card not in effects)
            return replace(state, effects=effects, numbers=numbers, discard=_laid(state.discard, gone))
        case CardsShown(cards):
            return replace(state, numbers=state.numbers + cards)
        case SoloCardShown():
            return replace(state, solo_shown=True, lowered=(True,) * len(state.lowered))
        case HandDealt(seat, cards):
            hand = state.hands[seat]
            passed = 0 if state.givers[seat] == NOBODY else 1
            return replace(state, hands=put(state.hands, seat, hand[:passed] + tuple(sorted(hand[passed:] + cards))))
        case RoundBegan(number):
            return replace(state, round=number, open=True)
        case PlanDealt(plan, card):
            return replace(state, plans=put(state.plans, plan, card))
        case DeckReshuffled(_, kept):
            return replace(state, discard=(), effects=(), numbers=kept)
        case SeatGone(seat, cards):
            return replace(
                state,
                left=(*state.left, seat),
                turns=put(state.turns, seat, None),
                ready=put(state.ready, seat, False),
                hands=put(state.hands, seat, ()),
                givers=put(state.givers, seat, NOBODY),
                discard=_laid(state.discard, cards),
            )
        case PlayEnded(reason, ranks):
            return replace(state, reason=reason, ranks=ranks)
        case _:
            assert_never(event)


FOLD = Ahead(evolve)


def _revealed(state: State, seat: Seat, turn: Turn) -> State:
    """On the sheet. Expert: the two cards are discarded face up; the third is on its way, ``CardPassed`` says where."""
    cards: Cards = ()
    if state.hands[seat]:
        cards = turn.discards or (turn.number, turn.effect)
    return replace(
        state,
        sheets=put(state.sheets, seat, write(state.sheets[seat], turn, state.plans)),
        turns=put(state.turns, seat, None),
        ready=put(state.ready, seat, False),
        hands=put(state.hands, seat, ()) if cards else state.hands,
        givers=put(state.givers, seat, NOBODY) if cards else state.givers,
        discard=_laid(state.discard, cards),
    )


def _laid(discard: Cards, cards: Cards) -> Cards:
    assert NO_CARD not in cards
    assert HIDDEN not in cards
    return tuple(sorted(discard + cards)) if cards else discard
