"""The rings of the board: the ground, the numbers, the tiles, and what has just happened on them.

The frame stands still: north is on top, and the sectors are numbered clockwise from it, on every ring. A place is a
group ``r<ring>s<sector>``. What lies face down is drawn by ``BACK`` and nothing else, and a mark belongs to a place
and to the last commit: it is drawn apart from the tiles, so none can travel with one.
"""

from collections.abc import Iterable, Sequence

from engine.games.memcel.board_circle import CENTRE, Point, arc, point, wedge
from engine.games.memcel.board_dice import RING_FILL, RING_INK, RING_NUMBER
from engine.games.memcel.language import ring_letter
from engine.games.memcel.model import HIDDEN, At, Sector
from engine.games.memcel.pieces import BACK, INK, LAST, TILE, arrow_head, front, placed, text
from engine.kernel.picture import PALE, circle, group, marked, path, rect

EDGE = 512
INNER = (372, 254, 136)
OUTER = (474, 354, 236)
MIDDLE = tuple(near + TILE + 5 for near in INNER)
"""Where the tiles stand: at the inner side of their ring, the numbers at the outer."""
NUMBERS = tuple(far - 13 for far in OUTER)
HEAD = 28
"""How long the head of an arrow is."""
GROOVE = tuple(far + 9 for far in OUTER)
"""Where an arrow runs along its ring."""


def place_id(at: At) -> str:
    return f"r{at.ring}s{at.sector}"


def ground(sizes: Sequence[int], language: str) -> str:
    """The frame, the north mark, and every sector with its number."""
    x, y = CENTRE
    parts = [circle(x, y, EDGE, INK), circle(x, y, EDGE - 6, "none", "#3b4560", 2)]
    for ring, sectors in enumerate(sizes):
        parts += [_sector(ring, at, sectors, language) for at in range(sectors)]
    parts.append(_north())
    return "".join(parts)


def _sector(ring: int, at: int, sectors: int, language: str) -> str:
    """A sector with its number; the first also says, by a letter, which ring this is."""
    fill = PALE if not at else RING_FILL[ring]
    cell = path(wedge(INNER[ring], OUTER[ring], at, sectors), fill, RING_INK[ring], 2)
    right, down = point(NUMBERS[ring], at, sectors)
    if at:
        return cell + text(right, down, str(at), size=18, fill=RING_NUMBER[ring], anchor="middle", weight=700)
    label = rect(right - 23, down - 11, 46, 22, 11, RING_INK[ring])
    name = f"{ring_letter(ring, language)} 0"
    return cell + label + text(right, down, name, size=18, fill=PALE, anchor="middle", weight=700)


def _north() -> str:
    """A fixed mark over sector 0."""
    x, top = CENTRE[0], CENTRE[1] - EDGE
    return path(f"M{x} {top + 30}L{x - 18} {top + 3}H{x + 18}Z", LAST, INK, 2)


def place(at: At, tile: Sector, sectors: int, title: str, language: str) -> str:
    """A place and what lies there. Whoever knows a tile that lies face down sees its front, small, on the back."""
    if tile is None:
        drawing = circle(0, 0, TILE - 3, "#000000", more=' fill-opacity="0.13"')
    elif tile.up:
        drawing = front(tile.face, language)
    elif tile.face == HIDDEN:
        drawing = BACK
    else:
        drawing = BACK + placed((0, 0), front(tile.face, language), 60)
    where = point(MIDDLE[at.ring], at.sector, sectors)
    return group(place_id(at), title, placed(where, drawing, _size(at.ring, sectors)))


def _size(ring: int, sectors: int) -> int:
    """In hundredths: tiles of a ring with very many sectors are smaller, so that they do not touch."""
    pitch = 628 * MIDDLE[ring] // (100 * sectors)
    return min(100, 100 * pitch // (2 * TILE + 4))


def marks(places: Iterable[At], sizes: Sequence[int]) -> str:
    """A bright ring round each place that the last commit touched."""
    touched = tuple(places)
    parts = []
    for ring, sector in touched:
        x, y = point(MIDDLE[ring], sector, sizes[ring])
        radius = (TILE + 3) * _size(ring, sizes[ring]) // 100
        parts.append(circle(x, y, radius, "none", INK, 9) + circle(x, y, radius, "none", LAST, 6))
    return marked("touched", " ".join(map(place_id, touched)), *parts) if parts else ""


def turned(ring: int, sectors: int, steps: int) -> str:
    """An arrow in the groove: from the north mark to where the tile from there has come; anticlockwise below zero."""
    radius = GROOVE[ring]
    whole = 64 * sectors
    # Of several full turns, of which a small ring is capable, the last is drawn.
    end = 64 * ((abs(steps) - 1) % sectors + 1) * (1 if steps > 0 else -1)
    head = HEAD * whole * 100 // (628 * radius) * (1 if steps > 0 else -1)
    line = arc(radius, 0, end - head, whole)
    tip, back = point(radius, end, whole), point(radius, end - head, whole)
    parts = [path(line, stroke=INK, line=14), path(line, stroke=LAST, line=8, more=' stroke-linecap="butt"')]
    start: Point = point(radius, 0, whole)
    parts.append(circle(*start, 7, LAST, INK, 2))
    parts.append(arrow_head(tip, back, 14, LAST, INK, 2))
    return "".join(parts)
