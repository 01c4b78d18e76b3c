"""One reader's place: it comes to an end whatever its audience holds, for nothing is awaited on the way."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tavolata.spectator.v1 import spectator_pb2

from engine.kernel.value import Spectator
from services.gateway.streams import audience as audience_module
from services.gateway.streams.audience import Audience
from services.gateway.streams.place import Place
from tests.gateway.fake_spectator import FakeSpectator, settled


class Halted(FakeSpectator):
    """Tells facts, and of positions the first only until it is told to go on."""

    halted = True

    async def positions(self, *_: Any, **__: Any) -> AsyncGenerator[spectator_pb2.Position, None]:
        yield self._position()
        async for _changed in self._changes():
            if not self.halted:
                yield self._position()


def taken(place: Place) -> list[str]:
    told = place.news()
    return [] if told is None else [f"{each.event} {each.revision}" for each in told.parts or (told,)]


async def test_a_reader_behind_the_list_waits_for_a_position_that_the_list_goes_on_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audience_module, "FRAMES_KEPT", 4)
    monkeypatch.setattr(audience_module, "TOGETHER_SECONDS", 0.0)
    house = Halted()
    audience = Audience(house.client, "m", Spectator(), "en")
    running = asyncio.create_task(audience.run())
    try:
        await audience.opened()
        await settled()
        slow = Place(audience, 3)
        assert taken(slow) == ["position 3"]
        for _ in range(20):
            house.go()
            await settled()
        assert audience.at < audience.first - 1, "the facts have gone on, and the position has not"
        assert taken(slow) == []
        audience.heartbeats += 1
        assert taken(slow) == ["heartbeat 0"]
        assert taken(slow) == []
        house.halted = False
        house.go()
        await settled()
        assert taken(slow) == ["reset 24"]
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
