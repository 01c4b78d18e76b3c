"""A reader takes no line that the slow way does not take, and reads in it what that way reads."""

import random

import pytest

from engine.kernel import official
from engine.kernel.codec import Undecodable
from engine.kernel.commit import BadLine, Commit, decode_line
from engine.kernel.limits import COMMIT_BYTES_MAX
from engine.kernel.match import Match
from engine.kernel.reader import Line, LineReader
from tests.kit.duel import DUEL
from tests.kit.table import play

MATCH = Match(DUEL)
READER = LineReader(official.EVENTS, DUEL.events)
LINES = play(DUEL, 3, {}, 1).lines


def assert_same(line: Line, commit: Commit) -> None:
    for field in Commit.__struct_fields__:
        if field != "events":
            assert getattr(line, field) == getattr(commit, field)
    assert [happened.data for happened in line.events] == [MATCH.event_of(event) for event in commit.events]


@pytest.mark.parametrize("number", range(len(LINES)))
def test_it_reads_what_the_slow_way_reads(number: int) -> None:
    line = READER.read(LINES[number])
    assert line is not None, "a line that the house writes is in the usual form"
    assert_same(line, decode_line(LINES[number]))


@pytest.mark.parametrize("seed", range(20))
def test_a_line_with_another_byte_is_taken_by_both_or_left_to_the_slow_way(seed: int) -> None:
    dice = random.Random(seed)
    for line in LINES:
        for _ in range(40):
            at = dice.randrange(len(line))
            other = line[:at] + dice.choice((b"", b" ", b"0", b'"', b"-", b"Z", b"2,", b"}", b"a")) + line[at + 1 :]
            read = READER.read(other)
            if read is None:
                continue
            try:
                assert_same(read, decode_line(other))
            except (BadLine, Undecodable) as error:
                pytest.fail(f"{other!r} is not taken the slow way: {error}")


def test_a_line_that_is_too_long_is_left_to_the_slow_way() -> None:
    assert READER.read(LINES[0] + b" " * COMMIT_BYTES_MAX) is None
