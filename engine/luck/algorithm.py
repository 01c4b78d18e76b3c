"""``tavolata-luck-1``, integers only.

Block *i* of draw *d* is HMAC-SHA256(seed, utf8(d) 0x00 uint32be(i)); blocks are read as 4-byte big-endian words.
``below(n)`` rejects words at or above the largest multiple of *n* that fits in 32 bits, so every face and every card is
exactly as likely as the next. ``tests/engine/vectors/luck-1.json`` holds values that must come out.
"""

import hmac
from collections.abc import Iterator
from struct import Struct

from engine.kernel.chance import Draw, Roll

WORDS = 2**32
_BLOCK = Struct(">8I")


def outcome(seed: bytes, draw_id: str, asked: Roll | Draw) -> tuple[int, ...]:
    """The faces or cards of one draw: the same for the same seed, id and spec, for ever."""
    words = _words(seed, draw_id)
    match asked:
        case Roll(sides, count):
            return tuple(1 + below(words, sides) for _ in range(count))
        case Draw(cards, count):
            remaining = list(cards)
            for k in range(count):
                j = k + below(words, len(remaining) - k)
                remaining[k], remaining[j] = remaining[j], remaining[k]
            return tuple(remaining[:count])


def below(words: Iterator[int], n: int) -> int:
    """A number 0..n-1, 1 <= n <= 2^32, each equally likely."""
    fair = WORDS - WORDS % n
    while (word := next(words)) >= fair:
        pass
    return word % n


def _words(seed: bytes, draw_id: str) -> Iterator[int]:
    prefix = draw_id.encode() + b"\x00"
    block = 0
    while True:
        yield from _BLOCK.unpack(hmac.digest(seed, prefix + block.to_bytes(4, "big"), "sha256"))
        block += 1
