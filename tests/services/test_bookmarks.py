"""A host that starts reads what is behind the bookmark of a host before, and knows what the whole log would tell it."""

import asyncio
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress

import msgspec
import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from engine.kernel.commit import line_hash
from engine.kernel.official import RevealSeed
from engine.kernel.ports import Bounds, Failed, Log, Position, Stored, Unavailable
from services.deck.app import Deck
from services.kit.beats import BOOKMARK_VERSION, Beats, Bookmark, MemoryBeats
from services.kit.clock import SystemClock
from services.kit.jetstream import JetStreamLog
from services.kit.key import KeyRing
from services.kit.memory_log import MemoryLog
from services.rules.app import MatchHost
from services.rules.heading import Heading
from services.rules.open_matches import OpenMatches
from tests.kit.logs import LogPlace
from tests.kit.nats import until
from tests.services.hosts import FailingDeck, M, game, is_after, next_move, running
from tests.services.small_house import KEY

GAME = "hearts"


class Follows(MemoryLog):
    """Knows from where it was followed."""

    def __init__(self, *, epoch: str = "memory") -> None:
        super().__init__(epoch=epoch)
        self.followed: list[Position] = []

    def follow(
        self, partition: int, *, after: Position, game: str | None = None
    ) -> AsyncGenerator[Sequence[Stored], None]:
        self.followed.append(after)
        return super().follow(partition, after=after, game=game)


class Past:
    """Matches that are begun, go on and end by the dice, and what is known of them behind every line."""

    def __init__(self, log: Log, seed: int) -> None:
        self.log = log
        self.dice = random.Random(seed)
        self.open: list[str] = []
        self.told: list[tuple[Position, list[str]]] = []
        """Of every line of the game: where it lies, and which matches are open then."""
        self._begun = 0

    async def go_on(self, lines: int) -> None:
        for _ in range(lines):
            begins, closes = not self.open or self.dice.random() < 0.2, self.dice.random() < 0.15
            if begins:
                self._begun += 1
                self.open.append(f"m-{self._begun}")
            match = self.open[-1] if begins else self.dice.choice(self.open)
            if closes:
                self.open.remove(match)
            position = await put(self.log, match, RevealSeed.name if closes else "hearts.play")
            self.told.append((position, sorted(self.open)))


async def put(log: Log, match: str, command: str, game: str = GAME) -> Position:
    last = await log.last(match)
    revision = 1 if last is None else msgspec.json.decode(last.line)["revision"] + 1
    line = {"match": match, "revision": revision, "at": "2026-11-28T12:00:00.000000Z", "command": {"type": command}}
    expected = 0 if last is None else last.position
    return (await log.append(game, match, msgspec.json.encode(line), expected=expected)).position


async def known(
    matches: OpenMatches, log: Log, *, until_left: tuple[Beats, list[Position]] | None = None
) -> tuple[list[str], list[str], list[Heading]]:
    """What a host knows that has read all: which are open, which of them it found, and what it heard as news.

    It ends then, or when it has left its bookmarks at the end of each partition.
    """
    found: list[str] = []
    news: list[Heading] = []
    running = [
        asyncio.create_task(matches.follow(partition, found.append, news.append)) for partition in range(log.partitions)
    ]
    try:
        async with asyncio.timeout(10):
            is_open = await matches.all()
        if until_left is not None:
            beats, ends = until_left

            async def are_left() -> bool:
                left = [await beats.bookmark(GAME, partition) for partition in range(log.partitions)]
                return [each and each.position for each in left] == ends

            await until(are_left, "the bookmarks are left")
        return is_open, found, news
    finally:
        for task in running:
            task.cancel()
        for task in running:
            with suppress(asyncio.CancelledError):
                await task


def a_bookmark(log_epoch: str, at: Stored, left_open: Sequence[str]) -> Bookmark:
    match = msgspec.json.decode(at.line)["match"]
    return Bookmark(BOOKMARK_VERSION, log_epoch, at.position, match, line_hash(at.line), tuple(left_open))


async def lines_of(log: Log) -> dict[Position, Stored]:
    lines: dict[Position, Stored] = {}
    last = (await log.bounds(0)).last
    async for page in log.follow(0, after=0):
        lines |= {stored.position: stored for stored in page}
        if page[-1].position == last:
            break
    return lines


