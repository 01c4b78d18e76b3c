"""What every pairing keeps, whatever the field."""

import random
from itertools import combinations
from typing import Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.refusal import Refusal
from engine.tournament.pairing import NEVER, Contender, Pairing, Pod, PodProblem, check, explain, pair, quality_of
from engine.tournament.pairing.lots import Lots
from engine.tournament.pairing.quality import Ledger
from tests.engine.tournament.pairing.fields import SEED, field_of, table_with, tables_of


@pytest.mark.parametrize("count", range(3, 61))
def test_everybody_is_at_one_table_or_has_a_bye(count: int) -> None:
    problem = field_of(count)
    pairing = pair(problem)
    assert check(problem, pairing) == ()
    assert len(pairing.byes) == (count == 5)
    assert [pod.table for pod in pairing.pods] == list(range(1, len(pairing.pods) + 1))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(3, 40), st.integers(0, 10**6), st.integers(0, 6), st.sampled_from([(2, 2), (2, 4), (3, 4), (4, 4)]))
def test_a_random_field_is_partitioned(count: int, number: int, rounds: int, sizes: tuple[int, int]) -> None:
    if count < sizes[0]:
        return
    problem = field_of(count, number, rounds, *sizes)
    assert check(problem, pair(problem)) == ()


@pytest.mark.parametrize("count", [9, 33, 64, 257])
def test_the_same_problem_has_the_same_bytes_however_it_is_listed(count: int) -> None:
    problem = field_of(count)
    dice = random.Random(count)
    other = msgspec.structs.replace(
        problem,
        contenders=tuple(dice.sample(problem.contenders, count)),
        met=tuple(dice.sample(problem.met, len(problem.met))),
    )
    first = msgspec.json.encode(pair(problem))
    assert first == msgspec.json.encode(pair(problem)) == msgspec.json.encode(pair(other))
    assert first != msgspec.json.encode(pair(msgspec.structs.replace(problem, seed="5b" * 32)))


def test_a_pairing_that_was_made_once_comes_out_again() -> None:
    """Any change of one pod has to give the engine another number (``ENGINE``)."""
    pairing = pair(field_of(20))
    assert pairing.engine == "pods/1"
    assert [pod.entries for pod in pairing.pods] == PODS_OF_TWENTY


@pytest.mark.parametrize("rounds", range(3, 10))
@pytest.mark.parametrize("count", [5, 7, 9, 13, 21])
def test_nobody_has_a_second_bye_while_another_has_none(count: int, rounds: int) -> None:
    dice = random.Random(count)
    byes, points = [0] * count, [0] * count
    for number in range(1, rounds + 1):
        contenders = tuple(
            Contender(entry=place + 1, points=points[place], seed=place + 1, byes=byes[place]) for place in range(count)
        )
        pairing = pair(PodProblem(SEED, number, contenders, 2, 2, 2))
        (out,) = pairing.byes
        assert byes[out - 1] == min(byes)
        assert points[out - 1] == min(points[place] for place in range(count) if byes[place] == min(byes))
        byes[out - 1] += 1
        points = [have + dice.choice((0, 2)) for have in points]


def test_eight_players_play_seven_rounds_at_tables_of_two() -> None:
    met: dict[tuple[int, int], int] = {}
    points = dict.fromkeys(range(1, 9), 0)
    for number in range(1, 8):
        contenders = tuple(Contender(entry, have, entry) for entry, have in points.items())
        pairing = pair(PodProblem(SEED, number, contenders, 2, 2, 2, met=tuple((*k, v) for k, v in met.items())))
        assert len(pairing.pods) == 4
        assert pairing.quality.repeats >= pairing.quality.repeats_floor
        for pod in pairing.pods:
            key = (min(pod.entries), max(pod.entries))
            met[key] = met.get(key, 0) + 1
            points[min(pod.entries)] += 2


def test_those_who_had_a_bye_together_are_mixed() -> None:
    """A bye is no meeting: who sat out in round one is paired like anybody else in round two."""
    contenders = tuple(Contender(entry, 5 if entry <= 2 else 0, entry, byes=entry <= 2) for entry in range(1, 11))
    pairing = pair(PodProblem(SEED, 2, contenders, 4, 4, 4))
    assert not {1, 2} & set(pairing.byes)
    assert len(pairing.byes) == 2


def test_protected_pairs_are_kept_apart() -> None:
    apart = tuple((entry, entry + 1, NEVER) for entry in range(1, 32, 2))
    problem = field_of(32, apart=apart)
    assert any(one <= pod for pod in _sliced(problem) for one in ({a, b} for a, b, _ in apart))
    pairing = pair(problem)
    assert pairing.quality.apart_broken == 0
    assert all(table_with(pairing, a) != table_with(pairing, b) for a, b, _ in apart)


