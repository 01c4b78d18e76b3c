"""Plans made before round 1: partitions, as few repeats as small fields allow, and the same for the same seed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.refusal import Refusal
from engine.tournament.formats.planned import planned, quality

SEED = b"1"


@pytest.mark.parametrize(
    ("count", "rounds", "repeats_most"),
    [(16, 5, 0), (16, 6, 24), (20, 5, 0), (20, 6, 6), (24, 5, 0), (24, 6, 3), (28, 6, 0), (32, 6, 0), (64, 6, 0)],
)
def test_repeats_of_small_fields(count: int, rounds: int, repeats_most: int) -> None:
    plan = planned(count, (4,) * (count // 4), rounds, SEED)
    assert len(plan) == rounds
    assert all(sorted(who for pod in pods for who in pod) == list(range(1, count + 1)) for pods in plan)
    found = quality(plan)
    assert found.repeats <= repeats_most
    assert found.most <= 2


def test_eight_players_in_pairs_complete_seven_rounds() -> None:
    assert quality(planned(8, (2,) * 4, 7, SEED)).repeats == 0


@pytest.mark.parametrize(("sizes", "visits"), [((4, 4, 3, 3), {2, 3}), ((4, 4, 4, 4, 4, 3), {0, 1})])
def test_small_tables_go_round(sizes: tuple[int, ...], visits: set[int]) -> None:
    """36 visits in six rounds for 14 people, 18 for 23: as equal as they can be."""
    plan = planned(sum(sizes), sizes, 6, SEED)
    seen = [sum(who in pod for pods in plan for pod in pods if len(pod) == 3) for who in range(1, sum(sizes) + 1)]
    assert set(seen) == visits
    assert quality(plan).small_tables == max(visits)
    assert quality(plan).most <= 2


@settings(max_examples=5, deadline=None, derandomize=True, database=None)
@given(sizes=st.lists(st.integers(2, 5), min_size=1, max_size=3), rounds=st.integers(1, 2), seed=st.binary(max_size=4))
def test_a_plan_is_a_partition_each_round_and_the_same_again(sizes: list[int], rounds: int, seed: bytes) -> None:
    count = sum(sizes)
    plan = planned(count, sizes, rounds, seed)
    assert len(plan) == rounds
    for pods in plan:
        assert sorted(map(len, pods)) == sorted(sizes)
        assert sorted(who for pod in pods for who in pod) == list(range(1, count + 1))
    assert plan == planned(count, sizes, rounds, seed)


def test_another_seed_is_another_plan() -> None:
    assert planned(16, (4,) * 4, 3, b"1") != planned(16, (4,) * 4, 3, b"2")
    assert planned(24, (4,) * 6, 3, b"1") != planned(24, (4,) * 6, 3, b"2")


def test_quality_counts_repeats_and_small_tables() -> None:
    found = quality((((1, 2, 3, 4), (5, 6, 7)), ((1, 2, 5, 6), (3, 4, 7)), ((1, 2, 3, 5), (4, 6, 7))))
    assert (found.repeats, found.most, found.small_tables) == (3 + 7, 3, 3)


@pytest.mark.parametrize(
    ("count", "sizes", "rounds", "code"),
    [
        (9, (4, 4), 3, "sizes_do_not_fit"),
        (9, (4, 4, 1), 3, "sizes_do_not_fit"),
        (0, (), 3, "sizes_do_not_fit"),
        (8, (4, 4), 0, "bad_format"),
        (1004, (4,) * 251, 1, "bad_format"),
    ],
)
def test_what_cannot_be_planned_is_refused(count: int, sizes: tuple[int, ...], rounds: int, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        planned(count, sizes, rounds, SEED)
    assert refused.value.code == code
