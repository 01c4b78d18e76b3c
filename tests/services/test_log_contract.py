"""What every log keeps to: one suite, run on the log in memory, on one JetStream server and on three.

What only servers can do wrong is in ``test_jetstream.py``, and what only three of them can in ``test_cluster.py``.
"""

import asyncio
import inspect
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import TypeAlias

import pytest

from engine.kernel.commit import BadLine, decode_line
from engine.kernel.limits import COMMIT_BYTES_MAX
from engine.kernel.ports import Conflict, Log, Position, Stored, Unavailable
from engine.kernel.refusal import Refusal
from services.kit.family import Family
from services.kit.partition import partition_of
from tests.kit.lines import check_chain, fill, line_of
from tests.kit.logs import LogPlace, one_by_one
from tests.kit.nats import DEADLINE_S

MakeLog: TypeAlias = Callable[..., Awaitable[Log]]


@pytest.fixture
def family(log_place: LogPlace) -> Family:
    return log_place.family


@pytest.fixture
def make_log(log_place: LogPlace) -> MakeLog:
    """Makes an empty log, given ``partitions`` and ``bytes_max``."""
    return log_place.make


@pytest.fixture
async def log(log_place: LogPlace) -> Log:
    return await log_place.make()


async def take(follower: AsyncIterator[Stored], count: int) -> list[Stored]:
    """The next ``count`` lines of a follower, and no more."""
    async with asyncio.timeout(DEADLINE_S):
        return [await anext(follower) for _ in range(count)]


@asynccontextmanager
async def following(follower: AsyncGenerator[Sequence[Stored], None]) -> AsyncIterator[AsyncIterator[Stored]]:
    """The lines of a follower, which is closed at the end."""
    async with aclosing(one_by_one(follower)) as lines:
        yield lines


async def lines_of(log: Log, match: str) -> list[bytes]:
    return [stored.line for stored in await log.read(match, after=0)]


class TestAppending:
    async def test_a_line_comes_back_byte_for_byte(self, log: Log) -> None:
        line = line_of("m1", 1, padding=100)
        appended = await log.append("hearts", "m1", line, expected=0)
        assert not appended.repeated
        assert await log.read("m1", after=0) == (Stored(appended.position, line),)

    async def test_the_expected_position_has_no_default(self, log: Log) -> None:
        assert inspect.signature(log.append).parameters["expected"].default is inspect.Parameter.empty
        with pytest.raises(TypeError, match="expected"):
            await log.append("hearts", "m1", line_of("m1", 1))  # type: ignore[call-arg]  # wrong on purpose

    async def test_a_stale_position_is_a_conflict_and_appends_nothing(self, log: Log) -> None:
        lines = await fill(log, "hearts", "m1", 3)
        first = (await log.read("m1", after=0))[0]
        with pytest.raises(Conflict):
            await log.append("hearts", "m1", line_of("m1", 2, actor="seat:9"), expected=first.position)
        assert await lines_of(log, "m1") == lines

    async def test_a_sentence_says_what_lies_in_the_log(self, log: Log, family: Family) -> None:
        with pytest.raises(Conflict, match=f"{family.noun} m1 "):
            await log.append("hearts", "m1", line_of("m1", 2), expected=7)
        with pytest.raises(Refusal, match=f"A {family.noun} id "):
            await log.read("a b", after=0)
        with pytest.raises(BadLine, match=f"belongs to {family.noun} m2"):
            await log.append("hearts", "m1", line_of("m2", 1), expected=0)

    async def test_a_position_the_match_never_had_is_a_conflict(self, log: Log) -> None:
        await fill(log, "hearts", "m1", 1)
        with pytest.raises(Conflict):
            await log.append("hearts", "m1", line_of("m1", 2), expected=999)
        with pytest.raises(Conflict):
            await log.append("hearts", "m2", line_of("m2", 1), expected=1)
        assert await log.read("m2", after=0) == ()

    async def test_a_match_is_opened_once(self, log: Log) -> None:
        await fill(log, "hearts", "m1", 1)
        with pytest.raises(Conflict):
            await log.append("hearts", "m1", line_of("m1", 1, actor="seat:9"), expected=0)

    async def test_an_id_is_given_once_over_all_games(self, log: Log) -> None:
        lines = await fill(log, "hearts", "m1", 1)
        for line in (line_of("m1", 1, actor="seat:9"), lines[0]):
            with pytest.raises(Conflict):
                await log.append("spades", "m1", line, expected=0)
        assert await lines_of(log, "m1") == lines

    async def test_a_match_does_not_change_its_game(self, log: Log) -> None:
        lines = await fill(log, "hearts", "m1", 2)
        last = (await log.read("m1", after=0))[-1].position
        with pytest.raises(Conflict):
            await log.append("spades", "m1", line_of("m1", 3, before=lines[-1]), expected=last)

    async def test_a_match_whose_id_begins_like_another_is_another(self, log: Log) -> None:
        await fill(log, "hearts", "m1", 2)
        assert await lines_of(log, "m") == []
        assert await lines_of(log, "m11") == []

    async def test_two_games_that_open_one_id_at_once_leave_one_match(self, log: Log) -> None:
        outcomes = await asyncio.gather(
            *(log.append(f"game{n}", "m1", line_of("m1", 1, actor=f"seat:{n}"), expected=0) for n in range(20)),
            return_exceptions=True,
        )
        assert sum(not isinstance(outcome, BaseException) for outcome in outcomes) == 1
        assert all(isinstance(outcome, Conflict) for outcome in outcomes if isinstance(outcome, BaseException))
        assert len(await log.read("m1", after=0)) == 1

    async def test_twenty_writers_race_and_the_match_is_one_chain(self, log: Log) -> None:
        await fill(log, "hearts", "m1", 1)
        won: list[Position] = []

        async def write(seat: int, times: int) -> None:
            while times:
                last = (await log.read("m1", after=0))[-1]
                revision = decode_line(last.line).revision + 1
                line = line_of("m1", revision, actor=f"seat:{seat}", before=last.line)
                try:
                    appended = await log.append("hearts", "m1", line, expected=last.position)
                except Conflict:
                    continue
                assert not appended.repeated
                won.append(appended.position)
                times -= 1

        await asyncio.gather(*(write(seat, 5) for seat in range(20)))
        stored = await log.read("m1", after=0)
        assert [line.position for line in stored[1:]] == sorted(won)
        assert len(stored) == 101
        check_chain("m1", [line.line for line in stored])


