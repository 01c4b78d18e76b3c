"""All who follow events share one upstream, and nobody misses how an event stands in the end."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, cast

import msgspec
import pytest
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.gateway.streams import noticeboard
from services.gateway.streams.frames import HEARTBEAT, Frame
from services.gateway.streams.noticeboard import Noticeboard
from services.kit.wire.tournament import TournamentClient
from tests.kit.nats import until

SOON_S = 5.0


class Service:
    """A tournament service that tells what a test puts, and counts who listens."""

    def __init__(self) -> None:
        self.events: dict[str, pb.Tournament] = {}
        self.upstreams = 0
        self.away = False
        self.listening = asyncio.Event()
        self._told: asyncio.Queue[pb.Tournament | Unavailable] = asyncio.Queue()

    def put(self, event: str, revision: int, *, tell: bool = True) -> None:
        self.events[event] = pb.Tournament(tournament_id=event, revision=revision)
        if tell:
            self._told.put_nowait(self.events[event])

    def hang_up(self) -> None:
        self._told.put_nowait(Unavailable("service_unavailable", "Away."))

    async def tournament(self, event: str) -> pb.GetTournamentResponse:
        if event not in self.events:
            raise Refusal("unknown_tournament", "There is no such event.", Kind.MISSING)
        return pb.GetTournamentResponse(tournament=self.events[event])

    async def tournaments(self) -> AsyncGenerator[pb.Tournament, None]:
        if self.away:
            raise Unavailable("service_unavailable", "Away.")
        for each in list(self.events.values()):
            yield each

    async def watch(self) -> AsyncGenerator[pb.Tournament, None]:
        self.upstreams += 1
        self.listening.set()
        for each in list(self.events.values()):
            yield each
        while True:
            news = await self._told.get()
            if isinstance(news, Unavailable):
                raise news
            yield news


@pytest.fixture
async def service() -> Service:
    service = Service()
    service.put("cup", 4, tell=False)
    service.put("fair", 9, tell=False)
    return service


@pytest.fixture
async def board(service: Service, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Noticeboard]:
    monkeypatch.setattr(noticeboard, "RETRY_SECONDS", 0.01)
    opened = Noticeboard(cast("TournamentClient", service))
    yield opened
    await opened.close()


class Reader:
    """Takes one frame at a time."""

    def __init__(self, frames: AsyncGenerator[Frame, None]) -> None:
        self._frames = frames

    async def next(self) -> Frame:
        async with asyncio.timeout(SOON_S):
            return await anext(self._frames)

    async def ends(self) -> bool:
        async with asyncio.timeout(SOON_S):
            return await anext(self._frames, None) is None


async def reader(board: Noticeboard, event: str = "cup", after: int | None = None) -> Reader:
    await board.opened(event)
    return Reader(board.follow(event, after))


def body(frame: Frame) -> Any:
    return msgspec.json.decode(frame.line)


async def test_many_readers_of_many_events_have_one_upstream(board: Noticeboard, service: Service) -> None:
    readers = [await reader(board, "cup") for _ in range(5)]
    other = await reader(board, "fair")
    for each in readers:
        first = await each.next()
        assert first.sse.startswith(b"event: tournament\nid: 4\ndata: {")
        assert (body(first)["event"], body(first)["tournament_id"], body(first)["revision"]) == ("tournament", "cup", 4)
    assert body(await other.next())["revision"] == 9
    service.put("cup", 5)
    frames = [await each.next() for each in readers]
    assert {frame.revision for frame in frames} == {5}
    assert all(frame is frames[0] for frame in frames), "it is encoded once"
    assert service.upstreams == 1


async def test_who_knows_the_newest_is_told_what_comes_next(board: Noticeboard, service: Service) -> None:
    following = await reader(board, after=4)
    service.put("cup", 6)
    assert (await following.next()).revision == 6


async def test_a_revision_that_has_not_been_yet_is_told_how_it_stands(board: Noticeboard) -> None:
    assert (await (await reader(board, after=99)).next()).revision == 4


async def test_what_changed_while_the_service_was_away_is_told_afterwards(board: Noticeboard, service: Service) -> None:
    following = await reader(board)
    assert (await following.next()).revision == 4
    await service.listening.wait()
    service.put("cup", 8, tell=False)
    service.hang_up()
    told = [await following.next()]
    if told[0].revision == 0:
        assert body(told[0])["event"] == "away"
        told.append(await following.next())
    assert told[-1].revision == 8
    assert service.upstreams == 2


async def test_a_quiet_stream_shows_that_it_is_there(board: Noticeboard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noticeboard, "HEARTBEAT_SECONDS", 0.01)
    following = await reader(board, after=4)
    assert await following.next() is HEARTBEAT


async def test_readers_are_sent_away_when_the_gateway_stops(board: Noticeboard) -> None:
    following = await reader(board)
    await following.next()
    await board.close()
    assert (await following.next()).sse.startswith(b"retry: ")
    assert await following.ends()
    with pytest.raises(Unavailable, match="service_stopping"):
        await board.opened("cup")


async def test_an_event_that_is_not_there_is_no_stream(board: Noticeboard) -> None:
    with pytest.raises(Refusal, match="unknown_tournament"):
        await board.opened("nowhere")


async def test_a_reader_that_goes_leaves_nothing_behind(board: Noticeboard) -> None:
    await board.opened("cup")
    async with aclosing(board.follow("cup", None)) as frames:
        assert (await anext(frames)).revision == 4


async def test_what_is_known_of_all_events_is_known_while_the_service_is_there(
    board: Noticeboard, service: Service
) -> None:
    assert (board.there, board.revision("cup")) == (False, None)
    async with aclosing(board.all()) as told:
        async with asyncio.timeout(SOON_S):
            first = await anext(told)
            assert sorted((each.tournament_id, each.revision) for each in first) == [("cup", 4), ("fair", 9)]
            before = board.change()
            assert (board.there, board.revision("cup"), board.revision("nowhere")) == (True, 4, None)
            service.put("cup", 5)
            assert [(each.tournament_id, each.revision) for each in await anext(told)] == [("cup", 5)]
            assert (board.revision("cup"), board.change() == before) == (5, False)
            service.away = True
            service.hang_up()
            with pytest.raises(Unavailable):
                await anext(told)
    assert (board.there, board.revision("cup"), service.upstreams) == (False, 5, 1)
    service.put("cup", 6, tell=False)
    service.away = False

    async def is_back() -> bool:
        return board.there

    await until(is_back, "the service is back")
    assert board.revision("cup") == 6


async def test_an_event_that_cannot_be_told_keeps_no_other_from_being_told(
    board: Noticeboard, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = await reader(board)
    await cup.next()
    await service.listening.wait()
    told = noticeboard.notice

    def broken(event: pb.Tournament) -> Frame:
        monkeypatch.setattr(noticeboard, "notice", told)
        raise ZeroDivisionError

    monkeypatch.setattr(noticeboard, "notice", broken)
    service.put("cup", 5)
    frame = await cup.next()
    if frame.event == "away":  # if it was noticed at all
        frame = await cup.next()
    assert (frame.event, frame.revision) == ("tournament", 5)
