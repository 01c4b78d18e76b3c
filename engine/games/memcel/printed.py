"""The printed matter: rings, tiles, dice and event cards, read once from ``data/`` and checked as it is read.

Another board or another deck is another file, or an option of the match: nothing else in this folder knows how many
sectors a ring has or which cards there are. A ring is its number from the outside, 0 to 2; it shares its colour's name
with tiles, so tiles are called ``tile:red`` and are never compared with rings (M-02).
"""

from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec

from engine.kernel.value import Value

Face: TypeAlias = Literal["hidden", "tile:blue", "tile:green", "tile:imprevisto", "tile:orange", "tile:red"]
"""What lies on the front of a tile; ``hidden`` stands for one that the viewer may not know."""
Direction: TypeAlias = Literal["cw", "ccw"]
"""Clockwise or anticlockwise, seen from above (M-03)."""
Complication: TypeAlias = Literal["black", "grey", "white"]
"""The inner circle of the icon die: the whole board turns, two tiles change places, one ring turns (M-11 to M-13)."""
Kind: TypeAlias = Literal[
    "ring_step",
    "reroll",
    "board_spin",
    "swap_own_choice",
    "swap_next_choice",
    "complication",
    "skip_next",
    "cover_own",
    "extra_turn",
    "peek",
    "pardon",
    "cover_rival",
    "calm",
]
"""What an event card does (M-34)."""

CARDS_MAX = 200
"""Cards of one deck."""
STEPS_MAX = 48
"""Steps on one card: once round the largest ring that can be."""


class Icon(Value, frozen=True):
    """One face of the icon die (M-10)."""

    ring: int
    direction: Direction
    complication: Complication


class Card(Value, frozen=True, omit_defaults=True):
    """One event card; only ``ring_step`` prints a ring, a direction and steps."""

    kind: Kind
    ring: int = -1
    direction: Direction | Literal[""] = ""
    steps: int = 0

    def __post_init__(self) -> None:
        turns = self.kind == "ring_step"
        if turns and not (0 <= self.ring <= 2 and self.direction and 1 <= self.steps <= STEPS_MAX):
            raise ValueError("a ring_step card prints a ring 0 to 2, a direction and its steps")
        if not turns and (self.ring, self.direction, self.steps) != (-1, "", 0):
            raise ValueError(f"a {self.kind} card prints no ring, no direction and no steps")


class Copies(Value, frozen=True):
    """So many equal cards of a deck."""

    card: Card
    copies: int


class _Printed(Value, frozen=True):
    rings: tuple[str, str, str]
    sectors: tuple[int, int, int]
    colours: tuple[Face, ...]
    tiles_of_a_colour: int
    event_tiles_of_a_colour: int
    number_die: int
    icon_die: tuple[Icon, ...]
    source: str


Deck: TypeAlias = tuple[Copies, ...]
"""A card's number is its place here; equal cards share it."""


def check_deck(deck: Deck) -> Deck:
    """``deck`` if it can be played with. Raises ``ValueError``."""
    if any(copies.copies < 1 for copies in deck) or not 1 <= sum(copies.copies for copies in deck) <= CARDS_MAX:
        raise ValueError(f"a deck has 1 to {CARDS_MAX} cards, and each of its lines at least one")
    if len({copies.card for copies in deck}) < len(deck):
        raise ValueError("equal cards of a deck stand in one line")
    return deck


_printed = msgspec.json.decode(files(__package__).joinpath("data/printed.json").read_bytes(), type=_Printed)

RINGS: tuple[str, str, str] = _printed.rings
"""The colours of the rings from the outside in (M-02); for the eye alone."""
SECTORS: tuple[int, int, int] = _printed.sectors
"""How many sectors each ring has unless the options say otherwise (M-01)."""
COLOURS: tuple[Face, ...] = _printed.colours
"""The colour of each seat, by seat (M-05); those behind the last seat are neutral."""
EVENT_TILE: Face = "tile:imprevisto"
OWN_TILES = _printed.tiles_of_a_colour
EVENT_TILES = _printed.event_tiles_of_a_colour
"""Event tiles that come with each colour."""
TILES = len(COLOURS) * (OWN_TILES + EVENT_TILES)
"""All tiles, as many as there are sectors."""
NUMBER_SIDES = _printed.number_die
ICONS: tuple[Icon, ...] = _printed.icon_die
"""The faces of the icon die; face 1 is the first (M-10)."""
STANDARD_DECK: Deck = check_deck(
    msgspec.json.decode(files(__package__).joinpath("data/events.json").read_bytes(), type=Deck)
)

assert sum(SECTORS) == TILES == 48
assert len(ICONS) == 6
assert {(icon.ring, icon.direction) for icon in ICONS} == {(ring, way) for ring in range(3) for way in ("cw", "ccw")}
assert {(icon.complication, icon.direction) for icon in ICONS} == {
    (inner, way) for inner in ("black", "grey", "white") for way in ("cw", "ccw")
}
assert sum(copies.copies for copies in STANDARD_DECK) == 50
