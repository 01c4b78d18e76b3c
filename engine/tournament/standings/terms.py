"""Every key is a sum of terms that can be told: what stands in the table is what the terms add up to, by construction.

While reckoning, amounts are integers in a unit that the sum divides by at the end: no fraction is made where none is
wanted.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import msgspec

from engine.tournament.played import Entry

Worth: TypeAlias = Fraction | tuple[Fraction, ...]
"""What is compared: a number, or several, the first of which decides first."""


class Term(msgspec.Struct, frozen=True, gc=False):
    """One summand. ``round``, ``table`` and ``opponent`` are 0 where there is none.

    A struct outside the garbage collector: a large stage makes a million of them, and none holds anything that could
    hold it.
    """

    round: int
    table: int
    opponent: Entry
    amount: int | Fraction
    """In parts of the sum's ``divisor``; negative for what is left out again."""
    label: str
    """A few English words on what it is for."""
    component: int = 0
    """Which number of the sum it belongs to, from 0."""


class Sum(NamedTuple):
    """Terms, and what their sum is divided by. ``width`` is how many numbers it has, 0 for a plain one."""

    terms: Sequence[Term]
    divisor: int = 1
    width: int = 0

    def worth(self) -> Worth:
        if not self.width:
            return Fraction(sum([term.amount for term in self.terms]), self.divisor)
        counts = [Fraction()] * self.width
        for term in self.terms:
            counts[term.component] += Fraction(term.amount, self.divisor)
        return tuple(counts)


def mean(terms: Sequence[Term], unit: int = 1) -> Sum:
    """The mean of the terms; of none at all it is 0."""
    return Sum(terms, unit * max(1, len(terms)))


def without(total: Sum, *left_out: tuple[Term, str]) -> Sum:
    """The sum with terms taken out again; the text says why."""
    return total._replace(terms=[*total.terms, *(minus(term, label) for term, label in left_out)])


def minus(term: Term, label: str) -> Term:
    """What takes ``term`` out again."""
    return Term(term.round, term.table, term.opponent, -term.amount, label, term.component)


def worth_of(term: Term, amount: int | Fraction, label: str) -> Term:
    """The same meeting, with another amount."""
    return Term(term.round, term.table, term.opponent, amount, label, term.component)