def _sliced(problem: PodProblem) -> set[frozenset[int]]:
    free = msgspec.structs.replace(problem, repeat_points=0, apart=(), met=())
    return tables_of(pair(free))


def test_who_has_a_table_of_his_own_is_there() -> None:
    problem = field_of(24)
    fixed = {3: 5, 17: 2, 20: 40}
    contenders = tuple(msgspec.structs.replace(one, fixed_table=fixed.get(one.entry, 0)) for one in problem.contenders)
    pairing = pair(msgspec.structs.replace(problem, contenders=contenders, taken_tables=(1,)))
    assert {entry: table_with(pairing, entry) for entry in fixed} == fixed
    assert sorted(pod.table for pod in pairing.pods) == [2, 3, 4, 5, 6, 40]
    assert pairing.quality.misplaced == 0


def test_tables_are_numbered_by_points_then_their_sum_then_the_seed() -> None:
    contenders = tuple(
        Contender(entry, points, entry) for entry, points in enumerate((9, 5, 5, 9, 6, 5, 2, 2), start=1)
    )
    problem = PodProblem(SEED, 2, contenders, 2, 2, 2, met=((1, 4, 1),), repeat_points=1000)
    by_table = [set(pod.entries) for pod in pair(problem).pods]
    assert 5 in by_table[0]
    assert by_table[0] & {1, 4}
    assert by_table[3] == {7, 8}


def test_a_penalty_that_makes_points_negative_counts() -> None:
    contenders = tuple(Contender(entry, -3 if entry == 1 else 10 - entry, entry) for entry in range(1, 9))
    assert table_with(pair(PodProblem(SEED, 2, contenders, 4, 4, 4)), 1) == 2


def test_a_seeded_first_round_is_cut_in_the_order_of_seeds() -> None:
    contenders = tuple(Contender(entry, 0, entry) for entry in range(1, 13))
    pairing = pair(PodProblem(SEED, 1, contenders, 4, 4, 4, order="seed"))
    assert [set(pod.entries) for pod in pairing.pods] == [{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}]


@pytest.mark.parametrize(("where", "table"), [("bottom", 10), ("top", 1)])
def test_short_tables_stand_where_they_belong(where: str, table: int) -> None:
    contenders = tuple(Contender(entry, 100 - entry, entry) for entry in range(1, 40))
    problem = msgspec.structs.replace(PodProblem(SEED, 2, contenders, 3, 4, 4), short_at=where)
    assert [pod.table for pod in pair(problem).pods if len(pod.entries) == 3] == [table]


def test_power_pods_do_not_mind_repeats() -> None:
    problem = field_of(64, repeat_points=0)
    quality = pair(problem).quality
    assert quality.spread == quality.spread_floor
    assert quality.repeats > 0


def test_the_weight_of_a_repeat_trades_repeats_for_spread() -> None:
    loose = [pair(field_of(16, number, 5, repeat_points=1)).quality for number in range(4)]
    strict = [pair(field_of(16, number, 5, repeat_points=1000)).quality for number in range(4)]
    assert sum(one.repeats for one in loose) > sum(one.repeats for one in strict)
    assert sum(one.spread for one in loose) < sum(one.spread for one in strict)


def test_nobody_sits_out_where_that_is_not_allowed() -> None:
    contenders = tuple(Contender(entry, 0, entry) for entry in range(1, 6))
    with pytest.raises(Refusal, match="not_seatable"):
        pair(PodProblem(SEED, 1, contenders, 3, 4, 4, byes_allowed=False))


def test_a_contradictory_problem_is_refused() -> None:
    one, two = Contender(1, 0, 1), Contender(2, 0, 2)
    for contenders, met in (((one, one), ()), ((one, two), ((2, 1, 1),)), ((one, two), ((1, 2, 0),))):
        with pytest.raises(Refusal, match="bad_pairing"):
            PodProblem(SEED, 1, contenders, 2, 2, 2, met=met)


def test_check_names_what_is_wrong() -> None:
    problem = field_of(8)
    good = pair(problem)
    first, second = good.pods
    twice = Pairing(good.engine, (first, Pod(2, (first.entries[0], *second.entries[1:]))), (), good.quality)
    assert check(problem, twice) == (
        f"Entrant {second.entries[0]} is nowhere.",
        f"Entrant {first.entries[0]} stands 2 times.",
    )
    swapped = (
        Pod(1, (second.entries[0], *first.entries[1:])),
        Pod(2, (first.entries[0], *second.entries[1:])),
    )
    edited = quality_of(problem, swapped)
    assert edited.cost >= good.quality.cost
    assert check(problem, Pairing(good.engine, swapped, (), edited)) == ()


def test_the_cost_of_the_search_is_the_cost_that_is_explained() -> None:
    problem = field_of(31)
    pairing = pair(problem)
    totals = [explain(problem, pairing, pod.entries[0]).total.total for pod in pairing.pods]
    assert sum(totals) == pairing.quality.cost


