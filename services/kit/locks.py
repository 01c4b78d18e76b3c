"""One lock for each key that somebody wants now, and none for the others.

Whoever leaves hands the key to the one who has waited longest: nobody who comes meanwhile gets in between.
"""

import asyncio
from collections import deque

Waiting = deque["asyncio.Future[None]"]


class Locks:
    """``async with locks.of(key)``: alone with this key, in the order of asking."""

    def __init__(self) -> None:
        self._wanted: dict[str, Waiting] = {}
        """Who waits for each key that somebody has."""

    def __len__(self) -> int:
        return len(self._wanted)

    def of(self, key: str) -> "Turn":
        return Turn(self._wanted, key)


class Turn:
    """One use of one key."""

    __slots__ = ("_key", "_wanted")

    def __init__(self, wanted: dict[str, Waiting], key: str) -> None:
        self._wanted = wanted
        self._key = key

    async def __aenter__(self) -> None:
        waiting = self._wanted.get(self._key)
        if waiting is None:
            self._wanted[self._key] = deque()
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was handed to us just then
                self._hand_on()
            raise

    async def __aexit__(self, *error: object) -> None:
        self._hand_on()

    def _hand_on(self) -> None:
        waiting = self._wanted[self._key]
        while waiting:
            turn = waiting.popleft()
            if not turn.done():  # else its task was cancelled while it waited
                turn.set_result(None)
                return
        del self._wanted[self._key]
