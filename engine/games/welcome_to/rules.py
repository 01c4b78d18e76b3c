"""The rules of a match: whom it waits for, a seat's turn, the reveal, the ends, a seat that leaves.

Everybody decides at the same time and in secret (4.1). When the last one has, the house reveals all turns in one
commit, in seat order, so it is the same whoever was last. Luck comes after it.
"""

from engine.games.welcome_to.dealing import next_draw, owed, pile_size, right_neighbour
from engine.games.welcome_to.fold import FOLD
from engine.games.welcome_to.model import (
    EXPERT_SEATS_MAX,
    NOBODY,
    CardPassed,
    Command,
    DeckReshuffled,
    Event,
    Options,
    PlanScored,
    PlayEnded,
    Reason,
    RoundBegan,
    RoundEnded,
    SeatGone,
    Sheet,
    State,
    Turn,
    TurnRevealed,
    TurnTaken,
)
from engine.games.welcome_to.printed import PLANS, REFUSALS_MAX
from engine.games.welcome_to.scoring import ranks
from engine.games.welcome_to.streets import is_full
from engine.games.welcome_to.turns import check
from engine.kernel.game import Automatic, Over, Pending, Seats, Setup
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.seats import at_table
from engine.kernel.value import Seat

# -- opening -----------------------------------------------------------------------------------------------------------


def initial(setup: Setup[Options]) -> State:
    """Empty sheets. Raises ``Refusal``: expert needs a neighbour (4.10), and the deck deals 27 hands."""
    options, seats = setup.options, setup.seats
    if options.expert and not 2 <= seats <= EXPERT_SEATS_MAX:
        raise Refusal("expert_seats", f"The expert game is for 2 to {EXPERT_SEATS_MAX} seats.", Kind.INVALID)
    return State(
        options=options,
        sheets=(Sheet(),) * seats,
        hands=((),) * seats,
        turns=(None,) * seats,
        ready=(False,) * seats,
        givers=(NOBODY,) * seats,
    )


# -- whose turn --------------------------------------------------------------------------------------------------------


def pending(state: State) -> Pending:
    """Luck until the cards of a round are there, then all who have not decided, then the house, which reveals."""
    if state.reason:
        return Over(state.ranks, state.reason)
    if not state.open:
        return next_draw(state)
    waiting = [seat for seat, ready in enumerate(state.ready) if not ready]
    if state.left:
        left = frozenset(state.left)
        waiting = [seat for seat in waiting if seat not in left]
    return Seats(tuple(waiting)) if waiting else Automatic()


def is_pending(state: State, seat: Seat) -> bool:
    """Whether ``seat`` is to decide now."""
    return state.open and not state.reason and not state.ready[seat] and seat not in state.left


# -- deciding ----------------------------------------------------------------------------------------------------------


def decide(command: Command, state: State, seat: Seat) -> tuple[Event, ...]:
    """The turn is accepted, in secret, or refused as a whole."""
    if not is_pending(state, seat):
        raise Refusal("not_your_turn", f"It is not the turn of seat {seat}.")
    check(state, seat, command.turn)
    return (TurnTaken(seat, command.turn),)


def proceed(state: State) -> tuple[Event, ...]:
    """The reveal: what all have decided, the cards passed on, the plans that turn, then the end or the next deal."""
    turns = {seat: turn for seat in at_table(len(state.sheets), state.left) if (turn := state.turns[seat]) is not None}
    events: list[Event] = []
    for seat, turn in turns.items():
        events.append(TurnRevealed(seat, turn))
        events += [PlanScored(seat, claim.plan, _worth(state, claim.plan)) for claim in turn.claims]
    if state.options.expert:
        events += [_passed(state, seat, turn) for seat, turn in turns.items()]
    claimed = {claim.plan for turn in turns.values() for claim in turn.claims}
    events.append(RoundEnded(tuple(sorted(plan for plan in claimed if not state.lowered[plan]))))
    after = state
    for event in events:
        after = FOLD.ahead(after, event)
    asked = tuple(seat for seat, turn in turns.items() if turn.reshuffle)
    return (*events, *_what_next(after, asked))


def _worth(state: State, plan: int) -> int:
    """4.7: all who complete it in the same turn get the higher value, later ones the lower."""
    card = PLANS[state.plans[plan]]
    return card.later if state.lowered[plan] else card.first


def _passed(state: State, seat: Seat, turn: Turn) -> CardPassed:
    """The third card, also after a refusal (UNKNOWN-11)."""
    gone = turn.discards or (turn.number, turn.effect)
    card = next(card for card in state.hands[seat] if card not in gone)
    return CardPassed(seat, right_neighbour(state, seat), card)


def _what_next(state: State, asked: tuple[Seat, ...]) -> tuple[Event, ...]:
    """The end (4.9), or a new shuffle: one wish is enough (4.7), and a deck that is used up needs none.

    UNKNOWN-4: then the three last numbers become effects and the other 78 cards are the deck. UNKNOWN-8: on request
    it is all 81. UNKNOWN-10, UNKNOWN-12: in expert what was passed on stays with its seat. Solo ends instead (4.11).
    """
    if reason := end_of(state):
        return (PlayEnded(reason, ranks(state)),)
    if asked:
        return (DeckReshuffled(asked, ()),)
    if pile_size(state) == 0:
        return (DeckReshuffled((), state.numbers),)
    return ()


def end_of(state: State) -> Reason | None:
    """Third refusal, third plan, last box: of anybody; the round is finished before it counts (4.9)."""
    sheets = [state.sheets[seat] for seat in at_table(len(state.sheets), state.left)]
    if max([sheet.refusals for sheet in sheets]) >= REFUSALS_MAX:
        return "refusals"
    if [sheet for sheet in sheets if 0 not in sheet.plans]:
        return "plans"
    if [sheet for sheet in sheets if is_full(sheet)]:
        return "houses"
    if state.solo and pile_size(state) == 0:
        return "deck"
    return None


# -- leaving -----------------------------------------------------------------------------------------------------------


def leave(state: State, seat: Seat) -> tuple[Event, ...]:
    """Ours: the sheet stays as it is revealed, a turn still in secret is void, an expert hand is discarded face up.

    The last one at the table wins. If the deal waited for the leaver's cards alone, the round begins.
    """
    gone = SeatGone(seat, state.hands[seat])
    after = FOLD.ahead(state, gone)
    remaining = at_table(len(after.sheets), after.left)
    if len(remaining) <= 1:
        reason: Reason = "last_seat" if remaining else "left"
        return (gone, PlayEnded(reason, ranks(after)))
    if state.options.expert and not state.open and not sum(owed(after)):
        return (gone, RoundBegan(state.round + 1))
    return (gone,)
