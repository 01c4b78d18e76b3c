"""People at the tables of a real house, who remember what they were told."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

import grpc

from bots.brains import RandomBrain
from bots.player import Player
from engine.games import find_game
from engine.kernel.history import Duplicate
from engine.kernel.ports import Unavailable
from engine.kernel.value import Revision, Seat
from services.kit.wire.channel import CALL_SECONDS
from services.kit.wire.clients import Accepted, MatchClient
from services.kit.wire.house import HouseClients

T = TypeVar("T")


class Acknowledged(NamedTuple):
    """The house has said that this command is a fact."""

    match: str
    actor: str
    command_id: str
    revision: Revision


class Notes(MatchClient):
    """The rules service as a caller sees it; what it acknowledges is written down."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        super().__init__(channel)
        self.acknowledged: list[Acknowledged] = []

    async def act(
        self,
        match: str,
        command_id: str,
        seat: Seat,
        command_json: str,
        *,
        expected_revision: Revision = 0,
        timeout: float = CALL_SECONDS,
    ) -> Accepted | Duplicate:
        receipt = await super().act(
            match, command_id, seat, command_json, expected_revision=expected_revision, timeout=timeout
        )
        self.acknowledged.append(Acknowledged(match, f"seat:{seat}", command_id, receipt.revision))
        return receipt


async def play_match(clients: HouseClients, rules: MatchClient, match: str, game: str, seats: int) -> None:
    """Open a match and play it to its end, over whatever breaks on the way."""
    await patiently(lambda: rules.open(match, game, seats, nonces=["00ff"] * seats, players=["guest"] * seats))
    async with asyncio.TaskGroup() as group:
        for seat in range(seats):
            found = find_game(game)
            brain = RandomBrain(found, seat)
            name = f"{match}/{seat}"
            group.create_task(Player(found, match, seat, brain, name, rules, clients.spectator).play())


async def patiently(call: Callable[[], Awaitable[T]], seconds: float = 60.0) -> T:
    """Again while a service is away."""
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        try:
            return await call()
        except Unavailable:
            if asyncio.get_running_loop().time() > deadline:
                raise
            await asyncio.sleep(0.1)
