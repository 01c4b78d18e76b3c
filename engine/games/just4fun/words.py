"""One sentence about an event, as the viewer may know it. English is the only language so far; others fall back."""

from typing import assert_never

from engine.games.just4fun.model import (
    HIDDEN,
    Cards,
    DiscardReshuffled,
    Event,
    FieldLocked,
    FirstPlayerChosen,
    HandDiscarded,
    HandDrawn,
    HandExchanged,
    LayoutDealt,
    LineCompleted,
    PlayEnded,
    TokenPlaced,
    TurnBegan,
)


def words(event: Event, language: str) -> str:
    """Empty for what needs no sentence: whose turn it is, the board shows."""
    match event:
        case LayoutDealt():
            return "The fields are shuffled."
        case FirstPlayerChosen(seat):
            return f"Seat {seat} begins."
        case HandDrawn(seat, cards):
            return f"Seat {seat} draws {_count(len(cards), 'card') if HIDDEN in cards else _and(cards)}."
        case TurnBegan():
            return ""
        case TokenPlaced(seat, field, cards):
            return f"Seat {seat} plays {' + '.join(map(str, cards))} and places a token on {field}."
        case FieldLocked(seat, field, removed, returned):
            gone = sum(removed)
            if not gone:
                return f"Seat {seat} locks field {field}."
            where = "back to their owners" if returned else "out of the game"
            return f"Seat {seat} locks field {field}: {_count(gone, 'token')} of others {_go(gone)} {where}."
        case LineCompleted(seat, fields):
            return f"Seat {seat} holds four in a line: {_and(fields)}."
        case HandExchanged(seat, cards):
            return f"Seat {seat} can play nothing, lays off {_and(cards)} and draws a new hand."
        case DiscardReshuffled(count):
            return f"The discard pile is shuffled: {_count(count, 'card')} to draw from."
        case HandDiscarded(seat, cards):
            return f"Seat {seat} lays off {_and(cards)} and plays no more." if cards else f"Seat {seat} plays no more."
        case PlayEnded(reason, ranks):
            return _ended(reason, ranks)
        case _:
            assert_never(event)


def _ended(reason: str, ranks: tuple[int, ...]) -> str:
    winners = [seat for seat, rank in enumerate(ranks) if rank == 1]
    if len(winners) > 1:
        return f"The fields are counted: seats {_and(tuple(winners))} share the win."
    match reason:
        case "line":
            return f"Seat {winners[0]} wins by a line."
        case "last_seat":
            return f"Seat {winners[0]} is the last one at the table and wins."
        case _:
            return f"The fields are counted: seat {winners[0]} wins."


def _and(values: Cards) -> str:
    *most, last = map(str, values)
    return f"{', '.join(most)} and {last}" if most else last


def _count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _go(count: int) -> str:
    return "goes" if count == 1 else "go"
