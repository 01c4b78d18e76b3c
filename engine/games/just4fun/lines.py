"""The 54 straight lines of four: 18 rows, 18 columns, 18 diagonals (J-11).

A line is four adjacent cells in one direction. It does not wrap round an edge and does not bend. Five or six in a row
need no word of their own: they contain a four.
"""

from functools import lru_cache
from typing import TypeAlias

from engine.games.just4fun.layouts import FIELDS, SIDE, Layout

LENGTH = 4

LAYOUTS_REMEMBERED = 1 << 10

Line: TypeAlias = tuple[int, ...]
"""Four cells, from the upper or left end."""

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Right, down, down right, down left: each line is met once, from one of its ends."""


def _lines() -> tuple[Line, ...]:
    found: list[Line] = []
    for down, right in DIRECTIONS:
        for row in range(SIDE):
            for column in range(SIDE):
                last_row, last_column = row + down * (LENGTH - 1), column + right * (LENGTH - 1)
                if last_row < SIDE and 0 <= last_column < SIDE:
                    found.append(tuple((row + down * k) * SIDE + column + right * k for k in range(LENGTH)))
    return tuple(found)


LINES: tuple[Line, ...] = _lines()
LINES_THROUGH: tuple[tuple[Line, ...], ...] = tuple(
    tuple(line for line in LINES if cell in line) for cell in range(FIELDS)
)
"""The lines through each cell: 3 in a corner, 11 in the middle."""

assert len(LINES) == 54


@lru_cache(LAYOUTS_REMEMBERED)
def lines_through(layout: Layout) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """By field, the lines through it, by their fields."""
    return tuple(
        tuple(tuple(layout[cell] for cell in line) for line in LINES_THROUGH[layout.index(field)])
        for field in range(1, FIELDS + 1)
    )
