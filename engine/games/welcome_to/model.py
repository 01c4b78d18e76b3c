"""What there is in Welcome To...: options, values, commands, events, state.

A turn is one value, ``Turn``: a player decides it as a whole, in secret, and it stands on the sheet only when everybody
has decided. The deck is not stored. It is the 81 cards without those that lie open, are held or are discarded, so no
state knows an order: three shuffled stacks of which one card each is turned are the same as three cards drawn.
What a viewer may not know is a hole of the same shape: ``HIDDEN`` for a card, ``None`` for a turn.
"""

from typing import ClassVar, Literal, TypeAlias

from msgspec.structs import force_setattr

from engine.games.welcome_to.printed import HOUSES
from engine.kernel.codec import Codec, Named
from engine.kernel.value import Seat, Value

# -- options -----------------------------------------------------------------------------------------------------------


class Options(Value, frozen=True):
    """The defaults are the printed game. One seat is the solo game; it needs no switch."""

    advanced: bool = False
    """Ten more city plans, and roundabouts (4.8)."""
    expert: bool = False
    """Three cards in hand each (4.10); for 2 to 27 seats."""
    voluntary_refusal: bool = False
    """4.3: a permit may be refused also where a number could be written."""
    reshuffle_each_plan: bool = False
    """UNKNOWN-8: whoever is first with any plan may have the deck reshuffled, not only with the first of all."""
    roundabout_counts_as_house: bool = True
    """UNKNOWN-3: in the plans for all houses of a street and for the ends of the streets."""


# -- values ------------------------------------------------------------------------------------------------------------

SEATS = range(1, 101)
HAND_SIZE = 3
EXPERT_SEATS_MAX = 27
"""So many hands of three does the deck deal."""

Card: TypeAlias = int
"""0 to 80, into ``printed.CARDS``."""
Cards: TypeAlias = tuple[Card, ...]
NO_CARD: Card = -1
HIDDEN: Card = -2
"""Stands for a card that the viewer may not know."""
SOLO_CARD: Card = 81
"""The 82nd card of a solo deck; only luck ever names it."""
NOBODY: Seat = -1
NO_PLAN = -1

EMPTY = -1
ROUNDABOUT = -2
"""What stands in a house box instead of a number 0 to 17."""

Spot: TypeAlias = tuple[int, ...]
"""``(street, house)``, or empty."""
Estate: TypeAlias = tuple[int, int, int]
"""``(street, first house, last house)``."""


class NoUse(Value, frozen=True, tag="none"):
    """The effect is left unused, or the permit is refused."""


class Fence(Value, frozen=True, tag="fence"):
    """Surveyor: a fence in ``slot``, between house ``slot`` and the next."""

    street: int
    slot: int


class Pool(Value, frozen=True, tag="pool"):
    """A pool in the house where this turn's number is written (4.6)."""

    street: int
    house: int


class Temp(Value, frozen=True, tag="temp"):
    """The number is changed by -2 to 2 and a box is crossed; 0 crosses a box and changes nothing (4.2)."""

    change: int


class Bis(Value, frozen=True, tag="bis"):
    """``number`` once more, in an empty house beside one that bears it (4.5)."""

    street: int
    house: int
    number: int


class Park(Value, frozen=True, tag="park"):
    """The next park of the street where this turn's number is written (4.6)."""

    street: int


class Promotion(Value, frozen=True, tag="promotion"):
    """Real estate: estates of ``size`` are worth the next value of their column."""

    size: int


Use: TypeAlias = NoUse | Fence | Pool | Temp | Bis | Park | Promotion


class Claim(Value, frozen=True):
    """City plan ``plan`` (0 to 2) is complete; ``estates`` are those it uses, none for a plan that asks for none.

    Equal sets of estates are one claim, so they are kept sorted.
    """

    plan: int
    estates: tuple[Estate, ...] = ()

    def __post_init__(self) -> None:
        force_setattr(self, "estates", tuple(sorted(self.estates)))


