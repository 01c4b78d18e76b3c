"""Under which promise the tables of a deal are opened: that of its first table, for all of them.

All tables of a deal must be promised under one master key, and a new key may come into force between two of their
openings, on one replica a moment before another. So not the deck decides, but the log: whichever promise the first
table was opened with, that is the one of the deal, and no other table is promised anything before it is there. The log
takes one opening of a match and no second, so nobody can find two answers in it, however many decks and hosts there
are and however late one of them is.

A match that has the id of a table and was opened as something else is no table and never will be; then the next one is
the first. That, too, stands in the log once and for all.
"""

import asyncio
from collections import OrderedDict
from typing import Final

from engine.kernel.deal import Deal
from engine.kernel.history import BrokenLog
from engine.kernel.ports import Log, Unavailable
from services.deck.opening import opening_of

WAIT_S: Final = 1.0
"""How long a table waits for the first one: they are opened at the same time, by several hosts. Less than a caller
waits for the deck.
"""
LOOK_AGAIN_S: Final = 0.02

ANCHORS_KEPT: Final = 10_000
"""Promises of deals in memory, 64 characters each."""


class Anchors:
    def __init__(self, log: Log) -> None:
        self._log = log
        self._known: OrderedDict[str, str] = OrderedDict()

    async def commitment(self, deal: Deal, match: str) -> str | None:
        """What a table that is not open yet is promised; ``None`` for the first one, which is free.

        Raises ``Refusal`` for a match that is none of the deal's, and ``Unavailable`` (``deal_not_begun``).
        """
        number = deal.table(match)
        deadline = asyncio.get_running_loop().time() + WAIT_S
        while True:
            first, promised = await self._first(deal)
            if promised:
                return promised
            if first == number:
                return None
            if asyncio.get_running_loop().time() > deadline:
                sentence = f"Open {deal.match(first)} first: what it is promised holds for all tables of its deal."
                raise Unavailable("deal_not_begun", sentence)
            await asyncio.sleep(LOOK_AGAIN_S)

    async def _first(self, deal: Deal) -> tuple[int, str]:
        """The first table of a deal and what it was promised, or nothing if it is not open."""
        known = self._known.get(deal.id)
        if known is not None:
            return 0, known
        for number in range(1, deal.tables + 1):
            try:
                opened = await opening_of(self._log, deal.match(number))
            except BrokenLog:
                continue  # damaged, and no table for anybody
            if opened is None:
                return number, ""
            if opened.deal == deal:
                self._known[deal.id] = opened.commitment
                if len(self._known) > ANCHORS_KEPT:
                    self._known.popitem(last=False)
                return number, opened.commitment
        return 0, ""
