"""Finite fields, for designs: the elements are 0..q-1, read as digits of a polynomial to the base p (q = p^n).

A field is found by trying monic polynomials until multiplication by x runs through all elements but 0; so x generates
the field, and a product is a sum of logarithms.
"""

from functools import cache
from itertools import product


def prime_power(order: int) -> tuple[int, int] | None:
    """(p, n) with p^n = ``order`` and p prime; ``None`` if there is no such pair."""
    if order < 2:
        return None
    p = next(d for d in range(2, order + 1) if order % d == 0)
    n = 0
    while order % p == 0:
        order //= p
        n += 1
    return (p, n) if order == 1 else None


class Field:
    """The field with ``order`` elements. ``order`` is a prime power, or this is a fault of ours."""

    def __init__(self, order: int) -> None:
        found = prime_power(order)
        assert found is not None, f"there is no field with {order} elements"
        self.order = order
        self._p, self._n = found
        self._powers = self._generated()
        self._logarithms = {element: exponent for exponent, element in enumerate(self._powers)}

    def add(self, a: int, b: int) -> int:
        total, unit = 0, 1
        while a or b:
            total += (a + b) % self._p * unit
            a, b, unit = a // self._p, b // self._p, unit * self._p
        return total

    def multiply(self, a: int, b: int) -> int:
        return self.power(self._logarithms[a] + self._logarithms[b]) if a and b else 0

    def power(self, exponent: int) -> int:
        """The generator to that power."""
        return self._powers[exponent % (self.order - 1)]

    def logarithm(self, element: int) -> int:
        """The exponent 0..q-2 of an element that is not 0."""
        return self._logarithms[element]

    def _generated(self) -> list[int]:
        for reduction in product(range(self._p), repeat=self._n):
            powers, element = [1], self._times_x(1, reduction)
            while element not in (0, 1) and len(powers) < self.order:
                powers.append(element)
                element = self._times_x(element, reduction)
            if len(powers) == self.order - 1 and element == 1:
                return powers
        raise AssertionError("every finite field has a generator")

    def _times_x(self, element: int, reduction: tuple[int, ...]) -> int:
        """x times the element, with x^n replaced by ``reduction`` (lowest digit first)."""
        top, rest = divmod(element, self._p ** (self._n - 1))
        shifted = rest * self._p
        digits = [(shifted // self._p**k + top * reduction[k]) % self._p for k in range(self._n)]
        return sum(digit * self._p**k for k, digit in enumerate(digits))


@cache
def field(order: int) -> Field:
    return Field(order)
