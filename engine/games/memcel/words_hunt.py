"""The sentences of the hunt: attack, defence, what is turned down, and the turns it costs."""

from typing import assert_never

from engine.games.memcel.events import (
    AttackAnnounced,
    AttackDeclared,
    AttackEnded,
    DefenceChosen,
    DefenceDeclared,
    LostTurnsCut,
    TileRevealed,
    TilesCovered,
    TurnLost,
    TurnsLostAdded,
)
from engine.games.memcel.language import CATALOGUE, place_name, places_named, tile_name
from engine.games.memcel.model import NOWHERE


def attack(event: AttackDeclared | AttackAnnounced | TileRevealed | AttackEnded | TilesCovered, language: str) -> str:
    match event:
        case AttackDeclared(seat):
            return CATALOGUE.say(language, "Seat {seat} attacks.", seat=seat)
        case AttackAnnounced(seat, _, x):
            return CATALOGUE.count(
                language,
                "Seat {seat} announces {n} own tile.",
                "Seat {seat} announces {n} own tiles.",
                x,
                seat=seat,
            )
        case TileRevealed(seat, at) if at == NOWHERE:
            return CATALOGUE.say(language, "Seat {seat} turns up a tile.", seat=seat)
        case TileRevealed(seat, at, face):
            return CATALOGUE.say(
                language,
                "Seat {seat} turns up {tile} on {place}.",
                seat=seat,
                tile=tile_name(face, language),
                place=place_name(*at, language),
            )
        case AttackEnded(seat, x, found, face):
            return _attack_ended(seat, x, found, tile_name(face, language), language)
        case TilesCovered():
            return _covered(event, language)
        case _:
            assert_never(event)


def _attack_ended(seat: int, x: int, found: int, tile: str, language: str) -> str:
    if found == x:
        return CATALOGUE.count(
            language,
            "The attack succeeds: seat {seat} has found {n} own tile.",
            "The attack succeeds: seat {seat} has found {n} own tiles.",
            x,
            seat=seat,
        )
    return CATALOGUE.count(
        language,
        "The attack fails on {tile}: seat {seat} has found {found} of {n} own tile.",
        "The attack fails on {tile}: seat {seat} has found {found} of {n} own tiles.",
        x,
        tile=tile,
        seat=seat,
        found=found,
    )


def _covered(event: TilesCovered, language: str) -> str:
    """Which tiles a card covers is somebody's choice, so it is told; a miss covers them all, and names none."""
    count = len(event.at)
    if event.cause == "imprevisto":
        return CATALOGUE.say(language, "The event tile is turned down again.")
    if event.cause == "miss" or NOWHERE in event.at:
        return CATALOGUE.count(language, "{n} open tile is turned down.", "{n} open tiles are turned down.", count)
    return CATALOGUE.count(
        language,
        "Seat {seat} turns down {n} open tile: {places}.",
        "Seat {seat} turns down {n} open tiles: {places}.",
        count,
        seat=event.seat,
        places=places_named(event.at, language),
    )


def defence(event: DefenceDeclared | DefenceChosen, language: str) -> str:
    match event:
        case DefenceDeclared(seat):
            return CATALOGUE.say(language, "Seat {seat} defends.", seat=seat)
        case DefenceChosen(seat, "skip"):
            return CATALOGUE.say(language, "Seat {seat} does nothing in defence.", seat=seat)
        case DefenceChosen(seat, "complication"):
            return CATALOGUE.say(language, "Seat {seat} rolls a complication.", seat=seat)
        case DefenceChosen(seat):
            return CATALOGUE.say(language, "Seat {seat} chooses an event card.", seat=seat)
        case _:
            assert_never(event)


def lost_turns(event: TurnsLostAdded | LostTurnsCut | TurnLost, language: str) -> str:
    match event:
        case TurnsLostAdded(seat, count):
            return CATALOGUE.count(
                language, "Seat {seat} loses {n} turn.", "Seat {seat} loses {n} turns.", count, seat=seat
            )
        case LostTurnsCut(seat, count, "event:extra_turn"):
            return CATALOGUE.count(
                language,
                "Instead of an extra turn, seat {seat} has {n} turn less to lose.",
                "Instead of an extra turn, seat {seat} has {n} turns less to lose.",
                count,
                seat=seat,
            )
        case LostTurnsCut(seat, count):
            return CATALOGUE.count(
                language,
                "Seat {seat} is pardoned {n} lost turn.",
                "Seat {seat} is pardoned {n} lost turns.",
                count,
                seat=seat,
            )
        case TurnLost(seat, 0):
            return CATALOGUE.say(language, "Seat {seat} loses this turn.", seat=seat)
        case TurnLost(seat, left):
            return CATALOGUE.count(
                language,
                "Seat {seat} loses this turn, and {n} more.",
                "Seat {seat} loses this turn, and {n} more.",
                left,
                seat=seat,
            )
        case _:
            assert_never(event)
