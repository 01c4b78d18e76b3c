"""What there is in MEMCEL: options, values, state; what is asked is in ``commands.py``, what happens in ``events.py``.

The game is memory, so nothing here remembers for anyone. A tile has no identity: a position holds a face, up or down,
and a viewer is told the faces that lie up. What a viewer may not know is a hole of the right shape in the same type:
``HIDDEN`` for a face, ``NOWHERE`` for a position, 0 for the number of an opening. ``evolve`` asks for no more, so it
gives the same on a view as on the state. The draw pile is the deck without the discard pile: no state knows an order.
"""

from typing import Literal, NamedTuple, TypeAlias

from engine.games.memcel.printed import (
    COLOURS,
    SECTORS,
    STANDARD_DECK,
    TILES,
    Deck,
    Face,
    check_deck,
)
from engine.kernel.value import Seat, Value

# -- options -----------------------------------------------------------------------------------------------------------

ROUNDS_MAX = 100
"""The highest ``max_rounds`` that can be asked for."""
SECTORS_MIN = 4
"""Sectors of the smallest ring that makes a ring."""


class Options(Value, frozen=True):
    """The switches of the rulings. ``on_miss = "keep"`` is the friendly game, which forgetful players finish too."""

    on_miss: Literal["reset", "keep"] = "reset"
    """M-20: a miss turns down all one's own open tiles, or only those of this attack."""
    imprevisto_tile_extra_card: bool = True
    """M-25: an event tile costs a card of its own before the closing card."""
    off_turn_win: Literal["immediate", "own_turn"] = "immediate"
    """M-28: whoever's last tile a rival turns up wins at once, or when the next turn of that seat begins."""
    lost_turn_lifts_defence_ban: bool = False
    """M-30."""
    max_rounds: int = 40
    """M-37: after so many rounds of the hunt the open tiles are counted; 0 for no limit but the guard's."""
    rings: tuple[int, int, int] = SECTORS
    """M-01: sectors of the outer, the middle and the inner ring; as many as tiles together."""
    deck: Literal["standard"] | Deck = "standard"
    """M-34: the printed event cards, or others."""

    def __post_init__(self) -> None:
        if not 0 <= self.max_rounds <= ROUNDS_MAX:
            raise ValueError(f"max_rounds is 0 to {ROUNDS_MAX}")
        if sum(self.rings) != TILES or min(self.rings) < SECTORS_MIN:
            raise ValueError(f"three rings of at least {SECTORS_MIN} sectors have {TILES} sectors together")
        if not isinstance(self.deck, str):
            check_deck(self.deck)

    @property
    def cards(self) -> Deck:
        return STANDARD_DECK if isinstance(self.deck, str) else self.deck


# -- values ------------------------------------------------------------------------------------------------------------

SEATS = range(2, 5)
PLACED_A_TURN = 2
NOBODY: Seat = -1
HIDDEN: Face = "hidden"
"""Stands for a face that the viewer may not know."""


class At(NamedTuple):
    """A position on the fixed frame: ring 0 (outer) to 2 (inner), sector 0 at the north mark, clockwise (M-03)."""

    ring: int
    sector: int


NOWHERE = At(-1, -1)
"""Stands for a position that is told no more."""

Faces: TypeAlias = tuple[Face, ...]


class Tile(Value, frozen=True):
    """What lies on a position. In a view a tile that lies face down is always ``Tile("hidden", False, 0)``."""

    face: Face
    up: bool = False
    opening: int = 0
    """Which turning-up of the match opened it, counted from 1: the server's alone, 0 face down and in every view."""


Sector: TypeAlias = Tile | None
"""``None`` is empty."""
Board: TypeAlias = tuple[tuple[Sector, ...], tuple[Sector, ...], tuple[Sector, ...]]
"""By ring, then by sector."""

Stage: TypeAlias = Literal["opening", "placement", "complication", "hunt"]
Step: TypeAlias = Literal[
    "start",  # luck: who begins (number die)
    "deal",  # luck: who gets the odd tiles of absent colours
    "place",  # a seat: two tiles
    "lot",  # luck: two tiles of a seat that leaves it to the lot
    "declare",  # a seat: attack or defence
    "attack_number",  # luck: the most that may be announced (number die)
    "announce",  # a seat: how many tiles it will find
    "reveal",  # a seat: the next tile
    "defence",  # a seat: nothing, a complication or a card
    "card",  # luck: an event card
    "complication",  # luck: the icon die, whose inner circle counts
    "board_icon",  # luck: the icon die, for the direction
    "board_number",  # luck: the number die, for the whole board
    "ring_icon",  # luck: the icon die, for ring and direction
    "ring_number",  # luck: the number die, for one ring
    "swap",  # a seat: two positions
    "peek",  # a seat: one tile that lies face down
    "cover_own",  # a seat: two of its open tiles
    "cover_rival",  # a seat: one open tile of a rival
]
"""What the match waits for."""

