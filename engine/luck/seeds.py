"""Where a match's luck comes from, and how it is promised before and opened after.

seed       = HMAC-SHA256(master, "tavolata-seed-1" 0x00 match id): nothing to store, any replica answers the same;
             for every table of a deal it is made of the id of the deal, group/tables
commitment = SHA-256("tavolata-luck-1" 0x00 seed), in the first commit, before anything is drawn (kernel.chance)
mixed      = HMAC-SHA256(seed, uint32be(len) nonce ...) over the seats in order, if any seat gave a nonce

so neither the house (which committed first) nor a player (who does not know the seed) chooses the cards alone.
"""

import hmac
from collections.abc import Sequence

SEED_BYTES = 32


def match_seed(master: bytes, source: str) -> bytes:
    """The secret seed of a match, 32 bytes. ``source`` is its id, or the id of its deal (``Deal.id``)."""
    assert len(master) == SEED_BYTES
    return hmac.digest(master, b"tavolata-seed-1\x00" + source.encode(), "sha256")


def mixed_seed(seed: bytes, nonces: Sequence[bytes]) -> bytes:
    """The seed that is drawn with: the seats' nonces mixed in, or the seed itself if nobody gave one."""
    return mix(seed, nonces) if any(nonces) else seed


def mix(seed: bytes, nonces: Sequence[bytes]) -> bytes:
    """The mixing itself; lengths are written so that no two lists of nonces read alike."""
    return hmac.digest(seed, b"".join(len(nonce).to_bytes(4, "big") + nonce for nonce in nonces), "sha256")
