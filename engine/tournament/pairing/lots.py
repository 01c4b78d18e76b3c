"""Lots of a round, drawn with ``tavolata-luck-1`` from its published seed: anybody can draw them again.

The words of a named draw are those of ``engine/luck/algorithm.py``; here they are read in bulk. Each purpose has a
draw of its own (``round-3/order``), so that one who asks for more lots disturbs no other.
"""

import hmac
from collections.abc import Iterator, Sequence
from copy import copy
from itertools import chain
from typing import TypeVar

import numpy as np

from engine.luck.algorithm import below
from engine.tournament.columns.arrays import Integers

BLOCK_WORDS = 8
BLOCKS = 32
"""Blocks that are computed at a time."""

T = TypeVar("T")


class Lots:
    """One named draw, read on and on."""

    def __init__(self, seed: str, draw_id: str) -> None:
        self._seed = bytes.fromhex(seed)
        self._prefix = draw_id.encode() + b"\x00"
        self._next = 0
        self._held: Integers = np.empty(0, np.int64)
        self._held_from = 0

    def words(self, count: int) -> Integers:
        """The next ``count`` words, each 0 to 2^32 - 1."""
        start = self._next - self._held_from
        if start + count > len(self._held):
            first = self._next // BLOCK_WORDS
            start = self._next % BLOCK_WORDS
            blocks = range(first, first + max(BLOCKS, -(-(start + count) // BLOCK_WORDS)))
            digests = [hmac.digest(self._seed, self._prefix + block.to_bytes(4, "big"), "sha256") for block in blocks]
            self._held = np.frombuffer(b"".join(digests), ">u4").astype(np.int64)
            self._held_from = first * BLOCK_WORDS
        self._next += count
        return self._held[start : start + count]

    def later(self, count: int) -> "Lots":
        """The next ``count`` words for one who may not need them all: they are taken, and made when they are read."""
        reader = copy(self)
        self._next += count
        return reader

    def below(self, n: int) -> int:
        """A number 0 to n - 1, each equally likely."""
        return below(self._each(), n)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """``items`` in a fair order: the swaps of a ``Draw`` of all of them."""
        result = list(items)
        length = len(result)
        words = chain(self.words(length).tolist(), self._each())  # one more for each that is rejected
        for k in range(length):
            j = k + below(words, length - k)
            result[k], result[j] = result[j], result[k]
        return result

    def _each(self) -> Iterator[int]:
        while True:
            yield int(self.words(1)[0])
