"""The picture of a position: the board on the left, on the right the seats and what has just happened.

A place is a group ``r<ring>s<sector>``, never named after a tile. The frame is the same for all viewers (M-03); what a
viewer may not know is not in the picture, in no mark, no order and no name (M-39, M-40).
"""

from html import escape

from engine.games.memcel import board_rings
from engine.games.memcel.board_circle import CENTRE
from engine.games.memcel.board_dice import hub
from engine.games.memcel.board_last import last_box
from engine.games.memcel.board_seats import HEIGHT as SEAT_HEIGHT
from engine.games.memcel.board_seats import LEFT, WIDTH, seat_block
from engine.games.memcel.model import State
from engine.games.memcel.panel import asked, phase, place_words, summary
from engine.games.memcel.pieces import INK, LAST, fitting, paragraph, text
from engine.games.memcel.rings import positions
from engine.kernel.game import Svg
from engine.kernel.picture import PALE, PAPER, frame, group, rect, turned
from engine.kernel.value import Viewer

ACROSS, DOWN = 1600, 1080
TOP, BOTTOM = 24, 1056
HEADER = 112
GAP = 10


def board(view: State, viewer: Viewer, language: str) -> Svg:
    """What ``viewer`` may see; ``view`` is its own."""
    title = escape(f"MEMCEL: {asked(view, language)}")
    return frame(
        ACROSS,
        DOWN,
        language,
        title,
        escape(summary(view, language)),
        rect(0, 0, ACROSS, DOWN, 20, PAPER),
        _rings(view, language),
        _panel(view, viewer, language),
    )


def _rings(view: State, language: str) -> str:
    sizes = tuple(map(len, view.board))
    trace = view.trace
    places: tuple[list[str], ...] = ([], [], [])
    for at, tile in positions(view.board):
        words = place_words(view, at, language)
        places[at.ring].append(board_rings.place(at, tile, sizes[at.ring], words, language))
    return "".join(
        (
            board_rings.ground(sizes, language),
            *(
                turned(f"ring{ring}", steps if trace.what == "turned" else 0, sizes[ring], CENTRE, *tiles)
                for ring, (steps, tiles) in enumerate(zip(trace.turned, places, strict=True))
            ),
            *(
                board_rings.turned(ring, sizes[ring], steps)
                for ring, steps in enumerate(trace.turned)
                if steps and trace.what == "turned"
            ),
            board_rings.marks(trace.places, sizes),
            hub(trace.icon, trace.number, language),
        )
    )


def _panel(view: State, viewer: Viewer, language: str) -> str:
    small, large = phase(view, language), asked(view, language)
    parts = [
        group(
            "asked",
            large,
            rect(LEFT, TOP, WIDTH, HEADER, 14, INK),
            text(LEFT + 20, TOP + 30, small, size=fitting(small, 22, WIDTH - 40), fill=LAST, weight=700),
            _asked(large),
        )
    ]
    top = TOP + HEADER + GAP
    for seat in view.seats:
        parts.append(seat_block(view, viewer, seat, top, language))
        top += SEAT_HEIGHT + GAP
    parts.append(last_box(view, top, BOTTOM, language))
    return "".join(parts)


def _asked(words: str) -> str:
    """On one line if that is legible, else on two."""
    room = WIDTH - 40
    size = fitting(words, 26, room)
    if size >= 22:
        return text(LEFT + 20, TOP + 76, words, size=size, fill=PALE, weight=700)
    return paragraph(LEFT + 20, TOP + 62, words, size=23, width=room, rows=2, fill=PALE, weight=700)
