"""Groups: everybody meets everybody exactly once; the printed plans of 9 and 16 come out as they are printed."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.refusal import Refusal
from engine.tournament.formats.designs import design, exists, transversal
from engine.tournament.formats.fields import field, prime_power
from engine.tournament.formats.groups import group_stage, round_robin
from engine.tournament.formats.pods import Round, snake
from engine.tournament.sizes import table_sizes

SEED = bytes(range(32))


def threes(count: int) -> tuple[int, ...]:
    """Tables of three, and of two where it does not come out even."""
    return table_sizes(count, 2, 3, 3)


NINE = """
123 456 789
147 258 369
159 267 348
168 249 357
"""
SIXTEEN = """
1 2 3 4 | 5 6 7 8 | 9 10 11 12 | 13 14 15 16
1 5 9 13 | 2 6 10 14 | 3 7 11 15 | 4 8 12 16
1 6 11 16 | 2 5 12 15 | 3 8 9 14 | 4 7 10 13
1 7 12 14 | 2 8 11 13 | 3 5 10 16 | 4 6 9 15
1 8 10 15 | 2 7 9 16 | 3 6 12 13 | 4 5 11 14
"""
KIRKMAN = (3, 9, 15, 21, 27, 39, 45, 51, 57, 63)
FOURS = (4, 16, 28, 40, 52, 76)


def meetings(rounds: tuple[Round, ...]) -> Counter[tuple[int, int]]:
    return Counter(pair for pods in rounds for pod in pods for pair in combinations(sorted(pod), 2))


def all_meet_once(rounds: tuple[Round, ...], count: int) -> bool:
    return meetings(rounds) == Counter(combinations(range(1, count + 1), 2))


def is_partition(pods: Round, count: int) -> bool:
    return sorted(who for pod in pods for who in pod) == list(range(1, count + 1))


def test_nine_at_tables_of_three_are_as_printed() -> None:
    printed = tuple(tuple(tuple(map(int, pod)) for pod in line.split()) for line in NINE.strip().splitlines())
    assert round_robin(9, 3) == printed


def test_sixteen_at_tables_of_four_are_as_printed() -> None:
    printed = tuple(
        tuple(tuple(map(int, pod.split())) for pod in line.split("|")) for line in SIXTEEN.strip().splitlines()
    )
    assert round_robin(16, 4) == printed


@pytest.mark.parametrize(
    ("count", "size"),
    [*((n, 3) for n in KIRKMAN), *((n, 4) for n in FOURS), (5, 5), (25, 5), (49, 7), (64, 8), (8, 2), (2, 2), (24, 2)],
)
def test_every_pair_meets_exactly_once(count: int, size: int) -> None:
    rounds = round_robin(count, size)
    assert len(rounds) == (count - 1) // (size - 1)
    assert all(is_partition(pods, count) for pods in rounds)
    assert {len(pod) for pods in rounds for pod in pods} == {size}
    assert all_meet_once(rounds, count)


@pytest.mark.parametrize("count", [3, 5, 7, 11])
def test_with_an_odd_count_everybody_sits_out_once(count: int) -> None:
    rounds = round_robin(count, 2)
    assert len(rounds) == count
    assert all_meet_once(rounds, count)
    out = [set(range(1, count + 1)) - {who for pod in pods for who in pod} for pods in rounds]
    assert sorted(who for absent in out for who in absent) == list(range(1, count + 1))


def test_eight_players_complete_seven_rounds() -> None:
    """Round by round, without looking ahead, such an event is known to have stopped after five."""
    assert len(round_robin(8, 2)) == 7
    assert all_meet_once(round_robin(8, 2), 8)


@pytest.mark.parametrize(
    ("count", "size", "why"),
    [(10, 3, "does not exist"), (8, 4, "does not exist"), (33, 3, "not among those"), (64, 4, "not among those")],
)
def test_where_there_is_no_plan_it_is_said_why(count: int, size: int, why: str) -> None:
    with pytest.raises(Refusal, match=why) as refused:
        round_robin(count, size)
    assert refused.value.code == "no_such_design"


def test_a_group_is_not_smaller_than_its_table() -> None:
    with pytest.raises(Refusal) as refused:
        round_robin(2, 3)
    assert refused.value.code == "bad_format"


def test_designs_exist_where_theory_says() -> None:
    assert [n for n in range(3, 40) if exists(n, 3)] == [3, 9, 15, 21, 27, 33, 39]
    assert [n for n in range(4, 70) if exists(n, 4)] == [4, 16, 28, 40, 52, 64]
    assert [n for n in range(3, 70) if exists(n, 3) and not design(n, 3)] == [33, 69]


@pytest.mark.parametrize(("tables", "size"), [(5, 4), (8, 4), (7, 3), (4, 4), (9, 5)])
def test_a_transversal_plan_has_as_many_rounds_as_tables_and_no_repeat(tables: int, size: int) -> None:
    rounds = transversal(tables, size)
    assert len(rounds) == tables
    assert all(is_partition(pods, tables * size) for pods in rounds)
    assert set(meetings(rounds).values()) == {1}


def test_no_transversal_plan_is_promised_for_six_tables_or_tables_larger_than_they_are_many() -> None:
    assert transversal(6, 4) == ()
    assert transversal(3, 4) == ()


@pytest.mark.parametrize("order", [2, 3, 4, 5, 7, 8, 9, 16, 25, 27])
def test_a_field_keeps_its_laws(order: int) -> None:
    of = field(order)
    elements = range(order)
    for a in elements:
        assert sorted(of.add(a, b) for b in elements) == list(elements)
        assert sorted(of.multiply(a, b) for b in elements) == (list(elements) if a else [0] * order)
        for b in elements:
            assert of.multiply(a, of.add(b, 1)) == of.add(of.multiply(a, b), a)


def test_prime_powers() -> None:
    assert [n for n in range(30) if prime_power(n)] == [
        *(2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29),
    ]
    assert prime_power(27) == (3, 3)


def test_the_snake_spreads_seeds() -> None:
    assert snake(range(1, 17), 4) == ((1, 8, 9, 16), (2, 7, 10, 15), (3, 6, 11, 14), (4, 5, 12, 13))
    assert snake(range(1, 11), 3) == ((1, 6, 7), (2, 5, 8), (3, 4, 9, 10))


def test_no_table_of_the_snake_is_empty() -> None:
    with pytest.raises(Refusal) as refused:
        snake((1, 2), 3)
    assert refused.value.code == "bad_format"


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(order=st.lists(st.integers(1, 999), min_size=1, max_size=60, unique=True), data=st.data())
def test_the_snake_loses_nobody_and_its_tables_differ_by_one(order: list[int], data: st.DataObject) -> None:
    tables = data.draw(st.integers(1, len(order)))
    pods = snake(order, tables)
    assert sorted(who for pod in pods for who in pod) == sorted(order)
    assert max(map(len, pods)) - min(map(len, pods)) <= 1


def test_groups_are_round_robins_at_once() -> None:
    order = (*range(101, 119),)
    rounds = group_stage(order, 2, 3, threes, SEED)
    assert len(rounds) == 4
    groups = snake(order, 2)
    assert meetings(rounds) == Counter(pair for group in groups for pair in combinations(sorted(group), 2))


def test_a_smaller_group_of_pairs_is_done_earlier() -> None:
    rounds = group_stage((1, 2, 3, 4, 5, 6, 7), 2, 2, threes, SEED)
    assert [len(pods) for pods in rounds] == [3, 3, 3]
    assert len(meetings(rounds)) == 3 + 6


@pytest.mark.parametrize(("count", "size", "rounds"), [(7, 4, 5), (10, 4, 5), (13, 4, 7), (5, 3, 3), (11, 3, 6)])
def test_where_no_plan_is_known_everybody_still_meets_everybody(count: int, size: int, rounds: int) -> None:
    """At tables of ``size`` and one less; the most that two meet is twice, three times in the smallest groups."""
    plan = group_stage(range(1, count + 1), 1, size, lambda n: table_sizes(n, max(2, size - 1), size, size), bytes(32))
    met = meetings(plan)
    assert len(plan) == rounds
    assert set(met) == set(combinations(range(1, count + 1), 2))
    assert max(met.values()) <= (3 if count < 8 else 2)
    assert all(sorted(who for pod in pods for who in pod) == list(range(1, count + 1)) for pods in plan)


def test_two_groups_of_which_one_has_a_plan_end_each_in_its_time() -> None:
    """Nineteen at tables of three: a group of nine in four rounds, one of ten as well as can be."""
    order = (*range(1, 20),)
    rounds = group_stage(order, 2, 3, threes, SEED)
    groups = snake(order, 2)
    assert sorted(map(len, groups)) == [9, 10]
    wanted = {pair for group in groups for pair in combinations(sorted(group), 2)}
    assert set(meetings(rounds)) == wanted
    assert len(rounds) > 4
