"""Lots that are read in bulk are the words of the algorithm, in order, whoever reads how many."""

from collections.abc import Iterator
from itertools import islice
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.luck import algorithm
from engine.luck.algorithm import WORDS
from engine.tournament.pairing import lots as lots_module
from engine.tournament.pairing.lots import Lots

SEED = "5a" * 32
EVERY = list(islice(algorithm._words(bytes.fromhex(SEED), "draw"), 4000))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 300), st.booleans()), max_size=12))
def test_words_are_those_of_the_algorithm(readings: list[tuple[int, bool]]) -> None:
    lots, read = Lots(SEED, "draw"), 0
    later = []
    for count, now in readings:
        if now:
            assert lots.words(count).tolist() == EVERY[read : read + count]
        else:
            later.append((lots.later(count), read, count))
        read += count
    for reader, start, count in later:
        assert reader.words(count // 2).tolist() == EVERY[start : start + count // 2]
        assert reader.words(count - count // 2).tolist() == EVERY[start + count // 2 : start + count]
    assert lots.words(1).tolist() == EVERY[read : read + 1]


def test_a_word_that_would_not_be_fair_is_passed_over_for_the_next() -> None:
    """Words that are rejected are rare: here every other one is, and the shuffle takes up those in between."""
    asked: list[int] = []

    def below(words: Iterator[int], n: int) -> int:
        next(words)
        asked.append(n)
        return next(words) % n

    lots = Lots(SEED, "draw")
    with patch.object(lots_module, "below", below):
        shuffled = lots.shuffled(range(50))
    expected = list(range(50))
    for k in range(50):
        j = k + EVERY[2 * k + 1] % (50 - k)
        expected[k], expected[j] = expected[j], expected[k]
    assert shuffled == expected
    assert asked == list(range(50, 0, -1))
    assert lots.words(1).tolist() == EVERY[100:101]
    assert max(EVERY) < WORDS
