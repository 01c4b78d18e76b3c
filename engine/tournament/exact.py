"""Exact numbers: as text where they are stored, as ``Fraction`` where they are computed, readable where they are shown.

The stored form is canonical, so equal numbers are equal texts: an integer, or a fraction in lowest terms with a
positive denominator.
"""

import re
from fractions import Fraction
from typing import TypeAlias

from engine.kernel.value import clip

Exact: TypeAlias = str
"""An integer or a fraction in lowest terms with a positive denominator: ``"7"``, ``"11/4"``, ``"-1/2"``."""

LENGTH_MAX = 1_000
"""Characters of one number. The share of a table has the digits of its total, and a sum over rounds their product."""

DECIMALS_MAX = 3
"""What ends after more decimals is easier to read as a fraction."""

_EXACT = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?")


def exact_of(text: Exact) -> Fraction:
    """``"11/4"`` → 11/4. Raises ``ValueError`` for every form but the canonical one."""
    if len(text) <= LENGTH_MAX and _EXACT.fullmatch(text):
        number = Fraction(text)
        if exact_text(number) == text:
            return number
    raise ValueError(f"{clip(text)} is no integer and no fraction in lowest terms")


def exact_text(number: Fraction | int) -> Exact:
    """The inverse of ``exact_of``."""
    return str(number)


def shown(number: Fraction) -> str:
    """For people, and still exact: ``12.5``, ``0.125``, ``3 1/3``, ``-8 1/9``, ``4/9``."""
    thousands = number * 10**DECIMALS_MAX
    sign = "-" if number < 0 else ""
    whole, rest = divmod(abs(number.numerator), number.denominator)
    if not rest:
        return f"{sign}{whole}"
    if thousands.denominator == 1:
        decimals = f"{abs(thousands.numerator) % 10**DECIMALS_MAX:0{DECIMALS_MAX}d}".rstrip("0")
        return f"{sign}{whole}.{decimals}"
    fraction = f"{rest}/{number.denominator}"
    return f"{sign}{whole} {fraction}" if whole else f"{sign}{fraction}"
