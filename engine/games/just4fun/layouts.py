"""The printed matter: layouts, colour tiers and the deck, read once from ``data/layouts.json``.

J-01: a layout is data that can be swapped. It is six rows of six and holds each of 1..36 once; nothing else in this
folder knows where a number lies.
"""

from collections.abc import Sequence
from importlib.resources import files
from typing import TypeAlias

import msgspec

from engine.kernel.value import Value

SIDE = 6
FIELDS = SIDE * SIDE

Rows: TypeAlias = tuple[tuple[int, ...], ...]
Layout: TypeAlias = tuple[int, ...]
"""36 numbers by cell; cell 0 is the upper left one, cell 5 the upper right one."""


class Printed(Value, frozen=True):
    """One layout, where it comes from, and how sure we are of it."""

    rows: Rows
    source: str
    confidence_percent: int
    note: str


class Tier(Value, frozen=True):
    """One of the four blues: the numbers ``first``..``last``."""

    name: str
    first: int
    last: int


class Suit(Value, frozen=True):
    """Card values ``first``..``last``, ``copies`` of each."""

    first: int
    last: int
    copies: int


class _File(Value, frozen=True):
    layouts: dict[str, Printed]
    tiers: tuple[Tier, ...]
    tiers_source: str
    deck: tuple[Suit, ...]


def layout_of(rows: Sequence[Sequence[int]]) -> Layout:
    """The layout in ``rows``. Raises ``ValueError`` unless they are six rows of six with each of 1..36 once (J-01)."""
    if len(rows) != SIDE or any(len(row) != SIDE for row in rows):
        raise ValueError("a layout is 6 rows of 6 numbers")
    layout = tuple(number for row in rows for number in row)
    wanted = set(range(1, FIELDS + 1))
    if foreign := sorted(set(layout) - wanted):
        raise ValueError(f"a layout holds the numbers 1 to 36, not {foreign[0]}")
    if missing := sorted(wanted - set(layout)):
        raise ValueError(f"a layout holds each of 1 to 36 once; {missing[0]} is missing")
    return layout


_printed = msgspec.json.decode(files(__package__).joinpath("data/layouts.json").read_bytes(), type=_File)

LAYOUTS: dict[str, Layout] = {name: layout_of(printed.rows) for name, printed in _printed.layouts.items()}
TIERS: tuple[Tier, ...] = _printed.tiers
TIER_OF: tuple[int, ...] = tuple(
    next(at for at, tier in enumerate(TIERS) if tier.first <= number <= tier.last) for number in range(1, FIELDS + 1)
)
"""The index in ``TIERS`` of each number; that of number 1 first."""

DECK: tuple[int, ...] = tuple(
    value for suit in _printed.deck for value in range(suit.first, suit.last + 1) for _ in range(suit.copies)
)
"""All 55 cards, sorted."""

assert len(DECK) == 55
assert list(DECK) == sorted(DECK)
