"""The seats beside the board: colour, progress towards ten open tiles, lost turns, and what is still to be placed."""

from engine.games.memcel.choices import pile_id
from engine.games.memcel.language import CATALOGUE, FACES, colour_name, tiles_counted
from engine.games.memcel.model import HIDDEN, Faces, State
from engine.games.memcel.pieces import BACK, INK, LAST, TILE_FILL, fitting, front, placed, text, width_of
from engine.games.memcel.printed import OWN_TILES
from engine.games.memcel.rings import open_own
from engine.kernel.picture import LINE, MUTED, PALE, circle, group, path, rect
from engine.kernel.value import Seat, SeatView, Viewer

LEFT, WIDTH = 1084, 496
HEIGHT = 132
PIP = 37


def seat_block(state: State, viewer: Viewer, seat: Seat, top: int, language: str) -> str:
    """One seat. A frame in its colour says that it is asked, or has won."""
    won = bool(state.ranks) and state.ranks[seat] == 1
    marked = won or (not state.ranks and state.by == seat)
    gone = seat in state.left
    fill = TILE_FILL[state.colour(seat)]
    name = _name(seat, viewer, language)
    frame = rect(LEFT, top, WIDTH, HEIGHT, 14, PALE, fill if marked else LINE, 6 if marked else 2)
    return group(
        f"seat-{seat}",
        f"{name}: {colour_name(state.colour(seat), language)}",
        '<g opacity="0.45">' if gone else "<g>",
        frame,
        _turn_mark(top, fill) if marked and not state.ranks else "",
        placed((LEFT + 46, top + 42), front(state.colour(seat), language)),
        text(LEFT + 90, top + 42, name, size=26, weight=700),
        _standing(state, seat, top + 42, LEFT + 102 + width_of(name, 28), language),
        _supply(state, seat, top + 98, language)
        if state.supplies[seat]
        else _progress(state, seat, top + 98, language),
        "</g>",
    )


def _name(seat: Seat, viewer: Viewer, language: str) -> str:
    if viewer == SeatView(seat):
        return CATALOGUE.say(language, "Seat {seat} (you)", seat=seat)
    return CATALOGUE.say(language, "Seat {seat}", seat=seat)


def _turn_mark(top: int, fill: str) -> str:
    """A pointer from the board to the seat that is asked."""
    middle = top + 42
    return path(f"M{LEFT - 14} {middle - 18}L{LEFT + 8} {middle}L{LEFT - 14} {middle + 18}Z", LAST, INK, 2)


def _standing(state: State, seat: Seat, middle: int, left: int, language: str) -> str:
    """To the right: the rank, that the seat has left, its lost turns, or that it is the first of the round."""
    right = LEFT + WIDTH - 18
    lost = state.lost[seat]
    if state.ranks:
        said = CATALOGUE.say(language, "no. {rank}", rank=state.ranks[seat])
    elif seat in state.left:
        said = CATALOGUE.say(language, "has left")
    elif lost:
        said = CATALOGUE.count(language, "loses {n} turn", "loses {n} turns", lost)
        size = fitting(said, 22, right - left - 34)
        glass = right - width_of(said, size) - 14
        return _hourglass(glass, middle) + text(
            right, middle, said, size=size, fill="#a83a34", anchor="end", weight=700
        )
    elif seat == state.first:
        said = CATALOGUE.say(language, "first")
    else:
        return ""
    return text(right, middle, said, size=fitting(said, 22, right - left), fill=MUTED, anchor="end")


def _hourglass(x: int, y: int) -> str:
    outline = f"M{x - 8} {y - 13}H{x + 8}M{x - 8} {y + 13}H{x + 8}M{x - 6} {y - 12}L{x + 6} {y + 12}"
    return path(f"{outline}H{x - 6}L{x + 6} {y - 12}Z", "#f3d8d2", "#a83a34", 3, ' stroke-linejoin="round"')


def _progress(state: State, seat: Seat, middle: int, language: str) -> str:
    """One pip a tile: those that lie face up, wherever they lie, first."""
    count, colour = len(open_own(state, seat)), state.colour(seat)
    title = CATALOGUE.say(language, "{open} of {all} tiles face up", open=count, all=OWN_TILES)
    pips = []
    for at in range(OWN_TILES):
        x = LEFT + 32 + at * PIP
        if at < count:
            pips.append(placed((x, middle), front(colour, language), 52))
        else:
            pips.append(circle(x, middle, 13, "#f1ede2", LINE, 2))
    score = text(LEFT + WIDTH - 18, middle, f"{count}/{OWN_TILES}", size=26, anchor="end", weight=700)
    return group(f"open-{seat}", title, *pips, score)


def _supply(state: State, seat: Seat, middle: int, language: str) -> str:
    """What is still to be placed: by colour for who may look, for others how many."""
    faces = state.supplies[seat]
    count = len(faces)
    if HIDDEN in faces:
        title = CATALOGUE.count(language, "{n} tile to place", "{n} tiles to place", count)
        return group(f"supply-{seat}", title, _pile(HIDDEN, count, 0, middle, language), _note(title, middle))
    kinds: Faces = tuple(sorted(set(faces), key=FACES.index))
    title = CATALOGUE.say(language, "To place: {tiles}", tiles=tiles_counted(faces, language))
    piles = (
        group(
            pile_id(seat, kind),
            tiles_counted((kind,) * faces.count(kind), language),
            _pile(kind, faces.count(kind), at, middle, language),
        )
        for at, kind in enumerate(kinds)
    )
    return group(f"supply-{seat}", title, *piles)


def _pile(kind: str, count: int, at: int, middle: int, language: str) -> str:
    x = LEFT + 40 + at * 118
    shown = BACK if kind == HIDDEN else next(front(face, language) for face in FACES if face == kind)
    return placed((x, middle), shown, 66) + text(x + 28, middle, f"× {count}", size=24, weight=700)


def _note(words: str, middle: int) -> str:
    return text(LEFT + WIDTH - 18, middle, words, size=fitting(words, 22, 330), fill=MUTED, anchor="end")
