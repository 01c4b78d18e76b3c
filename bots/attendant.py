"""Sits bots down at every running match whose opening asked for them, and again after a restart.

A seat asks for a bot by its player id, ``bot:<level>``; where ids have to differ, as in a tournament, by
``bot:<level>:<whatever tells it apart>``. ``bot:<level>@<ms>`` lets each move wait so long that people can follow it.
The match carries these ids and never reads them, so a level that is none, or a pace that is none, is found here: the
seat is left alone, as an empty one is, and the log says so once.

The attendant learns of matches as any lobby does: of single ones from the
scoring service, of tables from their tournament. The latter matters where spectators are kept behind: a bot is a
player, and comes when its table opens.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing

import structlog
from tavolata.scoring.v1 import scoring_pb2

from bots.brains import brain_named
from bots.player import Player
from engine.games import find_game
from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat, Value, clip
from services.kit.wire.house import HouseClients

BOT = "bot:"
"""Before the level, in the player id of a seat."""

PACE_MS_MAX = 60_000
"""The longest pace that a seat may ask for."""

TOLD_MAX = 1_000
"""So many player ids that ask for no bot are remembered; with more of them, the log may tell of one again."""

LOOK_AGAIN_S = 1.0
"""Before a lobby that could not be reached is asked again."""

logger = structlog.get_logger()


_PACE = re.compile(r"0|[1-9][0-9]{0,4}")


class Asked(Value, frozen=True):
    """The bot that a seat asks for; each of its moves waits at least ``pace_ms``."""

    level: str
    pace_ms: int


def asked_of(player: str) -> Asked:
    """``bot:greedy@1200:17`` asks for ``greedy`` at 1200 ms a move, ``bot:greedy`` for 0.

    Whether a game has such a level, ``brain_named`` knows. Raises ``Refusal`` (``bad_pace``).
    """
    level, at, pace = player.removeprefix(BOT).partition(":")[0].partition("@")
    if at and not (_PACE.fullmatch(pace) and int(pace) <= PACE_MS_MAX):
        raise Refusal(
            "bad_pace", f"The pace of a bot is 0 to {PACE_MS_MAX} milliseconds, not {clip(pace)}.", Kind.INVALID
        )
    return Asked(level, int(pace or "0"))


async def attend(clients: HouseClients) -> None:
    """For ever."""
    attendant = _Attendant(clients)
    await asyncio.gather(attendant.for_ever(attendant.single_matches), attendant.for_ever(attendant.tables))


class _Attendant:
    def __init__(self, clients: HouseClients) -> None:
        self._clients = clients
        self._playing: dict[tuple[str, Seat], tuple[str, asyncio.Task[None]]] = {}
        """Who plays a seat of a match."""
        self._tables: dict[str, frozenset[str]] = {}
        """The matches of each tournament's round: who sits there, the tournament says and not the opening."""
        self._told: set[str] = set()
        """The player ids that ask for a bot which is none, and of which the log has told."""

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
        async with aclosing(self._clients.scoring.watch(milestones=True)) as matches:
            async for match in matches:
                running = match.status == scoring_pb2.STATUS_RUNNING
                if running and all(match.match_id not in tables for tables in self._tables.values()):
                    self._seat(match.match_id, match.game, [seat.player for seat in match.seats])

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
                self._tables[event.tournament_id] = frozenset(table.match_id for table in now.tables)
                for table in now.tables:
                    if table.phase == "open":
                        self._seat(table.match_id, now.game, [place.player for place in table.places])

    def _seat(self, match_id: str, key: str, players: Sequence[str]) -> None:
        """Every seat has the bot that it asks for; one that somebody else has taken over has none any more."""
        for seat, player in enumerate(players):
            asked = player if player.startswith(BOT) else ""
            sitting, task = self._playing.get((match_id, seat), ("", None))
            if task is not None and sitting != asked:
                task.cancel()
            if asked and sitting != asked:
                self._sit_down(match_id, seat, key, asked)

    def _sit_down(self, match_id: str, seat: Seat, key: str, player: str) -> None:
        game = find_game(key)
        try:
            asked = asked_of(player)
            brain = brain_named(asked.level, game, seat)
        except Refusal as refusal:
            self._tell(match_id, seat, player, refusal)
            return
        name = f"{match_id}/{seat}"
        rules, spectator = self._clients.rules(key), self._clients.spectator
        bot = Player(game, match_id, seat, brain, name, rules, spectator, pace_ms=asked.pace_ms)
        task = asyncio.create_task(bot.play())
        self._playing[match_id, seat] = player, task
        task.add_done_callback(lambda done: self._get_up(match_id, seat, done))

    def _get_up(self, match_id: str, seat: Seat, task: asyncio.Task[None]) -> None:
        if self._playing.get((match_id, seat), ("", None))[1] is task:
            del self._playing[match_id, seat]
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Refusal | Failed):
            logger.error("bot_refused", match=match_id, seat=seat, reason=error.code)
        elif error is not None:
            logger.error("bot_failed", match=match_id, seat=seat, exc_info=error)

    def _tell(self, match_id: str, seat: Seat, player: str, refusal: Refusal) -> None:
        """Once for each player id, at the first seat that has it."""
        if player in self._told:
            return
        if len(self._told) >= TOLD_MAX:
            self._told.clear()
        self._told.add(player)
        logger.warning("no_such_bot", match=match_id, seat=seat, reason=refusal.code, sentence=refusal.sentence)
