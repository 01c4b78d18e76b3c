"""Which partition a match or tournament lies in: FNV-1a, 32 bits, of its id, modulo the number of partitions.

The client computes it, so that the partition is in the subject from the start. It is the hash that nats-server uses
for ``{{partition(n, token)}}``, so that a server-side mapping would agree.
"""

from functools import lru_cache
from typing import Final

PARTITIONS_MAX: Final = 100
"""The partition is two digits of a subject and of a stream name."""

KEPT: Final = 65_536
"""Ids whose partition is remembered: one is asked for with each line."""

_OFFSET_BASIS: Final = 0x811C9DC5
_PRIME: Final = 0x01000193


@lru_cache(maxsize=KEPT)
def partition_of(identity: str, partitions: int) -> int:
    """0 … ``partitions`` - 1, the same for ever."""
    if not 1 <= partitions <= PARTITIONS_MAX:
        raise ValueError(f"a log has 1 to {PARTITIONS_MAX} partitions, not {partitions}")
    digest = _OFFSET_BASIS
    for byte in identity.encode():
        digest = (digest ^ byte) * _PRIME & 0xFFFFFFFF
    return digest % partitions