class TestRepeating:
    async def test_a_repeat_is_answered_with_the_first_position(self, log: Log) -> None:
        line = line_of("m1", 1)
        first = await log.append("hearts", "m1", line, expected=0)
        again = await log.append("hearts", "m1", line, expected=0)
        assert (again.position, again.repeated) == (first.position, True)
        assert await lines_of(log, "m1") == [line]

    async def test_a_repeat_is_recognised_behind_later_commits(self, log: Log) -> None:
        lines = await fill(log, "hearts", "m1", 40)
        await fill(log, "hearts", "m2", 40)
        stored = await log.read("m1", after=0)
        for place in (0, 1, 20, 39):
            expected = stored[place - 1].position if place else 0
            again = await log.append("hearts", "m1", lines[place], expected=expected)
            assert (again.position, again.repeated) == (stored[place].position, True)
        assert await lines_of(log, "m1") == lines

    async def test_the_same_line_sent_twenty_times_at_once_is_stored_once(self, log: Log) -> None:
        line = line_of("m1", 1)
        outcomes = await asyncio.gather(*(log.append("hearts", "m1", line, expected=0) for _ in range(20)))
        assert sum(not outcome.repeated for outcome in outcomes) == 1
        assert len({outcome.position for outcome in outcomes}) == 1
        assert await lines_of(log, "m1") == [line]

    async def test_one_command_id_in_two_matches_is_two_lines(self, log: Log) -> None:
        """The ids of commits are their match's own; a broker that remembers ids of the whole log would drop one."""
        assert decode_line(line_of("m1", 1)).id == decode_line(line_of("m2", 1)).id
        appended = [await log.append("hearts", match, line_of(match, 1), expected=0) for match in ("m1", "m2")]
        assert not any(one.repeated for one in appended)
        assert [len(await log.read(match, after=0)) for match in ("m1", "m2")] == [1, 1]


