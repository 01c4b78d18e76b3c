"""The pairing of one round: order, sizes, pods, seats, tables."""

from engine.tournament.pairing.field import Field
from engine.tournament.pairing.problem import ENGINE, Pairing, Pod, PodProblem
from engine.tournament.pairing.quality import quality_of
from engine.tournament.pairing.search import search
from engine.tournament.pairing.seats import seated
from engine.tournament.pairing.tables import table_numbers


def pair(problem: PodProblem) -> Pairing:
    """Everybody at one table or with a bye; the same for the same problem, wherever it is asked.

    Raises ``Refusal``: ``not_seatable`` when there are no tables for this number of contenders.
    """
    field = Field(problem)
    grid = search(field)
    groups = [
        [field.order[position] for position in row if position < field.count]
        for row in grid.tolist()
        if field.out not in row
    ]
    numbers = table_numbers(problem, groups)
    pods = tuple(sorted((Pod(*one) for one in zip(numbers, seated(problem, groups), strict=True)), key=_table))
    at_tables = {entry for pod in pods for entry in pod.entries}
    byes = tuple(sorted(set(field.place) - at_tables))
    return Pairing(engine=ENGINE, pods=pods, byes=byes, quality=quality_of(problem, pods))


def _table(pod: Pod) -> int:
    return pod.table
