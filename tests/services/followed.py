"""Readers for the tests of the long call on which many matches are watched."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from prometheus_client import REGISTRY
from tavolata.spectator.v1 import spectator_pb2 as pb
from tavolata.spectator.v1 import spectator_pb2_grpc

from engine.kernel.facts import Fact
from engine.kernel.value import Revision
from services.kit.wire.channel import open_channel, stream
from tests.kit.nats import DEADLINE_S, until


def calls() -> int:
    """The long calls that are open."""
    labels = {"service": "spectator", "method": "WatchMany"}
    return int(REGISTRY.get_sample_value("tavolata_calls_open", labels) or 0)


class Followed:
    """One match, read as long as there is anything to read."""

    def __init__(self, facts: AsyncGenerator[Fact, None]) -> None:
        self.facts: list[Fact] = []
        self.task = asyncio.create_task(self._follow(facts))

    async def _follow(self, facts: AsyncGenerator[Fact, None]) -> None:
        async with aclosing(facts):
            async for fact in facts:
                self.facts.append(fact)

    async def has(self, revision: Revision) -> None:
        await until(lambda: len(self.facts) >= revision or self.task.done(), f"revision {revision} is told")
        assert len(self.facts) == revision

    async def leave(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


class Line:
    """The long call itself, as somebody has it who writes their own requests."""

    def __init__(self) -> None:
        self._requests: asyncio.Queue[pb.WatchManyRequest | None] = asyncio.Queue()
        self.told: dict[int, list[int]] = {}
        """By tag the revisions."""
        self.ends: dict[int, str] = {}
        """By tag ``complete``, or the code of a refusal."""

    def say(self, **request: Any) -> None:
        self._requests.put_nowait(pb.WatchManyRequest(**request))

    def hang_up(self) -> None:
        self._requests.put_nowait(None)

    async def requests(self) -> AsyncGenerator[pb.WatchManyRequest, None]:
        while (request := await self._requests.get()) is not None:
            yield request

    def hear(self, response: pb.WatchManyResponse) -> None:
        assert response.told
        for told in response.told:
            self.told.setdefault(told.tag, []).extend(fact.revision for fact in told.facts)
            if told.complete or told.HasField("refused"):
                assert told.tag not in self.ends
                self.ends[told.tag] = "complete" if told.complete else told.refused.code
            else:
                assert told.facts


@asynccontextmanager
async def line_to(address: str) -> AsyncIterator[Line]:
    line = Line()

    async def read(channel: Any) -> None:
        stub = spectator_pb2_grpc.SpectatorServiceStub(channel)
        async with aclosing(stream(stub.WatchMany, line.requests())) as responses:
            async for response in responses:
                line.hear(response)

    async with open_channel(address) as channel:
        reading = asyncio.create_task(read(channel))
        try:
            async with asyncio.timeout(DEADLINE_S):
                yield line
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
