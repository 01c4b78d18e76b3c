"""Each seed of the chain is the promise of the next; the values are computed here from hashlib alone."""

import hashlib
from collections.abc import Callable
from itertools import pairwise

import pytest

from engine.luck.seed_chain import ROUNDS_DRAWN_MAX, chain_seed, commitment, follows

MASTER = bytes(range(32))
CUP = "spring-cup-2026"


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """RFC 2104, spelled out."""
    block = key.ljust(64, b"\x00")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in block) + inner).digest()


def chain() -> list[bytes]:
    """s[0] ... s[1000]."""
    seeds = [hmac_sha256(MASTER, b"tavolata-pairing-1" + bytes(1) + b"spring-cup-2026")]
    while len(seeds) < 1001:
        seeds.append(hashlib.sha256(b"tavolata-chain-1" + bytes(1) + seeds[-1]).digest())
    return seeds[::-1]


def test_the_seeds_are_those_of_the_definition() -> None:
    seeds = chain()
    for index in (0, 1, 2, 500, 999, 1000):
        assert chain_seed(MASTER, CUP, index) == seeds[index]
    assert commitment(MASTER, CUP) == seeds[0]


def test_the_values_that_came_out_once_come_out_for_ever() -> None:
    assert commitment(MASTER, CUP).hex() == "94fbdf71082813e398d84919f970736ff08f0c0f8c3495b582ee144467ce5b6b"
    assert chain_seed(MASTER, CUP, 1).hex() == "678419b908cbc6d19cb8de74ca2d7216e49467a4513f5be1989e911b7f11a8b7"


def test_every_seed_follows_the_one_before_and_no_other() -> None:
    seeds = [seed.hex() for seed in chain()]
    assert all(follows(before, seed) for before, seed in pairwise(seeds))
    assert not follows(seeds[1], seeds[0]), "the chain cannot be walked forwards"
    assert not follows(seeds[0], seeds[2]), "no seed can be left out"
    assert not follows(seeds[1], seeds[1])


@pytest.mark.parametrize(
    "spoil", [str.upper, lambda seed: seed[:-1], lambda seed: seed + "0", lambda _: "", "é{}".format]
)
def test_what_is_no_seed_follows_nothing(spoil: Callable[[str], str]) -> None:
    first, second = (chain_seed(MASTER, CUP, index).hex() for index in (1, 2))
    assert follows(first, second)
    assert not follows(first, spoil(second))


def test_a_tournament_and_a_house_have_chains_of_their_own() -> None:
    commitments = {commitment(MASTER, CUP), commitment(MASTER, "spring-cup-2027"), commitment(bytes(32), CUP)}
    assert len(commitments) == 3


@pytest.mark.parametrize("index", [-1, ROUNDS_DRAWN_MAX + 1])
def test_there_is_nothing_beyond_the_ends(index: int) -> None:
    with pytest.raises(AssertionError):
        chain_seed(MASTER, CUP, index)
