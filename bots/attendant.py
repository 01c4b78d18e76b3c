"""Sits bots down at every running match whose opening asked for them, and again after a restart.

A seat asks for a bot by its player id, ``bot:<level>``; where ids have to differ, as in a tournament, by
``bot:<level>:<whatever tells it apart>``. The attendant learns of matches from the scoring service, like any lobby
does.
"""

import asyncio
from contextlib import aclosing
from functools import partial
from typing import Any

import structlog
from tavolata.scoring.v1 import scoring_pb2

from bots.brains import brain_named, levels
from bots.player import Player
from engine.games import find_game
from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from services.kit.wire.house import HouseClients

BOT = "bot:"
"""Before the level, in the player id of a seat."""

logger = structlog.get_logger()


def level_of(player: str) -> str:
    """``bot:greedy`` and ``bot:greedy:17`` ask for ``greedy``."""
    return player.removeprefix(BOT).partition(":")[0]


async def attend(clients: HouseClients) -> None:
    """For ever."""
    playing: dict[str, asyncio.Task[None]] = {}
    while True:
        try:
            async with aclosing(clients.scoring.watch()) as matches:
                async for match in matches:
                    if match.status == scoring_pb2.STATUS_RUNNING and match.match_id not in playing:
                        task = asyncio.create_task(_play(clients, match))
                        playing[match.match_id] = task
                        task.add_done_callback(partial(_get_up, playing, match.match_id))
        except Unavailable as error:
            logger.debug("bot_waits", reason=error.code)
        await asyncio.sleep(1.0)


def _get_up(playing: dict[str, asyncio.Task[None]], match_id: str, task: asyncio.Task[None]) -> None:
    playing.pop(match_id, None)


async def _play(clients: HouseClients, match: Any) -> None:
    asked = {seat.seat: level_of(seat.player) for seat in match.seats if seat.player.startswith(BOT)}
    game = find_game(match.game)
    players = [
        Player(
            game,
            match.match_id,
            seat,
            brain_named(level, game, seat),
            f"{match.match_id}/{seat}",
            clients.rules(match.game),
            clients.spectator,
        ).play()
        for seat, level in asked.items()
        if level in levels(game)
    ]
    for outcome in await asyncio.gather(*players, return_exceptions=True):
        if isinstance(outcome, Refusal | Failed):
            logger.error("bot_refused", match=match.match_id, reason=outcome.code)
        elif isinstance(outcome, Exception):
            logger.error("bot_failed", match=match.match_id, exc_info=outcome)
