"""How a bot chooses: from a seat's view and nothing else.

Where it draws lots, the lot is named by the brain's seed and the number of the move, never by time or by what others do
meanwhile. So given cards and given brains always make the same match, and a bot that was restarted in the middle goes
on as if nothing had happened.
"""

import hashlib
import random
from typing import Any, Protocol

from engine.kernel.game import AnyGame, Over
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat, clip


class Brain(Protocol):
    def choose(self, game: AnyGame, view: Any, seat: Seat, move: int) -> Any:
        """A legal command of ``seat``, which is pending in ``view``, for its ``move``-th move."""
        ...


class RandomBrain:
    """Any legal command, each as likely as the next."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def choose(self, game: AnyGame, view: Any, seat: Seat, move: int) -> Any:
        return _lot(self._seed, move).choice(list(game.legal(view, seat)))


class GreedyBrain:
    """The command after which this seat stands best: won, then nearest to its objectives, then furthest ahead.

    It tries each command on its own view, so it knows no more than its seat.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def choose(self, game: AnyGame, view: Any, seat: Seat, move: int) -> Any:
        best: list[Any] = []
        best_worth: tuple[int, ...] = ()
        for command in game.legal(view, seat):
            worth = _worth(game, view, seat, command)
            if not best or worth > best_worth:
                best, best_worth = [command], worth
            elif worth == best_worth:
                best.append(command)
        return _lot(self._seed, move).choice(best)


LEVELS: dict[str, type[RandomBrain] | type[GreedyBrain]] = {"random": RandomBrain, "greedy": GreedyBrain}


def brain_named(level: str, seed: str) -> Brain:
    """Raises ``Refusal`` for a level that there is not."""
    if level not in LEVELS:
        raise Refusal("unknown_bot", f"There is no bot {clip(level)}; there are {', '.join(LEVELS)}.", Kind.INVALID)
    return LEVELS[level](seed)


def _worth(game: AnyGame, view: Any, seat: Seat, command: Any) -> tuple[int, ...]:
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


def _lot(seed: str, move: int) -> random.Random:
    return random.Random(hashlib.sha256(f"{seed}/{move}".encode()).digest())  # noqa: S311 - a player, not a deal
