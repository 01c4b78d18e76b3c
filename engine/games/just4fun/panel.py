"""The side of the picture: whose turn it is, each seat's tokens, points and hand, the two piles."""

from engine.games.just4fun.language import CATALOGUE
from engine.games.just4fun.layouts import DECK
from engine.games.just4fun.model import HIDDEN, NOBODY, TOKENS, State
from engine.games.just4fun.pieces import CARD_HEIGHT, CARD_WIDTH, MUTED, SEAT_FILL, SEAT_INK, card, fitting, rect, token
from engine.games.just4fun.rules import pending, pile_size
from engine.games.just4fun.scoring import scores
from engine.kernel.game import Over, Seats, SeatScore
from engine.kernel.picture import INK, LINE, PALE, SAND, text
from engine.kernel.value import Seat, SeatView, Viewer

LEFT = 668
WIDTH = 312
TOP = 20
BOTTOM = 646
HEADER = 52
SEAT_HEIGHT = 112
GAP = 6


def headline(state: State, language: str) -> str:
    """What the match waits for, or how it ended."""
    now = pending(state)
    if isinstance(now, Seats):
        return CATALOGUE.say(language, "Turn {turn}: Seat {seat} to move", turn=state.turn, seat=state.active)
    if not isinstance(now, Over):
        return CATALOGUE.say(language, "Waiting for the deck")
    winners = [seat for seat, rank in enumerate(now.ranks) if rank == 1]
    if len(winners) > 1:
        return CATALOGUE.say(language, "Shared win: seats {seats}", seats=", ".join(map(str, winners)))
    match now.reason:
        case "line":
            return CATALOGUE.say(language, "Seat {seat} wins by a line", seat=winners[0])
        case "points":
            return CATALOGUE.say(language, "Seat {seat} wins on points", seat=winners[0])
        case _:
            return CATALOGUE.say(language, "Seat {seat} wins as the last seat", seat=winners[0])


