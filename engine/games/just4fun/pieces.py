"""The pieces of the picture: text, tokens, cards. Presentation attributes and integers only, to look alike everywhere.

A seat is told by colour, by brightness and by the shape of its tokens; any one of the three is enough.
"""

from engine.games.just4fun.model import HIDDEN
from engine.kernel.picture import INK, PALE, text
from engine.kernel.value import Seat

MUTED = "#66737f"

SEAT_FILL = ("#c7293a", "#f5b31b", "#fffdf6", "#33303a")
"""Red, amber, ivory, charcoal: far apart in brightness too."""
SEAT_INK = (PALE, INK, INK, PALE)
"""What is read on that colour; as an edge it parts the colour from any blue."""

CARD_WIDTH = 34
CARD_HEIGHT = 46


def fitting(words: str, size: int, width: int) -> int:
    """The font size up to ``size`` at which words fit into ``width``; a Hangul syllable is as wide as it is high."""
    hundredths = sum(100 if letter >= "\u1100" else 68 for letter in words)
    return min(size, max(9, width * 100 // max(1, hundredths)))


def rect(x: int, y: int, width: int, height: int, radius: int, fill: str, stroke: str = "none", line: int = 1) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{fill}"'
        f' stroke="{stroke}" stroke-width="{line}"/>'
    )


def outline(seat: Seat, x: int, y: int, radius: int, paint: str) -> str:
    """The shape of a seat: disc, square, diamond, hexagon."""
    match seat:
        case 0:
            return f'<circle cx="{x}" cy="{y}" r="{radius}" {paint}/>'
        case 1:
            side = radius * 9 // 10
            return f'<rect x="{x - side}" y="{y - side}" width="{2 * side}" height="{2 * side}" rx="4" {paint}/>'
        case 2:
            far = radius * 6 // 5
            corners: tuple[tuple[int, int], ...] = ((0, -far), (far, 0), (0, far), (-far, 0))
        case _:
            half, flat = radius * 5 // 9, radius
            corners = ((-half, -flat), (half, -flat), (radius + 2, 0), (half, flat), (-half, flat), (-radius - 2, 0))
    points = " ".join(f"{x + right},{y + down}" for right, down in corners)
    return f'<polygon points="{points}" stroke-linejoin="round" {paint}/>'


def token(seat: Seat, x: int, y: int, radius: int, label: str) -> str:
    """A stack of one seat with its count on top."""
    edge = f'fill="{INK}" fill-opacity="0.35" stroke="none"'
    face = f'fill="{SEAT_FILL[seat]}" stroke="{SEAT_INK[seat]}" stroke-width="2"'
    words = text(x, y, label, size=radius, fill=SEAT_INK[seat], anchor="middle", weight=700)
    return outline(seat, x + 1, y + 3, radius, edge) + outline(seat, x, y, radius, face) + words


def card(x: int, y: int, value: int) -> str:
    """A card face up, or its back where the viewer may not know it."""
    if value == HIDDEN:
        return (
            rect(x, y, CARD_WIDTH, CARD_HEIGHT, 5, "#2b5c94", PALE, 2)
            + rect(x + 5, y + 5, CARD_WIDTH - 10, CARD_HEIGHT - 10, 3, "none", "#8fc4e6", 2)
            + outline(2, x + CARD_WIDTH // 2, y + CARD_HEIGHT // 2, 8, 'fill="#8fc4e6"')
        )
    return rect(x, y, CARD_WIDTH, CARD_HEIGHT, 5, PALE, "#8d99a6", 1) + text(
        x + CARD_WIDTH // 2, y + CARD_HEIGHT // 2, str(value), size=20, anchor="middle", weight=700
    )


def padlock(x: int, y: int, fill: str) -> str:
    """A small closed padlock with its middle at (x, y)."""
    return (
        f'<path d="M{x - 5} {y - 1}v-4a5 5 0 0 1 10 0v4" fill="none" stroke="{fill}" stroke-width="3"/>'
        f'<rect x="{x - 8}" y="{y - 2}" width="16" height="12" rx="3" fill="{fill}"/>'
    )
