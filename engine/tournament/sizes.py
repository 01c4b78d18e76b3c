"""How many tables of which size, and how many must sit out."""

from engine.kernel.refusal import Refusal


def table_sizes(count: int, smallest: int, target: int, largest: int) -> tuple[int, ...]:
    """The sizes of the tables for ``count`` players, the largest first.

    *k* tables are possible when ``smallest*k <= count <= largest*k``. Of these the *k* is taken whose sizes, as equal
    as they can be, have the least sum of squared differences from ``target``; of two such the one with fewer tables.
    Raises ``Refusal``: ``not_seatable``.
    """
    possible = range(max(1, -(-count // largest)), count // smallest + 1)
    tables = min(possible, key=lambda number: _misfit(count, number, target), default=0)
    if not tables:
        raise Refusal("not_seatable", f"{count} players do not divide into tables of {smallest} to {largest}.")
    size, larger = divmod(count, tables)
    return (size + 1,) * larger + (size,) * (tables - larger)


def byes_needed(count: int, smallest: int, largest: int) -> int:
    """The least number that has to sit out so that the others can be seated.

    Raises ``Refusal``: ``not_seatable`` when there are not enough for one table.
    """
    for seated in range(count, smallest - 1, -1):
        if -(-seated // largest) <= seated // smallest:
            return count - seated
    raise Refusal("not_seatable", f"A table needs {smallest} players, and there are {count}.")


def _misfit(count: int, tables: int, target: int) -> int:
    size, larger = divmod(count, tables)
    return larger * (size + 1 - target) ** 2 + (tables - larger) * (size - target) ** 2
