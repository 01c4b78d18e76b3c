"""Bots sit where they are asked for, and get up for whoever takes their seat."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from tavolata.scoring.v1 import scoring_pb2
from tavolata.tournament.v1 import tournament_pb2 as pb

from bots import attendant


class Seats:
    """Who plays what, as ``Player`` is told."""

    def __init__(self) -> None:
        self.taken: dict[tuple[str, int], Any] = {}

    def player(self, game: Any, match_id: str, seat: int, brain: Any, *_: Any) -> Any:
        async def play() -> None:
            self.taken[match_id, seat] = type(brain).__name__
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
        scoring = SimpleNamespace(watch=lambda: each_of(self.matches))
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
