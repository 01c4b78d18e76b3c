"""Many seats as numbers: what each total is made of, line by line, two columns of seats side by side."""

from functools import lru_cache

from engine.games.welcome_to.board_seats import lines_of, name_of, readiness
from engine.games.welcome_to.language import CATALOGUE
from engine.games.welcome_to.model import Sheet, State
from engine.games.welcome_to.pieces import GREEN, LAST, icon, number
from engine.games.welcome_to.scoring import points, temp_points, totals
from engine.kernel.picture import INK, LINE, MUTED, PALE, SAND, group, rect, text
from engine.kernel.value import Seat, SeatView, Viewer

WIDTH = 1360
ROW = 22
HEAD = 34
COLUMNS = 2
GAP = 12
_LEFT, _STEP = 128, 46
"""Where the first number stands, and how far the next: room for the plans, seven lines and the total."""


def table_height(count: int) -> int:
    return HEAD + _rows(count) * ROW + 10


def table(state: State, viewer: Viewer, seats: list[Seat], x: int, y: int, language: str) -> str:
    width, rows = (WIDTH - GAP) // COLUMNS, _rows(len(seats))
    sums, temps = totals(state), temp_points(state)
    best = max((total for seat, total in enumerate(sums) if seat not in state.left), default=0)
    parts = []
    for column in range(COLUMNS):
        left = x + column * (width + GAP)
        parts.append(rect(left, y, width, table_height(len(seats)), 10, PALE, LINE, 2))
        parts.append(_head(state, left, y, width, language))
        for at, seat in enumerate(seats[column * rows : (column + 1) * rows]):
            parts.append(_row(state, viewer, seat, temps[seat], best, left, y + HEAD + at * ROW, width, language))
    return "".join(parts)


def _rows(count: int) -> int:
    return (count + COLUMNS - 1) // COLUMNS


def _head(state: State, x: int, y: int, width: int, language: str) -> str:
    """The three plans first, then a sign for each line but the plans."""
    signs = [sign for sign, _, _ in lines_of(state.sheets[0], 0, state.options.advanced)][1:]
    plans = "".join(
        icon("plan", x + _LEFT + at * _STEP - 8, y + 17, 16) + number(x + _LEFT + at * _STEP + 8, y + 17, at + 1, 13)
        for at in range(3)
    )
    others = "".join(icon(sign, x + _LEFT + (at + 3) * _STEP, y + 17, 20) for at, sign in enumerate(signs))
    total = CATALOGUE.say(language, "Total")
    return plans + others + text(x + width - 14, y + 17, total, size=13, anchor="end", weight=700)


def _row(
    state: State, viewer: Viewer, seat: Seat, temps: int, best: int, x: int, y: int, width: int, language: str
) -> str:
    middle, gone = y + ROW // 2, seat in state.left
    fill = LAST if viewer == SeatView(seat) else SAND if gone else "#f4f2ec" if seat % 2 else PALE
    name = name_of(seat, viewer, language)
    total = points(state.sheets[seat]).total + temps
    return group(
        f"seat-{seat}",
        name,
        rect(x + 4, y, width - 8, ROW, 4, fill),
        text(x + 14, middle, CATALOGUE.say(language, "Seat {seat}", seat=seat), size=13, fill=MUTED if gone else INK),
        readiness(state, seat, x + 88, middle, 13),
        _cells(state.sheets[seat], temps, state.options.advanced, x + _LEFT, middle, gone),
        rect(x + width - 62, y + 2, 54, ROW - 4, 6, "none", GREEN, 2) if total == best and not gone else "",
        text(x + width - 14, middle, str(total), size=14, fill=MUTED if gone else INK, anchor="end", weight=700),
    )


@lru_cache(1 << 10)
def _cells(sheet: Sheet, temps: int, advanced: bool, x: int, middle: int, gone: bool) -> str:
    """The numbers of one row; a hundred viewers look at the same ones."""
    values = (*sheet.plans, *(got for _, got, _ in lines_of(sheet, temps, advanced)[1:]))
    return "".join(
        text(x + at * _STEP, middle, str(value or "·"), size=13, fill=MUTED if gone else INK, anchor="middle")
        for at, value in enumerate(values)
    )
