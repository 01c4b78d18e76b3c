"""What can be pointed at can be clicked: each step of a menu names the element of the board that it stands for.

The paths are walked at random, over all seats and options; ``tests/kit/laws.py`` holds the first of them to the same.
"""

import random
import re
from typing import Any

import pytest

from engine.games import all_games
from engine.kernel.game import AnyGame, Choice, Seats
from engine.kernel.value import Seat, SeatView
from tests.kit.cases import Case, cases_of
from tests.kit.table import play

NOWHERE = {
    "just4fun": frozenset[str](),
    "memcel": frozenset({"defence", "skip", "lot"}),
    "welcome_to": frozenset({"none", "reshuffle"}),
}
"""The keys of what stands for nothing that is drawn: to do nothing, to leave something to others."""

POSITIONS = 30
"""Of a match that are looked at."""
WALKS = 3
"""From the first question of a position to a command."""

CASES = [case for game in all_games().values() if game.key in NOWHERE for case in cases_of(game)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_place_is_on_the_board_of_its_seat(case: Case) -> None:
    dice = random.Random(str(case))
    asked = [
        (state.game, pending.seats)
        for state in play(case.game, case.seats, case.options, 4).states
        if isinstance(pending := case.game.pending(state.game), Seats)
    ]
    for state, seats in dice.sample(asked, min(POSITIONS, len(asked))):
        _look(case.game, state, dice.choice(seats), dice)


def _look(game: AnyGame, state: Any, seat: Seat, dice: random.Random) -> None:
    board = game.board(game.view(state, SeatView(seat)), SeatView(seat))
    ids = set(re.findall(r' id="([^"]+)"', board))
    for _ in range(WALKS):
        path: tuple[str, ...] = ()
        while offered := game.choices(state, seat, path).choices:
            for choice in offered:
                _check(game, choice, ids, f"{path} of seat {seat}")
            path = (*path, dice.choice(offered).key)


def _check(game: AnyGame, choice: Choice, ids: set[str], where: str) -> None:
    if choice.place:
        assert choice.place in ids, f"{where}: {choice.key} stands for {choice.place}, which is not drawn"
    else:
        assert choice.key in NOWHERE[game.key], f"{where}: {choice.key} stands for nothing on the board"
