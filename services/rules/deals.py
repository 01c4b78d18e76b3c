"""Matches that have ended and wait for the other tables of their deal, before which no seed is revealed.

Nobody counts the tables here: the deck says no until the last one has ended. That one is not refused, and its closing
commit, as it comes by in the log, wakes all the others. Beside that, one match of each group asks again now and then:
a table may be of another game, whose log is not followed here, or may have closed just when we had asked.
"""

import asyncio
from collections.abc import Callable

from engine.kernel.deal import MARK
from engine.kernel.ports import Luck
from engine.kernel.refusal import Refusal

ASK_AGAIN_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Pauses before one match of a group asks again; the last one repeats. A group may wait for hours."""


class Deals:
    """Waiting matches by group. ``take_up`` sees to one of them in the background, and may say that it waits still."""

    def __init__(self, take_up: Callable[[str], None]) -> None:
        self._take_up = take_up
        self._waiting: dict[str, dict[str, None]] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}

    async def revealed(self, match_id: str, luck: Luck) -> str | None:
        """The seed of a match that has ended; ``None`` if it waits for others. It is taken up then when they end."""
        group = _group_of(match_id)
        try:
            seed = await luck.reveal(match_id)
        except Refusal as refusal:
            if refusal.code != "deal_running":
                raise
        else:
            self._waiting.get(group, {}).pop(match_id, None)
            return seed
        self._waiting.setdefault(group, {})[match_id] = None
        if group not in self._asking:
            self._asking[group] = asyncio.create_task(self._ask_again(group))
        return None

    def closed(self, match_id: str) -> None:
        """A match has its closing commit: what waits for its group can have one, too."""
        group = _group_of(match_id)
        asking = self._asking.pop(group, None)
        if asking is not None:
            asking.cancel()
        for waiting in self._waiting.pop(group, {}):
            if waiting != match_id:
                self._take_up(waiting)

    def close(self) -> None:
        for asking in self._asking.values():
            asking.cancel()
        self._asking.clear()

    async def _ask_again(self, group: str) -> None:
        tries = 0
        while self._waiting[group]:
            await asyncio.sleep(ASK_AGAIN_S[min(tries, len(ASK_AGAIN_S) - 1)])
            tries += 1
            for waiting in list(self._waiting[group])[:1]:
                self._take_up(waiting)
        del self._waiting[group], self._asking[group]


def _group_of(match_id: str) -> str:
    return match_id.rpartition(MARK)[0]
