"""Where the lots of a tournament's pairings come from: a chain of seeds that anyone can check at once.

    last    = HMAC-SHA256(master, "tavolata-pairing-1" 0x00 tournament id)        s[ROUNDS_DRAWN_MAX]
    s[i-1]  = SHA-256("tavolata-chain-1" 0x00 s[i])
    s[0]    = the commitment, public when the tournament is created

The *i*-th draft of a round is drawn with s[i] and reveals it; its hash is the seed before, so it can be checked the
moment it is seen and not only when the event is over. The house has bound itself before anybody has entered: it cannot
choose a seed that suits a field. Nobody can go the other way along the chain, so the next draw stays unknown.
"""

import hashlib
import hmac
import re

from engine.luck.seeds import SEED_BYTES

ROUNDS_DRAWN_MAX = 1_000
"""Drafts of one tournament, thrown-away ones with them. The whole chain is hashed in a millisecond."""

_SEED = re.compile(rf"[0-9a-f]{{{2 * SEED_BYTES}}}")


def chain_seed(master: bytes, tournament_id: str, index: int) -> bytes:
    """s[``index``], 32 bytes; ``index`` is 0 (the commitment) to ``ROUNDS_DRAWN_MAX``."""
    assert len(master) == SEED_BYTES
    assert 0 <= index <= ROUNDS_DRAWN_MAX
    seed = hmac.digest(master, b"tavolata-pairing-1\x00" + tournament_id.encode(), "sha256")
    for _ in range(ROUNDS_DRAWN_MAX - index):
        seed = _before(seed)
    return seed


def commitment(master: bytes, tournament_id: str) -> bytes:
    """s[0], 32 bytes: what the house publishes before the first draw."""
    return chain_seed(master, tournament_id, 0)


def follows(previous_hex: str, seed_hex: str) -> bool:
    """Whether ``seed_hex`` is the seed behind ``previous_hex``; both are 64 lower-case hex digits, or it is not."""
    return bool(_SEED.fullmatch(seed_hex)) and _before(bytes.fromhex(seed_hex)).hex() == previous_hex


def _before(seed: bytes) -> bytes:
    return hashlib.sha256(b"tavolata-chain-1\x00" + seed).digest()
