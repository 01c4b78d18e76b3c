"""Whether a pairing is one that may be played: for drafts that were edited, and for whoever checks a log."""

from collections import Counter

from engine.tournament.pairing.field import Field
from engine.tournament.pairing.problem import Pairing, PodProblem, everyone
from engine.tournament.pairing.quality import quality_of


def check(problem: PodProblem, pairing: Pairing) -> tuple[str, ...]:
    """What is wrong, one English sentence each; empty if nothing is. A pairing that is legal need not be the engine's
    own: compare with ``pair(problem)`` for that.

    Raises ``Refusal``: ``not_seatable``.
    """
    field = Field(problem)
    wrong = _people(problem, pairing)
    if not wrong:
        wrong += _byes(field, pairing)
        if pairing.quality != quality_of(problem, pairing.pods):
            wrong.append("The figures of its quality are not those of its tables.")
    return (*wrong, *_tables(problem, pairing))


def _people(problem: PodProblem, pairing: Pairing) -> list[str]:
    placed = Counter([*everyone(pairing.pods), *pairing.byes])
    contenders = {contender.entry for contender in problem.contenders}
    return [
        *(f"Entrant {entry} is nowhere." for entry in sorted(contenders - set(placed))),
        *(f"Entrant {entry} does not take part in this round." for entry in sorted(set(placed) - contenders)),
        *(f"Entrant {entry} stands {times} times." for entry, times in sorted(placed.items()) if times > 1),
    ]


def _byes(field: Field, pairing: Pairing) -> list[str]:
    if len(pairing.byes) != field.byes:
        return [f"{field.byes} have to sit out, not {len(pairing.byes)}."]
    certain, equals = field.sitting_out
    out = {field.place[entry] for entry in pairing.byes}
    return [
        *(f"Entrant {entry} must sit out before others." for entry in field.entries(sorted(set(certain) - out))),
        *(f"Entrant {entry} must not sit out yet." for entry in field.entries(sorted(out - {*certain, *equals}))),
    ]


def _tables(problem: PodProblem, pairing: Pairing) -> list[str]:
    numbers = Counter(pod.table for pod in pairing.pods)
    return [
        *(
            f"Table {pod.table} has {len(pod.entries)} players."
            for pod in pairing.pods
            if not problem.smallest <= len(pod.entries) <= problem.largest
        ),
        *(f"Table {number} stands {times} times." for number, times in sorted(numbers.items()) if times > 1),
        *(f"Table {number} is taken." for number in sorted(numbers) if number in problem.taken_tables),
    ]
