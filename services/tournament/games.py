"""Whether the games of an event can be played here, asked before anybody sits at a table.

The engine knows an event's games as keys; which there are, how many seats they have and what options they take, the
games themselves say. A game that this house does not have is allowed: its results are entered by hand.
"""

from engine.games import all_games
from engine.kernel.game import AnyGame
from engine.kernel.opening import options_of
from engine.kernel.refusal import Kind, Refusal
from engine.tournament.config import Config, Stage


def check_games(config: Config) -> None:
    """Raises ``Refusal`` (``bad_config``) naming the key of a table size or an option that a game does not have."""
    for number, stage in enumerate(config.stages):
        for key in dict.fromkeys(stage.games):
            game = all_games().get(key)
            if game is not None:
                _check(game, stage, f"stages[{number}]")


def unknown_games(config: Config) -> tuple[str, ...]:
    """Keys that are no game of this house, in order."""
    keys = dict.fromkeys(key for stage in config.stages for key in stage.games)
    return tuple(key for key in keys if key not in all_games())


def _check(game: AnyGame, stage: Stage, where: str) -> None:
    first, last = game.seats.start, game.seats.stop - 1
    for name, size in (("smallest", stage.smallest), ("largest", stage.largest)):
        if size not in game.seats:
            raise _bad(f"{where}.{name}", f"{game.title} has {first} to {last} seats, not {size}")
    try:
        options_of(game, stage.options.get(game.key, {}))
    except Refusal as refusal:
        raise _bad(f"{where}.options.{game.key}", refusal.sentence.rstrip(".")) from refusal


def _bad(key: str, sentence: str) -> Refusal:
    return Refusal("bad_config", f"The configuration does not hold: {key}: {sentence}.", Kind.INVALID)
