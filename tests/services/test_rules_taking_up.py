"""What one host leaves owed, another takes up, also when the news comes while it looks."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from engine.kernel.ports import Appended, Bounds, Position, Stored, Whole
from services.deck.app import Deck
from services.kit.clock import SystemClock
from services.kit.key import KeyRing
from services.kit.memory_log import MemoryLog
from services.rules.app import MatchHost
from tests.kit.nats import until
from tests.services.hosts import FailingDeck, M, game, is_after, next_move, running
from tests.services.small_house import KEY


class SlowReads:
    """A log whose reads say what was so when they were asked, and say it when they are let go."""

    def __init__(self, log: MemoryLog) -> None:
        self.log = log
        self.asked = asyncio.Event()
        self.go = asyncio.Event()

    @property
    def partitions(self) -> int:
        return self.log.partitions

    async def whole(self, match: str) -> Whole:
        return await self.log.whole(match)

    async def read(self, match: str, *, after: Position, limit: int = 0) -> tuple[Stored, ...]:
        lines = await self.log.read(match, after=after, limit=limit)
        if after:
            self.asked.set()
            await self.go.wait()
        return lines

    async def last(self, match: str) -> Stored | None:
        return await self.log.last(match)

    async def append(self, game: str, match: str, line: bytes, *, expected: Position) -> Appended:
        return await self.log.append(game, match, line, expected=expected)

    def follow(
        self, partition: int, *, after: Position, game: str | None = None
    ) -> AsyncGenerator[Sequence[Stored], None]:
        return self.log.follow(partition, after=after, game=game)

    async def bounds(self, partition: int, *, game: str | None = None) -> Bounds:
        return await self.log.bounds(partition, game=game)


async def test_what_is_owed_since_a_host_began_to_look_is_taken_up_too() -> None:
    log = MemoryLog()
    deck = FailingDeck(Deck(KeyRing(KEY), log))
    crashing = MatchHost(game(), log, deck, SystemClock())
    await crashing.open(M, seats=2)
    slow = SlowReads(log)
    looking = MatchHost(game(), slow, Deck(KeyRing(KEY), log), SystemClock())
    async with running(looking):
        await slow.asked.wait()  # nothing is owed, it will be told
        seat, command = await next_move(log)
        deck.away = True
        receipt = await crashing.act(M, "move", seat, command)
        await crashing.close()
        await asyncio.sleep(0.05)  # the one that looks is told of the move
        slow.go.set()
        await until(lambda: is_after(log, receipt.revision), "the luck that was left owed is drawn")
