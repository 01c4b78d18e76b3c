"""Which tables of a deal have ended, by the last line that the log has of each; what has ended is not looked at again.

A table that has ended says so by asking for the seed; that is remembered. So the one that ends last is usually the only
one that is not known yet. After a restart the others are looked at again, by whoever asks: more and more at a time as
long as all of them have ended, and none any further behind the first that has not.
"""

import asyncio
from collections import OrderedDict

import structlog

from engine.kernel.commit import BadLine, decode_line
from engine.kernel.deal import Deal
from engine.kernel.history import BrokenLog
from engine.kernel.ports import Log
from services.deck.ending import says_the_end
from services.deck.opening import opening_of
from services.kit.locks import Locks

DEALS_KEPT = 1_000
"""Deals in memory: a number for each table, so at most 2,500 of them a deal."""

LOOKS_AT_ONCE = 64
"""Tables of one deal that are looked at at the same time."""

logger = structlog.get_logger()


class _Tables:
    """One deal."""

    def __init__(self, deal: Deal) -> None:
        self.running = dict.fromkeys(range(1, deal.tables + 1))
        """In order; the values mean nothing."""
        self.opened: set[int] = set()
        """Those whose openings are known to be of this deal."""
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
            tables.opened.add(own)  # by its opening it has asked about this deal
            if own in tables.running and not await self._look(tables, deal, commitment, [own]):
                return False
            at_once = 1
            while tables.running:
                if not await self._look(tables, deal, commitment, list(tables.running)[:at_once]):
                    return False
                at_once = min(2 * at_once, LOOKS_AT_ONCE)
            return True

    async def _look(self, tables: _Tables, deal: Deal, commitment: str, numbers: list[int]) -> bool:
        """Whether all of these tables have ended."""
        ended = await asyncio.gather(*(self._has_ended(tables, deal, commitment, number) for number in numbers))
        for number, has_ended in zip(numbers, ended, strict=True):
            if has_ended:
                del tables.running[number]
        return all(ended)

    async def _has_ended(self, tables: _Tables, deal: Deal, commitment: str, number: int) -> bool:
        if number in tables.strangers:
            return False
        match = deal.match(number)
        last = await self._log.last(match)
        if last is None:
            return False
        try:
            if number not in tables.opened:
                opened = await opening_of(self._log, match)
                if opened is None or opened.deal != deal or opened.commitment != commitment:
                    raise BrokenLog(match, 1, "it was opened as something else")
                tables.opened.add(number)
            return says_the_end(decode_line(last.line))
        except (BadLine, BrokenLog) as error:
            reason = str(error)
        logger.error("no_table_of_its_deal", match=match, deal=deal.id, reason=reason)
        tables.strangers.add(number)
        return False
