"""Sits bots down at every running match whose opening asked for them, and again after a restart.

A seat asks for a bot by its player id, ``bot:<level>``; where ids have to differ, as in a tournament, by
``bot:<level>:<whatever tells it apart>``. The attendant learns of matches as any lobby does: of single ones from the
scoring service, of tables from their tournament. The latter matters where spectators are kept behind: a bot is a
player, and comes when its table opens.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing

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

LOOK_AGAIN_S = 1.0
"""Before a lobby that could not be reached is asked again."""

logger = structlog.get_logger()


def level_of(player: str) -> str:
    """``bot:greedy`` and ``bot:greedy:17`` ask for ``greedy``."""
    return player.removeprefix(BOT).partition(":")[0]


async def attend(clients: HouseClients) -> None:
    """For ever."""
    attendant = _Attendant(clients)
    await asyncio.gather(attendant.for_ever(attendant.single_matches), attendant.for_ever(attendant.tables))


class _Attendant:
    def __init__(self, clients: HouseClients) -> None:
        self._clients = clients
        self._playing: dict[str, asyncio.Task[None]] = {}

    async def for_ever(self, lobby: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await lobby()
            except Unavailable as error:
                logger.debug("bot_waits", reason=error.code)
            except (Refusal, Failed) as error:
                logger.error("lobby_failed", reason=error.code)
            await asyncio.sleep(LOOK_AGAIN_S)

    async def single_matches(self) -> None:
        async with aclosing(self._clients.scoring.watch()) as matches:
            async for match in matches:
                if match.status == scoring_pb2.STATUS_RUNNING:
                    self._sit_down(match.match_id, match.game, [seat.player for seat in match.seats])

    async def tables(self) -> None:
        async with aclosing(self._clients.tournament.watch()) as events:
            async for event in events:
                if event.round_phase not in ("published", "running"):
                    continue
                try:
                    now = await self._clients.tournament.round(event.tournament_id)
                except (Refusal, Failed) as error:
                    # An event whose log is damaged keeps no bot from the others.
                    logger.error("tables_not_told", tournament=event.tournament_id, reason=error.code)
                    continue
                for table in now.tables:
                    if table.phase == "open":
                        self._sit_down(table.match_id, now.game, [place.player for place in table.places])

    def _sit_down(self, match_id: str, game: str, players: Sequence[str]) -> None:
        if match_id not in self._playing and any(player.startswith(BOT) for player in players):
            task = asyncio.create_task(self._play(match_id, game, players))
            self._playing[match_id] = task
            task.add_done_callback(lambda _: self._playing.pop(match_id, None))

    async def _play(self, match_id: str, key: str, players: Sequence[str]) -> None:
        game = find_game(key)
        asked = {seat: level_of(player) for seat, player in enumerate(players) if player.startswith(BOT)}
        bots = [
            Player(
                game,
                match_id,
                seat,
                brain_named(level, game, seat),
                f"{match_id}/{seat}",
                self._clients.rules(key),
                self._clients.spectator,
            ).play()
            for seat, level in asked.items()
            if level in levels(game)
        ]
        for outcome in await asyncio.gather(*bots, return_exceptions=True):
            if isinstance(outcome, Refusal | Failed):
                logger.error("bot_refused", match=match_id, reason=outcome.code)
            elif isinstance(outcome, Exception):
                logger.error("bot_failed", match=match_id, exc_info=outcome)
