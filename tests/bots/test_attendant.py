"""Bots sit where they are asked for, and get up for whoever takes their seat."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
import structlog
from tavolata.scoring.v1 import scoring_pb2
from tavolata.tournament.v1 import tournament_pb2 as pb

from bots import attendant


class Seats:
    """Who plays what, as ``Player`` is told."""

    def __init__(self) -> None:
        self.taken: dict[tuple[str, int], Any] = {}
        self.paces: dict[tuple[str, int], int] = {}

    def player(self, game: Any, match_id: str, seat: int, brain: Any, *_: Any, pace_ms: int) -> Any:
        async def play() -> None:
            self.taken[match_id, seat] = type(brain).__name__
            self.paces[match_id, seat] = pace_ms
            try:
                await asyncio.Event().wait()
            finally:
                del self.taken[match_id, seat]

        return SimpleNamespace(play=play)


class Lobby:
    """What scoring and tournament tell, one thing after the other."""

    def __init__(self) -> None:
        self.matches: asyncio.Queue[scoring_pb2.Match] = asyncio.Queue()
        self.changes: asyncio.Queue[pb.Tournament] = asyncio.Queue()
        self.newest = pb.GetRoundResponse()

    def clients(self) -> Any:
        scoring = SimpleNamespace(watch=lambda milestones: each_of(self.matches))
        tournament = SimpleNamespace(watch=lambda: each_of(self.changes), round=self.round)
        return SimpleNamespace(scoring=scoring, tournament=tournament, rules=lambda key: None, spectator=None)

    async def round(self, tournament: str) -> pb.GetRoundResponse:
        return self.newest

    async def seats(self, *players: str) -> None:
        places = [pb.Place(player=player) for player in players]
        table = pb.Table(number=1, match_id="cup-r1-t1", phase="open", places=places)
        self.newest = pb.GetRoundResponse(round=1, game="just4fun", tables=[table])
        await self.changes.put(pb.Tournament(tournament_id="cup", round_phase="running"))
        await rest()

    async def opening(self, match_id: str, *players: str) -> None:
        seats = [scoring_pb2.SeatScore(seat=seat, player=player) for seat, player in enumerate(players)]
        running = scoring_pb2.STATUS_RUNNING
        await self.matches.put(scoring_pb2.Match(match_id=match_id, game="just4fun", status=running, seats=seats))
        await rest()


async def each_of(queue: "asyncio.Queue[Any]") -> AsyncIterator[Any]:
    while True:
        yield await queue.get()


async def rest() -> None:
    """Until whoever was told has done what follows."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.fixture
async def seats(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Seats, Lobby]]:
    found, lobby = Seats(), Lobby()
    monkeypatch.setattr(attendant, "Player", found.player)
    attending = asyncio.create_task(attendant.attend(lobby.clients()))
    yield found, lobby
    attending.cancel()
    await asyncio.gather(attending, return_exceptions=True)


async def test_a_seat_that_is_taken_over_has_the_bot_that_was_asked_for_last(seats: tuple[Seats, Lobby]) -> None:
    found, lobby = seats
    await lobby.seats("p1", "bot:random:1", "bot:greedy:2")
    assert found.taken == {("cup-r1-t1", 1): "RandomBrain", ("cup-r1-t1", 2): "GreedyBrain"}
    await lobby.seats("p1", "bot:greedy:9", "p2")
    assert found.taken == {("cup-r1-t1", 1): "GreedyBrain"}
    await lobby.opening("cup-r1-t1", "p1", "bot:random:1", "bot:greedy:2")
    assert found.taken == {("cup-r1-t1", 1): "GreedyBrain"}, "the opening is older than the substitute"


async def test_single_matches_have_the_bots_of_their_opening(seats: tuple[Seats, Lobby]) -> None:
    found, lobby = seats
    await lobby.opening("evening", "bot:random", "bot:nobody", "me")
    assert found.taken == {("evening", 0): "RandomBrain"}


async def test_a_bot_has_the_pace_that_its_seat_asks_for(seats: tuple[Seats, Lobby]) -> None:
    found, lobby = seats
    await lobby.opening("evening", "bot:random@1200", "bot:greedy@0:2", "bot:greedy")
    assert found.paces == {("evening", 0): 1200, ("evening", 1): 0, ("evening", 2): 0}


async def test_a_seat_that_asks_for_no_bot_is_left_alone_and_told_of_once(seats: tuple[Seats, Lobby]) -> None:
    found, lobby = seats
    with structlog.testing.capture_logs() as told:
        for match in ("first", "first", "second"):
            await lobby.opening(match, "bot:greedy@soon", "bot:greedy@1", "bot:nobody@1")
    assert found.taken == {("first", 1): "GreedyBrain", ("second", 1): "GreedyBrain"}
    assert [(line["event"], line["match"], line["seat"], line["reason"]) for line in told] == [
        ("no_such_bot", "first", 0, "bad_pace"),
        ("no_such_bot", "first", 2, "unknown_bot"),
    ]


async def test_the_log_forgets_of_whom_it_has_told_before_it_takes_all_memory(
    seats: tuple[Seats, Lobby], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attendant, "TOLD_MAX", 2)
    _, lobby = seats
    with structlog.testing.capture_logs() as told:
        for number, level in enumerate("abca"):
            await lobby.opening(f"m{number}", f"bot:{level}")
    assert [line["match"] for line in told] == ["m0", "m1", "m2", "m3"]
