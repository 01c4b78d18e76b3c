"""Which tables of a deal have ended, from the log, and never read twice.

A table that has ended says so by asking for the seed; it is read once, and remembered. So the one that ends last is
usually the only one that is not known yet. After a restart the others are read again, by whoever asks: more and more at
a time as long as all of them have ended, and none any further behind the first that has not.
"""

import asyncio
from collections import OrderedDict

import structlog

from engine.kernel.codec import Undecodable
from engine.kernel.commit import BadLine, Commit, decode_line
from engine.kernel.deal import Deal
from engine.kernel.official import EVENTS, MatchEnded, MatchOpened
from engine.kernel.ports import Log, Position
from services.kit.locks import Locks

DEALS_KEPT = 1_000
"""Deals in memory: a number for each table, so at most 2,500 of them a deal."""

READ_AT_ONCE = 64
"""Tables of one deal that are read at the same time."""

logger = structlog.get_logger()


class _Tables:
    """One deal. What has been read of a running table need not be read again: only what is behind ``positions``."""

    def __init__(self, deal: Deal) -> None:
        self.running = dict.fromkeys(range(1, deal.tables + 1))
        """In order; the values mean nothing."""
        self.positions: dict[int, Position] = {}
        self.strangers: set[int] = set()
        """Matches that have the id of a table and were opened as something else, or are damaged: they never end."""


class Deals:
    """Asked by the deck before it reveals a seed."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._deals: OrderedDict[str, _Tables] = OrderedDict()
        self._locks = Locks()

    async def have_ended(self, deal: Deal, commitment: str, asking: str) -> bool:
        """Whether every table of a deal is in the log and has ended. ``asking`` is the match that wants to know."""
        async with self._locks.of(deal.id):
            tables = self._deals.setdefault(deal.id, _Tables(deal))
            self._deals.move_to_end(deal.id)
            if len(self._deals) > DEALS_KEPT:
                self._deals.popitem(last=False)
            own = deal.table(asking)
            if own in tables.running and not await self._look(tables, deal, commitment, [own]):
                return False
            at_once = 1
            while tables.running:
                if not await self._look(tables, deal, commitment, list(tables.running)[:at_once]):
                    return False
                at_once = min(2 * at_once, READ_AT_ONCE)
            return True

    async def _look(self, tables: _Tables, deal: Deal, commitment: str, numbers: list[int]) -> bool:
        """Read what is new of these tables; whether all of them have ended."""
        ended = await asyncio.gather(*(self._has_ended(tables, deal, commitment, number) for number in numbers))
        for number, has_ended in zip(numbers, ended, strict=True):
            if has_ended:
                del tables.running[number]
        return all(ended)

    async def _has_ended(self, tables: _Tables, deal: Deal, commitment: str, number: int) -> bool:
        if number in tables.strangers:
            return False
        match, after = deal.match(number), tables.positions.get(number, 0)
        news = await self._log.read(match, after=after)
        if not news:
            return False
        tables.positions[number] = news[-1].position
        try:
            commits = [decode_line(stored.line) for stored in news]
            if after or _is_of(deal, commitment, commits[0]):
                return any(event.type == MatchEnded.name for commit in commits for event in commit.events)
            reason = "it was opened as something else"
        except (BadLine, Undecodable, IndexError) as error:
            reason = str(error)
        logger.error("no_table_of_its_deal", match=match, deal=deal.id, reason=reason)
        tables.strangers.add(number)
        return False


def _is_of(deal: Deal, commitment: str, first: Commit) -> bool:
    opened = EVENTS.decode(first.events[0])
    return isinstance(opened, MatchOpened) and opened.deal == deal and opened.commitment == commitment
