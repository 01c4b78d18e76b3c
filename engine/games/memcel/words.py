"""One sentence about an event, as the viewer may know it; those of attack and defence are in ``words_hunt.py``.

A sentence never joins a place to the face of a tile that lies face down when it is said, but for the one viewer who is
placing that tile or peeking at it.
"""

from typing import assert_never

from engine.games.memcel.events import (
    AttackAnnounced,
    AttackDeclared,
    AttackEnded,
    BoardRotated,
    CardDrawn,
    DeckReshuffled,
    DefenceChosen,
    DefenceDeclared,
    Event,
    ExtraTurnGranted,
    FirstChosen,
    IconRolled,
    LostTurnsCut,
    NumberRolled,
    PlayEnded,
    RingRotated,
    SeatGone,
    StartRolled,
    StepBegan,
    SupplyDealt,
    SupplyScattered,
    TilePeeked,
    TileRevealed,
    TilesCovered,
    TilesPlaced,
    TilesSwapped,
    TurnBegan,
    TurnLost,
    TurnsLostAdded,
)
from engine.games.memcel.language import (
    CATALOGUE,
    board_turned,
    card_words,
    complication_name,
    place_name,
    places_named,
    ring_name,
    ring_turned,
    tile_name,
    tiles_counted,
    way_name,
)
from engine.games.memcel.model import HIDDEN, NOWHERE
from engine.games.memcel.words_hunt import attack, defence, lost_turns
from engine.kernel.language import listed


def words(event: Event, language: str) -> str:
    """Empty for what needs no sentence: whose turn it is and what is asked, the board shows."""
    match event:
        case StepBegan():
            return ""
        case TurnBegan(seat, extra=True):
            return CATALOGUE.say(language, "Seat {seat} plays an extra turn.", seat=seat)
        case TurnBegan():
            return ""
        case StartRolled() | FirstChosen() | SupplyDealt() | TilesPlaced() | SupplyScattered():
            return _before_the_hunt(event, language)
        case IconRolled() | NumberRolled() | RingRotated() | BoardRotated() | TilesSwapped():
            return _moving(event, language)
        case AttackDeclared() | AttackAnnounced() | TileRevealed() | AttackEnded() | TilesCovered():
            return attack(event, language)
        case DefenceDeclared() | DefenceChosen():
            return defence(event, language)
        case CardDrawn() | DeckReshuffled() | ExtraTurnGranted() | TilePeeked():
            return _cards(event, language)
        case TurnsLostAdded() | LostTurnsCut() | TurnLost():
            return lost_turns(event, language)
        case SeatGone(seat):
            return CATALOGUE.say(language, "Seat {seat} has left: its colour is neutral and cannot win.", seat=seat)
        case PlayEnded():
            return _ended(event, language)
        case _:
            assert_never(event)


def _before_the_hunt(
    event: StartRolled | FirstChosen | SupplyDealt | TilesPlaced | SupplyScattered, language: str
) -> str:
    match event:
        case StartRolled(seats, numbers):
            rolls = (
                CATALOGUE.say(language, "seat {seat}: {number}", seat=seat, number=number)
                for seat, number in zip(seats, numbers, strict=True)
            )
            return CATALOGUE.say(language, "Rolls for the start: {rolls}.", rolls=", ".join(rolls))
        case FirstChosen(seat):
            return CATALOGUE.say(language, "Seat {seat} begins.", seat=seat)
        case SupplyDealt(seat, faces) if HIDDEN in faces or not faces:
            return CATALOGUE.count(
                language, "Seat {seat} gets {n} tile.", "Seat {seat} gets {n} tiles.", len(faces), seat=seat
            )
        case SupplyDealt(seat, faces):
            return CATALOGUE.say(
                language, "Seat {seat} gets these tiles: {tiles}.", seat=seat, tiles=tiles_counted(faces, language)
            )
        case TilesPlaced(seat, at, faces) if HIDDEN in faces:
            return CATALOGUE.count(
                language,
                "Seat {seat} places {n} tile face down on {places}.",
                "Seat {seat} places {n} tiles face down on {places}.",
                len(at),
                seat=seat,
                places=places_named(at, language),
            )
        case TilesPlaced(seat, at, faces):
            return CATALOGUE.say(
                language,
                "Seat {seat} places face down: {tiles}.",
                seat=seat,
                tiles=listed(
                    language,
                    (
                        CATALOGUE.say(
                            language,
                            "{tile} on {place}",
                            tile=tile_name(face, language),
                            place=place_name(*where, language),
                        )
                        for where, face in zip(at, faces, strict=True)
                    ),
                ),
            )
        case SupplyScattered(seat, at):
            return CATALOGUE.count(
                language,
                "The last tile of seat {seat} is placed by lot.",
                "The last {n} tiles of seat {seat} are placed by lot.",
                len(at),
                seat=seat,
            )
        case _:
            assert_never(event)


