"""Every game that is found keeps every law, over its seats and options; so does the duel of the kernel's own tests.

Hypothesis chooses the match: its number, who leaves and whether clocks run out. Matches are kept, so that all laws look
at the same few and the file stays under a minute.
"""

from functools import lru_cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.games import all_games
from tests.kit.cases import ORDINARY_SEATS, Case, cases_of, largest_table
from tests.kit.duel import DUEL
from tests.kit.lawbook import LAWS, LAWS_OF_LARGE_TABLES
from tests.kit.laws import Law
from tests.kit.table import Played, play

GAMES = (*all_games().values(), DUEL)
CASES = [case for game in GAMES for case in cases_of(game)]
LARGEST = [case for game in GAMES if (case := largest_table(game)).seats > ORDINARY_SEATS]
EXAMPLES = 3
"""Matches a law looks at, of each case."""

random_matches = given(number=st.integers(0, 2), leavers=st.sampled_from((0, 0, 1, 9)), sleepers=st.booleans())
"""Nine leavers: as many as the table can lose and still be two."""
bounded = settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


@lru_cache(maxsize=512)
def _played(key: str, number: int, leavers: int, sleepers: bool) -> Played:
    case = next(case for case in CASES if str(case) == key)
    return play(case.game, case.seats, case.options, number, leavers=min(leavers, case.seats - 1), sleepers=sleepers)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Law, case: Case) -> None:
    @bounded
    @random_matches
    def holds(**how: Any) -> None:
        law(_played(str(case), **how))

    holds()


@pytest.mark.parametrize("case", LARGEST, ids=str)
def test_the_largest_table(case: Case) -> None:
    """One whole match; the laws that do not look with every seat's eyes at every command."""
    played = play(case.game, case.seats, case.options, 1, leavers=1)
    for law in LAWS_OF_LARGE_TABLES:
        law(played)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_same_setup_and_outcomes_give_byte_identical_lines(case: Case) -> None:
    once, again = (play(case.game, case.seats, case.options, 7, leavers=1, sleepers=True) for _ in range(2))
    assert once.lines == again.lines


def test_games_are_found_by_folder() -> None:
    assert all(game.rules == f"{key}/{game.version}" for key, game in all_games().items())
