"""Games are found, not listed: every folder here that exports ``GAME`` is one.

The kernel and the services never name a game; they ask ``find_game``.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from engine.kernel.game import AnyGame, Game
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip


@cache
def all_games() -> dict[str, AnyGame]:
    """Every game by key, sorted."""
    games: dict[str, AnyGame] = {}
    for module in sorted(iter_modules(__path__), key=lambda found: found.name):
        game = getattr(import_module(f"{__name__}.{module.name}"), "GAME", None)
        assert isinstance(game, Game), f"engine/games/{module.name} exports no GAME"
        assert game.key == module.name, f"engine/games/{module.name} calls its game {game.key}"
        games[game.key] = game
    return games


def find_game(key: str) -> AnyGame:
    """Raises ``Refusal`` for a game that is not here."""
    game = all_games().get(key)
    if game is None:
        raise Refusal(
            "unknown_game", f"There is no game {clip(key)}; there are {', '.join(all_games())}.", Kind.MISSING
        )
    return game


def game_of_rules(rules: str) -> AnyGame:
    """``just4fun/1`` → the game that played it. Raises ``Refusal`` for a game or a version that is not here."""
    key, _, version = rules.partition("/")
    game = find_game(key)
    if str(game.version) != version:
        raise Refusal(
            "unknown_rules",
            f"The rules {clip(rules)} are not here; {game.title} is at {game.rules}.",
            Kind.MISSING,
        )
    return game
