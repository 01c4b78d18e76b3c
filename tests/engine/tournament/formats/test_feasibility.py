"""Before the start it is said what cannot come true."""

import pytest

from engine.tournament.formats.feasibility import (
    Concern,
    concerns_of_cut,
    concerns_of_groups,
    concerns_of_ladder,
    concerns_of_rounds,
    concerns_of_tables,
    repeat_free_rounds,
    repeats_at_least,
)
from tests.engine.tournament.formats.seating import THREE_OR_FOUR, tables_of


def codes(concerns: tuple[Concern, ...]) -> list[str]:
    assert all(concern.sentence.endswith(".") for concern in concerns)
    return [concern.code for concern in concerns]


@pytest.mark.parametrize(
    ("rounds", "bounds"),
    [
        (3, [8, 0, 0, 0, 0, 0, 0]),
        (4, [20, 6, 0, 0, 0, 0, 0]),
        (5, [32, 24, 0, 0, 0, 0, 0]),
        (6, [44, 42, 24, 0, 0, 0, 0]),
    ],
)
def test_repeats_that_counting_forces(rounds: int, bounds: list[int]) -> None:
    assert [repeats_at_least(n, (4,) * (n // 4), rounds) for n in range(8, 36, 4)] == bounds


def test_eight_players_and_seven_rounds_are_a_concern_before_the_start() -> None:
    (concern,) = concerns_of_rounds(8, (2,) * 4, 7)
    assert concern.code == "repeats_possible"
    assert "round 5" in concern.sentence
    assert concerns_of_rounds(8, (2,) * 4, 4) == ()


def test_repeats_that_are_certain_are_counted() -> None:
    (concern,) = concerns_of_rounds(16, (4,) * 4, 6)
    assert concern.code == "repeats_certain"
    assert "24" in concern.sentence


def test_rounds_that_are_always_free_of_repeats() -> None:
    assert repeat_free_rounds((2,) * 4) == 4
    assert repeat_free_rounds((4,) * 16) == 6
    assert concerns_of_rounds(64, (4,) * 16, 6) == ()


@pytest.mark.parametrize(
    ("sizes", "not_seatable"),
    [((3, 4, 4), [1, 2, 5]), ((2, 4, 4), [1]), ((3, 4, 5), [1, 2]), ((4, 5, 5), [1, 2, 3, 6, 7, 11])],
)
def test_fields_that_do_not_divide_into_tables(sizes: tuple[int, int, int], not_seatable: list[int]) -> None:
    tables = tables_of(*sizes)
    assert [n for n in range(1, 40) if concerns_of_tables(n, tables)] == not_seatable
    assert codes(concerns_of_tables(not_seatable[-1], tables)) == ["not_seatable"]


def test_a_cut_larger_than_the_field() -> None:
    assert codes(concerns_of_cut(15, 16)) == ["cut_too_large"]
    assert concerns_of_cut(16, 16) == ()


def test_groups_without_a_plan() -> None:
    assert concerns_of_groups(18, 2, 3) == ()
    assert concerns_of_groups(11, 2, 2) == ()
    assert codes(concerns_of_groups(19, 2, 3)) == ["not_exactly_once"]
    assert "10 entrants" in concerns_of_groups(19, 2, 3)[0].sentence
    assert codes(concerns_of_groups(21, 2, 3)) == ["not_exactly_once"] * 2
    assert codes(concerns_of_groups(5, 0, 3)) == ["no_such_groups"]


def test_a_ladder_that_leads_nowhere() -> None:
    assert concerns_of_ladder(20, THREE_OR_FOUR, 1, 4) == ()
    assert codes(concerns_of_ladder(16, THREE_OR_FOUR, 4, 4)) == ["ladder_impossible"]
    assert codes(concerns_of_ladder(3, THREE_OR_FOUR, 1, 4)) == ["ladder_impossible"]
