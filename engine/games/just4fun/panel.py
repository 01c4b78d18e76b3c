"""The side of the picture: whose turn it is, each seat's tokens, points and hand, the two piles."""

from engine.games.just4fun.layouts import DECK
from engine.games.just4fun.model import HIDDEN, NOBODY, TOKENS, State
from engine.games.just4fun.pieces import (
    CARD_HEIGHT,
    CARD_WIDTH,
    INK,
    MUTED,
    PALE,
    SEAT_FILL,
    SEAT_INK,
    card,
    rect,
    text,
    token,
)
from engine.games.just4fun.rules import pending, pile_size
from engine.games.just4fun.scoring import scores
from engine.kernel.game import Over, Seats, SeatScore
from engine.kernel.value import Seat, SeatView, Viewer

LEFT = 668
WIDTH = 312
TOP = 20
BOTTOM = 646
HEADER = 52
SEAT_HEIGHT = 112
GAP = 6


def headline(state: State) -> str:
    """What the match waits for, or how it ended."""
    now = pending(state)
    if isinstance(now, Seats):
        return f"Turn {state.turn}: Seat {state.active} to move"
    if not isinstance(now, Over):
        return "Waiting for the deck"
    winners = [f"{seat}" for seat, rank in enumerate(now.ranks) if rank == 1]
    if len(winners) > 1:
        return f"Shared win: seats {', '.join(winners)}"
    how = {"line": "by a line", "points": "on points", "last_seat": "as the last seat"}[now.reason]
    return f"Seat {winners[0]} wins {how}"


def panel(state: State, viewer: Viewer) -> str:
    parts = [
        rect(LEFT, TOP, WIDTH, HEADER, 10, INK),
        text(LEFT + 16, TOP + HEADER // 2, headline(state), size=17, fill=PALE, weight=700),
    ]
    top = TOP + HEADER + GAP
    for score in scores(state):
        parts.append(_seat(state, viewer, score, top))
        top += SEAT_HEIGHT + GAP
    parts.append(_piles(state, top))
    return "".join(parts)


def _seat(state: State, viewer: Viewer, score: SeatScore, top: int) -> str:
    seat = score.seat
    gone = seat in state.left
    now = pending(state)
    moves = isinstance(now, Seats) and seat in now.seats
    won = isinstance(now, Over) and now.ranks[seat] == 1
    marked = moves or won
    name = f"Seat {seat}" + (" (you)" if viewer == SeatView(seat) else "")
    first = ", first" if seat == state.first else ""
    parts = [
        f'<g id="seat-{seat}"{" opacity=" + chr(34) + "0.45" + chr(34) if gone else ""}>',
        rect(LEFT, top, WIDTH, SEAT_HEIGHT, 10, PALE, SEAT_FILL[seat] if marked else "#d8d3c6", 2),
        _mark(seat, top) if marked else "",
        token(seat, LEFT + 30, top + 27, 16, str(seat)),
        text(LEFT + 56, top + 27, name, size=18, weight=700),
        text(LEFT + WIDTH - 14, top + 27, _standing(state, score), size=15, fill=MUTED, anchor="end"),
        _tokens_left(state, seat, top + 66),
        text(LEFT + 14, top + 96, f"{state.tokens[seat]} tokens left{first}" if not gone else "has left", size=13),
        _hand(state, seat, top + 54),
        "</g>",
    ]
    return "".join(parts)


def _mark(seat: Seat, top: int) -> str:
    """A broad band in the seat's colour on the left: it is this seat's turn, or this seat has won."""
    edge = INK if SEAT_INK[seat] == INK else SEAT_FILL[seat]
    return rect(LEFT, top, WIDTH, SEAT_HEIGHT, 10, "none", edge, 4)


def _standing(state: State, score: SeatScore) -> str:
    points = "1 point" if score.total == 1 else f"{score.total} points"
    return f"no. {state.ranks[score.seat]}, {points}" if state.ranks else points


def _tokens_left(state: State, seat: Seat, middle: int) -> str:
    """Twenty pips in two rows, the placed ones small."""
    parts = []
    for at in range(TOKENS):
        x, y = LEFT + 20 + at % 10 * 13, middle - 8 + at // 10 * 13
        look = f'r="4" fill="{SEAT_FILL[seat]}" stroke="{INK}"' if at < state.tokens[seat] else 'r="2" fill="#c9c3b5"'
        parts.append(f'<circle cx="{x}" cy="{y}" {look}/>')
    return "".join(parts)


def _hand(state: State, seat: Seat, top: int) -> str:
    hand = state.hands[seat]
    left = LEFT + WIDTH - 14 - 4 * (CARD_WIDTH + 3) + 3
    cards = "".join(card(left + at * (CARD_WIDTH + 3), top, value) for at, value in enumerate(hand))
    known = "hidden cards" if HIDDEN in hand else "cards"
    title = f"Hand of seat {seat}: {len(hand)} {known}"
    return f'<g id="hand-{seat}"><title>{title}</title>{cards}</g>'


def _piles(state: State, top: int) -> str:
    """The pile by its count, the discard pile face up with the newest card last: as many rows as there is room for."""
    count = pile_size(state)
    rows = (BOTTOM - top - 30) // (CARD_HEIGHT + 4)
    left, across = LEFT + 80, (WIDTH - 80 - 8) // (CARD_WIDTH + 3)
    shown = state.discard[-rows * across :]
    cards = (
        card(left + at % across * (CARD_WIDTH + 3), top + 30 + at // across * (CARD_HEIGHT + 4), value)
        for at, value in enumerate(shown)
    )
    hidden = len(state.discard) - len(shown)
    title = f"Discard: {len(state.discard)}" + (f" (newest {len(shown)})" if hidden else "")
    return "".join(
        (
            rect(LEFT, top, WIDTH, BOTTOM - top, 10, "#e6e1d4"),
            f'<g id="pile"><title>Draw pile: {count} of {len(DECK)} cards</title>',
            text(LEFT + 14, top + 16, f"Pile: {count}", size=13, fill=MUTED),
            card(LEFT + 18, top + 33, HIDDEN) + card(LEFT + 14, top + 30, HIDDEN) if count else "",
            f'</g><g id="discard"><title>Discard pile: {len(state.discard)} cards, face up</title>',
            text(left, top + 16, title, size=13, fill=MUTED),
            *cards,
            "</g>",
        )
    )


def summary(state: State) -> str:
    """The position in words, for those who listen to the picture."""
    seats = [
        f"Seat {score.seat}: {score.total} points, {state.tokens[score.seat]} tokens left,"
        f" {score.objectives[0].have} of 4 in a line"
        for score in scores(state)
    ]
    last = f" The last token went to {state.last_field}." if state.last_field else ""
    return f"{headline(state)}. {'. '.join(seats)}.{last}" if state.first != NOBODY else headline(state) + "."
