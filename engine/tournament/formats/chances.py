"""Who is through already, and who is out: bounds that are never wrong, whatever happens in the rounds to come.

Everybody is thought to win or to lose all that is left, the others the opposite, and a tie to go against whom we speak
of. So nobody is called through or out who is not; with few rounds left some who are may still be called open.
"""

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from heapq import nlargest

from engine.kernel.refusal import Kind, Refusal
from engine.tournament.played import Entry


class Chance(Enum):
    """What the rounds to come can still change."""

    CLINCHED = "clinched"
    ALIVE = "alive"
    ELIMINATED = "eliminated"


def chances(
    points: Mapping[Entry, Fraction], size: int, rounds: int, most: Fraction, least: Fraction = Fraction(0)
) -> dict[Entry, Chance]:
    """The chance of everybody to be among the first ``size``, with ``rounds`` to come of ``least`` to ``most`` points.

    Clinched: fewer than ``size`` others can reach the worst that one can end with. Eliminated: at least ``size``
    others end above the best, whatever happens. Raises ``Refusal`` (``bad_format``).
    """
    if size < 1 or rounds < 0 or least > most:
        raise Refusal("bad_format", "A cut takes one or more, after no negative number of rounds.", Kind.INVALID)
    swing = rounds * (most - least)
    first = nlargest(size + 1, points.values())  # the last two of these are all that anybody is compared with
    behind = first[size] + swing if len(first) > size else None
    before = first[size - 1] - swing if len(first) >= size else None
    found = {}
    for entry, now in points.items():
        if behind is None or now > behind:
            found[entry] = Chance.CLINCHED
        else:
            found[entry] = Chance.ELIMINATED if before is not None and now < before else Chance.ALIVE
    return found