Cause: TypeAlias = Literal[
    "",
    "complication:black",
    "complication:grey",
    "complication:white",
    "event:ring_step",
    "event:reroll",
    "event:board_spin",
    "event:swap_own_choice",
    "event:swap_next_choice",
    "event:skip_next",
    "event:cover_own",
    "event:extra_turn",
    "event:peek",
    "event:pardon",
    "event:cover_rival",
    "miss",
    "imprevisto",
]
"""Why something moves, is covered or is lost."""
Way: TypeAlias = Literal["card", "complication", "skip"]
"""What a defence may be."""
Reason: TypeAlias = Literal["all_own_face_up", "max_rounds", "last_seat"]


class Placement(Value, frozen=True):
    """One tile of the supply on an empty position."""

    at: At
    face: Face


class Trace(Value, frozen=True):
    """What has just happened, for a picture that stands still: public, by position, and gone with the next commit."""

    icon: int = 0
    """The face of the icon die that was rolled last, 0 for none yet."""
    number: int = 0
    """What the number die has shown last, 0 for nothing yet."""
    what: Literal["", "placed", "swapped", "turned", "revealed", "peeked"] = ""
    places: tuple[At, ...] = ()
    """Where; a tile that has moved on or is turned down since marks no place."""
    turned: tuple[int, int, int] = (0, 0, 0)
    """By ring, by how many sectors it was turned clockwise; anticlockwise below zero."""
    closed: bool = False
    """Whether the next event begins a new trace."""


# -- state -------------------------------------------------------------------------------------------------------------


class State(Value, frozen=True):
    """A position. Of a tuple by seat, entry 0 is seat 0."""

    options: Options
    board: Board
    supplies: tuple[Faces, ...]
    """By seat, each sorted; holes of the right number for who may not look."""
    lost: tuple[int, ...]
    """By seat, turns still to lose."""
    defended: tuple[bool, ...]
    """By seat, whether the last turn that counts for the ban was a defence (M-30)."""
    stage: Stage = "opening"
    step: Step = "start"
    """What the match waits for; before it, supplies of seats that have left are scattered."""
    by: Seat = NOBODY
    """Whose step it is; the next seat's when a card lets it swap (M-35)."""
    cause: Cause = ""
    """What has brought the step about."""
    contenders: tuple[Seat, ...] = ()
    """Who still rolls for the start; all at first."""
    start_rolls: int = 0
    """Rolls for the start so far."""
    first: Seat = NOBODY
    active: Seat = NOBODY
    """Whose turn it is; ``NOBODY`` in the opening."""
    round: int = 0
    """Of the hunt, from 1."""
    turns: int = 0
    """Turns of the hunt that were played, not lost."""
    extra: int = 0
    """Turns that the active seat has still coming by cards (M-36)."""
    icon: int = 0
    """The icon face that waits for its number, 0 for none."""
    number: int = 0
    """What the attack rolled, 0 outside one."""
    x: int = 0
    """What the attack announced, 0 before."""
    found: tuple[At, ...] = ()
    """What this attack has found, in order; empty outside one."""
    cards: int = 0
    """Event cards to draw before the turn is over."""
    discard: tuple[int, ...] = ()
    """Numbers of the cards drawn since the last shuffle, in order, face up."""
    openings: int = 0
    """Tiles turned up in the whole match; 0 in a view."""
    left: tuple[Seat, ...] = ()
    """Seats that have left for good, in that order."""
    reason: Reason | Literal[""] = ""
    """Why play has ended; empty while it goes on."""
    ranks: tuple[int, ...] = ()
    trace: Trace = Trace()

    @property
    def seats(self) -> range:
        return range(len(self.supplies))

    def at(self, at: At) -> Sector:
        return self.board[at.ring][at.sector]

    def colour(self, seat: Seat) -> Face:
        return COLOURS[seat]
