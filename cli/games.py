"""``games`` and ``schema``: what can be played, without a house."""

from typing import Annotated, Any

import msgspec
import typer

from cli.output import Json, console, print_json, print_table
from engine.games import all_games, find_game
from engine.kernel.game import AnyGame


def add_to(app: typer.Typer) -> None:
    app.command()(games)
    app.command()(schema)


def games(as_json: Json = False) -> None:
    """The games, their seats and their options."""
    found = list(all_games().values())
    if as_json:
        print_json(
            [
                {
                    "key": game.key,
                    "title": game.title,
                    "version": game.version,
                    "seats": {"min": game.seats.start, "max": game.seats.stop - 1},
                    "options": _defaults(game),
                }
                for game in found
            ]
        )
        return
    rows = [
        (
            game.key,
            game.title,
            f"{game.seats.start}-{game.seats.stop - 1}",
            "\n".join(f"{name}={msgspec.json.encode(value).decode()}" for name, value in _defaults(game).items()),
        )
        for game in found
    ]
    print_table("Games", ["key", "title", "seats", "options and their defaults"], rows)
    console.print("tavolata schema GAME prints what its commands, events and options may hold.", markup=False)


def schema(game: Annotated[str, typer.Argument(help="The key of a game.")]) -> None:
    """The JSON Schema of a game's commands, events and options."""
    found = find_game(game)
    print_json(
        {
            "game": found.key,
            "rules": found.rules,
            "commands": found.commands.schema(),
            "events": found.events.schema(),
            "options": msgspec.json.schema(found.options),
        }
    )


def _defaults(game: AnyGame) -> dict[str, Any]:
    defaults: dict[str, Any] = msgspec.to_builtins(game.options())
    return defaults
