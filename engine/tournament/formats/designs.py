"""Resolvable designs: rounds of equal tables in which every two meet exactly once.

They exist without sit-outs for tables of 3 when the count leaves 3 on division by 6 (Kirkman's schoolgirls), and for
tables of 4 when it leaves 4 on division by 12. Built here are those that have a short construction over a finite field:

- q² people at tables of q: the lines of the affine plane, with rows first and then every slope;
- 3v people at tables of 3 from a design for v: three copies of it, then the lines that cross all three;
- 3q and 2q+1 people at tables of 3, q = 6t+1 (Ray-Chaudhuri and Wilson);
- 3q+1 people at tables of 4, q = 4t+1 (Hanani).

The smallest counts that exist and are missing are 33 for tables of 3 and 64 for tables of 4; a plan that is as equal
as possible (``planned.py``) serves there.
"""

from collections.abc import Iterable

from engine.tournament.formats.fields import Field, field, prime_power
from engine.tournament.formats.pods import Round


def design(count: int, size: int) -> tuple[Round, ...] | None:
    """The rounds of positions 1..``count`` at tables of ``size``, every pair exactly once; ``None`` if none is known
    here. Pods ascend, and so do the rounds' pods.
    """
    if count == size >= 2:
        return ((tuple(range(1, count + 1)),),)
    if count == size * size and prime_power(size):
        return _affine(field(size))
    if size == 3 and count % 6 == 3:
        return _of_three(count)
    if size == 4 and count % 12 == 4 and prime_power(count // 3) and count // 3 % 4 == 1:
        return _three_and_infinity(field(count // 3))
    return None


def exists(count: int, size: int) -> bool:
    """Whether there is such a design at all, built here or not, as far as theory is complete (tables of 2, 3, 4)."""
    if count == size:
        return True
    return count > size and count % (size * (size - 1)) == size and (size in (2, 3, 4) or bool(design(count, size)))


def transversal(tables: int, size: int) -> tuple[Round, ...]:
    """As many rounds as tables in which nobody meets twice, for a prime power of tables of ``size`` <= ``tables``;
    else no round. Everybody belongs to one of ``size`` teams, and never meets his own.
    """
    if not prime_power(tables) or size > tables:
        return ()
    of = field(tables)
    return tuple(
        _round(
            [team * tables + of.add(start, of.multiply(team, slope)) for team in range(size)] for start in range(tables)
        )
        for slope in range(tables)
    )


def _affine(of: Field) -> tuple[Round, ...]:
    """Points are squares of a board, row by row; a line of slope m holds (row, start + row · m)."""
    q = range(of.order)
    rows = _round([row * of.order + column for column in q] for row in q)
    slopes = (
        _round([row * of.order + of.add(start, of.multiply(row, slope)) for row in q] for start in q) for slope in q
    )
    return (rows, *slopes)


def _of_three(count: int) -> tuple[Round, ...] | None:
    third, half = count // 3, count // 2
    if count % 9 == 0 and (base := design(third, 3)):
        return _tripled(third, base)
    if third % 6 == 1 and prime_power(third):
        return _thrice(field(third))
    if half % 6 == 1 and prime_power(half):
        return _twice_and_infinity(field(half))
    return None


def _tripled(v: int, base: tuple[Round, ...]) -> tuple[Round, ...]:
    """v is odd; a line that crosses the copies advances by the same step from each to the next."""
    within = (_round([copy * v + who - 1 for who in pod] for copy in range(3) for pod in pods) for pods in base)
    across = (
        _round([copy * v + (start + copy * step) % v for copy in range(3)] for start in range(v)) for step in range(v)
    )
    return (*within, *across)


def _thrice(of: Field) -> tuple[Round, ...]:
    """Points (x, level), three levels. One round holds a base block of each kind, and is moved by every x; each other
    mixed block makes a round by itself, of all that it is moved to.
    """
    q, t = of.order, of.order // 6
    sixths = [[*range(a * t, a * t + t)] for a in range(6)]
    straight = [(0, level) for level in range(3)]
    pure = [[(of.power(i + 2 * t * k), level) for k in range(3)] for i in range(t) for level in range(3)]

    def mixed(i: int) -> list[tuple[int, int]]:
        return [(of.power(i + 2 * t * level), level) for level in range(3)]

    def moved(block: list[tuple[int, int]], x: int) -> list[int]:
        return [level * q + of.add(point, x) for point, level in block]

    base = [straight, *pure, *(mixed(i) for i in sixths[1] + sixths[3] + sixths[5])]
    together = (_round(moved(block, x) for block in base) for x in range(q))
    alone = (_round(moved(mixed(i), x) for x in range(q)) for i in sixths[0] + sixths[2] + sixths[4])
    return (*together, *alone)


def _twice_and_infinity(of: Field) -> tuple[Round, ...]:
    """Points (x, level), two levels, and one that stays where it is. g^m is half of g^t + 1."""
    q, t = of.order, of.order // 6
    m = next(m for m in range(q - 1) if of.add(of.power(m), of.power(m)) == of.add(of.power(t), 1))
    sixths = [[*range(a * t, a * t + t)] for a in range(6)]
    base = [[(0, 0), (0, 1)]]
    base += [[(of.power(i), 0), (of.power(i + t), 0), (of.power(i + m), 1)] for i in sixths[0] + sixths[2] + sixths[4]]
    base += [[(of.power(i + m + k * t), 1) for k in (1, 3, 5)] for i in sixths[0]]
    return _developed(of, base, levels=2)


def _three_and_infinity(of: Field) -> tuple[Round, ...]:
    """Points (x, level), three levels, and one that stays. With q = 4t+1, g^2t is -1."""
    t = of.order // 4
    base = [[(0, 0), (0, 1), (0, 2)]]
    base += [
        [(of.power(i + half), level) for half in (0, 2 * t)]
        + [(of.power(i + t + half), (level + 1) % 3) for half in (0, 2 * t)]
        for level in range(3)
        for i in range(t)
    ]
    return _developed(of, base, levels=3)


def _developed(of: Field, base: list[list[tuple[int, int]]], levels: int) -> tuple[Round, ...]:
    """One round for every x: ``base`` moved by x. The first block is joined by the point that stays."""
    stays = levels * of.order
    rounds = []
    for x in range(of.order):
        first, *others = [[level * of.order + of.add(point, x) for point, level in block] for block in base]
        rounds.append(_round([[*first, stays], *others]))
    return tuple(rounds)


def _round(blocks: Iterable[list[int]]) -> Round:
    """Points from 0 as positions from 1, in ascending order."""
    return tuple(sorted(tuple(sorted(point + 1 for point in block)) for block in blocks))