def panel(state: State, viewer: Viewer, language: str) -> str:
    said = headline(state, language)
    parts = [
        rect(LEFT, TOP, WIDTH, HEADER, 10, INK),
        text(LEFT + 16, TOP + HEADER // 2, said, size=fitting(said, 17, WIDTH - 32), fill=PALE, weight=700),
    ]
    top = TOP + HEADER + GAP
    for score in scores(state):
        parts.append(_seat(state, viewer, score, top, language))
        top += SEAT_HEIGHT + GAP
    parts.append(_piles(state, top, language))
    return "".join(parts)


def _seat(state: State, viewer: Viewer, score: SeatScore, top: int, language: str) -> str:
    seat = score.seat
    gone = seat in state.left
    now = pending(state)
    moves = isinstance(now, Seats) and seat in now.seats
    won = isinstance(now, Over) and now.ranks[seat] == 1
    marked = moves or won
    if viewer == SeatView(seat):
        name = CATALOGUE.say(language, "Seat {seat} (you)", seat=seat)
    else:
        name = CATALOGUE.say(language, "Seat {seat}", seat=seat)
    parts = [
        f'<g id="seat-{seat}"{" opacity=" + chr(34) + "0.45" + chr(34) if gone else ""}>',
        rect(LEFT, top, WIDTH, SEAT_HEIGHT, 10, PALE, SEAT_FILL[seat] if marked else LINE, 2),
        _mark(seat, top) if marked else "",
        token(seat, LEFT + 30, top + 27, 16, str(seat)),
        text(LEFT + 56, top + 27, name, size=18, weight=700),
        text(LEFT + WIDTH - 14, top + 27, _standing(state, score, language), size=15, fill=MUTED, anchor="end"),
        _tokens_left(state, seat, top + 66),
        text(LEFT + 14, top + 96, _reserve(state, seat, language), size=13),
        _hand(state, seat, top + 54, language),
        "</g>",
    ]
    return "".join(parts)


def _reserve(state: State, seat: Seat, language: str) -> str:
    count = state.tokens[seat]
    if seat in state.left:
        return CATALOGUE.say(language, "has left")
    if seat == state.first:
        return CATALOGUE.count(language, "{n} token left, first", "{n} tokens left, first", count)
    return CATALOGUE.count(language, "{n} token left", "{n} tokens left", count)


def _mark(seat: Seat, top: int) -> str:
    """A broad band in the seat's colour on the left: it is this seat's turn, or this seat has won."""
    edge = INK if SEAT_INK[seat] == INK else SEAT_FILL[seat]
    return rect(LEFT, top, WIDTH, SEAT_HEIGHT, 10, "none", edge, 4)


def _standing(state: State, score: SeatScore, language: str) -> str:
    if not state.ranks:
        return CATALOGUE.count(language, "{n} point", "{n} points", score.total)
    return CATALOGUE.count(
        language, "no. {rank}, {n} point", "no. {rank}, {n} points", score.total, rank=state.ranks[score.seat]
    )


def _tokens_left(state: State, seat: Seat, middle: int) -> str:
    """Twenty pips in two rows, the placed ones small."""
    parts = []
    for at in range(TOKENS):
        x, y = LEFT + 20 + at % 10 * 13, middle - 8 + at // 10 * 13
        look = f'r="4" fill="{SEAT_FILL[seat]}" stroke="{INK}"' if at < state.tokens[seat] else 'r="2" fill="#c9c3b5"'
        parts.append(f'<circle cx="{x}" cy="{y}" {look}/>')
    return "".join(parts)


def _hand(state: State, seat: Seat, top: int, language: str) -> str:
    hand = state.hands[seat]
    left = LEFT + WIDTH - 14 - 4 * (CARD_WIDTH + 3) + 3
    cards = "".join(card(left + at * (CARD_WIDTH + 3), top, value) for at, value in enumerate(hand))
    count = len(hand)
    if HIDDEN in hand:
        title = CATALOGUE.count(
            language,
            "Hand of seat {seat}: {n} hidden card",
            "Hand of seat {seat}: {n} hidden cards",
            count,
            seat=seat,
        )
    else:
        title = CATALOGUE.count(
            language, "Hand of seat {seat}: {n} card", "Hand of seat {seat}: {n} cards", count, seat=seat
        )
    return f'<g id="hand-{seat}"><title>{title}</title>{cards}</g>'


def _piles(state: State, top: int, language: str) -> str:
    """The pile by its count, the discard pile face up with the newest card last: as many rows as there is room for."""
    count, thrown = pile_size(state), len(state.discard)
    rows = (BOTTOM - top - 30) // (CARD_HEIGHT + 4)
    left, across = LEFT + 80, (WIDTH - 80 - 8) // (CARD_WIDTH + 3)
    shown = state.discard[-rows * across :]
    cards = (
        card(left + at % across * (CARD_WIDTH + 3), top + 30 + at // across * (CARD_HEIGHT + 4), value)
        for at, value in enumerate(shown)
    )
    title = CATALOGUE.say(language, "Discard: {count}", count=thrown)
    if thrown > len(shown):
        title = CATALOGUE.say(language, "Discard: {count} (newest {shown})", count=thrown, shown=len(shown))
    pile = CATALOGUE.say(language, "Draw pile: {count} of {deck} cards", count=count, deck=len(DECK))
    discard = CATALOGUE.count(
        language, "Discard pile: {n} card, face up", "Discard pile: {n} cards, face up", len(state.discard)
    )
    return "".join(
        (
            rect(LEFT, top, WIDTH, BOTTOM - top, 10, SAND),
            f'<g id="pile"><title>{pile}</title>',
            text(LEFT + 14, top + 16, CATALOGUE.say(language, "Pile: {count}", count=count), size=13, fill=MUTED),
            card(LEFT + 18, top + 33, HIDDEN) + card(LEFT + 14, top + 30, HIDDEN) if count else "",
            f'</g><g id="discard"><title>{discard}</title>',
            text(left, top + 16, title, size=13, fill=MUTED),
            *cards,
            "</g>",
        )
    )


def summary(state: State, language: str) -> str:
    """The position in words, for those who listen to the picture."""
    said = [headline(state, language) + "."]
    if state.first != NOBODY:
        said += [
            CATALOGUE.say(
                language,
                "Seat {seat}: points {points}, tokens left {tokens}, {have} of 4 in a line.",
                seat=score.seat,
                points=score.total,
                tokens=state.tokens[score.seat],
                have=score.objectives[0].have,
            )
            for score in scores(state)
        ]
    if state.last_field:
        said.append(CATALOGUE.say(language, "The last token went to {field}.", field=state.last_field))
    return " ".join(said)
