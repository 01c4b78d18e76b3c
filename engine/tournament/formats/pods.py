"""The words that all formats share: a pod, a round of pods, table sizes, and the snake that spreads seeds."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from engine.kernel.refusal import Kind, Refusal
from engine.tournament.played import Entry

Pod: TypeAlias = tuple[Entry, ...]
"""Those who share a table. The order says nothing about chairs."""

Round: TypeAlias = tuple[Pod, ...]
"""Pods that play at the same time; nobody is in two of them."""

Sizes: TypeAlias = Callable[[int], tuple[int, ...]]
"""So many people → the sizes of their tables, which differ by one at most. Raises ``Refusal`` if they cannot be
seated.
"""


def seatable(count: int, sizes: Sizes) -> tuple[int, ...]:
    """The sizes of the tables, or ``()`` for so many as cannot be seated."""
    try:
        return sizes(count)
    except Refusal:
        return ()


def snake(order: Sequence[Entry], tables: int) -> Round:
    """Entrants, best first, dealt along the tables and back again, so that every table is as strong as the next.

    Sizes differ by one at most: 10 at 3 tables are {1, 6, 7}, {2, 5, 8}, {3, 4, 9, 10}. Raises ``Refusal``
    (``bad_format``) unless every table gets somebody.
    """
    if not 1 <= tables <= len(order):
        raise Refusal("bad_format", f"{len(order)} entrants cannot sit at {tables} tables.", Kind.INVALID)
    dealt: list[list[Entry]] = [[] for _ in range(tables)]
    for number, entry in enumerate(order):
        lap, step = divmod(number, tables)
        dealt[step if lap % 2 == 0 else tables - 1 - step].append(entry)
    return tuple(tuple(pod) for pod in dealt)
