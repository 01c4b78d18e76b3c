"""Who is still at the table, who comes next, who stands before whom, and who may know what a seat keeps to itself."""

import pytest

from engine.kernel.seats import at_table, first_from, ranks_of
from engine.kernel.value import Referee, SeatView, Spectator, Viewer, speaks_for


def test_whoever_has_not_left_is_at_the_table() -> None:
    assert at_table(4, (2, 0)) == (1, 3)
    assert at_table(3, ()) == (0, 1, 2)
    assert at_table(2, (0, 1)) == ()


@pytest.mark.parametrize(("start", "found"), [(-1, 3), (0, 1), (1, 1), (2, 3), (3, 3), (4, 1)])
def test_the_first_seat_that_fits_is_looked_for_clockwise_from_the_start(start: int, found: int) -> None:
    assert first_from(start, 4, lambda seat: seat in (1, 3)) == found


def test_nobody_is_passed_over_twice() -> None:
    asked: list[int] = []
    assert first_from(2, 3, lambda seat: asked.append(seat) or seat == 1) == 1  # type: ignore[func-returns-value]  # None is false
    assert asked == [2, 0, 1]


@pytest.mark.parametrize(
    ("keys", "ranks"),
    [
        ([(3,), (7,), (5,)], (3, 1, 2)),
        ([(7,), (5,), (5,), (1,)], (1, 2, 2, 4)),
        ([(5, 1), (5, 2)], (2, 1)),
        ([(True, 0), (False,), (True, -3), (False,)], (1, 3, 2, 3)),
        ([(1,)], (1,)),
        ([], ()),
    ],
)
def test_the_larger_key_is_better_and_ties_use_up_the_ranks_behind_them(
    keys: list[tuple[int, ...]], ranks: tuple[int, ...]
) -> None:
    assert ranks_of(keys) == ranks


@pytest.mark.parametrize(
    ("viewer", "knows"), [(Spectator(), False), (SeatView(0), False), (SeatView(1), True), (Referee(), True)]
)
def test_a_secret_of_a_seat_is_its_own_and_the_referees(viewer: Viewer, knows: bool) -> None:
    assert speaks_for(viewer, 1) is knows