@pytest.mark.parametrize("seed", range(5))
async def test_from_every_bookmark_the_same_is_known(seed: int) -> None:
    log, beats = Follows(), MemoryBeats()
    past = Past(log, seed)
    await past.go_on(40)
    await put(log, "other", "spades.play", game="spades")
    await past.go_on(20)
    await put(log, "other", RevealSeed.name, game="spades")
    lines = await lines_of(log)
    for position, left_open in past.told:
        await beats.leave(GAME, 0, a_bookmark("memory", lines[position], left_open))
        log.followed.clear()
        is_open, found, news = await known(OpenMatches(log, GAME, beats), log)
        assert (is_open, found, news) == (past.told[-1][1], past.told[-1][1], [])
        assert log.followed[0] == position, "nothing in front of it is read"


async def test_each_host_leaves_a_bookmark_for_the_next(log_place: LogPlace) -> None:
    """Hosts start and die all the time; each goes on where some host before it was, on every kind of log."""
    log = await log_place.make(partitions=2)
    beats = log.beats() if isinstance(log, JetStreamLog) else MemoryBeats()
    past = Past(log, 7)
    positions: dict[int, list[Position]] = {0: [], 1: []}
    for _ in range(6):
        await past.go_on(20)
        host = OpenMatches(log, GAME, beats)
        host.lines_between = 1
        ends = [(await log.bounds(partition, game=GAME)).last for partition in positions]
        assert (await known(host, log, until_left=(beats, ends)))[0] == sorted(past.open)
        for partition, seen in positions.items():
            bookmark = await beats.bookmark(GAME, partition)
            assert bookmark is not None
            seen.append(bookmark.position)
    for seen in positions.values():
        assert seen == sorted(seen)
        assert len(set(seen)) > 2


async def test_a_host_that_runs_leaves_one_now_and_then() -> None:
    log, beats = Follows(), MemoryBeats()
    past = Past(log, 1)
    await past.go_on(3)
    host = OpenMatches(log, GAME, beats)
    host.lines_between = 10
    heard: list[Heading] = []
    running = asyncio.create_task(host.follow(0, lambda match: None, heard.append))
    await until(lambda: host._partitions[0].read == 3, "the past is read")
    assert await beats.bookmark(GAME, 0) is None, "so little is read again"
    for _ in range(25):
        await past.go_on(1)
        await until(lambda: len(heard) == len(past.told) - 3, "the line is heard")
    running.cancel()
    left = await beats.bookmark(GAME, 0)
    assert left is not None
    open_then = dict(past.told)[left.position]
    assert left == a_bookmark("memory", (await lines_of(log))[left.position], open_then)
    assert 10 < left.position <= 28


async def test_what_is_stored_while_a_host_starts_is_news_and_not_the_past() -> None:
    """A page goes beyond the end that was asked for. What lies behind it is told once, as news."""
    log, beats = Late(), Kept()
    for match in ("m-1", "m-2"):
        await put(log, match, "hearts.play")
    log.late = [("m-1", RevealSeed.name), ("m-3", "hearts.play")]
    host = OpenMatches(log, GAME, beats)
    host.lines_between = 1
    found: list[str] = []
    news: list[Heading] = []
    running = asyncio.create_task(host.follow(0, found.append, news.append))
    await until(lambda: len(news) == 2, "all is heard")
    assert found == ["m-1", "m-2"]
    assert [heading.match for heading in news] == ["m-1", "m-3"]
    await until(lambda: len(beats.left) == 2, "two bookmarks are left")
    assert [(each.position, each.left_open) for each in beats.left] == [(2, ("m-1", "m-2")), (4, ("m-2", "m-3"))]
    running.cancel()


class Kept(MemoryBeats):
    """Knows every bookmark that was left."""

    def __init__(self) -> None:
        super().__init__()
        self.left: list[Bookmark] = []

    async def leave(self, game: str, partition: int, bookmark: Bookmark) -> None:
        self.left.append(bookmark)
        await super().leave(game, partition, bookmark)


class Late(MemoryLog):
    """Lines that are stored just when the log has said how far it goes."""

    def __init__(self) -> None:
        super().__init__()
        self.late: list[tuple[str, str]] = []

    async def bounds(self, partition: int, *, game: str | None = None) -> Bounds:
        bounds = await super().bounds(partition, game=game)
        late, self.late = self.late, []
        for match, command in late:
            await put(self, match, command)
        return bounds


