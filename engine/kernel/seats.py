"""Round the table: who is still there, who comes next, and who stands before whom when it is over."""

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from engine.kernel.value import Seat

T = TypeVar("T")


def put(values: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    """``values``, one for each seat or field, with another value at ``at``."""
    changed = list(values)
    changed[at] = value
    return tuple(changed)


def at_table(count: int, left: Collection[Seat]) -> tuple[Seat, ...]:
    """The seats of ``count`` that have not left, in turn order."""
    return tuple([seat for seat in range(count) if seat not in left]) if left else tuple(range(count))


def first_from(start: Seat, count: int, fits: Callable[[Seat], object]) -> Seat:
    """The first of ``count`` seats that fits, clockwise, ``start`` itself first; some seat must.

    ``start`` may be one past the last seat, or one before the first: the table is round.
    """
    for step in range(count):
        if fits(seat := (start + step) % count):
            return seat
    raise AssertionError("no seat fits")


def ranks_of(keys: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """By seat, 1 for the best; ties share a rank and use up those behind it (1, 2, 2, 4).

    The larger key is the better one: ``(is still here, points, what breaks a tie, ...)``. Seats that have left come
    last and share their rank if their key is ``(False,)`` alone, or the same for all of them after ``False``.
    """
    ranks: dict[tuple[int, ...], int] = {}
    for rank, key in enumerate(sorted(keys, reverse=True), 1):
        ranks.setdefault(key, rank)
    return tuple(ranks[key] for key in keys)
