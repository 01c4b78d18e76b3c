"""The picture of a position: the table above, the sheets below it.

A seat sees its own sheet large, with every track, and the others smaller. Bystanders see up to four sheets in the
middle size (a single one large), up to twelve small ones, and more than that as a table of numbers. House and fence of
the large sheet are ``s0h3`` and ``s0f3``; those of the others begin with their seat, ``p2-s0h3``.
"""

from engine.games.welcome_to import board_cards, board_plans
from engine.games.welcome_to.board_seats import (
    LARGE_HEIGHT,
    MIDDLE_SCALE,
    SMALL_SCALE,
    large_sheet,
    sheets,
    sheets_height,
)
from engine.games.welcome_to.board_table import table, table_height
from engine.games.welcome_to.model import State
from engine.games.welcome_to.panel import headline, panel, summary
from engine.kernel.game import Svg
from engine.kernel.picture import PAPER, frame, rect
from engine.kernel.value import Seat, SeatView, Viewer

WIDTH = 1400
LEFT = 20
HEADER = 52
CARDS_TOP = 20 + HEADER + 12
SHEETS_TOP = CARDS_TOP + board_cards.HEIGHT + 14
GAP = 14
PLANS_LEFT = LEFT + 3 * board_cards.STEP + 4

MIDDLE_MAX = 4
"""So many sheets are drawn in the middle size, and so many small; more are a table."""
SMALL_MAX = 12


def board(view: State, viewer: Viewer, language: str) -> Svg:
    """What ``viewer`` may see; ``view`` is its own."""
    below, height = _sheets(view, viewer, language)
    return frame(
        WIDTH,
        height,
        language,
        f"Welcome To...: {headline(view, language)}",
        summary(view, language),
        rect(0, 0, WIDTH, height, 14, PAPER),
        panel(view, viewer, LEFT, 20, WIDTH - 2 * LEFT, HEADER, language),
        _cards(view, viewer, language),
        board_plans.plans(view, viewer, PLANS_LEFT, CARDS_TOP, language),
        below,
    )


def _cards(view: State, viewer: Viewer, language: str) -> str:
    own = viewer.seat if isinstance(viewer, SeatView) else 0 if view.solo else None
    planned = view.turns[own] if own is not None else None
    if view.options.expert:
        if own is None:
            return board_cards.hidden_hands(LEFT, CARDS_TOP, language)
        if view.hands[own]:
            return board_cards.hand(view.hands[own], planned, LEFT, CARDS_TOP, language)
    elif view.solo and view.numbers:
        return board_cards.hand(view.numbers, planned, LEFT, CARDS_TOP, language)
    elif view.effects:  # none while a new deck waits for its first cards: a number card alone is no combination
        return board_cards.combinations(view, planned, LEFT, CARDS_TOP, language)
    return board_cards.no_cards(LEFT, CARDS_TOP, language)


def _sheets(view: State, viewer: Viewer, language: str) -> tuple[str, int]:
    """The sheets and how high the picture becomes."""
    top, parts = SHEETS_TOP, ""
    others: list[Seat] = list(view.seats)
    if view.solo or isinstance(viewer, SeatView):
        large = viewer.seat if isinstance(viewer, SeatView) else 0
        parts = large_sheet(view, viewer, large, LEFT, top, language)
        others.remove(large)
        top += LARGE_HEIGHT + GAP
    if len(others) > SMALL_MAX:
        return parts + table(view, viewer, others, LEFT, top, language), top + table_height(len(others)) + 20
    if others:
        scale = SMALL_SCALE if parts or len(others) > MIDDLE_MAX else MIDDLE_SCALE
        parts += sheets(view, viewer, others, scale, LEFT, top, language)
        top += sheets_height(len(others), scale) + GAP
    return parts, top + 6
