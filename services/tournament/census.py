"""Rounds and tables of all events, counted by state every few seconds: from outside it is seen whether they go on."""

import asyncio
from collections import Counter
from typing import Final

from engine.tournament.state import RoundPhase, TablePhase
from services.kit.telemetry import ROUNDS, TABLES
from services.tournament.ledgers import Ledgers

COUNT_S: Final = 5.0
"""From one count to the next. Tables of closed rounds are left out: there are more of them every day."""


async def keep_counting(ledgers: Ledgers) -> None:
    """For ever."""
    while True:
        count(ledgers)
        await asyncio.sleep(COUNT_S)


def count(ledgers: Ledgers) -> None:
    rounds: Counter[RoundPhase] = Counter()
    tables: Counter[TablePhase] = Counter()
    for kept in ledgers.all():
        for each in kept.state.rounds:
            rounds[each.phase] += 1
            if each.phase in (RoundPhase.PUBLISHED, RoundPhase.RUNNING):
                tables.update(table.phase for table in each.tables)
    for round_phase in RoundPhase:
        ROUNDS.labels(round_phase.value).set(rounds[round_phase])
    for table_phase in TablePhase:
        TABLES.labels(table_phase.value).set(tables[table_phase])
