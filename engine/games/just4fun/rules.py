"""The rules: whom the game waits for, what a command or a draw makes happen, what happens when a seat leaves.

A turn is place, lock, win check, draw, in this order (J-09). ``decide`` ends at the move; the cards that replace the
played ones are asked of luck afterwards, so a win ends the play before anything is drawn.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from operator import getitem
from typing import assert_never

from engine.games.just4fun.fields import barred, has_open_field, is_open, lines_made, locks
from engine.games.just4fun.fold import FOLD
from engine.games.just4fun.layouts import DECK, FIELDS, LAYOUTS, layout_of
from engine.games.just4fun.model import (
    HAND_SIZE,
    HIDDEN,
    LOCK_LEAD,
    NOBODY,
    TOKENS,
    Cards,
    Command,
    DiscardReshuffled,
    Event,
    ExchangeHand,
    FieldLocked,
    FirstPlayerChosen,
    HandDiscarded,
    HandDrawn,
    HandExchanged,
    LayoutDealt,
    LineCompleted,
    Options,
    PlaceToken,
    PlayEnded,
    Reason,
    State,
    TokenPlaced,
    TurnBegan,
)
from engine.games.just4fun.scoring import ranks
from engine.kernel.chance import Chance, Draw, Drawn, Outcome, Roll, Rolled
from engine.kernel.game import Over, Pending, Seats, Setup
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.seats import at_table
from engine.kernel.value import Seat

EXCHANGES_MAX = 200
"""Hands exchanged in one match before the fields are counted: a guard of ours beside J-16.

