"""The pieces of the picture: text, boxes, seat chips, icons. Presentation attributes and integers only.

An effect is told by the outline of its icon, by the drawing on it and by its colour; any one of the three is enough.
"""

from typing import Literal, TypeAlias

from engine.games.welcome_to.printed import Effect
from engine.kernel import picture
from engine.kernel.picture import INK, LIME, MUTED, PALE, circle, path, text
from engine.kernel.value import Seat

LAWN = "#dce8cf"
LAST = LIME
"""What this viewer has decided and nobody else knows yet."""

EFFECT_FILL: dict[Effect, str] = {
    "surveyor": "#33303a",
    "pool": "#2b6cab",
    "temp": "#f5b31b",
    "bis": "#c7293a",
    "landscaper": "#2c7a4b",
    "real_estate": "#65478f",
}
EFFECT_PALE: dict[Effect, str] = {
    "surveyor": "#e4e2e6",
    "pool": "#d3e5f4",
    "temp": "#fdeec8",
    "bis": "#f7d9dc",
    "landscaper": "#d3e8da",
    "real_estate": "#e3dbef",
}
RED = EFFECT_FILL["bis"]
BLUE = EFFECT_FILL["pool"]
GREEN = EFFECT_FILL["landscaper"]

Sign: TypeAlias = Effect | Literal["plan", "refusal", "roundabout"]

_ICONS: dict[Sign, str] = {
    "surveyor": (
        '<rect x="1" y="1" width="30" height="30" rx="5" fill="#33303a"/>'
        '<path d="M6 27V11l3-4 3 4V27ZM13 27V11l3-4 3 4V27ZM20 27V11l3-4 3 4V27ZM4 14H28V17H4ZM4 21H28V24H4Z"'
        ' fill="#ffffff"/>'
    ),
    "pool": (
        '<circle cx="16" cy="16" r="15" fill="#2b6cab"/>'
        '<path d="M5 12q4-4 7 0t7 0 8 0M4 18q4-4 8 0t8 0 8 0M7 24q3-4 6 0t6 0 6 0" fill="none" stroke="#ffffff"'
        ' stroke-width="3" stroke-linecap="round"/>'
    ),
    "temp": (
        '<path d="M16 3L30 28H2Z" fill="#f5b31b" stroke="#f5b31b" stroke-width="3" stroke-linejoin="round"/>'
        '<path d="M16 11V21M11 16H21M11 25H21" fill="none" stroke="#13253d" stroke-width="3"/>'
    ),
    "bis": (
        '<path d="M12 13L21 4 30 13V25H12Z" fill="#e08d95"/>'
        '<path d="M2 17L12 7 22 17V30H2Z" fill="#c7293a" stroke="#ffffff" stroke-width="2"/>'
        '<path d="M9 16V27" fill="none" stroke="#ffffff" stroke-width="2"/>'
        '<circle cx="12" cy="24" r="3" fill="none" stroke="#ffffff" stroke-width="2"/>'
    ),
    "landscaper": (
        '<rect x="13" y="18" width="6" height="13" fill="#7a5230"/>'
        '<circle cx="9" cy="16" r="8" fill="#2c7a4b"/><circle cx="23" cy="16" r="8" fill="#2c7a4b"/>'
        '<circle cx="16" cy="9" r="8" fill="#2c7a4b"/><circle cx="16" cy="17" r="6" fill="#2c7a4b"/>'
        '<circle cx="13" cy="9" r="3" fill="#8fc7a3"/>'
    ),
    "real_estate": (
        '<path d="M16 0L32 16 16 32 0 16Z" fill="#65478f"/>'
        '<path d="M16 25V9M9 15L16 8 23 15" fill="none" stroke="#ffffff" stroke-width="4"/>'
    ),
    "plan": '<path d="M6 2H9V30H6ZM10 3H29L23 10 29 17H10Z" fill="#1d4580"/>',
    "refusal": (
        '<circle cx="16" cy="16" r="13" fill="#ffffff" stroke="#13253d" stroke-width="4"/>'
        '<path d="M7 25L25 7" stroke="#13253d" stroke-width="4"/>'
    ),
    "roundabout": (
        '<circle cx="16" cy="16" r="15" fill="#3c4a5c"/><circle cx="16" cy="16" r="6" fill="#2c7a4b"/>'
        '<circle cx="16" cy="16" r="10" fill="none" stroke="#ffffff" stroke-width="2" stroke-dasharray="5 4"/>'
    ),
}


def number(x: int, y: int, value: int | str, size: int, fill: str = INK) -> str:
    """A bold number with its middle at (x, y)."""
    return text(x, y, str(value), size=size, fill=fill, anchor="middle", weight=700)


def width_of(words: str, size: int) -> int:
    """About how wide words are; a Hangul syllable is as wide as it is high."""
    return sum(100 if letter >= "\u1100" else 66 for letter in words) * size // 100


def fitting(words: str, size: int, width: int) -> int:
    """The font size up to ``size`` at which words fit into ``width``."""
    while size > 8 and width_of(words, size) > width:
        size -= 1
    return size


def wrapped(words: str, size: int, width: int) -> list[str]:
    """Words broken into lines no wider than ``width``, but for a single word that is."""
    return picture.wrapped(words, lambda line: width_of(line, size) <= width)


def icon(sign: Sign, x: int, y: int, size: int) -> str:
    """A sign with its middle at (x, y); scaled by a view box, so that all numbers stay whole."""
    half = size // 2
    return f'<svg x="{x - half}" y="{y - half}" width="{size}" height="{size}" viewBox="0 0 32 32">{_ICONS[sign]}</svg>'


def chip(seat: Seat, x: int, y: int, radius: int, *, own: bool = False) -> str:
    """A seat by its number; the viewer's own in lime."""
    fill, ink = (LAST, INK) if own else (INK, PALE)
    size = radius if seat < 10 else radius * 9 // 10
    return circle(x, y, radius, fill, INK, 2) + number(x, y, seat, size, ink)


def check(x: int, y: int, size: int, stroke: str = GREEN) -> str:
    """A tick: done, ready."""
    third = size // 3
    return path(
        f"M{x - size // 2} {y}l{third} {third} {size - third} -{size - third}", "none", stroke, max(2, size // 5)
    )


def cross(x: int, y: int, half: int, stroke: str = INK, line: int = 3) -> str:
    """A crossed box."""
    side = 2 * half
    return path(f"M{x - half} {y - half}l{side} {side}m0-{side}l-{side} {side}", "none", stroke, line)


def waiting(x: int, y: int, size: int) -> str:
    """Three dots: somebody still thinks."""
    step = size // 3
    return "".join(circle(x + at * step, y, max(1, size // 9), MUTED) for at in (-1, 0, 1))
