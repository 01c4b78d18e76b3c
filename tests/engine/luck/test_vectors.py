"""``tavolata-luck-1`` against values that were computed elsewhere."""

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.chance import Draw, Roll, commitment
from engine.luck.algorithm import WORDS, _words, below, outcome
from engine.luck.seeds import match_seed, mix, mixed_seed

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "luck-1.json").read_text())


def entries(kind: str) -> list[Any]:
    return [
        pytest.param(bytes.fromhex(case["seed"]), entry, id=f"{case['seed'][:6]}-{number}")
        for case in VECTORS["cases"]
        for number, entry in enumerate(case.get(kind, ()))
    ]


def test_the_vectors_are_for_this_algorithm() -> None:
    assert VECTORS["algorithm"] == "tavolata-luck-1"
    assert entries("rolls")
    assert entries("draws")


@pytest.mark.parametrize(("seed", "roll"), entries("rolls"))
def test_a_roll_comes_out(seed: bytes, roll: dict[str, Any]) -> None:
    assert outcome(seed, roll["draw_id"], Roll(roll["sides"], roll["count"])) == tuple(roll["faces"])


@pytest.mark.parametrize(("seed", "draw"), entries("draws"))
def test_a_draw_comes_out(seed: bytes, draw: dict[str, Any]) -> None:
    assert outcome(seed, draw["draw_id"], Draw(cards_of(draw["cards"]), draw["count"])) == tuple(draw["drawn"])


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["seed"][:6])
def test_a_seed_is_promised(case: dict[str, Any]) -> None:
    assert commitment(bytes.fromhex(case["seed"])).hex() == case["commitment"]


@pytest.mark.parametrize(
    "case", [case for case in VECTORS["cases"] if "mixed" in case], ids=lambda case: case["seed"][:6]
)
def test_nonces_are_mixed_in(case: dict[str, Any]) -> None:
    nonces = [bytes.fromhex(nonce) for nonce in case["mixed"]["nonces_hex"]]
    assert mix(bytes.fromhex(case["seed"]), nonces).hex() == case["mixed"]["seed"]


def test_words_above_the_largest_multiple_are_rejected() -> None:
    rejection = VECTORS["rejection"]
    words = _words(bytes.fromhex(rejection["seed"]), rejection["draw_id"])
    assert [below(words, rejection["below"]) for _ in rejection["values"]] == rejection["values"]


@pytest.mark.parametrize("n", [1, 2, 3, 6, 7, 2**31 - 1, 2**31, 2**31 + 1, WORDS - 1, WORDS])
def test_below_takes_the_last_fair_word_and_rejects_the_first_unfair_one(n: int) -> None:
    fair = WORDS - WORDS % n
    assert fair % n == 0, "every remainder has equally many words"
    assert below(iter([fair - 1]), n) == n - 1
    if fair < WORDS:
        assert below(iter([fair, WORDS - 1, 5]), n) == 5 % n


def test_every_face_has_equally_many_words() -> None:
    """Exact, not by chance: with words of three bits in place of 32 the same arithmetic can be counted through."""
    for n in range(1, 9):
        fair = 8 - 8 % n
        assert {face: sum(word % n == face for word in range(fair)) for face in range(n)} == dict.fromkeys(
            range(n), fair // n
        )


def test_a_draw_of_nothing_and_of_everything() -> None:
    seed = bytes(32)
    assert outcome(seed, "deck/1", Draw((), 0)) == ()
    assert outcome(seed, "deck/1", Draw((7,), 1)) == (7,)
    assert sorted(outcome(seed, "deck/1", Draw((3, 3, 4), 3))) == [3, 3, 4]


def test_a_shuffle_begins_with_the_smaller_draw() -> None:
    cards = tuple(range(40))
    assert outcome(bytes(32), "deck/1", Draw(cards, 40))[:5] == outcome(bytes(32), "deck/1", Draw(cards, 5))


def test_labels_and_numbers_of_draws_are_independent() -> None:
    rolls = [outcome(bytes(32), draw_id, Roll(2**31, 4)) for draw_id in ("a/1", "a/2", "b/1", "a/11")]
    assert len(set(rolls)) == 4


def test_without_a_nonce_the_promised_seed_itself_is_used() -> None:
    assert mixed_seed(b"seed", []) == mixed_seed(b"seed", [b"", b""]) == b"seed"
    assert mixed_seed(b"seed", [b"", b"x"]) != mixed_seed(b"seed", [b"x", b""])
    assert mixed_seed(b"seed", [b"ab", b"c"]) != mixed_seed(b"seed", [b"a", b"bc"])


def test_the_seed_of_a_match_follows_from_master_and_id() -> None:
    master = bytes(range(32))
    assert match_seed(master, "m1") == match_seed(master, "m1")
    assert match_seed(master, "m1") != match_seed(master, "m2")
    assert len(match_seed(master, "m1")) == 32
    assert match_seed(master, "m1").hex() == SEED_OF_M1


SEED_OF_M1 = hmac.new(bytes(range(32)), b"tavolata-seed-1\x00m1", hashlib.sha256).hexdigest()


def cards_of(text: str | list[int]) -> tuple[int, ...]:
    """``0..54`` → 0, 1, ... 54; a list is taken as it is."""
    if not isinstance(text, str):
        return tuple(text)
    first, last = text.split("..")
    return tuple(range(int(first), int(last) + 1))
