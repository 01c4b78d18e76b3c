"""Tables whose matches have been opened, told of in batches: a round of thousands is a few commits.

What is opened and not told of yet is known here alone. A host that dies over it has lost nothing: the next one opens
the same matches under the same ids, which changes nothing, and tells of them.
"""

import asyncio

import structlog

from engine.kernel.commit import HOUSE
from engine.kernel.ledger import BrokenLog
from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from engine.tournament.commands import TellOpened
from engine.tournament.director import OpenTable
from engine.tournament.state import RoundPhase, TablePhase, Tournament
from services.kit.chores import log_failure, reason_of
from services.tournament.ledgers import Kept, Ledgers

GATHER_S = 0.05
"""How long the first opened table waits for others to be told of with it."""

RETRY_S = (0.05, 0.2, 1.0, 5.0)
"""Pauses after a batch that could not be told; the last one repeats."""

logger = structlog.get_logger()


class Openings:
    """Of all events of a host."""

    def __init__(self, ledgers: Ledgers) -> None:
        self._ledgers = ledgers
        self._opened: dict[str, list[OpenTable]] = {}
        self._telling: dict[str, asyncio.Task[None]] = {}

    def add(self, tournament_id: str, step: OpenTable) -> None:
        """The match of a table is open."""
        self._opened.setdefault(tournament_id, []).append(step)
        if tournament_id not in self._telling:
            telling = asyncio.create_task(self._tell(tournament_id))
            telling.add_done_callback(log_failure)
            self._telling[tournament_id] = telling

    async def close(self) -> None:
        tasks = list(self._telling.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _tell(self, tournament_id: str) -> None:
        try:
            await asyncio.sleep(GATHER_S)
            tries = 0
            while (batch := _next_batch(self._ledgers.known(tournament_id), self._opened[tournament_id])) is not None:
                if await self._tell_of(tournament_id, batch):
                    tries = 0
                    continue
                await asyncio.sleep(RETRY_S[min(tries, len(RETRY_S) - 1)])
                tries += 1
        finally:
            del self._opened[tournament_id], self._telling[tournament_id]

    async def _tell_of(self, tournament_id: str, batch: TellOpened) -> bool:
        # A table is opened once an attempt, so the first of a batch names it.
        command_id = f"opened:{batch.round}:{batch.attempt}:{batch.tables[0]}"
        try:
            await self._ledgers.commit(tournament_id, command_id, HOUSE, batch)
        except Refusal as refusal:
            # Another host was first, or a table has been changed: what is left is found on what is known now.
            logger.debug("not_told", tournament=tournament_id, reason=refusal.code)
            return False
        except (Unavailable, Failed, BrokenLog) as error:
            logger.warning("still_owed", tournament=tournament_id, reason=reason_of(error))
            return False
        return True


def _next_batch(kept: Kept, opened: list[OpenTable]) -> TellOpened | None:
    """Tables of one round and attempt that wait to be told of; ``None`` if there are none, or the log is damaged.

    Who does not wait any more is taken off the list.
    """
    opened[:] = [] if kept.broken is not None else [step for step in opened if _waits(kept.state, step)]
    if not opened:
        return None
    first = opened[0]
    tables = {step.table for step in opened if (step.round, step.attempt) == (first.round, first.attempt)}
    return TellOpened(first.round, tuple(sorted(tables)), first.attempt)


def _waits(state: Tournament, step: OpenTable) -> bool:
    """Whoever has been substituted meanwhile takes up the seat of an open match."""
    now = state.rounds[step.round - 1]
    place = now.place_of(step.table)
    if now.phase is RoundPhase.CANCELLED or place < 0:
        return False
    table = now.tables[place]
    return table.phase is TablePhase.WAITING and table.attempt == step.attempt