A field may stay open that no card can reach any more: with all four ones in the hands of seats without tokens, field 1
is open for ever. Less than one game in a hundred has any exchange. Even where 36 is the only field left, which one hand
in eleven makes, 200 misses in a row come once in 10^8 such endings.
"""

# -- opening -----------------------------------------------------------------------------------------------------------


def initial(setup: Setup[Options]) -> State:
    """Before anything is dealt: 20 tokens each whatever the number of seats (J-20). Raises ``Refusal``."""
    options, seats = setup.options, setup.seats
    first = options.first_player
    if first != "random" and not 0 <= first < seats:
        raise Refusal("bad_first_player", f"Seat {first} cannot begin: there are {seats} seats.", Kind.INVALID)
    return State(
        options=options,
        layout=_layout(options),
        first=NOBODY if first == "random" else first,
        hands=((),) * seats,
        tokens=(TOKENS,) * seats,
        stacks=((0,) * seats,) * FIELDS,
    )


def _layout(options: Options) -> tuple[int, ...]:
    if not isinstance(options.layout, str):
        return layout_of(options.layout)
    return () if options.layout == "random" else LAYOUTS[options.layout]


# -- whose turn --------------------------------------------------------------------------------------------------------


def pending(state: State) -> Pending:
    """Layout (J-01), first player (J-02), cards (J-12), then the seat whose turn it is.

    A draw asks for no more than the pile holds; when that was too little, the discard pile has become the new pile and
    the rest is asked in a draw of its own, so it samples exactly the cards that can be there.
    """
    if state.reason:
        return Over(state.ranks, state.reason)
    if not state.layout:
        return Chance("layout", Draw(tuple(range(1, FIELDS + 1)), FIELDS))
    if state.first == NOBODY:
        return Chance("first", Roll(len(at_table(len(state.hands), state.left)), 1))
    if needed := missing(state):
        return Chance("deck", Draw(pile(state), min(needed, pile_size(state))))
    return Seats((state.active,))


def owed(state: State) -> tuple[int, ...]:
    """How many cards each seat has to draw: up to four, and none for a seat that has left (J-24)."""
    return tuple([0 if seat in state.left else HAND_SIZE - len(hand) for seat, hand in enumerate(state.hands)])


def missing(state: State) -> int:
    """How many cards are owed altogether; who has left holds none."""
    hands = state.hands
    return HAND_SIZE * (len(hands) - len(state.left)) - sum(map(len, hands))


def is_turn_of(state: State, seat: Seat) -> bool:
    """Whether ``pending`` waits for this seat."""
    return state.active == seat and not state.reason and not missing(state)


COPIES = tuple(map(DECK.count, range(DECK[-1] + 1)))
"""By value, how many cards of it the deck has; none of value 0, which is ``HIDDEN``."""
RUNS = tuple(tuple((value,) * count for count in range(copies + 1)) for value, copies in enumerate(COPIES))
"""By value, then by how many of it remain: those cards. None remain of 0, nor of what is not there."""


def pile(state: State) -> Cards:
    """The cards neither in a hand nor on the discard pile, sorted. In a view the hidden ones are among them."""
    rest = list(COPIES)
    for card in chain(*state.hands, state.discard):
        rest[card] -= 1
    rest[HIDDEN] = 0
    return tuple(chain.from_iterable(map(getitem, RUNS, rest)))


def pile_size(state: State) -> int:
    return len(DECK) - sum(map(len, state.hands)) - len(state.discard)


def _next(state: State, start: Seat) -> Seat:
    """The first seat from ``start`` on, clockwise, that is at the table and has a token (J-02, J-14, J-24)."""
    seats = len(state.hands)
    return next(
        seat for step in range(seats) if state.tokens[seat := (start + step) % seats] and seat not in state.left
    )


# -- deciding ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8192)
def subsets(hand: Cards) -> tuple[tuple[int, Cards], ...]:
    """Every different set of cards of a hand whose sum is on the board, as (sum, cards), sorted (J-04)."""
    found: set[tuple[int, Cards]] = {(0, ())}
    for card in sorted(hand):
        found |= {(total + card, (*cards, card)) for total, cards in found if total + card <= FIELDS}
    return tuple(sorted(play for play in found if play[0]))


def playable(state: State, seat: Seat) -> tuple[tuple[int, Cards], ...]:
    """Every placement open to ``seat``, as (field, cards), sorted; if there is none, the hand is exchanged (J-13)."""
    stacks, owners = state.stacks, state.locks
    mine = seat if state.options.owner_may_add_to_locked else NOBODY
    return tuple(
        [
            play
            for play in subsets(state.hands[seat])
            if owners[(at := play[0] - 1)] in (NOBODY, mine) and max(stack := stacks[at]) < stack[seat] + LOCK_LEAD
        ]
    )


def decide(command: Command, state: State, seat: Seat) -> tuple[Event, ...]:
    """What ``seat`` makes happen. Raises ``Refusal``."""
    if not is_turn_of(state, seat):
        raise Refusal("not_your_turn", f"It is not the turn of seat {seat}.")
    match command:
        case PlaceToken(field, cards):
            _may_place(state, seat, field, cards)
            return _place(state, seat, field, cards)
        case ExchangeHand():
            if playable(state, seat):
                raise Refusal("must_play", "A seat that can place a token has to place one.")
            return _exchange(state, seat)
        case _:
            assert_never(command)


def _may_place(state: State, seat: Seat, field: int, cards: Cards) -> None:
    """J-03, J-04, J-06, J-07; each refusal names the first thing that is wrong."""
    if not 1 <= field <= FIELDS:
        raise Refusal("no_such_field", f"There is no field {field}; fields are 1 to {FIELDS}.", Kind.INVALID)
    if not 1 <= len(cards) <= HAND_SIZE:
        raise Refusal("bad_cards", f"A placement is paid with 1 to {HAND_SIZE} cards, not {len(cards)}.", Kind.INVALID)
    if not _holds(state.hands[seat], cards):
        raise Refusal("cards_not_in_hand", f"Seat {seat} does not hold all of these cards.")
    if sum(cards) != field:
        raise Refusal("wrong_sum", f"The cards add up to {sum(cards)}, not to {field}.")
    if not is_open(state, field, seat):
        if state.locks[field - 1] != NOBODY:
            raise Refusal("field_locked", f"Field {field} is locked by seat {state.locks[field - 1]}.")
        assert barred(state.stacks[field - 1], seat)
        raise Refusal("field_barred", f"Another seat has two tokens more on field {field}.")


def _holds(hand: Cards, cards: Sequence[int]) -> bool:
    """Whether all of ``cards`` are in the hand, equal ones as often."""
    rest = list(hand)
    for card in cards:
        if card not in rest:
            return False
        rest.remove(card)
    return True


def _place(state: State, seat: Seat, field: int, cards: Cards) -> tuple[Event, ...]:
    """Place exactly one token (J-05), lock, check for a line, and only then look to the draw (J-09, J-19)."""
    events: list[Event] = [TokenPlaced(seat, field, cards)]
    after = FOLD.ahead(state, events[0])
    stack = after.stacks[field - 1]
    if state.locks[field - 1] == NOBODY and locks(stack, seat):
        removed = tuple(0 if other == seat else count for other, count in enumerate(stack))
        locked = FieldLocked(seat, field, removed, state.options.removed_tokens_return)
        events.append(locked)
        after = FOLD.ahead(after, locked)
    if lines := lines_made(after, seat, field):
        return (*events, *(LineCompleted(seat, line) for line in lines), _ended(after, "line", winner=seat))
    return (*events, *_before_drawing(after))


def _exchange(state: State, seat: Seat) -> tuple[Event, ...]:
    """All cards go to the discard pile first, then as many are drawn; no token, no second try (J-13)."""
    exchanged = HandExchanged(seat, state.hands[seat])
    return (exchanged, *_before_drawing(FOLD.ahead(state, exchanged)))


def _before_drawing(state: State) -> tuple[Event, ...]:
    """Counting if nobody can go on; else the pile is made ready for the draw that is owed now (J-12)."""
    if _is_finished(state):
        return (_ended(state, "points"),)
    # Only under ``when_needed`` can the pile be empty here: the last draw took its last card and missed none.
    return () if pile_size(state) else (DiscardReshuffled(len(state.discard)),)


def _is_finished(state: State) -> bool:
    """Whether no seat at the table with a token left has an open field, whatever its cards (J-15, J-16, our guard)."""
    if state.exchanges >= EXCHANGES_MAX:
        return True
    return not any(
        state.tokens[seat] and has_open_field(state, seat) for seat in at_table(len(state.hands), state.left)
    )


def _ended(state: State, reason: Reason, winner: Seat = NOBODY) -> PlayEnded:
    return PlayEnded(reason, ranks(state, winner))


# -- luck and leaving --------------------------------------------------------------------------------------------------


def resolve(outcome: Outcome, state: State) -> tuple[Event, ...]:
    """The events of the luck that ``pending`` asked for."""
    match outcome:
        case Drawn("layout", numbers):
            return (LayoutDealt(numbers),)
        case Rolled(_, faces):
            return (FirstPlayerChosen(at_table(len(state.hands), state.left)[faces[0] - 1]),)
        case Drawn(_, cards):
            return _deal(state, cards)
        case _:
            assert_never(outcome)


def _deal(state: State, cards: Cards) -> tuple[Event, ...]:
    """The drawn cards to the seats that are owed some, in seat order: the opening deal, or one seat's refill.

    J-12: with the last card of the pile the whole discard pile becomes the new one, at once or, under ``when_needed``,
    if more cards are owed. The turn begins when nobody is owed a card any more.
    """
    events: list[Event] = []
    at = 0
    for seat, count in enumerate(owed(state)):
        if taken := cards[at : at + count]:
            events.append(HandDrawn(seat, taken))
        at += count
    still_owed = at - len(cards)
    if pile_size(state) == len(cards) and (still_owed or state.options.reshuffle == "when_empty"):
        events.append(DiscardReshuffled(len(state.discard)))
    if not still_owed:
        events.append(TurnBegan(_next(state, state.first if state.active == NOBODY else state.active + 1)))
    return tuple(events)


def leave(state: State, seat: Seat) -> tuple[Event, ...]:
    """J-24: tokens stay, the hand goes to the discard pile, the seat is skipped; the last one at the table wins.

    A draw that the leaver was owed is owed no more. Before the deal there is no turn to hand on: the deal gives it to
    the first seat still there.
    """
    discarded = HandDiscarded(seat, state.hands[seat])
    after = FOLD.ahead(state, discarded)
    remaining = at_table(len(after.hands), after.left)
    if len(remaining) == 1:
        return (discarded, _ended(after, "last_seat", winner=remaining[0]))
    if _is_finished(after):
        return (discarded, _ended(after, "points"))
    if seat == state.active:
        return (discarded, TurnBegan(_next(after, seat + 1)))
    return (discarded,)
