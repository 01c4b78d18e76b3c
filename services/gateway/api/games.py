"""The games that there are, and their options as a form would ask for them."""

from functools import cache
from typing import Any, Final

import msgspec
from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from engine.games import all_games
from engine.kernel.game import AnyGame
from services.gateway.answers import answer
from services.kit.described import texts_below_fields

router = APIRouter(prefix="/api/games", tags=["lobby"])

GENERAL_LEVELS: Final = frozenset({"random", "greedy"})
"""Bots that play any game."""

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


class SeatCount(BaseModel):
    """How many may play."""

    min: int
    max: int


class GameShort(BaseModel):
    """One game."""

    key: str
    title: str
    seats: SeatCount
    levels: list[str]
    """Of its bots."""
    options: dict[str, Any]
    """JSON Schema 2020-12, every option with its default."""


class GameList(BaseModel):
    """All of them."""

    games: list[GameShort]


@router.get("", responses={200: {"model": GameList}})
async def games(request: Request) -> Response:
    """Every game: how many play it, its bots, its options."""
    return answer(request, {"games": _described()})


def levels_of(game: AnyGame) -> list[str]:
    """The bots that can play a game: its own, and those that play any."""
    return sorted({*GENERAL_LEVELS, *game.brains})


@cache
def _described() -> list[dict[str, Any]]:
    return [
        {
            "key": game.key,
            "title": game.title,
            "seats": {"min": game.seats.start, "max": game.seats.stop - 1},
            "levels": levels_of(game),
            "options": options_schema(game),
        }
        for game in all_games().values()
    ]


@cache
def options_schema(game: AnyGame) -> dict[str, Any]:
    """The options as JSON Schema 2020-12. An option's title is its name in words, its description what the rules say.

    Which options go together is the game's to say: a table that cannot be is refused when it is opened.
    """
    (schema,), parts = msgspec.json.schema_components([game.options], ref_template="#/$defs/{name}")
    options: dict[str, Any] = parts.pop(schema["$ref"].rpartition("/")[2])
    told = texts_below_fields(game.options)
    options["properties"] = {
        name: {"title": name.replace("_", " ").capitalize()}
        | ({"description": told[name]} if name in told else {})
        | option
        for name, option in options["properties"].items()
    }
    options |= {"$schema": DIALECT, "title": game.title}
    return options | ({"$defs": parts} if parts else {})
