"""Readers of one responder, who tells it, and what both are asked to do."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import Mapping
from time import monotonic
from typing import Final, Protocol

import msgspec

from bench.kit.crowd.readers import Told
from bench.kit.crowd.source import BEGUN
from bench.kit.house import cpu_seconds
from engine.kernel.value import Revision

AHEAD: Final = 2
"""Moves that are made before everybody has been told of the first of them."""

MOVE_S: Final = 30.0
"""For everybody to be told of a move, on whatever machine."""


class Tells(Protocol):
    """``revision`` is that of the last move, ``go`` makes another one."""

    revision: Revision

    def go(self) -> None: ...


class Crowd:
    """``count`` readers; ``pids`` are the processes of the responder, ``memory_kb`` what each reader costs there."""

    def __init__(self, source: Tells, pids: Mapping[str, int], readers: Process, count: int, memory_kb: float) -> None:
        self._source = source
        self._pids = pids
        self._readers = readers
        self._told = 0
        """Moves that everybody has been told of."""
        self.count = count
        self.memory_kb = memory_kb
        self.cpu_us: list[float] = []
        """By burst: of the responder, a delivery."""

    async def burst(self, seconds: float) -> float:
        """Deliveries a second while there is always something to deliver."""
        cpu, began, first = self._cpu_s(), monotonic(), self._moves
        while monotonic() - began < seconds:
            self._source.go()
            await self._until_told(self._moves + 1 - AHEAD)
        await self._until_told(self._moves)
        took, deliveries = monotonic() - began, self.count * (self._moves - first)
        self.cpu_us.append((self._cpu_s() - cpu) / deliveries * 1e6)
        return deliveries / took

    async def delays_ms(self, moves: int, each_s: float) -> list[float]:
        """From a move to a reader, of moves that are made at a pace."""
        self._ask("mark")
        sent: dict[int, float] = {}
        began = monotonic()
        for number in range(moves):
            await asyncio.sleep(max(0.0, began + number * each_s - monotonic()))
            sent[self._moves + 1] = monotonic()
            self._source.go()
        await self._until_told(self._moves)
        return [(came - sent[number]) * 1_000 for number, came in (await self.told()).came]

    async def told(self) -> Told:
        """What the readers have been told in all."""
        self._ask("tell")
        while not (line := await self._line()).startswith(b"{"):
            self._told = int(line)
        return msgspec.json.decode(line, type=Told)

    async def lost(self) -> int:
        """Moves that somebody was not told of, or not in their order."""
        told = await self.told()
        return self._moves - told.least + told.resets + told.disorder

    @property
    def _moves(self) -> int:
        return self._source.revision - BEGUN

    def _cpu_s(self) -> float:
        return sum(cpu_seconds(self._pids).values())

    def _ask(self, what: str) -> None:
        assert self._readers.stdin is not None
        self._readers.stdin.write(f"{what}\n".encode())

    async def _until_told(self, moves: int) -> None:
        while self._told < moves:
            self._told = int(await self._line())

    async def _line(self) -> bytes:
        assert self._readers.stdout is not None
        async with asyncio.timeout(MOVE_S):
            line = await self._readers.stdout.readline()
        assert line, "the readers have ended"
        return line
