"""The lots of everybody, read in bulk."""

import hmac
from functools import lru_cache

import numpy as np

from engine.kernel.limits import SIDES_MAX
from engine.tournament.columns.arrays import Integers

LOTS_KEPT = 8
"""Events whose lots are remembered: 80 kB for 10,000 entrants."""


@lru_cache(maxsize=LOTS_KEPT)
def lots_of(seed: str, count: int) -> Integers | None:
    """The lots of the entrants 0 to ``count - 1``, by entry number; ``None`` as long as the seed is secret.

    The words are those of ``engine/luck/algorithm.py``: a die of 2^31 sides takes every word, and its lower 31 bits are
    what it shows, less one. Remembered, since it is the same in the standings after every round.
    """
    if not seed:
        return None
    key = bytes.fromhex(seed)
    digests = b"".join([hmac.digest(key, b"lot:%d\x00\x00\x00\x00\x00" % entry, "sha256") for entry in range(count)])
    dice = np.frombuffer(digests, ">u4").reshape(count, -1)[:, :2].astype(np.int64) % SIDES_MAX
    lots: Integers = dice[:, 0] * SIDES_MAX + dice[:, 1]
    lots.flags.writeable = False
    return lots
