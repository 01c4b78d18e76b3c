"""Lines of an event that come together leave in a host what they leave one by one."""

import re

import pytest

from engine.kernel.ledger import BrokenLog
from engine.kernel.ports import Stored
from engine.tournament import commands as c
from engine.tournament.whatif import placed
from services.kit.clock import SystemClock
from services.kit.family import TOURNAMENTS
from services.kit.memory_log import MemoryLog
from services.tournament import ledgers as ledgers_module
from services.tournament.ledgers import KIND, Kept, Ledgers
from tests.kit.tournaments import Desk, event, swiss


def played() -> list[Stored]:
    """Two rounds, a draft that is discarded, a correction behind an open draft, a round that is closed twice."""
    desk = Desk(event(swiss(3)))
    desk.gather(8)
    desk.play()
    desk.draft()
    desk.do(c.Comment("a word"))
    desk.do(c.DiscardDraft())
    desk.draft()
    desk.do(c.CorrectResult(1, 1, placed(desk.table(1).entries, (1, 2, 3, 4))))
    desk.play()
    desk.do(c.VoidTable(2, 1, replay=True))
    desk.open()
    desk.finish_tables()
    desk.draft()
    return [Stored(position, line) for position, line in enumerate(desk.lines, 1)]


def known(kept: Kept) -> tuple[object, ...]:
    return (
        kept.state,
        kept.ledger.head,
        kept.positions,
        kept.published,
        kept.drafted_from,
        kept.drafted_at,
    )


@pytest.mark.parametrize("length", [1, 2, 5, 1000])
def test_a_host_knows_the_same_however_lines_come(length: int) -> None:
    lines = played()
    one_by_one, together = Kept("cup"), Kept("cup")
    for stored in lines:
        one_by_one.accept(stored)
    for start in range(0, len(lines), length):
        together.catch_up(lines[max(0, start - 1) : start + length])  # one of them is known
    assert known(together) == known(one_by_one)
    assert one_by_one.drafted_at
    assert set(one_by_one.published) == {1, 2}
    assert len(one_by_one.drafted_from) == 3


def test_a_damaged_line_leaves_the_lines_before_it() -> None:
    lines = played()
    kept = Kept("cup")
    damaged = lines[-3]
    lines[-3] = Stored(damaged.position, re.sub(rb'"prev":"..', b'"prev":"zz', damaged.line))
    with pytest.raises(BrokenLog):
        kept.catch_up(lines)
    assert kept.broken is not None
    assert kept.ledger.revision == len(kept.positions) == damaged.position - 1
    with pytest.raises(BrokenLog):
        kept.catch_up(lines)


async def test_lines_that_come_together_are_told_of_once() -> None:
    log = MemoryLog(family=TOURNAMENTS)
    lines = played()
    for number, stored in enumerate(lines):
        await log.append(KIND, "cup", stored.line, expected=number)
    told: list[int] = []
    ledgers = Ledgers(log, SystemClock())

    def tell(kept: Kept) -> None:
        told.append(kept.ledger.revision)

    ledgers.listeners.append(tell)
    await ledgers.prepare()
    assert told[-1] == len(lines)
    assert len(told) < len(lines)
    assert ledgers.known("cup").state == (await ledgers.fresh("cup")).state
    around = await ledgers.around(ledgers.known("cup"), {1, 3, 4, len(lines)})
    assert {revision: after for revision, (_, after) in around.items()} == {
        revision: _state_at(lines, revision) for revision in (3, 4, len(lines))
    }
    assert around[4][0] == around[3][1]
    assert ledgers_module.NOTED.search(lines[-1].line)


def _state_at(lines: list[Stored], revision: int) -> object:
    kept = Kept("cup")
    kept.catch_up(lines[:revision])
    return kept.state
