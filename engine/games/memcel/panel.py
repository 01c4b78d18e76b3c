"""What the picture says: the phase, what is asked and of whom, what has just happened, how it ended."""

from typing import assert_never

from engine.games.memcel.language import (
    CATALOGUE,
    board_turned,
    card_words,
    place_name,
    places_named,
    ring_turned,
    tile_name,
)
from engine.games.memcel.model import HIDDEN, At, State
from engine.games.memcel.printed import OWN_TILES, Card
from engine.games.memcel.rings import open_own
from engine.kernel.language import listed


def phase(state: State, language: str) -> str:
    """Which part of the game this is."""
    if state.ranks:
        return CATALOGUE.say(language, "The end")
    match state.stage:
        case "opening":
            return CATALOGUE.say(language, "Before the first turn")
        case "placement":
            return CATALOGUE.say(language, "Placement")
        case "complication":
            return CATALOGUE.say(language, "Complication round")
        case "hunt" if state.options.max_rounds:
            return CATALOGUE.say(
                language, "Hunt, round {round} of {last}", round=state.round, last=state.options.max_rounds
            )
        case "hunt":
            return CATALOGUE.say(language, "Hunt, round {round}", round=state.round)
        case _:
            assert_never(state.stage)


def asked(state: State, language: str) -> str:
    """What the match waits for, or who has won."""
    if state.ranks:
        return _won(state, language)
    match state.step:
        case "start":
            return CATALOGUE.say(language, "Rolling for the start")
        case "deal":
            return CATALOGUE.say(language, "Dealing the tiles")
        case "place":
            return CATALOGUE.say(language, "Seat {seat} places two tiles face down", seat=state.by)
        case "lot":
            return CATALOGUE.say(language, "Two tiles of seat {seat} are placed by lot", seat=state.by)
        case "declare":
            return CATALOGUE.say(language, "Seat {seat}: attack or defence?", seat=state.by)
        case "announce":
            return CATALOGUE.say(
                language, "Seat {seat} rolled {number}: how many own tiles?", seat=state.by, number=state.number
            )
        case "reveal":
            return CATALOGUE.say(
                language,
                "Seat {seat} looks for own tile {next} of {x}",
                seat=state.by,
                next=len(state.found) + 1,
                x=state.x,
            )
        case "defence":
            return CATALOGUE.say(language, "Seat {seat}: nothing, a complication or a card?", seat=state.by)
        case "swap":
            return CATALOGUE.say(language, "Seat {seat} swaps two tiles", seat=state.by)
        case "peek":
            return CATALOGUE.say(language, "Seat {seat} may look at one tile", seat=state.by)
        case "cover_own":
            return CATALOGUE.say(language, "Seat {seat} turns down two own tiles", seat=state.by)
        case "cover_rival":
            return CATALOGUE.say(language, "Seat {seat} turns down a rival's tile", seat=state.by)
        case "card":
            return CATALOGUE.say(language, "Seat {seat} draws an event card", seat=state.by)
        case "complication" | "board_icon" | "ring_icon":
            return CATALOGUE.say(language, "Seat {seat} rolls the icon die", seat=state.by)
        case "attack_number" | "board_number" | "ring_number":
            return CATALOGUE.say(language, "Seat {seat} rolls the numeric die", seat=state.by)
        case _:
            assert_never(state.step)


def _won(state: State, language: str) -> str:
    winners = [seat for seat, rank in enumerate(state.ranks) if rank == 1]
    match state.reason:
        case "all_own_face_up":
            return CATALOGUE.say(language, "Seat {seat} wins: all own tiles lie face up", seat=winners[0])
        case "last_seat":
            return CATALOGUE.say(language, "Seat {seat} wins as the last one at the table", seat=winners[0])
        case "max_rounds" | "":
            return CATALOGUE.count(
                language,
                "Seat {seats} wins with the most open tiles",
                "Seats {seats} share the win with the most open tiles",
                len(winners),
                seats=listed(language, winners),
            )
        case _:
            assert_never(state.reason)


def happened(state: State, language: str) -> str:
    """The last commit in a few words; empty where it moved nothing and turned nothing up."""
    trace = state.trace
    if trace.what == "turned":
        return _turned(trace.turned, language)
    if trace.what == "revealed" and not trace.places:
        return CATALOGUE.say(language, "a tile was turned up, and down again")
    if not trace.places:
        return ""
    places = places_named(trace.places, language)
    match trace.what:
        case "placed":
            return CATALOGUE.say(language, "placed: {places}", places=places)
        case "swapped":
            return CATALOGUE.say(language, "swapped: {places}", places=places)
        case "peeked":
            return CATALOGUE.say(language, "looked at: {places}", places=places)
        case "revealed" | "":
            tile = state.at(trace.places[0])
            face = tile.face if tile is not None else HIDDEN
            return CATALOGUE.say(
                language, "turned up: {tile} on {places}", tile=tile_name(face, language), places=places
            )
        case _:
            assert_never(trace.what)


def _turned(turned: tuple[int, int, int], language: str) -> str:
    ring = next(ring for ring, steps in enumerate(turned) if steps)
    steps = turned[ring]
    if all(turned):
        return board_turned("cw" if steps > 0 else "ccw", abs(steps), language)
    return ring_turned(ring, "cw" if steps > 0 else "ccw", abs(steps), language)


def last_card(state: State) -> Card | None:
    """The event card that lies on top of the discard pile."""
    return state.options.cards[state.discard[-1]].card if state.discard else None


def place_words(state: State, at: At, language: str) -> str:
    """A place for those who listen to the picture."""
    tile, place = state.at(at), place_name(*at, language)
    if tile is None:
        return CATALOGUE.say(language, "{place}: empty", place=place)
    if tile.up:
        return CATALOGUE.say(language, "{place}: {tile}", place=place, tile=tile_name(tile.face, language))
    if tile.face == HIDDEN:
        return CATALOGUE.say(language, "{place}: face down", place=place)
    return CATALOGUE.say(language, "{place}: face down, {tile}", place=place, tile=tile_name(tile.face, language))


def summary(state: State, language: str) -> str:
    """The position in words, for those who listen to the picture."""
    said = [f"{phase(state, language)}."]
    if just := happened(state, language):
        said.append(CATALOGUE.say(language, "The last to happen: {movement}.", movement=just))
    if (card := last_card(state)) is not None:
        said.append(CATALOGUE.say(language, "The last event card: {card}.", card=card_words(card, language)))
    said += [
        CATALOGUE.say(
            language,
            "Seat {seat}: {open} of {all} tiles face up, {supply} to place, {lost} turns to lose.",
            seat=seat,
            open=len(open_own(state, seat)),
            all=OWN_TILES,
            supply=len(state.supplies[seat]),
            lost=state.lost[seat],
        )
        for seat in state.seats
    ]
    return " ".join(said)
