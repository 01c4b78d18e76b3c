"""The three streets of a sheet, in one of three sizes: lots, houses, pools, fences, parks, and estates on the road.

A built house has a roof. Its colour and the road before it tell what it belongs to: a blue roof to nothing yet, a
green one to an estate, whose size stands on the road; a dark one with a tick to what a city plan has used.
"""

from collections.abc import Iterable
from typing import NamedTuple

from engine.games.welcome_to.language import CATALOGUE
from engine.games.welcome_to.model import EMPTY, ROUNDABOUT, Estate, Sheet
from engine.games.welcome_to.pieces import BLUE, EFFECT_PALE, GREEN, LAST, LAWN, RED, check, cross, icon, number
from engine.games.welcome_to.printed import HOUSES, PARK_POINTS, POOLS, STREETS
from engine.kernel.picture import INK, MUTED, PALE, circle, group, path, rect, text

ROOF = "#4488c4"
USED = "#33303a"
LOT = "#f4f8ee"
LOT_EDGE = "#a9bd94"
ROAD = "#3c4a5c"
PICKET = "#7a5230"


class Look(NamedTuple):
    """A size of the drawing, in units of the picture."""

    pitch: int
    """From one house to the next: the house and the gap with the fence."""
    house: int
    """How wide a house is."""
    roof: int
    wall: int
    strip: int
    """How high the strip with the pool is."""
    road: int
    font: int
    park: int
    """How wide one box of a park track is; 0 for a count in place of the track."""

    @property
    def gap(self) -> int:
        return self.pitch - self.house

    @property
    def height(self) -> int:
        """Of a house with its roof and its pool."""
        return self.roof + self.wall + self.strip

    @property
    def row(self) -> int:
        """Of a street with its road, down to the next."""
        return self.height + self.road + self.gap


LARGE = Look(pitch=80, house=64, roof=20, wall=42, strip=20, road=18, font=28, park=42)
MIDDLE = Look(pitch=48, house=38, roof=12, wall=26, strip=12, road=12, font=18, park=0)
SMALL = Look(pitch=25, house=21, roof=6, wall=17, strip=6, road=6, font=12, park=0)


def streets_size(look: Look) -> tuple[int, int]:
    """Width without what stands on the right of the streets, and height."""
    return max(HOUSES) * look.pitch + 2 * look.gap, len(HOUSES) * look.row


