"""The games that there are, and their options as a form would ask for them."""

import ast
import inspect
from functools import cache
from textwrap import dedent
from typing import Any, Final

import msgspec
from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from engine.games import all_games
from engine.kernel.game import AnyGame
from services.gateway.answers import answer

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
    told = _texts_below_fields(game.options)
    options["properties"] = {
        name: {"title": name.replace("_", " ").capitalize()}
        | ({"description": told[name]} if name in told else {})
        | option
        for name, option in options["properties"].items()
    }
    options |= {"$schema": DIALECT, "title": game.title}
    return options | ({"$defs": parts} if parts else {})


def _texts_below_fields(kind: type) -> dict[str, str]:
    """A field is explained by the text that stands under it, which only the source has."""
    (found,) = ast.parse(dedent(inspect.getsource(kind))).body
    assert isinstance(found, ast.ClassDef)
    told = {}
    for above, below in zip(found.body, found.body[1:], strict=False):
        match above, below:
            case ast.AnnAssign(target=ast.Name(id=field)), ast.Expr(value=ast.Constant(value=str(text))):
                told[field] = " ".join(text.split())
            case _:
                continue
    return told
