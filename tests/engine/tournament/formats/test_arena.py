"""The arena: nobody meets a whole table again at once, a higher threshold mixes better, late tables count."""

import heapq
from fractions import Fraction
from itertools import combinations
from math import exp
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.refusal import Refusal
from engine.tournament.formats.arena import Phase, Rules, Waiting, phase, seat, threshold_for

MINUTE = 60_000_000
RULES = Rules(smallest=4, size=4, threshold=8, patience_us=10 * MINUTE, horizon=240 * MINUTE, typical_us=40 * MINUTE)


def waiting(*entries: int, since: int = 0, last: tuple[int, ...] = ()) -> list[Waiting]:
    return [Waiting(entry, since, last=last) for entry in entries]


def test_a_table_waits_for_the_threshold_or_for_somebody_out_of_patience() -> None:
    assert seat(waiting(*range(1, 8)), MINUTE, RULES, {}) == ()
    assert seat(waiting(*range(1, 9)), MINUTE, RULES, {}) == ((1, 2, 3, 4),)
    assert seat(waiting(*range(1, 8)), 10 * MINUTE, RULES, {}) == ((1, 2, 3, 4),)


def test_the_longest_waiter_is_seated_first() -> None:
    pool = [*waiting(*range(1, 9), since=5), Waiting(9, 3)]
    assert seat(pool, MINUTE, RULES, {})[0][0] == 9


def test_those_who_have_met_least_sit_together_then_those_with_near_points() -> None:
    met = {(1, 2): 2, (1, 3): 1}
    assert seat(waiting(*range(1, 9)), MINUTE, RULES, met) == ((1, 4, 5, 6),)
    pool = [Waiting(entry, 0, Fraction(points)) for entry, points in enumerate((5, 0, 9, 6, 4, 5, 1, 8), 1)]
    assert seat(pool, MINUTE, RULES, {}) == ((1, 6, 4, 5),)


def test_a_pod_is_not_the_same_again_while_somebody_else_is_there() -> None:
    again = (1, 2, 3, 4)
    pool = [*waiting(*again, last=again), *waiting(5, 6, 7, 8, since=1)]
    met = dict.fromkeys(combinations((5, 6, 7, 8), 2), 1) | {(a, b): 9 for a in again for b in (5, 6, 7, 8)}
    for pod in seat(pool, 20 * MINUTE, RULES, met):
        assert set(pod) != set(again)


def test_with_nobody_else_there_it_is_the_same_only_when_all_are_out_of_patience() -> None:
    again = (1, 2, 3, 4)
    pool = [*waiting(1, 2, 3, last=again), *waiting(4, since=5 * MINUTE, last=again)]
    assert seat(pool, 14 * MINUTE, RULES, {}) == ()
    assert seat(pool, 15 * MINUTE, RULES, {}) == (again,)


def test_where_every_pair_was_the_last_of_one_of_them_all_wait() -> None:
    rules = Rules(2, 2, 2, 10 * MINUTE, 240 * MINUTE, 40 * MINUTE)
    pool = [Waiting(1, 0, last=(1, 2)), Waiting(2, 0, last=(2, 3)), Waiting(3, 0, last=(3, 1))]
    assert seat(pool, 20 * MINUTE, rules, {}) == ()
    assert seat(pool[:2], 20 * MINUTE, rules, {}) == ((1, 2),)


def test_a_small_table_opens_only_for_somebody_out_of_patience() -> None:
    rules = Rules(2, 4, 4, 10 * MINUTE, 240 * MINUTE, 40 * MINUTE)
    assert seat(waiting(1, 2, 3), 9 * MINUTE, rules, {}) == ()
    assert seat(waiting(1, 2, 3), 10 * MINUTE, rules, {}) == ((1, 2, 3),)
    assert seat(waiting(1), 10 * MINUTE, rules, {}) == ()


def test_no_table_opens_so_late_that_it_would_outlast_the_horizon() -> None:
    assert seat(waiting(*range(1, 9)), 200 * MINUTE, RULES, {})
    assert seat(waiting(*range(1, 9)), 200 * MINUTE + 1, RULES, {}) == ()


def test_an_arena_is_not_over_while_a_table_runs() -> None:
    assert phase(200 * MINUTE, 3, RULES) is Phase.OPEN
    assert phase(201 * MINUTE, 0, RULES) is Phase.CLOSING
    assert phase(300 * MINUTE, 1, RULES) is Phase.CLOSING
    assert phase(240 * MINUTE, 0, RULES) is Phase.OVER


