"""What an arena counts: every game, the best of them, or the average of enough of them. All games that were begun
count, whenever they end.
"""

from collections.abc import Sequence
from fractions import Fraction

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value

STREAK = 2
"""Wins in a row after which points are doubled."""


class Game(Value, frozen=True):
    """One game of one entrant: its points, and whether it was won."""

    points: Fraction
    won: bool


def points_of(games: Sequence[Game], *, streak: bool) -> tuple[Fraction, ...]:
    """Points game by game, in the order played. With ``streak``, after two wins in a row points are doubled up to and
    with the first game that is not won: at 2 a win and 1 a draw, W W D are 2 + 2 + 2.
    """
    counted = []
    in_a_row = 0
    for game in games:
        counted.append(game.points * (2 if streak and in_a_row >= STREAK else 1))
        in_a_row = in_a_row + 1 if game.won else 0
    return tuple(counted)


def all_games(points: Sequence[Fraction]) -> Fraction:
    """No cap: who plays more, gains more."""
    return sum(points, Fraction(0))


def best_games(points: Sequence[Fraction], games: int) -> Fraction:
    """The best ``games`` games. Raises ``Refusal`` (``bad_format``) below one."""
    if games < 1:
        raise Refusal("bad_format", "At least one game counts.", Kind.INVALID)
    return sum(sorted(points, reverse=True)[:games], Fraction(0))


def per_game(points: Sequence[Fraction], minimum: int) -> Fraction | None:
    """The average, or ``None`` for fewer games than ``minimum``: not ranked yet. Raises as ``best_games``."""
    if minimum < 1:
        raise Refusal("bad_format", "At least one game counts.", Kind.INVALID)
    return all_games(points) / len(points) if len(points) >= minimum else None