@pytest.mark.parametrize("short_at", ["bottom", "top"])
def test_figures_of_a_round_are_those_of_its_tables(short_at: Literal["bottom", "top"]) -> None:
    """Reckoned by arrays, and table by table: protected pairs, tables of one's own, short tables, edited pods."""
    problem = field_of(31, 3, 4, apart=((1, 2, 40), (3, 30, NEVER)))
    contenders = tuple(
        msgspec.structs.replace(one, short_tables=one.entry % 3, fixed_table={4: 3, 5: 7}.get(one.entry, 0))
        for one in problem.contenders
    )
    problem = msgspec.structs.replace(problem, contenders=contenders, short_at=short_at)
    listed = random.Random(1).sample(range(1, 32), 31)
    cut = [listed[start : start + 4] for start in range(0, 31, 4)]
    cut.append([1, 2])  # an edited draft need not be one that the engine would make
    pods = [Pod(number, tuple(each for each in pod if pod == [1, 2] or each > 2)) for number, pod in enumerate(cut, 1)]
    ledger = Ledger(problem)
    quality = quality_of(problem, pods)
    assert quality.cost == sum((ledger.pod(pod.entries, 4).total for pod in pods), 0)
    pairs = [tuple(sorted(pair)) for pod in pods for pair in combinations(pod.entries, 2)]
    assert quality.repeats == sum(pair in ledger.met for pair in pairs) > 0
    assert quality.apart_broken == sum(pair in ledger.apart for pair in pairs) > 0
    points = [[ledger.contenders[entry].points for entry in pod.entries] for pod in pods]
    assert quality.spread == sum(max(each) - min(each) for each in points)
    short = [ledger.contenders[entry] for pod in pods if len(pod.entries) < 4 for entry in pod.entries]
    assert quality.short_again == sum(one.short_tables > 0 for one in short) > 0
    at = {entry: pod.table for pod in pods for entry in pod.entries}
    assert quality.misplaced == (at[4] != 3) + (at[5] != 7)


def test_an_alternative_costs_what_it_says() -> None:
    problem = field_of(24)
    pairing = pair(problem)
    explained = explain(problem, pairing, 5)
    assert explained.paired_by.then == "lots"
    assert len(explained.meetings) == 3
    assert len(explained.alternatives) == 3
    for alternative in explained.alternatives:
        change = {5: alternative.entry, alternative.entry: 5}
        pods = [Pod(pod.table, tuple(change.get(one, one) for one in pod.entries)) for pod in pairing.pods]
        assert quality_of(problem, pods).cost - pairing.quality.cost == alternative.change.total >= 0


def test_a_bye_says_who_was_passed_over_and_why() -> None:
    contenders = tuple(Contender(entry, 10 - entry, entry, byes=int(entry == 5)) for entry in range(1, 6))
    problem = PodProblem(SEED, 2, contenders, 2, 2, 2)
    pairing = pair(problem)
    assert pairing.byes == (4,)
    explained = explain(problem, pairing, 4)
    assert [(one.entry, one.because) for one in explained.passed_over] == [(5, "had_more_byes")]


def test_lots_are_the_words_of_the_house() -> None:
    from engine.kernel.chance import Draw
    from engine.luck.algorithm import outcome

    cards = tuple(range(300))
    drawn = outcome(bytes.fromhex(SEED), "round-1/order", Draw(cards, len(cards)))
    assert tuple(Lots(SEED, "round-1/order").shuffled(cards)) == drawn


def test_a_bye_among_many_equals_falls_where_the_pods_are_best() -> None:
    """Everybody has as many points and 13 has met all, so that it is best for 13 to sit out."""
    contenders = tuple(Contender(entry, 0, entry) for entry in range(1, 34))
    met = tuple((min(13, entry), max(13, entry), 1) for entry in range(1, 34) if entry != 13)
    pairing = pair(PodProblem(SEED, 2, contenders, 4, 4, 4, met=met))
    assert pairing.byes == (13,)
    assert pairing.quality.cost == 0


@pytest.mark.parametrize("size", [4, 8])
def test_whoever_had_a_seat_often_gets_another(size: int) -> None:
    """Everybody sat everywhere once, but never in the seat of his number: that is where he sits now."""
    contenders = tuple(
        Contender(entry, 0, entry, seats=tuple(int(seat != entry - 1) for seat in range(size)))
        for entry in range(1, size + 1)
    )
    (pod,) = pair(PodProblem(SEED, 2, contenders, size, size, size)).pods
    assert pod.entries == tuple(range(1, size + 1))


PODS_OF_TWENTY = [(3, 5, 11, 6), (17, 15, 12, 20), (4, 9, 19, 13), (7, 14, 2, 18), (8, 10, 16, 1)]
