"""Fields for the tests of the pairing: made from a number, always the same."""

import random

from engine.tournament.pairing import Contender, Pairing, PodProblem
from engine.tournament.pairing.problem import Times

SEED = "5a" * 32


def field_of(
    count: int,
    number: int = 0,
    rounds: int = 3,
    smallest: int = 3,
    largest: int = 4,
    repeat_points: int = 10,
    apart: tuple[Times, ...] = (),
) -> PodProblem:
    """``count`` contenders who have played ``rounds`` rounds at random tables of ``largest``, with random results."""
    dice = random.Random(1000 * count + number)
    met: dict[tuple[int, int], int] = {}
    for _ in range(rounds):
        order = dice.sample(range(1, count + 1), count)
        for start in range(0, count, largest):
            table = sorted(order[start : start + largest])
            for index, first in enumerate(table):
                for second in table[index + 1 :]:
                    met[first, second] = met.get((first, second), 0) + 1
    contenders = tuple(
        Contender(entry=entry, points=sum(dice.choices((5, 3, 2, 1), k=rounds)), seed=entry)
        for entry in range(1, count + 1)
    )
    return PodProblem(
        seed=SEED,
        round=rounds + 1,
        contenders=contenders,
        smallest=smallest,
        target=largest,
        largest=largest,
        met=tuple((*pair, times) for pair, times in sorted(met.items())),
        apart=apart,
        repeat_points=repeat_points,
    )


def tables_of(pairing: Pairing) -> set[frozenset[int]]:
    return {frozenset(pod.entries) for pod in pairing.pods}


def table_with(pairing: Pairing, entry: int) -> int:
    return next(pod.table for pod in pairing.pods if entry in pod.entries)
