"""The picture of a position: the board on the left, the seats and the piles on the right.

Each field is a group ``f<number>``. A seat has its own corner of every field, as at a real table (J-21); a frame in
its colour says who holds the field. A locked stack stands in the middle, with a padlock. Lime brackets mark the last
token, a ribbon the winning line.
"""

from engine.games.just4fun.fields import holder
from engine.games.just4fun.language import CATALOGUE
from engine.games.just4fun.layouts import FIELDS, SIDE, TIER_OF
from engine.games.just4fun.model import NOBODY, State
from engine.games.just4fun.panel import headline, panel, summary
from engine.games.just4fun.pieces import SEAT_FILL, SEAT_INK, outline, padlock, rect, token
from engine.kernel.game import Svg
from engine.kernel.picture import INK, LIME, PALE, PAPER, frame, marked, text
from engine.kernel.value import Seat, Viewer

WIDTH, HEIGHT = 1000, 666
ORIGIN = 30
PITCH = 102
CELL = 96
MIDDLE = CELL // 2

TIER_FILL = ("#cfe6f5", "#74c9c9", "#4488c4", "#1d4580")
TIER_INK = (INK, INK, PALE, PALE)
LAST = LIME
"""Neither a seat's colour nor a tier's."""

CORNERS = {2: ((21, 76), (75, 20)), 3: ((21, 76), (21, 20), (75, 20)), 4: ((21, 76), (21, 20), (75, 20), (75, 76))}
"""Where each seat's stack stands in a field, clockwise from the lower left."""


def board(view: State, viewer: Viewer, language: str) -> Svg:
    """What ``viewer`` may see; ``view`` is its own."""
    layout = view.layout or (0,) * FIELDS
    return frame(
        WIDTH,
        HEIGHT,
        language,
        f"Just 4 Fun: {headline(view, language)}",
        summary(view, language),
        rect(0, 0, WIDTH, HEIGHT, 14, PAPER),
        rect(20, 20, 2 * 10 + SIDE * PITCH - (PITCH - CELL), 626, 12, INK),
        *(_ground(view, cell, number) for cell, number in enumerate(layout)),
        *(_ribbon(view, line) for line in view.lines),
        *(_field(view, cell, number, language) for cell, number in enumerate(layout) if number),
        panel(view, viewer, language),
    )


def _corner(cell: int) -> tuple[int, int]:
    return ORIGIN + cell % SIDE * PITCH, ORIGIN + cell // SIDE * PITCH


def _middle(cell: int) -> tuple[int, int]:
    x, y = _corner(cell)
    return x + MIDDLE, y + MIDDLE


def _ground(view: State, cell: int, number: int) -> str:
    """The printed square in its blue, framed by the seat that holds it."""
    x, y = _corner(cell)
    if not number:
        return rect(x, y, CELL, CELL, 8, "#2b3f5a")
    parts = [rect(x, y, CELL, CELL, 8, TIER_FILL[TIER_OF[number - 1]])]
    owner = holder(view.stacks[number - 1])
    if owner != NOBODY:
        parts.append(rect(x + 4, y + 4, CELL - 8, CELL - 8, 5, "none", SEAT_INK[owner], 8))
        parts.append(rect(x + 4, y + 4, CELL - 8, CELL - 8, 5, "none", SEAT_FILL[owner], 6))
    if number == view.last_field:
        parts.append(marked("last-token", f"f{number}-{sum(view.stacks[number - 1])}", _brackets(x, y)))
    return "".join(parts)


def _brackets(x: int, y: int) -> str:
    near, far, arm = -1, CELL + 1, 22
    corners = (
        (near, near, 1, 1),
        (far, near, -1, 1),
        (far, far, -1, -1),
        (near, far, 1, -1),
    )
    path = "".join(f"M{x + a + dx * arm} {y + b}H{x + a}V{y + b + dy * arm}" for a, b, dx, dy in corners)
    return f'<path d="{path}" fill="none" stroke="{LAST}" stroke-width="6" stroke-linejoin="round"/>'


def _ribbon(view: State, line: tuple[int, ...]) -> str:
    """The winning line, from one end to the other, under the numbers."""
    (x, y), (right, down) = (_middle(view.layout.index(field)) for field in (line[0], line[-1]))
    seat = holder(view.stacks[line[0] - 1])
    path = f'd="M{x} {y}L{right} {down}" fill="none" stroke-linecap="round"'
    return (
        f'<g id="line-{"-".join(map(str, line))}"><path {path} stroke="{PALE}" stroke-width="34"/>'
        f'<path {path} stroke="{INK}" stroke-width="28"/>'
        f'<path {path} stroke="{SEAT_FILL[seat]}" stroke-width="22"/></g>'
    )


def _field(view: State, cell: int, number: int, language: str) -> str:
    """What lies on a field; the group is as large as the field, so that it can be pointed at."""
    x, y = _corner(cell)
    stack, owner = view.stacks[number - 1], view.locks[number - 1]
    body = _locked(number, owner, stack[owner], x, y) if owner != NOBODY else _free(view, number, stack, x, y)
    whole = rect(x, y, CELL, CELL, 8, "none")
    return f'<g id="f{number}"><title>{_words(number, stack, owner, language)}</title>{whole}{body}</g>'


def _free(view: State, number: int, stack: tuple[int, ...], x: int, y: int) -> str:
    tier = TIER_OF[number - 1]
    top = holder(stack)
    parts = []
    if any(number in line for line in view.lines):
        parts.append(f'<circle cx="{x + MIDDLE}" cy="{y + MIDDLE}" r="23" fill="{TIER_FILL[tier]}"/>')
    parts.append(text(x + MIDDLE, y + MIDDLE, str(number), size=28, fill=TIER_INK[tier], anchor="middle", weight=700))
    for seat, (right, down) in enumerate(CORNERS[len(stack)]):
        if stack[seat]:
            parts.append(token(seat, x + right, y + down, 15 if seat == top else 12, str(stack[seat])))
    return "".join(parts)


def _locked(number: int, owner: Seat, count: int, x: int, y: int) -> str:
    """The owner's shape fills the field, the number stands on it."""
    face = f'fill="{SEAT_FILL[owner]}" stroke="{SEAT_INK[owner]}" stroke-width="2"'
    ink = SEAT_INK[owner]
    return "".join(
        (
            outline(owner, x + MIDDLE, y + MIDDLE, 34, face),
            text(x + MIDDLE, y + MIDDLE - 2, str(number), size=30, fill=ink, anchor="middle", weight=700),
            text(x + MIDDLE, y + MIDDLE + 21, str(count), size=13, fill=ink, anchor="middle", weight=700),
            f'<circle cx="{x + 80}" cy="{y + 17}" r="15" fill="{PALE}" stroke="{INK}" stroke-width="2"/>',
            padlock(x + 80, y + 16, INK),
        )
    )


def _words(number: int, stack: tuple[int, ...], owner: Seat, language: str) -> str:
    """A field for those who listen to the picture."""
    tokens = ", ".join(
        CATALOGUE.say(language, "seat {seat} has {count}", seat=seat, count=count)
        for seat, count in enumerate(stack)
        if count
    )
    if owner != NOBODY:
        return CATALOGUE.say(
            language, "Field {field}: {tokens}, locked by seat {seat}", field=number, tokens=tokens, seat=owner
        )
    if not tokens:
        return CATALOGUE.say(language, "Field {field}: no tokens", field=number)
    return CATALOGUE.say(language, "Field {field}: {tokens}", field=number, tokens=tokens)
