"""What no pairing can do better, by counting."""

from collections.abc import Sequence

import numpy as np

from engine.tournament.columns.arrays import Integers
from engine.tournament.sizes import byes_needed, table_sizes


def repeats_bound(count: int, rounds: int, smallest: int, target: int, largest: int) -> int:
    """Repeated meetings that an event of so many players and rounds has at least: the places for pairs at its tables
    less the pairs that there are. Swiss events have more, because results say who is near whom.

    Raises ``Refusal``: ``not_seatable``.
    """
    seated = count - byes_needed(count, smallest, largest)
    places = sum(size * (size - 1) // 2 for size in table_sizes(seated, smallest, target, largest))
    return max(0, rounds * places - count * (count - 1) // 2)


def repeats_floor(met: Integers, count: int, sizes: Sequence[int]) -> int:
    """Pairs that meet again in a round of ``count`` contenders, at least: by the pairs that are still new, and by every
    player. ``met`` are the positions of every two who have met, in two rows.

    Somebody with *u* new opponents left, at a table of *n*, meets ``n - 1 - u`` of the others again.
    """
    left = count - 1 - np.bincount(met.ravel(), minlength=count)
    new = count * (count - 1) // 2 - int(met.shape[1])
    places = sum(size * (size - 1) // 2 for size in sizes)
    company = min(sizes) - 1
    forced = int(np.sort(np.maximum(company - left, 0))[: sum(sizes)].sum())
    return max(0, places - new, -(-forced // 2))
