"""The head of the picture: which turn it is and who is waited for, or how it ended."""

from typing import assert_never

from engine.games.welcome_to.language import CATALOGUE
from engine.games.welcome_to.model import State
from engine.games.welcome_to.pieces import fitting
from engine.games.welcome_to.scoring import totals
from engine.kernel.language import listed
from engine.kernel.picture import INK, PALE, rect, text
from engine.kernel.value import Viewer

SEATS_NAMED = 8
"""So many seats are named in the head; of more only how many."""


def headline(state: State, language: str) -> str:
    """The turn, or who has won."""
    if state.ranks:
        winners = [seat for seat, rank in enumerate(state.ranks) if rank == 1]
        return CATALOGUE.count(
            language, "Seat {seats} wins", "Seats {seats} share the win", len(winners), seats=listed(language, winners)
        )
    if not state.open:
        return CATALOGUE.say(language, "Waiting for the deck")
    return CATALOGUE.say(language, "Turn {turn}", turn=state.round)


def awaited(state: State, language: str) -> str:
    """Who still decides, or why play is over."""
    match state.reason:
        case "refusals":
            return CATALOGUE.say(language, "The third permit was refused")
        case "plans":
            return CATALOGUE.say(language, "All three city plans are completed")
        case "houses":
            return CATALOGUE.say(language, "All houses of a sheet are built")
        case "deck":
            return CATALOGUE.say(language, "The deck is used up")
        case "last_seat":
            return CATALOGUE.say(language, "One seat is left at the table")
        case "left":
            return CATALOGUE.say(language, "Everybody has left")
        case "":
            return _deciding(state, language)
        case _:
            assert_never(state.reason)


def _deciding(state: State, language: str) -> str:
    waiting = [seat for seat in state.seats if not state.ready[seat] and seat not in state.left]
    if not state.open or not waiting:
        return ""
    if len(waiting) <= SEATS_NAMED:
        return CATALOGUE.count(
            language, "Seat {seats} decides", "Seats {seats} decide", len(waiting), seats=listed(language, waiting)
        )
    return CATALOGUE.count(language, "{n} seat still decides", "{n} seats still decide", len(waiting))


def panel(state: State, viewer: Viewer, x: int, y: int, width: int, height: int, language: str) -> str:
    said, who, middle = headline(state, language), awaited(state, language), y + height // 2
    return (
        rect(x, y, width, height, 10, INK)
        + text(x + 18, middle, said, size=fitting(said, 20, width // 2 - 30), fill=PALE, weight=700)
        + text(x + width - 18, middle, who, size=fitting(who, 16, width // 2), fill=PALE, anchor="end")
    )


def summary(state: State, language: str) -> str:
    """The position in words, for those who listen to the picture."""
    scores = (
        CATALOGUE.count(language, "Seat {seat}: {n} point.", "Seat {seat}: {n} points.", total, seat=seat)
        for seat, total in enumerate(totals(state))
    )
    return " ".join([headline(state, language) + ".", *scores])
