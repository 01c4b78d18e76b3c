"""What no pairing can do better, by counting."""

from collections.abc import Sequence

from engine.tournament.pairing.problem import PodProblem
from engine.tournament.sizes import byes_needed, table_sizes


def repeats_bound(count: int, rounds: int, smallest: int, target: int, largest: int) -> int:
    """Repeated meetings that an event of so many players and rounds has at least: the places for pairs at its tables
    less the pairs that there are. Swiss events have more, because results say who is near whom.

    Raises ``Refusal``: ``not_seatable``.
    """
    seated = count - byes_needed(count, smallest, largest)
    places = sum(size * (size - 1) // 2 for size in table_sizes(seated, smallest, target, largest))
    return max(0, rounds * places - count * (count - 1) // 2)


def repeats_floor(problem: PodProblem, sizes: Sequence[int]) -> int:
    """Pairs that meet again in this round, at least: by the pairs that are still new, and player by player.

    Somebody with *u* new opponents left, at a table of *n*, meets ``n - 1 - u`` of the others again.
    """
    count = len(problem.contenders)
    left = {contender.entry: count - 1 for contender in problem.contenders}
    new = count * (count - 1) // 2
    for first, second, _ in problem.met:
        if first in left and second in left:
            left[first] -= 1
            left[second] -= 1
            new -= 1
    places = sum(size * (size - 1) // 2 for size in sizes)
    company = min(sizes) - 1
    forced = sorted(max(0, company - unmet) for unmet in left.values())[: sum(sizes)]
    return max(0, places - new, -(-sum(forced) // 2))
