"""A line is four adjacent fields in one straight direction: 54 of them, and nothing else wins (J-10, J-11)."""

import pytest

from engine.games.just4fun import GAME
from engine.games.just4fun.layouts import LAYOUTS
from engine.games.just4fun.lines import LINES, LINES_THROUGH, Line
from engine.games.just4fun.model import LineCompleted, PlaceToken, PlayEnded
from engine.games.just4fun.testing import do, position
from engine.kernel.game import Over

ORIGINAL = LAYOUTS["original"]

PAYMENT = {number: (number,) if number < 20 else (number - 19, 19) for number in range(1, 37)}
"""Cards that make each number."""


def wins(fields: tuple[int, ...], last: int) -> bool:
    """Whether seat 0, holding the other fields, wins by a token on ``last``."""
    held = {field: (1, 0) for field in fields if field != last}
    state, _ = do(position(stacks=held, hands=[PAYMENT[last]]), PlaceToken(last, PAYMENT[last]))
    return state.reason == "line"


def test_there_are_18_rows_18_columns_and_18_diagonals() -> None:
    steps = [line[1] - line[0] for line in LINES]
    assert (steps.count(1), steps.count(6), steps.count(7) + steps.count(5)) == (18, 18, 18)
    assert len(set(LINES)) == 54


def test_a_corner_lies_on_three_lines_and_the_middle_on_eleven() -> None:
    rows = [[len(LINES_THROUGH[6 * row + column]) for column in range(6)] for row in range(6)]
    assert rows == [
        [3, 4, 5, 5, 4, 3],
        [4, 6, 8, 8, 6, 4],
        [5, 8, 11, 11, 8, 5],
        [5, 8, 11, 11, 8, 5],
        [4, 6, 8, 8, 6, 4],
        [3, 4, 5, 5, 4, 3],
    ]


@pytest.mark.parametrize("line", LINES, ids=lambda line: "-".join(map(str, line)))
def test_every_line_wins_whichever_field_comes_last(line: Line) -> None:
    """J-11, for each of the 54, and J-19: the play is over at once."""
    fields = tuple(ORIGINAL[cell] for cell in line)
    for last in fields:
        held = {field: (1, 0) for field in fields if field != last}
        state, events = do(position(stacks=held, hands=[PAYMENT[last]]), PlaceToken(last, PAYMENT[last]))
        assert events[1:] == (LineCompleted(0, fields), PlayEnded("line", (1, 2)))
        assert state.reason == "line"


@pytest.mark.parametrize(
    ("case", "fields", "line"),
    [
        ("A4-9, a row", (30, 24, 19, 8), True),
        ("A4-10, over the edge into the next row", (24, 19, 8, 33), False),
        ("A4-11, a diagonal", (27, 5, 36, 13), True),
        ("A4-12, the diagonal with the highest sum", (31, 29, 25, 34), True),
        ("A4-13, adjacent but bent", (1, 14, 30, 11), False),
        ("over the edge of a column", (15, 22, 28, 1), False),
        ("with a gap", (1, 14, 30, 19), False),
    ],
)
def test_only_a_straight_line_wins(case: str, fields: tuple[int, ...], line: bool) -> None:
    assert all(wins(fields, last) == line for last in fields), case


def test_the_highest_line_adds_up_to_119() -> None:
    assert max(sum(ORIGINAL[cell] for cell in line) for line in LINES) == 31 + 29 + 25 + 34


def test_five_in_a_row_contain_two_lines() -> None:
    """J-11."""
    held = dict.fromkeys((14, 30, 19, 8), (1, 0))
    _, events = do(position(stacks=held, hands=[PAYMENT[24]]), PlaceToken(24, PAYMENT[24]))
    assert events[1:3] == (LineCompleted(0, (14, 30, 24, 19)), LineCompleted(0, (30, 24, 19, 8)))


def test_a_line_elsewhere_is_not_looked_at() -> None:
    """J-10: only lines through the field just used. Such a position cannot arise in play."""
    held = dict.fromkeys((28, 7, 23, 4), (1, 0))
    state, _ = do(position(stacks=held, hands=[(8,)]), PlaceToken(8, (8,)))
    assert not state.reason


def test_a_token_that_takes_a_majority_away_gives_no_other_seat_a_line() -> None:
    """J-10: only the active seat's win is checked, and no other seat can gain a majority."""
    held = {33: (0, 1, 0), 11: (0, 1, 0), 9: (0, 1, 0), 16: (1, 1, 0)}
    state, events = do(position(3, stacks=held, hands=[(16,)]), PlaceToken(16, (16,)))
    assert len(events) == 1
    assert not state.reason


def test_a_line_needs_strict_majorities() -> None:
    held = {33: (1, 0), 11: (1, 0), 9: (1, 1)}
    state, _ = do(position(stacks=held, hands=[(16,)]), PlaceToken(16, (16,)))
    assert not state.reason


def test_locked_fields_count_in_a_line() -> None:
    held = {33: (2, 0), 11: (3, 0), 9: (2, 0)}
    state, _ = do(position(stacks=held, hands=[(16,)]), PlaceToken(16, (16,)))
    assert state.reason == "line"


def test_the_winner_of_a_line_is_first_whatever_the_points() -> None:
    """The others rank by their field points."""
    held = {1: (1, 0, 0), 14: (1, 0, 0), 24: (1, 0, 0), 36: (0, 1, 0), 35: (0, 0, 1), 34: (0, 0, 1)}
    state, _ = do(position(3, stacks=held, hands=[(11, 19)]), PlaceToken(30, (11, 19)))
    assert [score.total for score in GAME.scores(state)] == [69, 36, 69]
    assert GAME.pending(state) == Over((1, 3, 2), "line")
