"""The dice in the hub of the board, as they fell last.

A face of the icon die shows three things: the ring by the colour and the letter of its edge, the way by its arrow,
and the complication by its inner circle.
"""

from engine.games.memcel.board_circle import CENTRE, Point
from engine.games.memcel.language import CATALOGUE, complication_name, ring_letter, ring_name, way_name
from engine.games.memcel.pieces import INK, placed, text
from engine.games.memcel.printed import ICONS, Complication, Direction, Icon
from engine.kernel.picture import PALE, circle, group, path, rect

RING_INK = ("#a83a34", "#2f6b3a", "#2f5597")
"""Outer, middle, inner: red, green, blue."""
RING_FILL = ("#f3d8d2", "#d9e8d0", "#d3dff1")
RING_NUMBER = ("#8d2a25", "#245a2f", "#244a8a")

INNER_FILL: dict[Complication, str] = {"black": "#17181f", "grey": "#9aa0aa", "white": "#ffffff"}
CLOCKWISE = path("M-20 9A22 22 0 1 1 9 20", stroke=INK, line=5, more=' stroke-linecap="round"') + path(
    "M-4 22L15 10 14 31Z", INK
)
ANTICLOCKWISE = path("M20 9A22 22 0 1 0-9 20", stroke=INK, line=5, more=' stroke-linecap="round"') + path(
    "M4 22L-15 10-14 31Z", INK
)


def way(direction: Direction) -> str:
    """A round arrow about (0, 0)."""
    return CLOCKWISE if direction == "cw" else ANTICLOCKWISE


def icon_die(at: Point, icon: Icon, language: str) -> str:
    """One face of the icon die."""
    return placed(
        at,
        rect(-37, -33, 78, 78, 14, "#0a0e18")
        + rect(-39, -39, 78, 78, 14, RING_INK[icon.ring], PALE, 2)
        + rect(-30, -30, 60, 60, 8, RING_FILL[icon.ring])
        + way(icon.direction)
        + circle(0, 0, 11, INNER_FILL[icon.complication], INK, 2)
        + circle(31, -31, 13, RING_INK[icon.ring], PALE, 2)
        + text(31, -31, ring_letter(icon.ring, language), size=16, fill=PALE, anchor="middle", weight=700),
    )


def number_die(at: Point, value: int) -> str:
    """The eight-sided die: an octahedron seen from above."""
    return placed(
        at,
        path("M1-39L38-18V24L1 45-36 24V-18Z", "#000000", more=' fill-opacity="0.35"')
        + path("M0-43L38-21V21L0 43-38 21V-21Z", "#fbf7ea", INK, 2, ' stroke-linejoin="round"')
        + path(
            "M0-43L26 15H-26ZM26 15L38-21M26 15L38 21M26 15L0 43-26 15-38 21M-26 15L-38-21", stroke="#cfc6ab", line=2
        )
        + text(0, 0, str(value), size=38, anchor="middle", weight=700),
    )


def hub(face: int, number: int, language: str) -> str:
    """The middle of the board with the dice that were rolled last; 0 for one that was not rolled yet."""
    x, y = CENTRE
    ground = circle(x, y, 118, INK)
    if not face and not number:
        rings = "".join(circle(x, y, radius, "none", "#3b4560", 6) for radius in (78, 52, 26))
        return group("die", CATALOGUE.say(language, "No die has been rolled"), ground, rings)
    dice = []
    if face:
        icon = ICONS[face - 1]
        title = CATALOGUE.say(
            language,
            "Icon die: {ring}, {way}, {circle}",
            ring=ring_name(icon.ring, language),
            way=way_name(icon.direction, language),
            circle=complication_name(icon.complication, language),
        )
        dice.append(group("die-icon", title, icon_die((x - 47 if number else x, y), icon, language)))
    if number:
        title = CATALOGUE.say(language, "Numeric die: {number}", number=number)
        dice.append(group("die-number", title, number_die((x + 47 if face else x, y), number)))
    return group("die", CATALOGUE.say(language, "The dice as they fell last"), ground, *dice)
