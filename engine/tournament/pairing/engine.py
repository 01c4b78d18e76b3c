"""The pairing of one round: order, sizes, pods, seats, tables."""

from collections.abc import Sequence

from engine.tournament.pairing.field import Field
from engine.tournament.pairing.problem import ENGINE, Contender, Pairing, Pod, PodProblem
from engine.tournament.pairing.quality import quality_of
from engine.tournament.pairing.search import search
from engine.tournament.pairing.seats import seated
from engine.tournament.pairing.tables import table_numbers
from engine.tournament.played import Entry


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
    at_tables = {contender.entry for group in groups for contender in group}
    return _placed(field, groups, tuple(sorted(set(field.place) - at_tables)), ENGINE)


def seat_pods(problem: PodProblem, pods: Sequence[Sequence[Entry]], byes: tuple[Entry, ...], *, engine: str) -> Pairing:
    """Seats and tables for pods that another plan than ``pair`` has made; ``engine`` names it.

    All contenders of the problem are in ``pods``; those with ``byes`` are none.
    """
    known = {contender.entry: contender for contender in problem.contenders}
    return _placed(Field(problem), [[known[entry] for entry in pod] for pod in pods], byes, engine)


def _placed(field: Field, groups: Sequence[Sequence[Contender]], byes: tuple[Entry, ...], engine: str) -> Pairing:
    problem = field.problem
    numbers = table_numbers(problem, groups)
    pods = tuple(sorted((Pod(*one) for one in zip(numbers, seated(problem, groups), strict=True)), key=_table))
    return Pairing(engine=engine, pods=pods, byes=byes, quality=quality_of(problem, pods, field))


def _table(pod: Pod) -> int:
    return pod.table