def _moving(event: IconRolled | NumberRolled | RingRotated | BoardRotated | TilesSwapped, language: str) -> str:
    match event:
        case IconRolled(seat, _, ring, direction, complication):
            return CATALOGUE.say(
                language,
                "Seat {seat} rolls the icon die: {ring}, {way}, {circle}.",
                seat=seat,
                ring=ring_name(ring, language),
                way=way_name(direction, language),
                circle=complication_name(complication, language),
            )
        case NumberRolled(seat, number):
            return CATALOGUE.say(language, "Seat {seat} rolls a {number}.", seat=seat, number=number)
        case RingRotated(ring, direction, steps):
            turned = ring_turned(ring, direction, steps, language)
            return CATALOGUE.say(language, "Rotation: {movement}.", movement=turned)
        case BoardRotated(direction, steps):
            return CATALOGUE.say(language, "Rotation: {movement}.", movement=board_turned(direction, steps, language))
        case TilesSwapped(seat, at):
            return CATALOGUE.say(
                language, "Seat {seat} swaps the tiles on {places}.", seat=seat, places=places_named(at, language)
            )
        case _:
            assert_never(event)


def _cards(event: CardDrawn | DeckReshuffled | ExtraTurnGranted | TilePeeked, language: str) -> str:
    match event:
        case CardDrawn(seat, _, card):
            return CATALOGUE.say(
                language, "Seat {seat} draws an event card: {card}.", seat=seat, card=card_words(card, language)
            )
        case DeckReshuffled(count):
            return CATALOGUE.count(
                language,
                "The event cards are shuffled: {n} card to draw from.",
                "The event cards are shuffled: {n} cards to draw from.",
                count,
            )
        case ExtraTurnGranted(seat):
            return CATALOGUE.say(language, "Seat {seat} will play another turn after this one.", seat=seat)
        case TilePeeked(seat, at) if at == NOWHERE:
            return CATALOGUE.say(language, "Seat {seat} looks at a tile.", seat=seat)
        case TilePeeked(seat, at, face) if face == HIDDEN:
            return CATALOGUE.say(
                language, "Seat {seat} looks at the tile on {place}.", seat=seat, place=place_name(*at, language)
            )
        case TilePeeked(seat, at, face):
            return CATALOGUE.say(
                language,
                "Seat {seat} looks at the tile on {place}: it is {tile}.",
                seat=seat,
                place=place_name(*at, language),
                tile=tile_name(face, language),
            )
        case _:
            assert_never(event)


def _ended(event: PlayEnded, language: str) -> str:
    winners = [seat for seat, rank in enumerate(event.ranks) if rank == 1]
    match event.reason:
        case "all_own_face_up":
            return CATALOGUE.say(language, "All tiles of seat {seat} lie face up: it wins.", seat=winners[0])
        case "max_rounds":
            return CATALOGUE.count(
                language,
                "The last round is over: seat {seats} has the most open tiles and wins.",
                "The last round is over: seats {seats} have the most open tiles and share the win.",
                len(winners),
                seats=listed(language, winners),
            )
        case "last_seat":
            return CATALOGUE.say(language, "Seat {seat} is the last one at the table and wins.", seat=winners[0])
        case _:
            assert_never(event.reason)
