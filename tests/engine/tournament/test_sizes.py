"""Table sizes, byes and counting, against vectors worked out by hand."""

import pytest

from engine.kernel.refusal import Refusal
from engine.tournament.pairing import repeats_bound
from engine.tournament.sizes import byes_needed, table_sizes

THREES_AND_FOURS = {
    3: (3,),
    4: (4,),
    6: (3, 3),
    7: (4, 3),
    8: (4, 4),
    9: (3, 3, 3),
    10: (4, 3, 3),
    11: (4, 4, 3),
    13: (4, 3, 3, 3),
    17: (4, 4, 3, 3, 3),
}
LIMITS = {(3, 4): [1, 2, 5], (2, 4): [1], (3, 5): [1, 2], (4, 5): [1, 2, 3, 6, 7, 11]}


@pytest.mark.parametrize(("count", "sizes"), THREES_AND_FOURS.items())
def test_tables_of_three_and_four(count: int, sizes: tuple[int, ...]) -> None:
    assert table_sizes(count, 3, 4, 4) == sizes


@pytest.mark.parametrize(("limits", "impossible"), LIMITS.items())
def test_what_cannot_be_seated_is_refused(limits: tuple[int, int], impossible: list[int]) -> None:
    smallest, largest = limits
    for count in range(1, 41):
        if count in impossible:
            with pytest.raises(Refusal, match="not_seatable"):
                table_sizes(count, smallest, largest, largest)
        else:
            sizes = table_sizes(count, smallest, largest, largest)
            assert sum(sizes) == count
            assert smallest <= min(sizes) <= max(sizes) <= largest


@pytest.mark.parametrize("count", range(6, 61))
def test_the_number_of_tables_of_three(count: int) -> None:
    assert table_sizes(count, 3, 4, 4).count(3) == (4 - count % 4) % 4


def test_the_target_decides_between_possible_numbers_of_tables() -> None:
    assert table_sizes(12, 3, 3, 6) == (3, 3, 3, 3)
    assert table_sizes(12, 3, 4, 6) == (4, 4, 4)
    assert table_sizes(12, 3, 6, 6) == (6, 6)


def test_byes_are_as_few_as_can_be() -> None:
    assert [byes_needed(count, 3, 4) for count in (3, 4, 5, 6, 7)] == [0, 0, 1, 0, 0]
    assert [byes_needed(count, 4, 4) for count in (4, 5, 6, 7, 8)] == [0, 1, 2, 3, 0]
    with pytest.raises(Refusal, match="not_seatable"):
        byes_needed(2, 3, 4)


@pytest.mark.parametrize(
    ("rounds", "bounds"),
    [
        (3, (8, 0, 0, 0, 0, 0, 0)),
        (4, (20, 6, 0, 0, 0, 0, 0)),
        (5, (32, 24, 0, 0, 0, 0, 0)),
        (6, (44, 42, 24, 0, 0, 0, 0)),
    ],
)
def test_repeats_that_counting_forces(rounds: int, bounds: tuple[int, ...]) -> None:
    assert tuple(repeats_bound(count, rounds, 4, 4, 4) for count in range(8, 33, 4)) == bounds
