"""The spectator service as a hub sees it, with a match that goes on when the test says so."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, cast

import msgspec
from tavolata.spectator.v1 import spectator_pb2

from engine.kernel.codec import Recorded
from engine.kernel.facts import Fact
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, Viewer, viewer_name
from services.kit.pulse import Pulse
from services.kit.wire.clients import SpectatorClient

GONE = Unavailable("service_unavailable", "The service did not answer.")


class FakeSpectator:
    """One match, ``m``. ``asked`` are the streams of facts that were begun, by viewer and revision."""

    def __init__(self, *, past_is_open: bool = True, revision: Revision = 3) -> None:
        self.revision = revision
        self.past_is_open = past_is_open
        self.complete = False
        self.is_down = False
        self.fault: Exception | None = None
        """Is raised by the streams, instead of what comes next."""
        self.asked: list[tuple[str, Revision]] = []
        self.open = 0
        """Streams that somebody reads."""
        self._line = 0
        self._pulse = Pulse()

    @property
    def client(self) -> SpectatorClient:
        return cast(SpectatorClient, self)

    def go(self, count: int = 1) -> None:
        self.revision += count
        self._pulse.beat()

    def finish(self) -> None:
        self.complete = True
        self.go()

    def cut(self, *, down: bool = False) -> None:
        """Every open stream breaks; with ``down`` nobody answers, either, until it is set to False."""
        self._line += 1
        self.is_down = down
        self._pulse.beat()

    def fail(self, error: Exception) -> None:
        self.fault = error
        self._pulse.beat()

    async def facts(
        self, match: str, viewer: Viewer, *, after: Revision = 0, language: str = ""
    ) -> AsyncGenerator[Fact, None]:
        self.asked.append((viewer_name(viewer), after))
        if after > self.revision:
            raise Refusal("no_such_revision", f"The match is at revision {self.revision}.")
        came = self.revision
        async for _ in self._changes():
            while after < self.revision:
                after += 1
                yield fact(after, recalled=not self.past_is_open and not self.complete and after <= came)
            if self.complete:
                return

    async def positions(
        self, match: str, viewer: Viewer, *, language: str = ""
    ) -> AsyncGenerator[spectator_pb2.Position, None]:
        if match != "m":
            raise Refusal("unknown_match", f"There is no match {match}.", Kind.MISSING)
        sent = 0
        async for _ in self._changes():
            if self.revision > sent:
                sent = self.revision
                yield self._position()
            if self.complete:
                return

    async def snapshot(self, match: str, viewer: Viewer, **_: Any) -> spectator_pb2.Position:
        return self._position()

    async def _changes(self) -> AsyncGenerator[None, None]:
        line = self._line
        self.open += 1
        try:
            while True:
                if self.fault is not None:
                    raise self.fault
                if self.is_down or line != self._line:
                    raise GONE
                yield
                await self._pulse.wait()
        finally:
            self.open -= 1

    def _position(self) -> spectator_pb2.Position:
        return spectator_pb2.Position(
            match_id="m", game="g", revision=self.revision, newest=self.revision, svg=picture(self.revision),
            waiting=spectator_pb2.WAITING_SEATS, complete=self.complete,
            past_is_open=self.past_is_open or self.complete,
        )  # fmt: skip


def picture(revision: Revision) -> str:
    return f"<svg>{''.join(f'<i id={number!r}/>' for number in range(200))}<b>{revision}</b></svg>"


def fact(revision: Revision, *, recalled: bool = False) -> Fact:
    data = {"recalled": True} if recalled else {"number": revision}
    event = Recorded("test.told", 1, msgspec.Raw(msgspec.json.encode(data)))
    return Fact("m", revision, "2026-01-01T00:00:00.000000Z", "host", (event,), (f"It is {revision}.",))


async def settled() -> None:
    """Until nothing moves any more: everything here is in memory, and waits for nothing else."""
    for _ in range(60):
        await asyncio.sleep(0)
