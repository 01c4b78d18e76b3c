"""The event cards: one drawing a kind, on a card that shows its class by the colour of its band.

Moving cards are slate, harm is red, help is green, and a quiet card is sand.
"""

from engine.games.memcel.board_dice import CLOCKWISE, RING_FILL, RING_INK, way
from engine.games.memcel.pieces import GOLD, INK, TILE_FILL, text
from engine.games.memcel.printed import Card, Kind
from engine.kernel.picture import PALE, circle, path, rect

WIDTH, HEIGHT = 96, 128

CLASS_FILL = {"move": "#4a5672", "harm": "#a83a34", "help": "#2f7a4b", "none": "#b7a77a"}
CARD_CLASS: dict[Kind, str] = {
    "ring_step": "move",
    "reroll": "move",
    "board_spin": "move",
    "swap_own_choice": "move",
    "swap_next_choice": "move",
    "complication": "move",
    "skip_next": "harm",
    "cover_own": "harm",
    "extra_turn": "help",
    "peek": "help",
    "pardon": "help",
    "cover_rival": "help",
    "calm": "none",
}

_ROUND = ' stroke-linecap="round" stroke-linejoin="round"'
_TILE_BACK = circle(0, 0, 13, "#3b4560", INK, 2) + circle(0, 0, 7, "none", GOLD, 2)
_SWAP = (
    '<g transform="translate(-17 0)">'
    + _TILE_BACK
    + '</g><g transform="translate(17 0)">'
    + _TILE_BACK
    + "</g>"
    + path("M-15-20Q0-34 13-22", stroke=INK, line=4, more=_ROUND)
    + path("M19-17L4-18 14-29Z", INK)
    + path("M15 20Q0 34-13 22", stroke=INK, line=4, more=_ROUND)
    + path("M-19 17L-4 18-14 29Z", INK)
)
_HOURGLASS = path("M-15-27H15M-15 27H15", stroke=INK, line=5, more=_ROUND) + path(
    "M-12-25C-12-6-3-6-3 0S-12 6-12 25H12C12 6 3 6 3 0S12-6 12-25Z", PALE, INK, 3
)
_SAND = path("M-8-12H8L0-2ZM-9 22Q0 8 9 22Z", GOLD)
_DARK = path("M10-26A27 27 0 1 0 27 9A21 21 0 0 1 10-26Z", INK)
_ICONS: dict[Kind, str] = {
    "reroll": rect(-26, -26, 34, 34, 7, PALE, INK, 3)
    + circle(-9, -9, 8, PALE, INK, 3)
    + path("M14-8L30 1V19L14 28-2 19V1Z", "#fbf7ea", INK, 3, _ROUND)
    + path("M14-8L24 15H4Z", stroke=INK, line=2, more=_ROUND),
    "board_spin": circle(0, 0, 29, RING_FILL[0], RING_INK[0], 4)
    + circle(0, 0, 21, RING_FILL[1], RING_INK[1], 4)
    + circle(0, 0, 13, RING_FILL[2], RING_INK[2], 4)
    + path("M-14-26A29 29 0 0 1 25-15", stroke=INK, line=5, more=_ROUND)
    + path("M30-5L16-13 31-23Z", INK)
    + circle(0, 0, 6, INK),
    "swap_own_choice": _SWAP,
    "swap_next_choice": _SWAP + path("M-5-8L6 0-5 8", stroke=TILE_FILL["tile:orange"], line=5, more=_ROUND),
    "complication": circle(-15, 9, 14, "#17181f", INK, 2)
    + circle(15, 9, 14, "#9aa0aa", INK, 2)
    + circle(0, -15, 14, PALE, INK, 3),
    "skip_next": _HOURGLASS + _SAND,
    "cover_own": _DARK + path("M16-16V-6M11-11H21M22 -2V4M19 1H25", stroke=GOLD, line=3, more=_ROUND),
    "extra_turn": CLOCKWISE + path("M-8 0H8M0-8V8", stroke="#2f7a4b", line=5, more=_ROUND),
    "peek": path("M-30 0Q0-30 30 0Q0 30-30 0Z", PALE, INK, 4, _ROUND)
    + circle(0, 0, 12, "#2a5fb4", INK, 2)
    + circle(0, 0, 5, INK),
    "pardon": _HOURGLASS + path("M-27 22L27-22", stroke="#2f7a4b", line=7, more=_ROUND),
    "cover_rival": circle(0, 0, 26, "#3b4560", INK, 3)
    + path("M-15-8L-4-3M15-8L4-3M-12 13Q0 4 12 13", stroke=PALE, line=4, more=_ROUND),
    "calm": path(
        "M-28 8Q-21-2-14 8T0 8 14 8 28 8M-28 20Q-21 10-14 20T0 20 14 20 28 20", stroke="#4a6ea8", line=4, more=_ROUND
    )
    + circle(0, -11, 12, GOLD, INK, 2),
}


def card_icon(card: Card) -> str:
    """The drawing of a card round (0, 0); a click shows the ring it turns, the way and the steps."""
    if not card.direction:
        return _ICONS[card.kind]
    return (
        circle(0, 0, 36, RING_FILL[card.ring], RING_INK[card.ring], 4)
        + way(card.direction)
        + text(0, 0, str(card.steps), size=24, anchor="middle", weight=700)
    )


def card_face(card: Card) -> str:
    """A card whose upper left corner is (0, 0)."""
    band = f"M1 24V10A9 9 0 0 1 10 1H{WIDTH - 10}A9 9 0 0 1 {WIDTH - 1} 10V24Z"
    return (
        rect(0, 0, WIDTH, HEIGHT, 10, PALE, INK, 2)
        + path(band, CLASS_FILL[CARD_CLASS[card.kind]])
        + f'<g transform="translate({WIDTH // 2} 74)">{card_icon(card)}</g>'
    )


def card_back() -> str:
    """The pile: the rings of a tile's back, so that nobody takes it for a tile's front."""
    return (
        rect(0, 0, WIDTH, HEIGHT, 10, "#3b4560", INK, 2)
        + rect(8, 8, WIDTH - 16, HEIGHT - 16, 6, "none", GOLD, 2)
        + path("M53 34L33 70H46L41 94 64 58H51Z", GOLD)
    )
