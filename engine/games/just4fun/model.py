"""What there is in Just 4 Fun: options, values, commands, events, state.

The draw pile is not stored. It is the deck without the hands and without the discard pile, so cards are conserved by
construction and no state knows an order. A card that a viewer may not know is ``HIDDEN`` in a hand of the right length,
which is all that ``evolve`` asks of it.
"""

from typing import ClassVar, Literal, TypeAlias

from msgspec.structs import force_setattr

from engine.games.just4fun.layouts import FIELDS, Layout, Rows, layout_of
from engine.kernel.codec import Codec, Named
from engine.kernel.value import Seat, Value

# -- options -----------------------------------------------------------------------------------------------------------


class Options(Value, frozen=True):
    """The switches of the rulings; the defaults are the printed game."""

    layout: Literal["original", "random", "row_major_test"] | Rows = "original"
    """J-01: a named layout, a shuffled one, or six rows of six numbers."""
    first_player: Literal["random"] | Seat = "random"
    """J-02: by lot, or the seat the host names."""
    owner_may_add_to_locked: bool = False
    """J-07."""
    removed_tokens_return: bool = False
    """J-08: to their owners instead of out of the game."""
    reshuffle: Literal["when_empty", "when_needed"] = "when_empty"
    """J-12: as soon as the pile is empty, or only when a card is missing."""

    def __post_init__(self) -> None:
        if not isinstance(self.layout, str):
            layout_of(self.layout)


# -- values ------------------------------------------------------------------------------------------------------------

SEATS = range(2, 5)
TOKENS = 20
HAND_SIZE = 4
LOCK_LEAD = 2
"""So many tokens more than each other seat lock a field, and so many less than some other seat bar it (J-06)."""

NOBODY: Seat = -1
HIDDEN = 0
"""Stands for a card that the viewer may not know."""

Cards: TypeAlias = tuple[int, ...]
Reason: TypeAlias = Literal["line", "points", "last_seat"]


# -- commands ----------------------------------------------------------------------------------------------------------


class PlaceToken(Named, frozen=True):
    """Play ``cards`` and put one token on ``field``, their sum. Equal sets of cards are one command (J-04)."""

    name: ClassVar[str] = "just4fun.place_token"
    field: int
    cards: Cards

    def __post_init__(self) -> None:
        if len(self.cards) > 1:
            force_setattr(self, "cards", tuple(sorted(self.cards)))


class ExchangeHand(Named, frozen=True):
    """Lay off the whole hand and draw a new one; allowed, and then forced, only if no card can be played (J-13)."""

    name: ClassVar[str] = "just4fun.exchange_hand"


Command: TypeAlias = PlaceToken | ExchangeHand
COMMANDS: Codec[Command] = Codec.of(Command)


# -- events ------------------------------------------------------------------------------------------------------------


class LayoutDealt(Named, frozen=True):
    """The shuffled layout of ``layout = "random"``: 36 numbers by cell (J-01)."""

    name: ClassVar[str] = "just4fun.layout_dealt"
    numbers: Layout


class FirstPlayerChosen(Named, frozen=True):
    """The lot has fallen (J-02)."""

    name: ClassVar[str] = "just4fun.first_player_chosen"
    seat: Seat


class HandDrawn(Named, frozen=True):
    """``seat`` takes cards from the pile, in this order. Only that seat may see them (J-22)."""

    name: ClassVar[str] = "just4fun.hand_drawn"
    seat: Seat
    cards: Cards


class TurnBegan(Named, frozen=True):
    """The turn is with ``seat`` now; seats without tokens were passed over (J-14)."""

    name: ClassVar[str] = "just4fun.turn_began"
    seat: Seat


class TokenPlaced(Named, frozen=True):
    """One token from ``seat`` to ``field``, paid with ``cards``, which lie face up on the discard pile (J-05)."""

    name: ClassVar[str] = "just4fun.token_placed"
    seat: Seat
    field: int
    cards: Cards


class FieldLocked(Named, frozen=True):
    """``field`` is for good with ``seat``; ``removed`` by seat leave it, to their owners if ``returned`` (J-08)."""

    name: ClassVar[str] = "just4fun.field_locked"
    seat: Seat
    field: int
    removed: tuple[int, ...]
    returned: bool


class LineCompleted(Named, frozen=True):
    """``seat`` holds these four fields in a straight line (J-11); one event a line."""

    name: ClassVar[str] = "just4fun.line_completed"
    seat: Seat
    fields: tuple[int, ...]


class HandExchanged(Named, frozen=True):
    """``seat`` could play nothing and lays its hand face up on the discard pile (J-13)."""

    name: ClassVar[str] = "just4fun.hand_exchanged"
    seat: Seat
    cards: Cards


class DiscardReshuffled(Named, frozen=True):
    """The ``count`` cards of the discard pile are the draw pile now (J-12)."""

    name: ClassVar[str] = "just4fun.discard_reshuffled"
    count: int


class HandDiscarded(Named, frozen=True):
    """``seat`` has left; its hand lies face up on the discard pile, its tokens stay (J-24)."""

    name: ClassVar[str] = "just4fun.hand_discarded"
    seat: Seat
    cards: Cards


class PlayEnded(Named, frozen=True):
    """``ranks`` by seat, 1 for the best, ties share a rank."""

    name: ClassVar[str] = "just4fun.play_ended"
    reason: Reason
    ranks: tuple[int, ...]


Event: TypeAlias = (
    LayoutDealt
    | FirstPlayerChosen
    | HandDrawn
    | TurnBegan
    | TokenPlaced
    | FieldLocked
    | LineCompleted
    | HandExchanged
    | DiscardReshuffled
    | HandDiscarded
    | PlayEnded
)
EVENTS: Codec[Event] = Codec.of(Event)


# -- state -------------------------------------------------------------------------------------------------------------


class State(Value, frozen=True):
    """A position. Of a tuple by seat, entry 0 is seat 0; of a tuple by field, entry 0 is field 1."""

    options: Options
    layout: Layout
    """Empty until a random layout is dealt."""
    first: Seat
    """``NOBODY`` until the lot has fallen."""
    hands: tuple[Cards, ...]
    """By seat, each sorted. A seat that is at the table and holds less than four cards is owed the rest."""
    tokens: tuple[int, ...]
    """By seat, those not yet placed."""
    stacks: tuple[tuple[int, ...], ...] = ()
    """By field, then by seat."""
    locks: tuple[Seat, ...] = (NOBODY,) * FIELDS
    """By field, the seat that owns it for good."""
    discard: Cards = ()
    """In the order laid down, face up (J-22)."""
    active: Seat = NOBODY
    """Whose turn it is; ``NOBODY`` until the hands are dealt."""
    turn: int = 0
    """Turns begun."""
    exchanges: int = 0
    """Hands exchanged in the whole match, the guard against a play without end."""
    last_field: int = 0
    """Where the last token went; 0 before the first."""
    left: tuple[Seat, ...] = ()
    """Seats that have left for good, in that order."""
    lines: tuple[tuple[int, ...], ...] = ()
    """The winning lines, by their four fields."""
    reason: Reason | Literal[""] = ""
    """Why play has ended; empty while it goes on."""
    ranks: tuple[int, ...] = ()

    @property
    def seats(self) -> range:
        return range(len(self.hands))