class Turn(Value, frozen=True):
    """All that a seat does in one turn. Without a ``number`` card the permit is refused.

    The number that is written is that of the card, changed by a ``Temp``. When the roundabout is built is not said: it
    may come before or after number and effect (4.8), it leaves the same sheet, and a turn is allowed if one of the two
    orders is.
    """

    number: Card = NO_CARD
    """The card whose number is written."""
    effect: Card = NO_CARD
    """The card whose effect may be used: the one beside it; in expert and solo another one."""
    street: int = -1
    house: int = -1
    use: Use = NoUse()
    discards: Cards = ()
    """Expert, refusal only: the two cards that are not passed on (UNKNOWN-11), sorted."""
    roundabout: Spot = ()
    claims: tuple[Claim, ...] = ()
    """Sorted by plan."""
    reshuffle: bool = False
    """With a claim that gives the right to it: the deck is to be reshuffled (UNKNOWN-8)."""

    def __post_init__(self) -> None:
        if self.discards:
            force_setattr(self, "discards", tuple(sorted(self.discards)))
        if self.claims:
            force_setattr(self, "claims", tuple(sorted(self.claims, key=lambda claim: claim.plan)))

    @property
    def refused(self) -> bool:
        return self.number == NO_CARD


Reason: TypeAlias = Literal["refusals", "plans", "houses", "deck", "last_seat", "left"]
"""Third refusal, third plan, last house, solo deck used up, one seat left at the table, nobody left."""


# -- commands ----------------------------------------------------------------------------------------------------------


class TakeTurn(Named, frozen=True):
    """The whole turn, decided or refused as a whole."""

    name: ClassVar[str] = "welcome_to.take_turn"
    turn: Turn


Command: TypeAlias = TakeTurn
COMMANDS: Codec[Command] = Codec.of(Command)


# -- events ------------------------------------------------------------------------------------------------------------


class PlanDealt(Named, frozen=True):
    """City plan ``plan`` (0 to 2) is card ``card``, an id into ``printed.PLANS``."""

    name: ClassVar[str] = "welcome_to.plan_dealt"
    plan: int
    card: int


class CombinationsShown(Named, frozen=True):
    """Standard: by stack, the card that gives the effect and the card that gives the number."""

    name: ClassVar[str] = "welcome_to.combinations_shown"
    effects: Cards
    numbers: Cards


class CardsShown(Named, frozen=True):
    """Solo: these cards join the row of three; some turns need two draws for it."""

    name: ClassVar[str] = "welcome_to.cards_shown"
    cards: Cards


class SoloCardShown(Named, frozen=True):
    """The Solo card has come: all plans have their lower value from this turn on (UNKNOWN-16)."""

    name: ClassVar[str] = "welcome_to.solo_card_shown"


class HandDealt(Named, frozen=True):
    """Expert: ``seat`` takes cards from the deck. Only that seat may see them."""

    name: ClassVar[str] = "welcome_to.hand_dealt"
    seat: Seat
    cards: Cards


class RoundBegan(Named, frozen=True):
    """All cards are there: everybody decides, at the same time."""

    name: ClassVar[str] = "welcome_to.round_began"
    round: int


class TurnTaken(Named, frozen=True):
    """``seat`` has decided. What, only that seat may see; for others ``turn`` is ``None``."""

    name: ClassVar[str] = "welcome_to.turn_taken"
    seat: Seat
    turn: Turn | None


class TurnRevealed(Named, frozen=True):
    """Everybody has decided: this is what ``seat`` does, and it stands on its sheet now."""

    name: ClassVar[str] = "welcome_to.turn_revealed"
    seat: Seat
    turn: Turn


class PlanScored(Named, frozen=True):
    """``seat`` has completed city plan ``plan`` for ``points``; follows its ``TurnRevealed``."""

    name: ClassVar[str] = "welcome_to.plan_scored"
    seat: Seat
    plan: int
    points: int


class CardPassed(Named, frozen=True):
    """Expert: ``seat`` hands its third card to its right neighbour ``to``. Only these two may see it."""

    name: ClassVar[str] = "welcome_to.card_passed"
    seat: Seat
    to: Seat
    card: Card


class RoundEnded(Named, frozen=True):
    """All turns are revealed; ``lowered`` are the plans first completed in this round: later ones get less."""

    name: ClassVar[str] = "welcome_to.round_ended"
    lowered: tuple[int, ...]


