"""A host that is closed leaves nothing running, whatever it was about to do."""

import asyncio

from engine.games import find_game
from engine.kernel.ports import Appended, Position
from engine.kernel.value import Instant
from services.deck.app import Deck
from services.kit.key import KeyRing
from services.kit.memory_log import MemoryLog
from services.rules.app import MatchHost
from tests.kit.given import NOON
from tests.services.small_house import GAME, KEY


class HeldLog(MemoryLog):
    """Takes what the clock appends when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.go = asyncio.Event()

    async def append(self, game: str, match: str, line: bytes, *, expected: Position) -> Appended:
        if b'"actor":"clock"' in line:
            self.asked.set()
            await self.go.wait()
        return await super().append(game, match, line, expected=expected)


class RingsOnce:
    """A clock on which the first deadline is over as soon as it is waited for."""

    def __init__(self) -> None:
        self.time: Instant = NOON

    def now(self) -> Instant:
        return self.time

    async def sleep_until(self, at: Instant) -> None:
        if self.time != NOON:
            await asyncio.Event().wait()
        self.time = at


async def test_a_clock_that_is_ringing_is_waited_for() -> None:
    log = HeldLog()
    host = MatchHost(find_game(GAME), log, Deck(KeyRing(KEY), log), RingsOnce())
    await host.open("m-1", seats=2, turn_ms=1000)
    await log.asked.wait()
    closing = asyncio.create_task(host.close())
    await asyncio.sleep(0.01)
    assert not closing.done(), "its append is under way"
    log.go.set()
    await closing
    assert asyncio.all_tasks() == {asyncio.current_task()}
