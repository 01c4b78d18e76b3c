"""Points on circles, in integers: angles are fractions of a turn, clockwise from the north mark.

A sine is summed up in whole billionths, so that a picture has the same bytes on every machine.
"""

from functools import lru_cache
from typing import TypeAlias

Point: TypeAlias = tuple[int, int]

CENTRE: Point = (540, 540)

_ONE = 10**12
_TURN = 6_283_185_307_180
"""A full turn in radians, times ``_ONE``."""

ANGLES_REMEMBERED = 1 << 12
"""A picture has a few hundred, and the next one nearly all of them again."""


@lru_cache(ANGLES_REMEMBERED)
def sine(part: int, whole: int) -> int:
    """The sine of ``part / whole`` of a turn, times ``_ONE``; exact to far below a pixel."""
    part %= whole
    if 2 * part > whole:
        return -sine(whole - part, whole)
    if 4 * part > whole:
        return sine(whole - 2 * part, 2 * whole)
    angle = _TURN * part // whole
    term = total = angle
    for power in (2, 4, 6, 8, 10, 12):
        term = -term * angle // _ONE * angle // _ONE // (power * (power + 1))
        total += term
    return total


def point(radius: int, part: int, whole: int) -> Point:
    """Where the spoke at ``part / whole`` of a turn meets the circle of ``radius``."""
    across, up = radius * sine(part, whole), radius * sine(4 * part + whole, 4 * whole)
    return CENTRE[0] + _nearest(across), CENTRE[1] - _nearest(up)


def wedge(inner: int, outer: int, at: int, sectors: int) -> str:
    """The path of a sector whose middle is the spoke ``at``; half a sector to either side."""
    left, right, whole = 2 * at - 1, 2 * at + 1, 2 * sectors
    (ax, ay), (bx, by) = point(outer, left, whole), point(outer, right, whole)
    (cx, cy), (dx, dy) = point(inner, right, whole), point(inner, left, whole)
    return f"M{ax} {ay}A{outer} {outer} 0 0 1 {bx} {by}L{cx} {cy}A{inner} {inner} 0 0 0 {dx} {dy}Z"


def arc(radius: int, start: int, end: int, whole: int) -> str:
    """The path along a circle from one spoke to another; backwards where ``end`` is less. At most a full turn."""
    x, y = point(radius, start, whole)
    middle = start + end
    (mx, my), (ex, ey) = point(radius, middle, 2 * whole), point(radius, end, whole)
    sweep = int(end > start)
    # In two halves: an arc of a full turn would end where it begins, and be nothing.
    return f"M{x} {y}A{radius} {radius} 0 0 {sweep} {mx} {my}A{radius} {radius} 0 0 {sweep} {ex} {ey}"


def _nearest(value: int) -> int:
    return (2 * value + _ONE) // (2 * _ONE)
