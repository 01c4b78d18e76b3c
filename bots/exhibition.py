"""Keeps one table of bots going, so that whoever looks in sees a match that lives.

The games in turn, three bots or four at a table, at a pace that people can follow. The matches are ``exhibition-1``,
``exhibition-2`` and so on; after a restart the one that was left running is watched to its end, and the next number
follows. The attendant seats the bots, as at any other table.

A house that is left alone must not fill its disk, and nobody counts who looks: the bots are readers, too, and one
reader of the gateway may stand for many people or for none. So there are at most ``MATCHES_MAX`` matches after a start.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

import structlog
from tavolata.scoring.v1 import scoring_pb2

from bots.attendant import BOT
from engine.games import all_games
from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Spectator, Value
from services.kit.wire.house import HouseClients

MATCHES_MAX = 40
"""Matches after a start; what they take of the disk is in docs/how-to/run-a-house.md."""

PAUSE_S = 4.0
"""From the end of a match, so that people can look at the result, to the next one."""

PACE_MS = 1500
"""Of every move."""

LEVEL = "greedy"
"""Every game has it, as its own or as the general one."""

SEATS = (3, 4)
"""Of a table, in turn, as far as the game allows."""

RETRY_S = 1.0
"""Before a service that could not be reached is asked again."""

_NUMBERED = re.compile(r"exhibition-([1-9][0-9]{0,8})")

T = TypeVar("T")

logger = structlog.get_logger()


class Table(Value, frozen=True):
    """One match of the exhibition, before it is opened."""

    match_id: str
    game: str
    players: tuple[str, ...]


async def exhibit(
    clients: HouseClients, *, matches_max: int = MATCHES_MAX, pace_ms: int = PACE_MS, pause_s: float = PAUSE_S
) -> None:
    """One match after the other; returns after ``matches_max`` of them, the one that was left running included."""
    newest = await _patiently(lambda: _newest(clients))
    number = 0 if newest is None else number_of(newest.match_id)
    played = 0
    if newest is not None and _is_left_running(newest):
        await _watch(clients, newest.match_id)
        played += 1
    while played < matches_max:
        if played:
            await asyncio.sleep(pause_s)
        number += 1
        await _show(clients, table_of(number, pace_ms))
        played += 1
    logger.info("exhibition_over", matches=played)


def number_of(match_id: str) -> int:
    """``exhibition-7`` → 7; 0 for any other match."""
    found = _NUMBERED.fullmatch(match_id)
    return int(found[1]) if found else 0


def table_of(number: int, pace_ms: int) -> Table:
    """The games in turn; when all have had theirs, at a table of the other size."""
    games = list(all_games().values())
    game = games[(number - 1) % len(games)]
    seats = SEATS[(number - 1) // len(games) % len(SEATS)]
    seats = min(max(seats, game.seats.start), game.seats.stop - 1)
    return Table(f"exhibition-{number}", game.key, (f"{BOT}{LEVEL}@{pace_ms}",) * seats)


async def _newest(clients: HouseClients) -> scoring_pb2.Match | None:
    """The last match of an exhibition in this house, whoever is at its table."""
    async with aclosing(clients.scoring.matches()) as matches:
        async for match in matches:
            if number_of(match.match_id):
                return match
    return None


def _is_left_running(match: scoring_pb2.Match) -> bool:
    """With people at the table it is none of ours, and may take its time."""
    return match.status == scoring_pb2.STATUS_RUNNING and all(seat.player.startswith(BOT) for seat in match.seats)


async def _show(clients: HouseClients, table: Table) -> None:
    """Open a match and watch it to its end. One that cannot be played, or whose id is taken, is passed over."""
    try:
        rules = clients.rules(table.game)
        await _patiently(lambda: rules.open(table.match_id, table.game, len(table.players), players=table.players))
    except (Refusal, Failed) as error:
        logger.error("exhibition_not_opened", match=table.match_id, reason=error.code)
        return
    await _watch(clients, table.match_id)


async def _watch(clients: HouseClients, match_id: str) -> None:
    """To the end of the match, as any bystander may; a damaged one has none."""

    async def look() -> None:
        async with aclosing(clients.spectator.facts(match_id, Spectator())) as facts:
            async for _ in facts:
                pass

    try:
        await _patiently(look)
    except (Refusal, Failed) as error:
        logger.error("exhibition_not_watched", match=match_id, reason=error.code)


async def _patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Again while the house is starting, or a service of it is away."""
    while True:
        try:
            return await ask()
        except Unavailable as error:
            logger.debug("exhibition_waits", reason=error.code)
        await asyncio.sleep(RETRY_S)
