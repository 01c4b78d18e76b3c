"""Ladders and seeded byes: the known ones come out, and none of them loses a place."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.refusal import Refusal
from engine.tournament.formats.elimination import SeededByes, Stage, ladder, seeded_byes
from tests.engine.tournament.formats.seating import PAIRS, THREE_OR_FOUR, tables_of


def told(stages: tuple[Stage, ...]) -> str:
    """``4+4 > 2 (+2) > 4``: tables, survivors, wildcards."""
    text = []
    for stage in stages:
        text.append("+".join(map(str, stage.sizes)) if len(set(stage.sizes)) > 1 or len(stage.sizes) < 3 else "")
        text[-1] = text[-1] or f"{len(stage.sizes)}x{stage.sizes[0]}"
        if stage.wildcards:
            text.append(f"(+{stage.wildcards})")
    return " ".join(text)


@pytest.mark.parametrize(
    ("count", "final", "expected"),
    [
        (12, 3, "3x4 3"),
        (12, 4, "3x4 (+1) 4"),
        (16, 4, "4x4 4"),
        (20, 4, "5x4 (+1) 3+3 (+2) 4"),
        (27, 4, "4+4+4+4+4+4+3 4+3 (+2) 4"),
        (50, 4, "4+4+4+4+4+4+4+4+4+4+4+3+3 4+3+3+3 4"),
        (64, 4, "16x4 4x4 4"),
    ],
)
def test_ladders_of_one_who_advances(count: int, final: int, expected: str) -> None:
    assert told(ladder(count, THREE_OR_FOUR, 1, final)) == expected


@pytest.mark.parametrize(
    ("count", "sizes_of_fields", "wildcards"),
    [
        (12, [12, 6, 4], 0),
        (16, [16, 8, 4], 0),
        (20, [20, 10, 6, 4], 0),
        (27, [27, 14, 8, 4], 0),
        (50, [50, 26, 14, 8, 4], 0),
        (64, [64, 32, 16, 8, 4], 0),
    ],
)
def test_ladders_of_two_who_advance(count: int, sizes_of_fields: list[int], wildcards: int) -> None:
    stages = ladder(count, THREE_OR_FOUR, 2, 4)
    assert [stage.count for stage in stages] == sizes_of_fields
    assert sum(stage.wildcards for stage in stages) == wildcards
    assert ladder(20, THREE_OR_FOUR, 2, 4)[1].sizes == (4, 3, 3)
    assert ladder(27, THREE_OR_FOUR, 2, 4)[1].sizes == (4, 4, 3, 3)


def test_pairs_are_an_ordinary_bracket() -> None:
    assert told(ladder(8, PAIRS, 1, 2)) == "4x2 2+2 2"


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(count=st.integers(3, 300), advance=st.integers(1, 3), smallest=st.integers(2, 5), final=st.integers(2, 6))
def test_a_ladder_shrinks_to_exactly_its_final_or_is_refused(
    count: int, advance: int, smallest: int, final: int
) -> None:
    try:
        stages = ladder(count, tables_of(smallest, smallest + 1, smallest + 1), advance, final)
    except Refusal as refused:
        assert refused.code in ("bad_format", "ladder_impossible")  # noqa: PT017 - refusing is one of two outcomes
        return
    assert stages[0].count == count
    assert stages[-1] == Stage(final, (final,), 0, 0)
    for stage, after in pairwise(stages):
        assert sum(stage.sizes) == stage.count > after.count == stage.next_count
        assert len(stage.sizes) * advance + stage.wildcards == after.count
        assert 0 <= stage.wildcards <= stage.count - len(stage.sizes) * advance


@pytest.mark.parametrize(
    ("count", "advance", "final", "code"),
    [
        (5, 1, 4, "ladder_impossible"),
        (16, 1, 2, "ladder_impossible"),
        (16, 4, 4, "ladder_impossible"),
        (3, 1, 4, "bad_format"),
        (16, 0, 4, "bad_format"),
    ],
)
def test_a_ladder_that_leads_nowhere_is_refused(count: int, advance: int, final: int, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        ladder(count, THREE_OR_FOUR, advance, final)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("cut", "after", "tables", "byes"), [(7, 4, 1, 3), (10, 4, 2, 2), (13, 4, 3, 1), (16, 4, 4, 0), (40, 16, 8, 8)]
)
def test_byes_of_the_best_seeds(cut: int, after: int, tables: int, byes: int) -> None:
    assert seeded_byes(cut, after, 4, 4) == SeededByes(tables, byes)
    assert cut - byes == 4 * tables


def test_a_short_field_plays_at_smaller_tables_rather_than_having_byes() -> None:
    assert seeded_byes(12, 4, 3, 4) == SeededByes(4, 0)
    assert seeded_byes(9, 4, 3, 4) == SeededByes(2, 2)
    assert seeded_byes(4, 4, 3, 4) == SeededByes(0, 4)
    assert seeded_byes(3, 4, 3, 4) == SeededByes(0, 3)


@pytest.mark.parametrize(
    ("cut", "after", "smallest", "code"),
    [(8, 4, 4, "byes_do_not_fit"), (19, 4, 4, "byes_do_not_fit"), (8, 0, 4, "bad_format"), (8, 4, 1, "bad_format")],
)
def test_byes_that_do_not_come_out_are_refused(cut: int, after: int, smallest: int, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        seeded_byes(cut, after, smallest, 4)
    assert refused.value.code == code
