"""Lots of a round, drawn with ``tavolata-luck-1`` from its published seed: anybody can draw them again.

The words of a named draw are those of ``engine/luck/algorithm.py``; here they are read in bulk. Each purpose has a
draw of its own (``round-3/order``), so that one who asks for more lots disturbs no other.
"""

import hmac
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TypeVar

import numpy as np

from engine.luck.algorithm import below
from engine.tournament.arrays import Integers

BLOCKS = 32
"""Blocks that are computed at a time; a block has eight words."""

T = TypeVar("T")


class Lots:
    """One named draw, read on and on."""

    def __init__(self, seed: str, draw_id: str) -> None:
        self._seed = bytes.fromhex(seed)
        self._prefix = draw_id.encode() + b"\x00"
        self._block = 0
        self._words: Integers = np.empty(0, np.int64)

    def words(self, count: int) -> Integers:
        """The next ``count`` words, each 0 to 2^32 - 1."""
        missing = count - len(self._words)
        if missing > 0:
            blocks = range(self._block, self._block + max(BLOCKS, -(-missing // 8)))
            self._block = blocks.stop
            digests = b"".join(
                hmac.digest(self._seed, self._prefix + block.to_bytes(4, "big"), "sha256") for block in blocks
            )
            self._words = np.concatenate([self._words, np.frombuffer(digests, ">u4").astype(np.int64)])
        taken, self._words = self._words[:count], self._words[count:]
        return taken

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
