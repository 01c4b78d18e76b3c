"""Watching: each viewer is told of every revision once, from any revision to live, and of nothing else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import msgspec
import nats
import pytest
from nats.aio.msg import Msg

from engine.kernel.facts import Fact, fact_of
from engine.kernel.game import Seats
from engine.kernel.history import AnyHistory, BrokenLog, History
from engine.kernel.match import Match
from engine.kernel.ports import Log, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Referee, SeatView, Spectator, Viewer, viewer_name
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.feed import CorePublisher
from services.kit.memory_log import MemoryLog
from services.local.nats_server import NatsServer
from services.spectator.snapshot import Snapshot
from tests.kit.lines import fill, line_of
from tests.kit.nats import DEADLINE_S, arrived, until
from tests.services.hosts import M, commits, game, leave, next_move, play_out
from tests.services.small_house import GAME, Heard, SmallHouse, person, small_house

EVERYBODY: tuple[Viewer, ...] = (Spectator(), SeatView(0), SeatView(1), Referee())


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[SmallHouse]:
    async with small_house(MemoryLog(), tmp_path) as opened:
        yield opened


async def move(house: SmallHouse, times: int = 1) -> None:
    for _ in range(times):
        number = len(await house.log.read(M, after=0))
        await house.host.act(M, f"move-{number}", *await next_move(house.log))


async def told(house: SmallHouse, viewer: Viewer, after: int = 0) -> list[Fact]:
    """Everything, to the end of the match."""
    async with asyncio.timeout(DEADLINE_S), aclosing(house.gallery.facts(M, viewer, after)) as facts:
        return [fact async for fact in facts]


async def expected(log: Log, viewer: Viewer) -> list[Fact]:
    return [fact_of(Match(game()), commit, viewer) for commit in await commits(log)]


class TestFacts:
    async def test_readers_go_from_history_to_live_without_gap_or_overlap(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        await move(house, 3)
        readers: list[tuple[int, Viewer, asyncio.Task[list[Fact]]]] = []

        def sit_down(after: int, viewer: Viewer) -> None:
            readers.append((after, viewer, asyncio.create_task(told(house, viewer, after))))

        number = 0
        while isinstance((await _folded(house.log)).pending, Seats):
            newest = len(await house.log.read(M, after=0))
            sit_down((number * 7) % (newest + 1), EVERYBODY[number % 4])
            number += 1
            await move(house)
        for after, viewer, reader in readers:
            assert await reader == (await expected(house.log, viewer))[after:]
        assert number > 10

    async def test_every_viewer_is_told_its_own_truth(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        await play_out(house.log, house.host)
        for viewer in EVERYBODY:
            assert await told(house, viewer) == await expected(house.log, viewer)

    async def test_it_is_the_same_over_the_wire(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        await play_out(house.log, house.host)
        async with person(house) as one:
            for viewer in EVERYBODY:
                facts = [fact async for fact in one.spectator.facts(M, viewer, after=3)]
                assert facts == (await expected(house.log, viewer))[3:]

    async def test_what_there_is_not_cannot_be_watched(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        for code, watching in (
            ("unknown_match", house.gallery.facts("nowhere", Spectator(), 0)),
            ("unknown_seat", house.gallery.facts(M, SeatView(2), 0)),
            ("no_such_revision", house.gallery.facts(M, Spectator(), 99)),
            ("id_malformed", house.gallery.facts("a.b", Spectator(), 0)),
        ):
            with pytest.raises(Refusal) as refused:
                await anext(watching)
            assert refused.value.code == code

    async def test_many_who_ask_at_once_share_one_room(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        readers = [asyncio.create_task(told(house, EVERYBODY[number % 4])) for number in range(40)]
        await play_out(house.log, house.host)
        for number, reader in enumerate(readers):
            assert await reader == await expected(house.log, EVERYBODY[number % 4])


class TestPositions:
    async def test_a_slow_reader_is_shown_the_newest_position_only(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        async with aclosing(house.gallery.positions(M, SeatView(0))) as positions:
            first = await anext(positions)
            await move(house, 4)
            newest = len(await house.log.read(M, after=0))
            await _caught_up(house, newest)
            position = await anext(positions)
            assert first.revision < position.revision == position.newest == newest
            state = (await _folded(house.log)).state
            assert position.svg == game().board(Match(game()).view(state, SeatView(0)).game, SeatView(0))

    async def test_positions_end_with_the_match(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)

        async def watch() -> list[Snapshot]:
            async with asyncio.timeout(DEADLINE_S), aclosing(house.gallery.positions(M, Spectator())) as positions:
                return [position async for position in positions]

        watching = asyncio.create_task(watch())
        await play_out(house.log, house.host)
        positions = await watching
        revisions = [position.revision for position in positions]
        assert revisions == sorted(set(revisions))
        assert revisions[-1] == len(await house.log.read(M, after=0))
        assert [position.complete for position in positions] == [False] * (len(positions) - 1) + [True]


class TestSnapshots:
    async def test_every_revision_can_be_seen_as_it_was(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        await move(house, 12)
        history: AnyHistory = History(Match(game()), M)
        lines = await house.log.read(M, after=0)
        for stored in lines:
            commit = history.accept(stored.line, stored.position)
            for viewer in EVERYBODY:
                snapshot = await house.gallery.snapshot(M, viewer, commit.revision)
                view = history.match.view(history.state, viewer)
                assert (snapshot.revision, snapshot.newest) == (commit.revision, len(lines))
                assert snapshot.view == msgspec.json.encode(view.game)
                assert snapshot.svg == game().board(view.game, viewer)
                assert snapshot.scores == game().scores(history.state.game)
                assert snapshot.pending == history.match.pending(view)
                assert snapshot.words == fact_of(history.match, commit, viewer).words

    async def test_revision_nought_is_now(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        for _ in range(3):
            await move(house)
            newest = len(await house.log.read(M, after=0))
            assert (await house.gallery.snapshot(M, Spectator(), 0)).revision == newest
        with pytest.raises(Refusal, match="no_such_revision"):
            await house.gallery.snapshot(M, Spectator(), newest + 1)


class TestExports:
    async def test_a_running_match_is_not_exported(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        await move(house, 2)
        with pytest.raises(Refusal, match="match_running"):
            await anext(aiter(house.gallery.export(M)))

    async def test_a_complete_match_is_exported_byte_for_byte(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        await play_out(house.log, house.host)
        async with person(house) as one:
            assert await one.spectator.export(M) == [stored.line for stored in await house.log.read(M, after=0)]


class TestFeed:
    async def test_a_subscriber_hears_every_revision_as_a_bystander_may(
        self, own_nats: NatsServer, tmp_path: Path
    ) -> None:
        heard: list[Msg] = []

        async def hear(message: Msg) -> None:
            heard.append(message)

        client = await nats.connect(own_nats.url)
        await client.subscribe("feed.match.>", cb=hear)
        await arrived(client)
        async with (
            await JetStreamLog.connect(own_nats.url, create=True) as log,
            await CorePublisher.connect(own_nats.url) as publisher,
            small_house(log, tmp_path, publisher=publisher) as house,
        ):
            await house.host.open(M, seats=2)
            await play_out(log, house.host)
            facts = await expected(log, Spectator())
            await until(lambda: len(heard) == len(facts), "the whole match has been heard")
        assert {message.subject for message in heard} == {f"feed.match.{GAME}.{M}"}
        assert [msgspec.json.decode(message.data, type=Fact) for message in heard] == facts
        await client.close()

    async def test_the_feed_goes_on_where_it_was_when_the_service_was_stopped(self, tmp_path: Path) -> None:
        log, heard = MemoryLog(), Heard()
        async with small_house(log, tmp_path, publisher=heard) as house:
            await house.host.open(M, seats=2)
            await move(house, 3)
            newest = _newest(log)
            await until(lambda: _revisions(heard)[-1:] == [newest], "the feed has told of the moves")
        async with small_house(log, tmp_path / "other", publisher=Heard()) as other:
            await move(other, 2)
        assert _newest(log) > newest, "somebody moved while nobody told"
        async with small_house(log, tmp_path, publisher=heard):
            await until(lambda: _revisions(heard)[-1:] == [_newest(log)], "the feed has made up for it")
        assert _revisions(heard) == list(range(1, _newest(log) + 1))

    async def test_facts_may_come_twice_after_a_crash_but_none_is_left_out(self, tmp_path: Path) -> None:
        log, heard = MemoryLog(), Failing(ZeroDivisionError(), times=3)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await _tell_until_it_ends(log, tmp_path, heard)
        async with small_house(log, tmp_path, publisher=heard):
            await until(lambda: set(_revisions(heard)) == {*range(1, _newest(log) + 1)}, "all is told")
            await until(lambda: len(heard.messages) > _newest(log), "some came twice")

    async def test_the_feed_waits_for_a_line_that_dropped_and_leaves_nothing_out(self, tmp_path: Path) -> None:
        log, heard = MemoryLog(), Failing(Unavailable("feed_unavailable", "The line dropped."), times=2)
        async with small_house(log, tmp_path, publisher=heard) as house:
            await house.host.open(M, seats=2)
            await move(house, 3)
            await until(lambda: set(_revisions(heard)) == {*range(1, _newest(log) + 1)}, "all is told")


class TestDamage:
    async def test_a_damaged_match_does_not_stop_the_feed_of_others(self, tmp_path: Path) -> None:
        log, heard = MemoryLog(), Heard()
        await fill(log, "chess", "foreign", 3)
        await log.append(GAME, "nonsense", b'{"match":"nonsense","revision":1,"at":"today"}', expected=0)
        await log.append(GAME, "damaged", line_of("damaged", 1), expected=0)
        async with small_house(log, tmp_path, publisher=heard) as house:
            await house.host.open(M, seats=2)
            await move(house, 2)
            newest = len(await log.read(M, after=0))
            await until(lambda: _revisions(heard) == list(range(1, newest + 1)), "the feed has told of the other match")

    async def test_readers_of_a_match_that_breaks_are_told_where(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        async with aclosing(house.gallery.facts(M, Spectator(), 0)) as facts:
            newest = len(await house.log.read(M, after=0))
            while (await anext(facts)).revision < newest:
                pass
            position = (await house.log.read(M, after=0))[-1].position
            await house.log.append(GAME, M, line_of(M, newest + 1), expected=position)
            with pytest.raises(BrokenLog) as broken:
                async with asyncio.timeout(DEADLINE_S):
                    await anext(facts)
        assert broken.value.revision == newest + 1
        with pytest.raises(BrokenLog):
            await house.gallery.snapshot(M, Spectator(), 0)

    async def test_a_match_that_ends_by_leaving_ends_the_streams(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        watching = [asyncio.create_task(told(house, viewer)) for viewer in EVERYBODY]
        await house.host.act(M, "bye", 0, leave(0))
        for viewer, watched in zip(EVERYBODY, watching, strict=True):
            assert await watched == await expected(house.log, viewer), viewer_name(viewer)


class Failing(Heard):
    """A feed that takes what is published and then fails, some times."""

    def __init__(self, error: Exception, times: int) -> None:
        super().__init__()
        self._error = error
        self._times = times

    async def flush(self) -> None:
        if self._times and len(self.messages) > 4:
            self._times -= 1
            raise self._error


async def _tell_until_it_ends(log: Log, folder: Path, heard: Heard) -> None:
    async with small_house(log, folder, publisher=heard) as house, asyncio.timeout(DEADLINE_S):
        await house.host.open(M, seats=2)
        await move(house, 3)
        await house.running["spectator"]


async def _folded(log: Log) -> AnyHistory:
    history: AnyHistory = History(Match(game()), M)
    for stored in await log.read(M, after=0):
        history.accept(stored.line, stored.position)
    return history


async def _caught_up(house: SmallHouse, revision: int) -> None:
    async def is_there() -> bool:
        return (await house.gallery.snapshot(M, Spectator(), 0)).revision == revision

    await until(is_there, f"the room is at revision {revision}")


def _revisions(heard: Heard) -> list[int]:
    return [msgspec.json.decode(payload, type=Fact).revision for _, payload in heard.messages]


def _newest(log: MemoryLog) -> int:
    return len(log._matches[M])