def test_the_rule_of_thumb_for_the_threshold() -> None:
    assert [threshold_for(4, n) for n in (16, 64, 128, 256)] == [8, 8, 16, 32]


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(count=st.integers(0, 30), threshold=st.integers(4, 12), data=st.data())
def test_nobody_sits_twice_and_the_order_of_the_pool_does_not_matter(
    count: int, threshold: int, data: st.DataObject
) -> None:
    rules = Rules(3, 4, threshold, 10 * MINUTE, 240 * MINUTE, 40 * MINUTE)
    pool = [Waiting(entry, data.draw(st.integers(0, 12)) * MINUTE) for entry in range(1, count + 1)]
    pods = seat(pool, 12 * MINUTE, rules, {})
    seated = [entry for pod in pods for entry in pod]
    assert len(set(seated)) == len(seated)
    assert set(seated) <= {who.entry for who in pool}
    assert all(3 <= len(pod) <= 4 for pod in pods)
    left = [who for who in pool if who.entry not in seated]
    assert len(left) < threshold
    assert len(left) < 3 or all(who.since > 2 * MINUTE for who in left)
    assert pods == seat(data.draw(st.permutations(pool)), 12 * MINUTE, rules, {})


class Simulated(NamedTuple):
    games_each: float
    repeats: float
    """Share of meetings that are not the first."""
    same_again: int
    """Pods that sat down twice in a row, although somebody else waited or all had not waited out their patience."""


def simulate(entrants: int, threshold: int, patience_minutes: int, seed: int) -> Simulated:
    """240 minutes, games of 40 (median; log-normal with 0.3), three minutes from table to pool."""
    random = Random(seed)
    rules = Rules(4, 4, threshold, patience_minutes * MINUTE, 240 * MINUTE, 0)
    arrivals = [(0, entry) for entry in range(1, entrants + 1)]
    pool: dict[int, Waiting] = {}
    met: dict[tuple[int, int], int] = {}
    last: dict[int, tuple[int, ...]] = {}
    games = meetings = repeats = same_again = 0
    while arrivals:
        now, entry = heapq.heappop(arrivals)
        if entry:
            pool[entry] = Waiting(entry, now, Fraction(0), last.get(entry, ()))
            heapq.heappush(arrivals, (now + rules.patience_us, 0))
        if arrivals and arrivals[0][0] == now:
            continue
        for pod in seat(list(pool.values()), now, rules, met):
            if any(set(last.get(who, ())) == set(pod) for who in pod):
                patient = any(now - pool[who].since < rules.patience_us for who in pod)
                same_again += patient or len(pool) > len(pod)
            over = now + int(40 * MINUTE * exp(0.3 * random.gauss(0, 1))) + 3 * MINUTE
            for pair in combinations(sorted(pod), 2):
                met[pair] = met.get(pair, 0) + 1
                meetings, repeats = meetings + 1, repeats + (met[pair] > 1)
            for who in pod:
                games += 1
                last[who] = pod
                del pool[who]
                heapq.heappush(arrivals, (over, who))
    return Simulated(games / entrants, repeats / meetings, same_again)


def test_a_higher_threshold_mixes_better_and_costs_games() -> None:
    """With 64 entrants; seated at once and without the rule against the same pod, 83 of 100 meetings were repeats."""
    at_once, eight, sixteen = ([simulate(64, threshold, 1000, seed) for seed in range(3)] for threshold in (4, 8, 16))
    games = [sum(run.games_each for run in runs) / 3 for runs in (at_once, eight, sixteen)]
    repeats = [sum(run.repeats for run in runs) / 3 for runs in (at_once, eight, sixteen)]
    assert games[0] > games[1] > games[2]
    assert games == [pytest.approx(6.0, abs=0.5), pytest.approx(5.6, abs=0.5), pytest.approx(5.2, abs=0.7)]
    assert repeats[0] > repeats[1] > repeats[2]
    assert repeats[0] < 0.45
    assert repeats[1] <= 0.24
    assert repeats[2] <= 0.14


@pytest.mark.parametrize("entrants", range(4, 17))
def test_small_arenas_go_on_and_seat_no_pod_twice_in_a_row_without_need(entrants: int) -> None:
    run = simulate(entrants, 4, 10, entrants)
    assert run.same_again == 0
    assert run.games_each >= 2.5


def test_nonsense_is_refused() -> None:
    for nonsense in (
        lambda: Rules(4, 4, 3, 0, 0, 0),
        lambda: Rules(1, 4, 4, 0, 0, 0),
        lambda: seat(waiting(1, 1), 0, RULES, {}),
    ):
        with pytest.raises(Refusal) as refused:
            nonsense()
        assert refused.value.code == "bad_format"