class TestOneThatDoesNotHold:
    """All is read from the start, and nothing is believed."""

    async def start(self, bookmark: Bookmark, *, epoch: str = "memory") -> None:
        log, beats = Follows(epoch=epoch), MemoryBeats()
        past = Past(log, 3)
        await past.go_on(30)
        await beats.leave(GAME, 0, bookmark)
        with capture_logs() as said:
            is_open, found, _ = await known(OpenMatches(log, GAME, beats), log)
        assert is_open == found == sorted(past.open)
        assert log.followed[0] == 0
        assert [each["event"] for each in said] == ["bookmark_of_another_log"]

    @pytest.fixture
    async def bookmark(self) -> Bookmark:
        """One that holds."""
        log = MemoryLog()
        past = Past(log, 3)
        await past.go_on(30)
        return a_bookmark("memory", (await lines_of(log))[20], ["m-of-another-time"])

    async def test_of_a_log_that_was_made_anew(self, bookmark: Bookmark) -> None:
        await self.start(bookmark, epoch="another")

    async def test_of_a_log_that_lost_its_end_and_has_grown_again(self, bookmark: Bookmark) -> None:
        await self.start(replace(bookmark, line="0" * 64))

    async def test_behind_the_end_of_the_log(self, bookmark: Bookmark) -> None:
        await self.start(replace(bookmark, position=31))

    async def test_at_a_line_of_another_match(self, bookmark: Bookmark) -> None:
        await self.start(replace(bookmark, match="m-of-another-time"))

    @pytest.mark.parametrize("position", [0, -1])
    async def test_in_front_of_the_first_line(self, bookmark: Bookmark, position: Position) -> None:
        await self.start(replace(bookmark, position=position))

    async def test_with_a_name_that_is_none(self, bookmark: Bookmark) -> None:
        await self.start(replace(bookmark, match="no name"))


@pytest.mark.parametrize(
    "error", [Unavailable("log_unavailable", "It is away."), Failed("log_forbidden", "It is not allowed.")]
)
async def test_where_no_bookmark_can_be_had_a_host_starts_without(error: Exception) -> None:
    """As with a log or users of an earlier version. It tries to leave one, and goes on."""

    class Away(MemoryBeats):
        async def bookmark(self, game: str, partition: int) -> Bookmark | None:
            raise error

        async def leave(self, game: str, partition: int, bookmark: Bookmark) -> None:
            raise error

    log = Follows()
    past = Past(log, 3)
    await past.go_on(30)
    host = OpenMatches(log, GAME, Away())
    host.lines_between = 1
    with capture_logs() as said:
        assert (await known(host, log))[0] == sorted(past.open)
    assert {each["event"] for each in said} == {"no_bookmark"}


async def test_a_bookmark_lies_in_front_of_a_line_that_is_no_commit() -> None:
    log, beats = Follows(), MemoryBeats()
    position = await put(log, "m-1", "hearts.play")
    await log.append(GAME, "m-1", b'{"match":"m-1","revision":2,"at":"today"}', expected=position)
    host = OpenMatches(log, GAME, beats)
    host.lines_between = 1
    assert (await known(host, log, until_left=(beats, [position])))[0] == ["m-1"]
    log.followed.clear()
    assert (await known(OpenMatches(log, GAME, beats), log))[0] == ["m-1"]
    assert log.followed[0] == position


async def test_a_host_takes_up_a_match_that_only_the_bookmark_tells_it_of() -> None:
    """All lines of the match lie in front of it, and luck is owed."""
    log, beats = Follows(), MemoryBeats()
    deck = FailingDeck(Deck(KeyRing(KEY), log))
    crashing = MatchHost(game(), log, deck, SystemClock())
    await crashing.open(M, seats=2)
    seat, command = await next_move(log)
    deck.away = True
    receipt = await crashing.act(M, "move", seat, command)
    await crashing.close()
    last = await log.last(M)
    assert last is not None
    await beats.leave(game().key, 0, a_bookmark("memory", last, [M]))
    host = MatchHost(game(), log, Deck(KeyRing(KEY), log), SystemClock(), beats)
    async with running(host):
        await until(lambda: is_after(log, receipt.revision), "the luck that was left owed is drawn")
    await host.close()
    assert set(log.followed) == {last.position}, "not from the start"
