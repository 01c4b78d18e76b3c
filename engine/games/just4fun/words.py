"""One sentence about an event, as the viewer may know it."""

from typing import assert_never

from engine.games.just4fun.language import CATALOGUE
from engine.games.just4fun.model import (
    HIDDEN,
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
from engine.kernel.language import listed


def words(event: Event, language: str) -> str:
    """Empty for what needs no sentence: whose turn it is, the board shows."""
    match event:
        case LayoutDealt():
            return CATALOGUE.say(language, "The fields are shuffled.")
        case FirstPlayerChosen(seat):
            return CATALOGUE.say(language, "Seat {seat} begins.", seat=seat)
        case HandDrawn(seat, cards) if HIDDEN in cards:
            return CATALOGUE.count(
                language, "Seat {seat} draws {n} card.", "Seat {seat} draws {n} cards.", len(cards), seat=seat
            )
        case HandDrawn(seat, cards):
            return CATALOGUE.say(language, "Seat {seat} draws {cards}.", seat=seat, cards=listed(language, cards))
        case TurnBegan():
            return ""
        case TokenPlaced(seat, field, cards):
            return CATALOGUE.say(
                language,
                "Seat {seat} plays {cards} and places a token on {field}.",
                seat=seat,
                cards=" + ".join(map(str, cards)),
                field=field,
            )
        case FieldLocked():
            return _locked(event, language)
        case LineCompleted(seat, fields):
            return CATALOGUE.say(
                language, "Seat {seat} holds four in a line: {fields}.", seat=seat, fields=listed(language, fields)
            )
        case HandExchanged(seat, cards):
            return CATALOGUE.say(
                language,
                "Seat {seat} can play nothing, lays off {cards} and draws a new hand.",
                seat=seat,
                cards=listed(language, cards),
            )
        case DiscardReshuffled(size):
            return CATALOGUE.count(
                language,
                "The discard pile is shuffled: {n} card to draw from.",
                "The discard pile is shuffled: {n} cards to draw from.",
                size,
            )
        case HandDiscarded(seat, ()):
            return CATALOGUE.say(language, "Seat {seat} plays no more.", seat=seat)
        case HandDiscarded(seat, cards):
            return CATALOGUE.say(
                language,
                "Seat {seat} lays off {cards} and plays no more.",
                seat=seat,
                cards=listed(language, cards),
            )
        case PlayEnded():
            return _ended(event, language)
        case _:
            assert_never(event)


def _locked(event: FieldLocked, language: str) -> str:
    seat, field, gone = event.seat, event.field, sum(event.removed)
    if not gone:
        return CATALOGUE.say(language, "Seat {seat} locks field {field}.", seat=seat, field=field)
    if event.returned:
        return CATALOGUE.count(
            language,
            "Seat {seat} locks field {field}: {n} token of others goes back to its owner.",
            "Seat {seat} locks field {field}: {n} tokens of others go back to their owners.",
            gone,
            seat=seat,
            field=field,
        )
    return CATALOGUE.count(
        language,
        "Seat {seat} locks field {field}: {n} token of others goes out of the game.",
        "Seat {seat} locks field {field}: {n} tokens of others go out of the game.",
        gone,
        seat=seat,
        field=field,
    )


def _ended(event: PlayEnded, language: str) -> str:
    winners = [seat for seat, rank in enumerate(event.ranks) if rank == 1]
    first = winners[0]
    match event.reason:
        case "line":
            return CATALOGUE.say(language, "Seat {seat} wins by a line.", seat=first)
        case "last_seat":
            return CATALOGUE.say(language, "Seat {seat} is the last one at the table and wins.", seat=first)
        case "points":
            return CATALOGUE.count(
                language,
                "The fields are counted: seat {seats} wins.",
                "The fields are counted: seats {seats} share the win.",
                len(winners),
                seats=listed(language, winners),
            )
        case _:
            assert_never(event.reason)
