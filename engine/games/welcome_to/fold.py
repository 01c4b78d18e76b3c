"""``evolve`` believes: the position after a fact, the same for the full state and for a view with holes."""

from msgspec.structs import replace

from engine.games.welcome_to.model import (
    EVENTS,
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
    TurnRevealed,
    TurnTaken,
)
from engine.games.welcome_to.writing import write
from engine.kernel.fold import Fold
from engine.kernel.seats import put

FOLD: Fold[State, Event] = Fold(EVENTS)


@FOLD.on(TurnTaken)
def _turn_taken(state: State, event: TurnTaken) -> State:
    seat = event.seat
    return replace(state, turns=put(state.turns, seat, event.turn), ready=put(state.ready, seat, True))


@FOLD.on(TurnRevealed)
def _turn_revealed(state: State, event: TurnRevealed) -> State:
    """On the sheet. Expert: the two cards are discarded face up; the third is on its way, ``CardPassed`` says where."""
    seat = event.seat
    turn = event.turn
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


@FOLD.on(PlanScored)
def _plan_scored(state: State, event: PlanScored) -> State:
    seat = event.seat
    sheet = state.sheets[seat]
    return replace(
        state, sheets=put(state.sheets, seat, replace(sheet, plans=put(sheet.plans, event.plan, event.points)))
    )


@FOLD.on(CardPassed)
def _card_passed(state: State, event: CardPassed) -> State:
    to = event.to
    return replace(state, hands=put(state.hands, to, (event.card,)), givers=put(state.givers, to, event.seat))


@FOLD.on(RoundEnded)
def _round_ended(state: State, event: RoundEnded) -> State:
    row = state.numbers if state.solo else ()
    return replace(
        state,
        open=False,
        lowered=tuple(old or plan in event.lowered for plan, old in enumerate(state.lowered)),
        numbers=() if state.solo else state.numbers,
        discard=_laid(state.discard, row),
    )


@FOLD.on(CombinationsShown)
def _combinations_shown(state: State, event: CombinationsShown) -> State:
    effects = event.effects
    gone = tuple(card for card in state.effects if card not in effects)
    return replace(state, effects=effects, numbers=event.numbers, discard=_laid(state.discard, gone))


@FOLD.on(CardsShown)
def _cards_shown(state: State, event: CardsShown) -> State:
    return replace(state, numbers=state.numbers + event.cards)


@FOLD.on(SoloCardShown)
def _solo_card_shown(state: State, event: SoloCardShown) -> State:
    return replace(state, solo_shown=True, lowered=(True,) * len(state.lowered))


@FOLD.on(HandDealt)
def _hand_dealt(state: State, event: HandDealt) -> State:
    seat = event.seat
    hand = state.hands[seat]
    passed = 0 if state.givers[seat] == NOBODY else 1
    return replace(state, hands=put(state.hands, seat, hand[:passed] + tuple(sorted(hand[passed:] + event.cards))))


@FOLD.on(RoundBegan)
def _round_began(state: State, event: RoundBegan) -> State:
    return replace(state, round=event.round, open=True)


@FOLD.on(PlanDealt)
def _plan_dealt(state: State, event: PlanDealt) -> State:
    return replace(state, plans=put(state.plans, event.plan, event.card))


@FOLD.on(DeckReshuffled)
def _deck_reshuffled(state: State, event: DeckReshuffled) -> State:
    return replace(state, discard=(), effects=(), numbers=event.kept)


@FOLD.on(SeatGone)
def _seat_gone(state: State, event: SeatGone) -> State:
    seat = event.seat
    return replace(
        state,
        left=(*state.left, seat),
        turns=put(state.turns, seat, None),
        ready=put(state.ready, seat, False),
        hands=put(state.hands, seat, ()),
        givers=put(state.givers, seat, NOBODY),
        discard=_laid(state.discard, event.cards),
    )


@FOLD.on(PlayEnded)
def _play_ended(state: State, event: PlayEnded) -> State:
    return replace(state, reason=event.reason, ranks=event.ranks)


FOLD.complete()


def _laid(discard: Cards, cards: Cards) -> Cards:
    assert NO_CARD not in cards
    assert HIDDEN not in cards
    return tuple(sorted(discard + cards)) if cards else discard
