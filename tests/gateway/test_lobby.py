"""What everybody who looks in is told: each table and event as it stands, from one upstream, however many they are."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast

import msgspec
import pytest
from tavolata.scoring.v1 import scoring_pb2
from tavolata.tournament.v1 import tournament_pb2

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.gateway.streams import lobby as lobby_module
from services.gateway.streams.frames import Frame
from services.gateway.streams.lobby import TOLD_MAX, Lobby
from services.gateway.streams.noticeboard import Noticeboard
from services.kit.wire.clients import ScoringClient
from services.kit.wire.tournament import TournamentClient

RUNNING, ENDED = scoring_pb2.STATUS_RUNNING, scoring_pb2.STATUS_ENDED
BEGIN = {"event": "begin"}
HERE = {"event": "here"}
AWAY = {"event": "away"}


class Source:
    """Both services: what there is now, and what changes. ``watching`` counts the upstreams that were opened."""

    def __init__(self) -> None:
        self.there: dict[str, scoring_pb2.Match] = {}
        self.events = [tournament_pb2.Tournament(tournament_id="cup", name="Cup", phase="running", entrants=8, round=2)]
        self.watching = 0
        self.reachable = True
        self._changes: list[asyncio.Queue[scoring_pb2.Match | None]] = []

    def play(self, match: str, revision: int, status: scoring_pb2.Status.ValueType = RUNNING) -> None:
        """A match moves on; whoever watches is told."""
        seats = [scoring_pb2.SeatScore(seat=seat, player="bot:greedy", total=revision) for seat in range(2)]
        self.there[match] = scoring_pb2.Match(
            match_id=match, game="just4fun", status=status, revision=revision, seats=seats,
            changed_at=f"2026-01-01T00:{revision:02}:00.000000Z",
        )  # fmt: skip
        for queue in self._changes:
            queue.put_nowait(self.there[match])

    def break_line(self) -> None:
        self.reachable = False
        for queue in self._changes:
            queue.put_nowait(None)

    async def matches(self, *, status: scoring_pb2.Status.ValueType) -> AsyncGenerator[scoring_pb2.Match, None]:
        if not self.reachable:
            raise Unavailable("service_unavailable", "The service did not answer.")
        for match in list(self.there.values()):
            if match.status == status:
                yield match

    async def match(self, match: str) -> scoring_pb2.Match:
        if match not in self.there:
            raise Refusal("unknown_match", f"There is no match {match}.", Kind.MISSING)
        return self.there[match]

    async def watch(self) -> AsyncGenerator[scoring_pb2.Match, None]:
        self.watching += 1
        queue: asyncio.Queue[scoring_pb2.Match | None] = asyncio.Queue()
        self._changes.append(queue)
        for match in list(self.there.values()):
            yield match
        while (match_or_none := await queue.get()) is not None:
            yield match_or_none
        raise Unavailable("service_unavailable", "The service did not answer.")


class Events:
    """The tournament service; nothing changes there."""

    def __init__(self, source: Source) -> None:
        self._source = source

    async def tournaments(self) -> AsyncGenerator[tournament_pb2.Tournament, None]:
        for event in self._source.events:
            yield event

    async def watch(self) -> AsyncGenerator[tournament_pb2.Tournament, None]:
        self._source.watching += 1
        for event in self._source.events:
            yield event
        await asyncio.Event().wait()


class Reader:
    """One who follows; ``next`` is what it is told, as a program reads it."""

    def __init__(self, frames: AsyncGenerator[Frame, None]) -> None:
        self._frames = frames

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(10):
            told: dict[str, Any] = msgspec.json.decode((await anext(self._frames)).line)
        return told

    async def until(self, last: dict[str, Any]) -> list[dict[str, Any]]:
        """All that comes before ``last``."""
        told: list[dict[str, Any]] = []
        while (each := await self.next()) != last:
            told.append(each)
        return told


class Place:
    """A lobby and those who come in."""

    def __init__(self, source: Source, lobby: Lobby, stack: AsyncExitStack) -> None:
        self.source = source
        self.lobby = lobby
        self._stack = stack

    async def reader(self) -> Reader:
        frames = (await self._stack.enter_async_context(self.lobby.join())).follow()
        self._stack.push_async_callback(frames.aclose)
        reader = Reader(frames)
        assert await reader.next() == BEGIN
        return reader


@asynccontextmanager
async def opened() -> AsyncIterator[Place]:
    source = Source()
    notices = Noticeboard(cast(TournamentClient, Events(source)))
    lobby = Lobby(cast(ScoringClient, source), notices)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(notices.close)
        stack.push_async_callback(lobby.close)
        yield Place(source, lobby, stack)


def short(told: list[dict[str, Any]]) -> list[tuple[str, int, str]]:
    return [(each["match"], each["revision"], each["status"]) for each in told if each["event"] == "match"]


async def test_who_comes_is_told_what_is_running_and_then_each_change() -> None:
    async with opened() as place:
        place.source.play("over", 9, ENDED)
        place.source.play("one", 3)
        place.source.play("two", 2)
        reader = await place.reader()
        told = await reader.until(HERE)
        assert short(told) == [("two", 2, "running"), ("one", 3, "running")]  # the one that moved last comes last
        assert [each["name"] for each in told if each["event"] == "tournament"] == ["Cup"]
        place.source.play("two", 4)
        assert await reader.next() == {
            "event": "match", "match": "two", "game": "just4fun", "status": "running", "revision": 4, "opened_at": "",
            "changed_at": "2026-01-01T00:04:00.000000Z", "reason": "",
            "seats": [{"seat": seat, "player": "bot:greedy", "total": 4, "rank": 0, "left": False} for seat in (0, 1)],
        }  # fmt: skip
        place.source.play("one", 5, ENDED)
        assert short([await reader.next()]) == [("one", 5, "ended")]
        late = await place.reader()
        assert short(await late.until(HERE)) == [("two", 4, "running")]


async def test_a_hundred_readers_have_one_upstream_of_each_kind() -> None:
    async with opened() as place:
        place.source.play("one", 1)
        readers = [await place.reader() for _ in range(100)]
        for reader in readers:
            assert short(await reader.until(HERE)) == [("one", 1, "running")]
        place.source.play("one", 2)
        for reader in readers:
            assert short([await reader.next()]) == [("one", 2, "running")]
        assert place.source.watching == 2


async def test_what_changes_often_is_told_once_and_of_many_the_newest() -> None:
    async with opened() as place:
        reader = await place.reader()
        await reader.until(HERE)
        for number in range(TOLD_MAX + 50):
            place.source.play(f"m{number}", 1)
        for revision in range(2, 40):
            place.source.play("m0", revision)
        told = short([await reader.next() for _ in range(TOLD_MAX)])
        expected = [(f"m{number}", 1, "running") for number in range(51, TOLD_MAX + 50)]
        assert told == [*expected, ("m0", 39, "running")]
        place.source.play("m7", 2)
        assert short([await reader.next()]) == [("m7", 2, "running")]


async def test_after_a_broken_line_what_was_missed_is_told_and_nothing_twice() -> None:
    async with opened() as place:
        place.source.play("one", 1)
        place.source.play("two", 1)
        reader = await place.reader()
        await reader.until(HERE)
        place.source.break_line()
        assert await reader.next() == AWAY
        place.source.there["one"].status = ENDED
        place.source.there["one"].revision = 2
        place.source.reachable = True
        assert short(await reader.until(HERE)) == [("one", 2, "ended")]


async def test_a_match_that_the_house_knows_no_more_keeps_nobody_from_being_told_of_the_others() -> None:
    async with opened() as place:
        place.source.play("gone", 1)
        reader = await place.reader()
        await reader.until(HERE)
        place.source.break_line()
        assert await reader.next() == AWAY
        del place.source.there["gone"]
        place.source.play("new", 1)
        place.source.reachable = True
        assert ("new", 1, "running") in short(await reader.until(HERE))
        assert short(await (await place.reader()).until(HERE)) == [("new", 1, "running")]


async def test_a_fault_of_ours_is_a_broken_line_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened() as place:
        place.source.play("one", 1)
        reader = await place.reader()
        await reader.until(HERE)
        told = lobby_module.match_body

        def broken(match: scoring_pb2.Match) -> Any:
            monkeypatch.setattr(lobby_module, "match_body", told)
            raise ZeroDivisionError

        monkeypatch.setattr(lobby_module, "match_body", broken)
        place.source.play("one", 2)
        told_of = await reader.next()
        if told_of == AWAY:  # if it was noticed at all
            told_of = await reader.next()
        assert short([told_of]) == [("one", 2, "running")]


async def test_when_the_gateway_stops_every_reader_is_told_to_come_again() -> None:
    async with opened() as place:
        readers = [await place.reader() for _ in range(3)]
        for reader in readers:
            await reader.until(HERE)
        waiting = [asyncio.create_task(reader.next()) for reader in readers]
        await asyncio.sleep(0)
        await place.lobby.close()
        assert await asyncio.gather(*waiting) == [{"event": "goodbye"}] * 3
        with pytest.raises(Unavailable, match="stopped"):
            await place.reader()
