"""Table numbers: the best pod at the first table, but whoever has a table of his own keeps it.

Pods stand by their best points, then the sum, then the best seed. A pod with a fixed-table contender takes that
number, the lower one if it holds two; the other pods take what is free, in order.
"""

from collections.abc import Sequence

from engine.tournament.pairing.problem import Contender, PodProblem


def table_numbers(problem: PodProblem, pods: Sequence[Sequence[Contender]]) -> list[int]:
    """The number of each pod, in the order of ``pods``. A fixed table that is taken is as good as none."""
    ranking = sorted(range(len(pods)), key=lambda pod: _standing(pods[pod]))
    taken = set(problem.taken_tables)
    numbers = [0] * len(pods)
    for pod in ranking:
        wanted = sorted({one.fixed_table for one in pods[pod] if one.fixed_table} - taken)
        if wanted:
            numbers[pod] = wanted[0]
            taken.add(wanted[0])
    following = problem.first_table
    for pod in ranking:
        if not numbers[pod]:
            while following in taken:
                following += 1
            numbers[pod] = following
            taken.add(following)
    return numbers


def _standing(pod: Sequence[Contender]) -> tuple[int, int, int]:
    points = [contender.points for contender in pod]
    return -max(points), -sum(points), min(contender.seed for contender in pod)
