"""Against the best there is: every pairing of a handful, and a solver's proof for two dozen."""

from collections.abc import Iterator
from itertools import combinations

import pytest
from ortools.sat.python import cp_model

from engine.tournament.pairing import Pod, PodProblem, pair, quality_of
from tests.engine.tournament.pairing.fields import field_of

PROOF_S_MAX = 30
"""The instances below are proved in a few seconds."""


def partitions(free: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every way to seat ``free`` at tables of ``sizes``."""
    if not free:
        yield ()
        return
    for size in sorted(set(sizes)):
        left = list(sizes)
        left.remove(size)
        for company in combinations(free[1:], size - 1):
            rest = tuple(one for one in free[1:] if one not in company)
            for others in partitions(rest, tuple(left)):
                yield ((free[0], *company), *others)


def least_cost(problem: PodProblem, sizes: tuple[int, ...], byes: int) -> int:
    entries = tuple(contender.entry for contender in problem.contenders)
    points = {contender.entry: contender.points for contender in problem.contenders}
    lowest = sorted(points.values())[:byes]
    best = []
    for out in combinations(entries, byes):
        if sorted(points[entry] for entry in out) == lowest:
            seated = tuple(entry for entry in entries if entry not in out)
            for tables in partitions(seated, sizes):
                pods = [Pod(number, table) for number, table in enumerate(tables, 1)]
                best.append(quality_of(problem, pods).cost)
    return min(best)


@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize(
    ("count", "smallest", "largest", "sizes", "byes"),
    [
        (6, 2, 2, (2, 2, 2), 0),
        (7, 2, 2, (2, 2, 2), 1),
        (7, 3, 4, (4, 3), 0),
        (8, 3, 3, (3, 3), 2),
        (9, 4, 4, (4, 4), 1),
        (9, 3, 4, (3, 3, 3), 0),
    ],
)
def test_a_handful_is_paired_as_well_as_can_be(
    count: int, smallest: int, largest: int, sizes: tuple[int, ...], byes: int, number: int
) -> None:
    problem = field_of(count, number, 2, smallest, largest)
    assert pair(problem).quality.cost == least_cost(problem, sizes, byes)


def proven(problem: PodProblem, size: int) -> tuple[int, int]:
    """Repeats and spread of the pairing with the least 1000 * repeats + spread, proved."""
    model = cp_model.CpModel()
    contenders = problem.contenders
    pods = range(len(contenders) // size)
    sits = {(one.entry, pod): model.new_bool_var("") for one in contenders for pod in pods}
    top = max(one.points for one in contenders)
    for one in contenders:
        model.add_exactly_one(sits[one.entry, pod] for pod in pods)
    for pod in pods:
        model.add(sum(sits[one.entry, pod] for one in contenders) == size)
    model.add(sits[1, 0] == 1)
    repeats = []
    for first, second, _ in problem.met:
        again = model.new_bool_var("")
        repeats.append(again)
        for pod in pods:
            model.add(again >= sits[first, pod] + sits[second, pod] - 1)
    spreads = []
    for pod in pods:
        high, low = model.new_int_var(0, top, ""), model.new_int_var(0, top, "")
        for one in contenders:
            model.add(high >= one.points).only_enforce_if(sits[one.entry, pod])
            model.add(low <= one.points).only_enforce_if(sits[one.entry, pod])
        spreads.append(high - low)
    model.minimize(1000 * sum(repeats) + sum(spreads))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 2
    solver.parameters.max_time_in_seconds = PROOF_S_MAX
    assert solver.status_name(solver.solve(model)) == "OPTIMAL"
    return divmod(round(solver.objective_value), 1000)


def test_two_dozen_are_paired_almost_as_well_as_is_proved() -> None:
    best_spread = our_spread = 0
    for count in (20, 24):
        for number in range(3):
            problem = field_of(count, number, 3, 4, 4, repeat_points=1000)
            repeats, spread = proven(problem, 4)
            ours = pair(problem).quality
            assert ours.repeats == repeats
            best_spread += spread
            our_spread += ours.spread
    assert our_spread * 100 <= best_spread * 105
