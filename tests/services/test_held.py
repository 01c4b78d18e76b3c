"""What is held back comes out when it may, once and in the order of its match, whatever stops on the way."""

import random
from typing import cast

import pytest

from engine.games import find_game
from engine.kernel.deal import Deal
from engine.kernel.ports import Position, Stored
from engine.kernel.value import Revision
from services.deck.app import Deck
from services.kit.clock import SystemClock
from services.kit.curtain import Curtain
from services.kit.held import Held
from services.kit.key import KeyRing
from services.kit.line_head import head_of
from services.kit.memory_log import MemoryLog
from services.kit.partition import partition_of
from services.rules.app import MatchHost
from services.scoring.app import Scoring
from services.spectator.app import Gallery
from tests.kit.nats import until
from tests.services.curtains import Watch, folded, give_up, may_be_shown, move, open_table
from tests.services.hosts import running
from tests.services.small_house import GAME, KEY, SmallHouse

DEAL = Deal("trio", 3)
TABLES = [DEAL.match(number) for number in (1, 2, 3)]
PARTITIONS = 4


async def played() -> MemoryLog:
    """Three tables of a deal from beginning to end, and an ordinary match beside them."""
    log = MemoryLog(PARTITIONS)
    host = MatchHost(find_game(GAME), log, Deck(KeyRing(KEY), log), SystemClock())
    house = SmallHouse(log, host, cast(Scoring, None), cast(Gallery, None), {})
    async with running(host):
        await open_table(house, None, "plain")
        for number, match in enumerate(TABLES):
            await open_table(house, DEAL, match)
            for step in range(4 + 3 * number):
                await move(house, match, step)
        for match in TABLES:
            await give_up(house, match)

        async def are_closed() -> bool:
            return all([(await folded(log, match)).state.seed for match in TABLES])

        await until(are_closed, "every table has its closing commit")
    await host.close()
    return log


class Reader:
    """Follows the log as the services do, with a disk that keeps position and effect together.

    Its clock stands in a year long before the commits: where there is no delay, it must not matter.
    """

    def __init__(self, log: MemoryLog) -> None:
        self.log = log
        self.positions: list[Position] = [0] * PARTITIONS
        self.behind: dict[str, Revision] = {}
        self.shown: list[tuple[str, Revision]] = []
        self.held = Held(Curtain(Watch()))

    def take(self, partition: int, lines: list[Stored]) -> None:
        self.keep(list(self.held.take_all(lines)))
        self.positions[partition] = lines[-1].position

    async def start_again(self) -> None:
        self.held = Held(Curtain(Watch()))
        self.keep(await self.held.restore(self.log, self.behind, self.positions))

    def keep(self, shown: list[Stored]) -> None:
        for stored in shown:
            head = head_of(stored.line)
            assert head is not None
            self.shown.append((head.match, head.revision))
        changes = self.held.changes()
        self.behind |= changes.behind
        for match in changes.over:
            self.behind.pop(match, None)


async def lines_of(log: MemoryLog) -> list[list[Stored]]:
    partitions: list[list[Stored]] = [[] for _ in range(PARTITIONS)]
    for match in ("plain", *TABLES):
        partitions[partition_of(match, PARTITIONS)].extend(await log.read(match, after=0))
    return [sorted(lines, key=lambda stored: stored.position) for lines in partitions]


@pytest.mark.parametrize("number", range(8))
async def test_every_line_comes_out_once_and_when_it_may(number: int) -> None:
    """Partitions are read at any paces, in batches, and the reader is started again at any time."""
    dice = random.Random(number)
    log = await played()
    waiting = await lines_of(log)
    seen = MemoryLog()
    reader = Reader(log)
    while any(waiting):
        partition = dice.choice([each for each in range(PARTITIONS) if waiting[each]])
        size = dice.randrange(1, 6)
        batch, waiting[partition] = waiting[partition][:size], waiting[partition][size:]
        reader.take(partition, batch)
        for stored in batch:
            head = head_of(stored.line)
            assert head is not None
            before = await seen.read(head.match, after=0)
            await seen.append(GAME, head.match, stored.line, expected=before[-1].position if before else 0)
        if dice.random() < 0.3:
            await reader.start_again()
        for match in TABLES:
            told = [revision for each, revision in reader.shown if each == match]
            assert told == list(range(1, await may_be_shown(seen, DEAL, match) + 1))
    told = [revision for each, revision in reader.shown if each == "plain"]
    assert told == list(range(1, len(await log.read("plain", after=0)) + 1))
    assert reader.behind == {}, "nothing is left to be remembered of a deal that is complete"


async def test_a_batch_that_was_lost_with_its_process_comes_out_again() -> None:
    """What one partition released and wrote down stays shown, though the line that released it is read once more."""
    log = await played()
    waiting = await lines_of(log)
    reader = Reader(log)
    for partition in range(PARTITIONS):
        if partition != partition_of(TABLES[0], PARTITIONS):
            for stored in waiting[partition]:
                reader.take(partition, [stored])
    positions, behind, shown = list(reader.positions), dict(reader.behind), len(reader.shown)
    mine = partition_of(TABLES[0], PARTITIONS)
    reader.take(mine, waiting[mine])
    everything = sorted(reader.shown)
    reader.positions, reader.behind, reader.shown = positions, behind, reader.shown[:shown]
    await reader.start_again()
    reader.take(mine, waiting[mine])
    assert sorted(reader.shown) == everything
