"""Two brains that play any game, and where a brain's lots come from.

A lot is named by the bot's seed and what it is drawn for, never by time or by what others do meanwhile. So given cards
and given brains always make the same match.
"""

import hashlib
import random
from collections.abc import Callable
from typing import Any, TypeAlias

from engine.kernel.brain import Brain, Lot
from engine.kernel.game import AnyGame, Over
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat, clip

AnyBrain: TypeAlias = Brain[Any, Any, Any]


class RandomBrain(AnyBrain):
    """Any legal command, as the game picks one."""

    def __init__(self, game: AnyGame, seat: Seat) -> None:
        super().__init__(seat)
        self._game = game

    def choose(self, view: Any, lot: Lot) -> Any:
        return self._game.pick(view, self.seat, lot)


class GreedyBrain(AnyBrain):
    """The command after which this seat stands best: won, then nearest to its objectives, then furthest ahead.

    It tries each command on its own view, so it knows no more than its seat.
    """

    def __init__(self, game: AnyGame, seat: Seat) -> None:
        super().__init__(seat)
        self._game = game

    def choose(self, view: Any, lot: Lot) -> Any:
        best: list[Any] = []
        best_worth: tuple[int, ...] = ()
        for command in self._game.legal(view, self.seat):
            worth = self._worth(view, command)
            if not best or worth > best_worth:
                best, best_worth = [command], worth
            elif worth == best_worth:
                best.append(command)
        return best[lot(len(best))]

    def _worth(self, view: Any, command: Any) -> tuple[int, ...]:
        game, seat = self._game, self.seat
        state = view
        for event in game.decide(command, view, seat):
            state = game.evolve(state, event)
        pending = game.pending(state)
        won = isinstance(pending, Over) and pending.ranks[seat] == 1
        scores = game.scores(state)
        mine = scores[seat]
        progress = sum(100 * min(each.have, each.need) // max(each.need, 1) for each in mine.objectives)
        rivals = [score.total for score in scores if score.seat != seat]
        return int(won), progress, mine.total - max(rivals, default=0)


GENERAL: dict[str, Callable[[AnyGame, Seat], AnyBrain]] = {"random": RandomBrain, "greedy": GreedyBrain}


def levels(game: AnyGame) -> list[str]:
    """The bots that can play a game: its own, and the general ones it does not replace."""
    return sorted({*GENERAL, *game.brains})


def brain_named(level: str, game: AnyGame, seat: Seat) -> AnyBrain:
    """Raises ``Refusal`` for a level that the game does not have."""
    if level in game.brains:
        return game.brains[level](seat)
    if level in GENERAL:
        return GENERAL[level](game, seat)
    names = ", ".join(levels(game))
    raise Refusal("unknown_bot", f"{game.title} has no bot {clip(level)}; it has {names}.", Kind.INVALID)


def lot_named(name: str) -> Lot:
    """The lot of that name: the same numbers on every machine."""
    return random.Random(hashlib.sha256(name.encode()).digest()).randrange  # noqa: S311 - a player, not a deal
