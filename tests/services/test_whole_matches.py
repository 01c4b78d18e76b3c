"""A match that is read whole has the lines that reading it tells, and the place of the last: every log keeps this."""

import asyncio

import pytest

from engine.kernel.limits import COMMIT_BYTES_MAX
from engine.kernel.ports import Log, Position, Whole
from engine.kernel.refusal import Refusal
from tests.kit.lines import fill, line_of
from tests.kit.logs import LogPlace


@pytest.fixture
async def log(log_place: LogPlace) -> Log:
    return await log_place.make()


async def test_of_a_match_that_is_not_there_nothing_is_told(log: Log) -> None:
    assert await log.whole("nobody") == Whole((), 0)
    await fill(log, "hearts", "somebody", 1)
    assert await log.whole("nobody") == Whole((), 0)
    with pytest.raises(Refusal):
        await log.whole("no.body")


async def test_it_is_what_reading_tells_but_for_the_places_in_between(log: Log) -> None:
    matches = {"m1": 1_300, "m10": 7, "m": 7}
    await asyncio.gather(*(fill(log, "hearts", match, commits) for match, commits in matches.items()))
    for match, commits in matches.items():
        stored = await log.read(match, after=0)
        whole = await log.whole(match)
        assert whole == Whole(tuple(each.line for each in stored), stored[-1].position)
        assert len(whole.lines) == commits


async def test_it_has_what_has_just_been_appended(log: Log) -> None:
    position: Position = 0
    for revision in range(1, 41):
        position = (await log.append("hearts", "m1", line_of("m1", revision), expected=position)).position
        whole = await log.whole("m1")
        assert (len(whole.lines), whole.position) == (revision, position)


async def test_large_commits_are_read_whole(log: Log) -> None:
    lines = await fill(log, "hearts", "m1", 100, padding=COMMIT_BYTES_MAX - 1024)
    assert (await log.whole("m1")).lines == tuple(lines)


async def test_lines_that_are_none_are_told_as_they_are(log: Log) -> None:
    line = line_of("m1", 1)
    first = await log.append("hearts", "m1", line, expected=0)
    strange = b'{"revision":2,"match":"m1","at":"today"}'
    last = await log.append("hearts", "m1", strange, expected=first.position)
    assert await log.whole("m1") == Whole((line, strange), last.position)