def streets(
    sheet: Sheet,
    estates: Iterable[Estate],
    look: Look,
    x: int,
    y: int,
    *,
    known: Sheet,
    prefix: str = "",
    language: str,
) -> str:
    """``estates`` are the completed ones; what ``known`` lacks, the sheet as it is revealed, is framed in lime."""
    found = tuple(estates)
    parts = []
    for street in STREETS:
        top = y + street * look.row
        width = HOUSES[street] * look.pitch + look.gap
        parts.append(rect(x, top - look.gap // 2, width, look.height + look.gap // 2, look.gap // 2, LAWN))
        parts.append(rect(x, top + look.height, width, look.road, 0, ROAD))
        parts += (_road(sheet, estate, look, x, top) for estate in found if estate[0] == street)
        parts += (_picket(look, x + at, top) for at in (0, width - look.gap))
        for house in range(HOUSES[street]):
            left = x + look.gap + house * look.pitch
            size = next((last - first + 1 for s, first, last in found if s == street and first <= house <= last), 0)
            parts.append(_house(sheet, street, house, size, look, left, top, prefix, language))
        parts += (
            _fence(sheet, street, slot, look, x + (slot + 1) * look.pitch, top, prefix, language)
            for slot in range(HOUSES[street] - 1)
        )
    if known is not sheet:
        parts.append(_decided(sheet, known, look, x, y))
    return "".join(parts)


def _house(
    sheet: Sheet, street: int, house: int, size: int, look: Look, x: int, y: int, prefix: str, language: str
) -> str:
    value = sheet.numbers[street][house]
    where = {"street": street + 1, "house": house + 1}
    pool, built = house in POOLS[street], house in sheet.pools[street]
    if value == EMPTY:
        title = CATALOGUE.say(language, "Street {street}, house {house}: empty", **where)
        body = _lot(look, x, y) + (_basin(look, x, y, built) if pool else "")
    elif value == ROUNDABOUT:
        title = CATALOGUE.say(language, "Street {street}, house {house}: roundabout", **where)
        body = _roundabout(look, x, y)
    else:
        bis, used = house in sheet.bis[street], house in sheet.used[street]
        if bis:
            title = CATALOGUE.say(language, "Street {street}, house {house}: {number} bis", number=value, **where)
        else:
            title = CATALOGUE.say(language, "Street {street}, house {house}: {number}", number=value, **where)
        body = _built(look, x, y, value, bis=bis, used=used, estate=size > 0)
        body += _basin(look, x, y, built, lost=not built) if pool else ""
    return group(f"{prefix}s{street}h{house}", title, body, mark="" if value == EMPTY else str(value))


def _lot(look: Look, x: int, y: int) -> str:
    """An empty lot: a dashed box where the house will stand."""
    dash = ' stroke-dasharray="5 4"' if look.font > 16 else ""
    height = look.wall + look.roof // 2
    return rect(x, y + look.roof // 2, look.house, height, 3, LOT, LOT_EDGE, 1 + look.font // 16, dash)


def _built(look: Look, x: int, y: int, value: int, *, bis: bool, used: bool, estate: bool) -> str:
    middle, eaves, inset = x + look.house // 2, y + look.roof, max(1, look.house // 16)
    roof = USED if used else GREEN if estate else ROOF
    parts = [
        rect(x + inset, eaves, look.house - 2 * inset, look.wall, 2, PALE, INK, 1 + look.font // 20),
        path(f"M{x} {eaves}L{middle} {y}L{x + look.house} {eaves}Z", roof, INK, 1 + look.font // 20, _JOIN),
    ]
    low = look.wall // 2 - (look.font // 5 if bis else 0)
    parts.append(number(middle, eaves + low, value, look.font))
    if used and look.font > 16:
        parts.append(check(middle, eaves - look.roof // 3, look.roof // 2, PALE))
    if bis and look.font > 16:
        tag = look.font // 2
        parts.append(rect(x + inset, eaves + look.wall - tag, look.house - 2 * inset, tag, 2, RED))
        parts.append(text(middle, eaves + look.wall - tag // 2, "BIS", size=tag - 2, fill=PALE, anchor="middle"))
    elif bis:
        parts.append(rect(x + inset, eaves + look.wall - 4, look.house - 2 * inset, 4, 0, RED))
    return "".join(parts)


_JOIN = ' stroke-linejoin="round"'


def _basin(look: Look, x: int, y: int, built: bool, *, lost: bool = False) -> str:
    """The pool before the house: empty, full of water, or struck out where it can never be built."""
    side = look.house // 6
    top, width, height = y + look.roof + look.wall + 2, look.house - 2 * side, look.strip - 4
    if built:
        wave = ""
        if look.font > 16:
            step, middle = width // 6, top + height // 2
            wave = path(f"M{x + side + step} {middle}q{step}-{height // 2} {2 * step} 0t{2 * step} 0", "none", PALE, 2)
        return rect(x + side, top, width, height, height // 2, BLUE, INK, 1 + look.font // 20) + wave
    basin = rect(x + side, top, width, height, height // 2, LAWN if lost else "#c5dff2", MUTED if lost else BLUE, 1)
    return basin + (cross(x + look.house // 2, top + height // 2, height // 2, MUTED, 1) if lost else "")


def _roundabout(look: Look, x: int, y: int) -> str:
    """The road round a green island; never part of an estate."""
    middle, centre, radius = x + look.house // 2, y + look.height // 2, look.house // 2
    parts = [circle(middle, centre, radius, ROAD, INK, 1), circle(middle, centre, radius // 2, GREEN, PALE, 1)]
    if look.font > 16:
        ring = radius * 3 // 4
        parts.append(
            f'<circle cx="{middle}" cy="{centre}" r="{ring}" fill="none" stroke="{PALE}" stroke-width="2"'
            ' stroke-dasharray="6 5"/>'
        )
    return "".join(parts)


def _fence(sheet: Sheet, street: int, slot: int, look: Look, x: int, y: int, prefix: str, language: str) -> str:
    if slot in sheet.fences[street]:
        title = CATALOGUE.say(
            language, "Street {street}: fence between houses {left} and {right}", **_between(street, slot)
        )
        body = _picket(look, x, y)
    else:
        title = CATALOGUE.say(
            language, "Street {street}: no fence between houses {left} and {right}", **_between(street, slot)
        )
        at = x + look.gap // 2
        body = path(f"M{at} {y + look.roof}V{y + look.height}", "none", LOT_EDGE, 1, ' stroke-dasharray="2 4"')
    return group(f"{prefix}s{street}f{slot}", title, body)


def _between(street: int, slot: int) -> dict[str, int]:
    return {"street": street + 1, "left": slot + 1, "right": slot + 2}


def _picket(look: Look, x: int, y: int) -> str:
    """A fence that stands: one board with a point, from the ridge to the road."""
    width = max(2, look.gap - 4 if look.gap > 8 else look.gap - 2)
    left, top, bottom = x + (look.gap - width) // 2, y + look.roof // 2, y + look.height + look.road
    point = width // 2
    return path(
        f"M{left} {bottom}V{top}L{left + point} {top - point - 1}L{left + width} {top}V{bottom}Z", PICKET, PALE, 1
    )


def _road(sheet: Sheet, estate: Estate, look: Look, x: int, y: int) -> str:
    """An estate on the road before it, from fence to fence, with its size."""
    street, first, last = estate
    used = first in sheet.used[street]
    left, width = x + look.gap + first * look.pitch, (last - first) * look.pitch + look.house
    top, height = y + look.height + 1, look.road - 2
    parts = [rect(left, top, width, height, height // 2, "#c9c3b5" if used else "#7fd6a0")]
    if look.font > 16:
        parts.append(number(left + width // 2, top + height // 2, last - first + 1, height))
        if used:
            parts.append(check(left + width // 2 + height + 2, top + height // 2, height - 2, INK))
    return "".join(parts)


def park_track(sheet: Sheet, street: int, look: Look, x: int, y: int, language: str) -> str:
    """What a street's parks are worth: the values before the current one are crossed."""
    points, have = PARK_POINTS[street], sheet.parks[street]
    title = CATALOGUE.say(
        language,
        "Parks of street {street}: {have} of {boxes}, points {points}",
        street=street + 1,
        have=have,
        boxes=len(points) - 1,
        points=points[have],
    )
    side = look.park
    parts = [icon("landscaper", x + 18, y + side // 2, 34)]
    for at, value in enumerate(points):
        left = x + 42 + at * side
        now, past = at == have, at < have
        face = GREEN if now else EFFECT_PALE["landscaper"] if past else PALE
        parts.append(rect(left, y, side - 4, side - 4, 6, face, INK if now else LOT_EDGE, 2 if now else 1))
        parts.append(number(left + side // 2 - 2, y + side // 2 - 2, value, 18, PALE if now else MUTED))
        if past:
            parts.append(path(f"M{left + 5} {y + side - 9}L{left + side - 9} {y + 5}", "none", GREEN, 3))
    return group(f"parks{street}", title, *parts)


def _decided(sheet: Sheet, known: Sheet, look: Look, x: int, y: int) -> str:
    """Houses, pools and fences that will be there when everybody has decided."""
    parts, edge = [], max(3, look.font // 6)
    for street in STREETS:
        top = y + street * look.row
        for house in range(HOUSES[street]):
            same = sheet.numbers[street][house] == known.numbers[street][house]
            if not same or (house in sheet.pools[street]) != (house in known.pools[street]):
                left = x + look.gap + house * look.pitch
                parts.append(rect(left - 2, top - 2, look.house + 4, look.height + 4, 5, "none", LAST, edge))
        for slot in sheet.fences[street]:
            if slot not in known.fences[street]:
                left = x + (slot + 1) * look.pitch
                parts.append(rect(left, top + 1, look.gap, look.height + look.road, 4, "none", LAST, edge))
    return "".join(parts)