class TestLimits:
    async def test_a_commit_over_the_limit_is_refused(self, log: Log) -> None:
        with pytest.raises(Refusal) as refused:
            await log.append("hearts", "m1", line_of("m1", 1, padding=COMMIT_BYTES_MAX), expected=0)
        assert refused.value.code == "commit_too_large"
        assert await log.read("m1", after=0) == ()

    async def test_a_commit_at_the_limit_is_stored(self, log: Log) -> None:
        room = COMMIT_BYTES_MAX - len(line_of("m1", 1))
        line = line_of("m1", 1, padding=room)
        assert len(line) == COMMIT_BYTES_MAX
        await log.append("hearts", "m1", line, expected=0)
        assert await lines_of(log, "m1") == [line]

    @pytest.mark.parametrize("name", ["*", ">", "a.b", "a b", "", "x" * 65])
    async def test_a_name_that_is_no_token_is_refused(self, log: Log, name: str) -> None:
        await fill(log, "hearts", "m1", 1)
        with pytest.raises(Refusal):
            await log.read(name, after=0)
        with pytest.raises(Refusal):
            await log.last(name)
        with pytest.raises(Refusal):
            await log.append("hearts", name, line_of(name, 1), expected=0)
        with pytest.raises(Refusal):
            await log.append(name, "m2", line_of("m2", 1), expected=0)

    @pytest.mark.parametrize("line", [b"", b"{}", b"no json", line_of("m2", 1), line_of("m1", 1) + b"\n"])
    async def test_bytes_that_are_no_line_of_the_match_are_refused(self, log: Log, line: bytes) -> None:
        with pytest.raises(BadLine):
            await log.append("hearts", "m1", line, expected=0)
        assert await log.read("m1", after=0) == ()

    async def test_a_full_log_says_so_and_keeps_what_it_has(self, make_log: MakeLog) -> None:
        log = await make_log(bytes_max=64 * 1024)
        lines: list[bytes] = []

        async def fill_up() -> None:
            position: Position = 0
            while len(lines) < 100:
                line = line_of("m1", len(lines) + 1, before=lines[-1] if lines else None, padding=4096)
                position = (await log.append("hearts", "m1", line, expected=position)).position
                lines.append(line)

        with pytest.raises(Unavailable) as full:
            await fill_up()
        assert full.value.code == "log_full"
        assert 0 < len(lines) < 20
        assert await lines_of(log, "m1") == lines
        # A repeat of what is there needs no room.
        assert (await log.append("hearts", "m1", lines[0], expected=0)).repeated


class TestReading:
    async def test_an_unknown_match_has_no_lines(self, log: Log) -> None:
        assert await log.read("nobody", after=0) == ()
        assert await log.read("nobody", after=0, limit=1) == ()
        await fill(log, "hearts", "m1", 1)
        assert await log.read("nobody", after=0) == ()

    async def test_reading_behind_a_position_and_up_to_a_limit(self, log: Log) -> None:
        for match in ("m1", "m2"):
            await fill(log, "hearts", match, 12)
        stored = await log.read("m1", after=0)
        for place in (0, 1, 5, 11):
            assert await log.read("m1", after=stored[place].position) == stored[place + 1 :]
        for limit in (1, 2, 11, 12, 13):
            assert await log.read("m1", after=0, limit=limit) == stored[:limit]
        assert await log.read("m1", after=stored[3].position, limit=1) == stored[4:5]
        assert await log.read("m1", after=10_000) == ()

    async def test_reading_behind_any_position_of_the_log_whosever_it_is(self, log: Log) -> None:
        await asyncio.gather(fill(log, "hearts", "m1", 8), fill(log, "hearts", "m2", 8))
        stored = await log.read("m1", after=0)
        for after in range(17):
            assert await log.read("m1", after=after) == tuple(line for line in stored if line.position > after)

    async def test_a_reader_sees_what_has_just_been_appended(self, log: Log) -> None:
        position: Position = 0
        for revision in range(1, 101):
            line = line_of("m1", revision)
            appended = await log.append("hearts", "m1", line, expected=position)
            assert await log.read("m1", after=position, limit=1) == (Stored(appended.position, line),)
            assert await log.last("m1") == Stored(appended.position, line)
            position = appended.position

    async def test_the_last_line_of_a_match(self, log: Log) -> None:
        assert await log.last("m1") is None
        for match in ("m1", "m10", "m2"):
            await fill(log, "hearts", match, 5)
        await fill(log, "spades", "m3", 1)
        for match in ("m1", "m10", "m2", "m3"):
            assert await log.last(match) == (await log.read(match, after=0))[-1]
        assert await log.last("nobody") is None

    async def test_a_match_of_many_pages_is_read_whole(self, log: Log) -> None:
        await asyncio.gather(fill(log, "hearts", "m1", 1_300), fill(log, "hearts", "m2", 300))
        stored = await log.read("m1", after=0)
        check_chain("m1", [line.line for line in stored])
        assert len(stored) == 1_300
        assert await log.read("m1", after=0, limit=1_025) == stored[:1_025]

    async def test_large_commits_are_read_whole(self, log: Log) -> None:
        lines = await fill(log, "hearts", "m1", 100, padding=COMMIT_BYTES_MAX - 1024)
        assert await lines_of(log, "m1") == lines
        assert await log.last("m1") == (await log.read("m1", after=99, limit=1))[0]


