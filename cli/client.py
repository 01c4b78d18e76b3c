"""A client of the running house that ``--server`` names."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import uvloop
from tavolata.scoring.v1 import scoring_pb2

from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, Spectator
from services.kit.config import settings
from services.kit.wire.house import HouseClients, connect
from services.kit.wire.tls import speak_tls

T = TypeVar("T")

READ_MODEL_S = 5.0
"""How long the scores may be behind the log before they are shown as they are."""


def ask(server: str, use: Callable[[HouseClients], Awaitable[T]]) -> T:
    """Run ``use`` with the clients of a house, with the certificate of the settings if the house wants to see one.

    Raises ``Refusal`` or ``Unavailable``.
    """
    speak_tls(settings())

    async def run() -> T:
        async with connect(server) as clients:
            return await use(clients)

    return uvloop.run(run())


async def game_of(clients: HouseClients, match_id: str) -> str:
    """Which game a match is one of, as the log says; the read model may not know a new match yet."""
    return str((await clients.spectator.snapshot(match_id, Spectator())).game)


async def standing(clients: HouseClients, match_id: str, revision: Revision) -> scoring_pb2.Match:
    """A match's scores once they have counted ``revision``, so that whoever moved sees the move counted."""
    deadline = asyncio.get_running_loop().time() + READ_MODEL_S
    while True:
        late = asyncio.get_running_loop().time() > deadline
        try:
            match = await clients.scoring.match(match_id)
            if match.revision >= revision or late:
                return match
        except Refusal as refusal:
            if refusal.code != "unknown_match" or late:
                raise
        await asyncio.sleep(0.05)
