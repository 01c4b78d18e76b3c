"""The pieces of the picture: text, boxes, tiles, dice. Presentation attributes and integers only.

A colour is told by its paint, by its shape and by its letter; any one of the three is enough. A tile face down has
one back and one only: whatever lies there, the picture says the same bytes.
"""

from math import isqrt

from engine.games.memcel.board_circle import Point
from engine.games.memcel.language import tile_letter
from engine.games.memcel.printed import EVENT_TILE, Face
from engine.kernel import picture
from engine.kernel.picture import LIME, PALE, circle, path

INK = "#1b2233"
GOLD = "#d9b45b"
LAST = LIME
"""What has just happened: neither a tile's colour nor a ring's."""

TILE_FILL: dict[Face, str] = {
    "tile:red": "#c9283a",
    "tile:green": "#23784a",
    "tile:blue": "#2a5fb4",
    "tile:orange": "#f29a1f",
    "tile:imprevisto": "#17181f",
}
_SHAPES: dict[Face, str] = {
    "tile:red": "M0 23C-30 2-23-20-10-20Q-3-20 0-13Q3-20 10-20C23-20 30 2 0 23Z",
    "tile:green": "M-21 21C-25-8-8-22 21-21C25 8 8 24-14 17Z",
    "tile:blue": "M0-26C9-12 19-4 19 7A19 17 0 0 1-19 7C-19-4-9-12 0-26Z",
    "tile:orange": "M0-25L6-16 18-18 16-6 25 0 16 6 18 18 6 16 0 25-6 16-18 18-16 6-25 0-16-6-18-18-6-16Z",
    "tile:imprevisto": "M5-24L-15 4H-3L-7 24 15-6H3Z",
}
"""Heart, leaf, drop, sun and lightning, round (0, 0) in a tile of radius ``TILE``."""
_LETTER_DOWN: dict[Face, int] = {"tile:red": -1, "tile:green": 0, "tile:blue": 5, "tile:orange": 0}

TILE = 31


def text(x: int, y: int, words: str, *, size: int, fill: str = INK, anchor: str = "start", weight: int = 400) -> str:
    """Words whose capitals stand centred on ``y``."""
    return picture.text(x, y, words, size=size, fill=fill, anchor=anchor, weight=weight)


def width_of(words: str, size: int) -> int:
    """About how wide bold words are; a Hangul syllable is as wide as it is high."""
    return sum(map(_width, words)) * size // 100


def _width(letter: str) -> int:
    if letter >= "\u1100":
        return 100
    if letter in " .,:;!'|ijltfrI()":
        return 42
    return 100 if letter in "mwMW" else 70


def fitting(words: str, size: int, width: int) -> int:
    """The font size up to ``size`` at which words fit into ``width``."""
    while size > 10 and width_of(words, size) > width:
        size -= 1
    return size


def wrapped(words: str, size: int, width: int) -> list[str]:
    """Words broken into lines no wider than ``width``, but for a single word that is."""
    return picture.wrapped(words, lambda line: width_of(line, size) <= width)


def paragraph(
    x: int, y: int, words: str, *, size: int, width: int, rows: int, fill: str = INK, weight: int = 400
) -> str:
    """Words in at most ``rows`` lines, the first centred on ``y``; smaller where there are too many of them."""
    while size > 12 and len(wrapped(words, size, width)) > rows:
        size -= 1
    step = size * 13 // 10
    return "".join(
        text(x, y + at * step, line, size=size, fill=fill, weight=weight)
        for at, line in enumerate(wrapped(words, size, width))
    )


def placed(at: Point, drawing: str, size: int = 100) -> str:
    """A drawing round (0, 0), moved to a point; at ``size`` hundredths of its own size, by a view box."""
    if size == 100:
        return f'<g transform="translate({at[0]} {at[1]})">{drawing}</g>'
    half = 40 * size // 100
    return (
        f'<svg x="{at[0] - half}" y="{at[1] - half}" width="{2 * half}" height="{2 * half}"'
        f' viewBox="-40 -40 80 80">{drawing}</svg>'
    )


BACK = (
    circle(1, 4, TILE, "#000000", more=' fill-opacity="0.3"')
    + circle(0, 0, TILE, "#3b4560", "#10141f", 2)
    + circle(0, 0, 24, "none", GOLD, 2)
    + circle(0, 0, 16, "none", GOLD, 2)
    + circle(0, 0, 8, "none", GOLD, 2)
    + path("M0-24V-8", stroke=GOLD, line=2)
)
"""The back of every tile: the three rings and the north mark."""


def front(face: Face, language: str) -> str:
    """A tile face up."""
    fill = TILE_FILL[face]
    parts = [
        circle(1, 4, TILE, "#000000", more=' fill-opacity="0.3"'),
        circle(0, 0, TILE, fill, PALE, 3),
    ]
    if face == EVENT_TILE:
        parts.append(path(_SHAPES[face], "#ffd84a"))
    else:
        down = _LETTER_DOWN[face]
        letter = tile_letter(face, language)
        parts.append(path(_SHAPES[face], PALE))
        parts.append(text(0, down, letter, size=21, fill=INK, anchor="middle", weight=700))
    return "".join(parts)


def arrow_head(tip: Point, back: Point, half: int, fill: str, stroke: str = "none", line: int = 1) -> str:
    """A triangle that points at ``tip`` from ``back``, ``half`` as wide to either side."""
    (tx, ty), (bx, by) = tip, back
    length = max(isqrt((tx - bx) ** 2 + (ty - by) ** 2), 1)
    ux, uy = (ty - by) * half // length, (bx - tx) * half // length
    return path(f"M{tx} {ty}L{bx + ux} {by + uy} {bx - ux} {by - uy}Z", fill, stroke, line, ' stroke-linejoin="round"')