class TestFollowing:
    async def test_history_then_what_is_new(self, log: Log) -> None:
        await fill(log, "hearts", "m1", 5)
        async with following(log.follow(0, after=0)) as follower:
            assert await take(follower, 5) == list(await log.read("m1", after=0))
            await fill(log, "hearts", "m2", 5)
            assert await take(follower, 5) == list(await log.read("m2", after=0))

    async def test_following_an_empty_log_waits_for_its_first_line(self, log: Log) -> None:
        async with following(log.follow(0, after=0)) as follower:
            first = asyncio.ensure_future(take(follower, 1))
            await asyncio.sleep(0)
            await fill(log, "hearts", "m1", 1)
            assert await first == list(await log.read("m1", after=0))

    async def test_following_from_a_position(self, log: Log) -> None:
        await fill(log, "hearts", "m1", 10)
        stored = await log.read("m1", after=0)
        for place in (0, 4, 8):
            async with following(log.follow(0, after=stored[place].position)) as follower:
                assert await take(follower, 9 - place) == list(stored[place + 1 :])

    async def test_following_one_game(self, log: Log) -> None:
        await asyncio.gather(fill(log, "hearts", "m1", 20), fill(log, "spades", "m2", 20))
        async with following(log.follow(0, after=0, game="spades")) as follower:
            assert await take(follower, 20) == list(await log.read("m2", after=0))

    async def test_no_gap_and_no_overlap_while_writers_race(self, log: Log) -> None:
        await asyncio.gather(*(fill(log, "hearts", f"old{n}", 30) for n in range(10)))
        joined: list[asyncio.Task[list[Stored]]] = []

        async def watch() -> list[Stored]:
            async with following(log.follow(0, after=0)) as follower:
                return await take(follower, 900)

        async def join() -> None:
            for _ in range(10):
                joined.append(asyncio.ensure_future(watch()))
                await log.read("old0", after=0)

        await asyncio.gather(join(), *(fill(log, "hearts", f"new{n}", 30) for n in range(20)))
        seen = await asyncio.gather(*joined)
        last = (await log.bounds(0)).last
        matches: dict[str, list[bytes]] = defaultdict(list)
        for stored in seen[0]:
            matches[decode_line(stored.line).match].append(stored.line)
        assert [stored.position for stored in seen[0]] == list(range(1, last + 1))
        assert all(watched == seen[0] for watched in seen)
        for match, lines in matches.items():
            check_chain(match, lines)

    async def test_a_position_that_the_log_does_not_have_is_refused(self, log: Log) -> None:
        await fill(log, "hearts", "m1", 3)
        async with following(log.follow(0, after=4)) as follower:
            with pytest.raises(Refusal) as refused:
                await take(follower, 1)
        assert refused.value.code == "log_rewound"

    async def test_a_cancelled_follower_leaves_the_log_in_order(self, log: Log) -> None:
        waiting = asyncio.ensure_future(take(one_by_one(log.follow(0, after=0)), 1))
        await log.read("m1", after=0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await fill(log, "hearts", "m1", 2)
        async with following(log.follow(0, after=0)) as follower:
            assert len(await take(follower, 2)) == 2


class TestPartitions:
    async def test_a_match_lies_in_the_partition_of_its_id(self, make_log: MakeLog) -> None:
        log = await make_log(partitions=4)
        assert log.partitions == 4
        matches = [f"match-{n}" for n in range(24)]
        for match in matches:
            await fill(log, "hearts", match, 2)
        for partition in range(4):
            here = [match for match in matches if partition_of(match, 4) == partition]
            assert here
            async with following(log.follow(partition, after=0)) as follower:
                lines = await take(follower, 2 * len(here))
            assert [decode_line(stored.line).match for stored in lines[::2]] == here
            assert (await log.bounds(partition)).last == 2 * len(here)
        for match in matches:
            assert len(await log.read(match, after=0)) == 2

    async def test_bounds_grow_and_the_epoch_stays(self, log: Log) -> None:
        empty = await log.bounds(0)
        assert empty.last == 0
        await fill(log, "hearts", "m1", 3)
        full = await log.bounds(0)
        assert (full.epoch, full.last) == (empty.epoch, (await log.read("m1", after=0))[-1].position)

    @pytest.mark.parametrize(
        ("text", "partition"), [("", 5), ("a", 12), ("foobar", 8)]
    )  # FNV-1a-32 of the published vectors: 811c9dc5, e40c292c, bf9cf968
    def test_the_partition_is_fnv_1a(self, text: str, partition: int) -> None:
        assert partition_of(text, 16) == partition

    @pytest.mark.parametrize("partitions", [0, -1, 101])
    def test_partitions_have_two_digits(self, partitions: int) -> None:
        with pytest.raises(ValueError, match="partitions"):
            partition_of("m1", partitions)
