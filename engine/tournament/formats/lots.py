"""Lots of the formats, drawn with the luck of the house (``engine/luck/algorithm.py``): a published seed lets anybody
draw them again.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import TypeVar

from engine.kernel.chance import Roll
from engine.kernel.limits import CARDS_MAX, SIDES_MAX
from engine.luck.algorithm import outcome

Item = TypeVar("Item")


def shuffled(items: Sequence[Item], seed: bytes, name: str) -> tuple[Item, ...]:
    """``items`` in an order drawn by lot, every order equally likely; ``name`` keeps draws of one seed apart."""
    order = list(items)
    for k in range(len(order) - 1):
        (face,) = outcome(seed, f"{name}.{k}", Roll(len(order) - k, 1))
        j = k + face - 1
        order[k], order[j] = order[j], order[k]
    return tuple(order)


def numbers(seed: bytes, name: str) -> Iterator[int]:
    """Numbers 0..2^31-1 without end, for a search that needs very many. A remainder of one is fair enough there, and
    is not for a draw that people see: use ``shuffled``.
    """
    for block in count():
        for face in outcome(seed, f"{name}.{block}", Roll(SIDES_MAX, CARDS_MAX)):
            yield face - 1