class DeckReshuffled(Named, frozen=True):
    """Everything but ``kept`` (the cards on the table that stay) and the hands is the deck again.

    ``asked`` are the seats that wished it; empty when the deck was used up.
    """

    name: ClassVar[str] = "welcome_to.deck_reshuffled"
    asked: tuple[Seat, ...]
    kept: Cards


class SeatGone(Named, frozen=True):
    """``seat`` plays no more. Its sheet stays; ``cards`` of its expert hand are discarded face up."""

    name: ClassVar[str] = "welcome_to.seat_gone"
    seat: Seat
    cards: Cards


class PlayEnded(Named, frozen=True):
    """``ranks`` by seat, 1 for the best, ties share a rank."""

    name: ClassVar[str] = "welcome_to.play_ended"
    reason: Reason
    ranks: tuple[int, ...]


Event: TypeAlias = (
    PlanDealt
    | CombinationsShown
    | CardsShown
    | SoloCardShown
    | HandDealt
    | RoundBegan
    | TurnTaken
    | TurnRevealed
    | PlanScored
    | CardPassed
    | RoundEnded
    | DeckReshuffled
    | SeatGone
    | PlayEnded
)
EVENTS: Codec[Event] = Codec.of(Event)


# -- state -------------------------------------------------------------------------------------------------------------

Places: TypeAlias = tuple[tuple[int, ...], ...]
"""By street, house or slot numbers, sorted."""
NOWHERE: Places = ((), (), ())


class Sheet(Value, frozen=True):
    """One score sheet, as far as it is revealed."""

    numbers: tuple[tuple[int, ...], ...] = tuple((EMPTY,) * houses for houses in HOUSES)
    """By street and house: a number 0 to 17, ``EMPTY`` or ``ROUNDABOUT``."""
    bis: Places = NOWHERE
    """The houses whose number is a bis."""
    fences: Places = NOWHERE
    """The slots that have a fence, those beside a roundabout among them; not the two ends of a street."""
    pools: Places = NOWHERE
    """The houses whose pool is built."""
    used: Places = NOWHERE
    """The houses that a city plan has used (3.3)."""
    parks: tuple[int, ...] = (0, 0, 0)
    """Boxes crossed, by street."""
    promotions: tuple[int, ...] = (0,) * 6
    """Boxes crossed in the real-estate column of each size, 1 first."""
    temps: int = 0
    """Boxes crossed."""
    refusals: int = 0
    plans: tuple[int, ...] = (0, 0, 0)
    """Points by city plan; 0 where it is not completed."""


class State(Value, frozen=True):
    """A position. Of a tuple by seat, entry 0 is seat 0."""

    options: Options
    sheets: tuple[Sheet, ...]
    """By seat."""
    hands: tuple[Cards, ...]
    """By seat, expert only: a card that was passed on comes first, then those dealt, sorted; else empty."""
    turns: tuple[Turn | None, ...]
    """By seat, what it has decided and is not revealed yet."""
    ready: tuple[bool, ...]
    """By seat, whether it has decided; public."""
    givers: tuple[Seat, ...]
    """By seat, who passed the first card of its hand, and so knows it; ``NOBODY``."""
    plans: tuple[int, ...] = (NO_PLAN,) * 3
    """The three city plans, ids into ``printed.PLANS``; ``NO_PLAN`` until dealt."""
    lowered: tuple[bool, ...] = (False,) * 3
    """By city plan: whether it gives its lower value only."""
    numbers: Cards = ()
    """Standard: by stack, the card that gives the number. Solo: the row of three, less while it is being drawn."""
    effects: Cards = ()
    """Standard: by stack, the card that gives the effect; else empty."""
    discard: Cards = ()
    """Cards out of play until the next shuffle, face up, sorted."""
    solo_shown: bool = False
    """Whether the Solo card has come."""
    round: int = 0
    """Rounds begun."""
    open: bool = False
    """Whether a round is on: its cards lie there and not everything is revealed."""
    left: tuple[Seat, ...] = ()
    """Seats that have left for good, in that order."""
    reason: Reason | Literal[""] = ""
    """Why play has ended; empty while it goes on."""
    ranks: tuple[int, ...] = ()

    @property
    def seats(self) -> range:
        return range(len(self.sheets))

    @property
    def solo(self) -> bool:
        return len(self.sheets) == 1
