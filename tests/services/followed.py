"""Readers for the tests of the long call on which many matches are watched."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from prometheus_client import REGISTRY

from engine.kernel.facts import Fact
from engine.kernel.value import Revision
from tests.kit.nats import until


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
