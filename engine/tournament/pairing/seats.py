"""Who sits where at a table: the order in which everybody's seats are as even as they can be.

A seat that somebody had *c* times costs ``(c + 1)^power - c^power``. Up to five seats all orders are tried, for all
tables of a size at once; above, the order is an assignment problem. Of equally good orders a lot decides.
"""

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from engine.tournament.columns.arrays import Integers
from engine.tournament.pairing.lots import Lots
from engine.tournament.pairing.problem import Contender, PodProblem

ORDERS_SIZE_MAX = 5
"""120 orders. Six seats would have 720."""
LOT_BITS = 20
"""Lots below 2^20 beneath a cost make the best assignment one and the same for every solver. A cost is below 2^26
(101^4 - 100^4), so 16 of them with their lots stay below 2^53, where the solver's arithmetic is exact."""


def seated(problem: PodProblem, pods: Sequence[Sequence[Contender]]) -> list[tuple[int, ...]]:
    """The entries of each pod in seat order. Whatever order the members are given in, it is the same."""
    lots = Lots(problem.seed, f"round-{problem.round}/seats")
    members = [sorted(pod, key=lambda contender: contender.seed) for pod in pods]
    result: list[tuple[int, ...]] = [()] * len(pods)
    for size in sorted({len(pod) for pod in pods}):
        tables = [number for number, pod in enumerate(members) if len(pod) == size]
        rows = [_had(one, size) for table in tables for one in members[table]]
        had = np.array(rows, np.int64).reshape(len(tables), size, size)
        costs = (had + 1) ** problem.seat_power - had**problem.seat_power
        choose = _by_trying if size <= ORDERS_SIZE_MAX else _by_assignment
        for table, order in zip(tables, choose(costs, lots).tolist(), strict=True):
            result[table] = tuple(members[table][member].entry for member in order)
    return result


def _had(contender: Contender, size: int) -> tuple[int, ...]:
    """How often the contender sat in each seat of such a table."""
    had = contender.seats
    return had if len(had) == size else (*had, *[0] * size)[:size]


def _by_trying(costs: Integers, lots: Lots) -> Integers:
    """Tables by members by seats → tables by seats: which member sits there."""
    tables, size, _ = costs.shape
    orders = np.array(list(permutations(range(size))), np.int64)
    totals = costs[:, orders, np.arange(size)].sum(axis=2)
    best = totals == totals.min(axis=1)[:, None]
    # A word modulo at most 120 is as good as fair: the bias is below 2^-25.
    chosen = lots.words(tables) % best.sum(axis=1)
    result: Integers = orders[(best.cumsum(axis=1) > chosen[:, None]).argmax(axis=1)]
    return result


def _by_assignment(costs: Integers, lots: Lots) -> Integers:
    from scipy.optimize import linear_sum_assignment  # only large tables pay for loading it

    result = np.empty(costs.shape[:2], np.int64)
    for table, cost in enumerate(costs):
        noise = lots.words(cost.size).reshape(cost.shape) % (1 << LOT_BITS)
        members, places = linear_sum_assignment((cost << LOT_BITS) + noise)
        result[table, places] = members
    return result
