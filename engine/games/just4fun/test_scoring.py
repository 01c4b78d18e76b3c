"""Counting, ranks and objectives (J-14 to J-18)."""

import pytest

from engine.games.just4fun import GAME
from engine.games.just4fun.model import PlaceToken, PlayEnded
from engine.games.just4fun.scoring import line_progress, ranks
from engine.games.just4fun.testing import do, holding, position


@pytest.mark.parametrize(
    ("held", "totals", "expected"),
    [
        pytest.param(
            [(30, 29, 28, 3), (33, 24, 23, 10), (36, 4)], [90, 90, 40], (2, 1, 3), id="A4-7, two of three are tied"
        ),
        pytest.param([(), ()], [0, 0], (1, 1), id="A4-8, nobody holds a field"),
        pytest.param(
            [(36, 14), (20, 19, 18, 17, 6), (31, 27, 22)],
            [50, 80, 80],
            (3, 2, 1),
            id="A4-14, the best field is not tied",
        ),
        pytest.param([(2, 12), (3, 11), (4, 10), (5, 9)], [14, 14, 14, 14], (1, 2, 3, 4), id="all four are tied"),
        pytest.param([(36,), (), ()], [36, 0, 0], (1, 2, 2), id="nothing is shared below"),
    ],
)
def test_ties_for_the_best_total_go_to_the_highest_single_field(
    held: list[tuple[int, ...]], totals: list[int], expected: tuple[int, ...]
) -> None:
    """J-18. Seen elsewhere: a tie of two among three that falls to the lower seat."""
    state = holding(len(held), *held)
    assert [score.total for score in GAME.scores(state)] == totals
    assert ranks(state) == expected


def test_the_lines_of_a_breakdown_add_up() -> None:
    state = position(stacks={12: (2, 0), 30: (1, 0), 7: (1, 1)})
    score = GAME.scores(state)[0]
    assert [(line.key, line.label, line.points) for line in score.lines] == [
        ("locked", "1 field locked", 12),
        ("held", "1 field held by majority", 30),
    ]
    assert score.total == 42


def test_the_fields_are_counted_when_all_tokens_are_used() -> None:
    """J-15: all tokens, not 20 rounds; J-05: exactly one a turn."""
    state, events = do(position(stacks={30: (0, 1)}, hands=[(3,)], tokens=(1, 0)), PlaceToken(3, (3,)))
    assert events[-1] == PlayEnded("points", (2, 1))
    assert state.tokens == (0, 0)


def test_the_last_token_may_complete_a_line() -> None:
    """J-19: the line wins; nothing is counted."""
    stacks = {33: (1, 0), 11: (1, 0), 9: (1, 0), 36: (0, 1), 35: (0, 1), 34: (0, 1)}
    _, events = do(position(stacks=stacks, hands=[(16,)], tokens=(1, 0)), PlaceToken(16, (16,)))
    assert events[-1] == PlayEnded("line", (1, 2))


def test_progress_is_the_fullest_line_that_is_still_open() -> None:
    assert line_progress(position(), 0) == 0
    assert line_progress(position(stacks={1: (1, 0), 14: (1, 0), 30: (1, 0)}), 0) == 3
    barred = position(stacks={1: (1, 0), 14: (1, 0), 30: (1, 0), 24: (0, 2)})
    assert line_progress(barred, 0) == 1, "24 is locked by the other: only shorter pieces of other lines are left"


def test_progress_of_a_finished_line_is_met() -> None:
    state = holding(2, (1, 14, 30, 24))
    line, points = GAME.scores(state)[0].objectives
    assert line.met
    assert (points.have, points.need, points.met) == (69, 1, True)


def test_a_seat_that_has_left_makes_no_progress() -> None:
    """J-24: it cannot win."""
    state = holding(3, (1, 14, 30))
    for event in GAME.leave(state, 0):
        state = GAME.evolve(state, event)
    assert line_progress(state, 0) == 0
    assert ranks(state)[0] == 3
