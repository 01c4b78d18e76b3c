"""One who has been told all there was: what is new is written at once, and what a full line cannot take, later."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.kernel.value import Revision, Spectator
from services.gateway.protocol import BoundedProtocol
from services.gateway.streams import audience as audience_module
from services.gateway.streams.frames import Frame
from services.gateway.streams.hub import Hub
from services.gateway.streams.place import Place
from services.gateway.streams.responder import Answer, Told
from tests.gateway.fake_spectator import FakeSpectator, settled


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audience_module, "TOGETHER_SECONDS", 0.0)


class Reader:
    """``written`` are the chunks that its line was given."""

    def __init__(self, place: Place, *, as_lines: bool = False) -> None:
        self.written: list[bytes] = []
        self.flow = SimpleNamespace(write_paused=False)
        line = SimpleNamespace(flow=self.flow, transport=SimpleNamespace(write=self.written.append))
        self.counted: list[Frame] = []
        self.answer = Answer(cast(Any, SimpleNamespace(cancel=lambda: None)))
        self.told = Told(place, cast(BoundedProtocol, line), self.answer, self.counted.append, as_lines=as_lines)
        place.audience.listeners.add(self.told.tell)

    @property
    def text(self) -> str:
        """All of it, without the sizes of its chunks."""
        return b"".join(chunk.partition(b"\r\n")[2][:-2] for chunk in self.written).decode()

    @property
    def facts(self) -> list[Revision]:
        return [int(line[4:]) for line in self.text.splitlines() if line.startswith("id: ")]


@asynccontextmanager
async def reading(house: FakeSpectator, *, as_lines: bool = False) -> AsyncIterator[tuple[Reader, Place]]:
    hub = Hub(house.client)
    async with hub.join("m", Spectator(), "en") as place:
        await _begin(place)
        yield Reader(place, as_lines=as_lines), place
    await hub.close()


async def another(place: Place) -> Reader:
    """At the same audience."""
    other = Place(place.audience, None)
    await _begin(other)
    return Reader(other)


async def _begin(place: Place) -> None:
    async for _ in place.past():
        pass


async def test_readers_are_written_the_same_bytes_and_each_once() -> None:
    house = FakeSpectator()
    async with reading(house) as (reader, place):
        second = await another(place)
        house.go()
        await settled()
        assert reader.facts == [4]
        assert len(reader.written) == 1
        assert reader.written[0] is second.written[0], "it is made once"
        size, _, rest = reader.written[0].partition(b"\r\n")
        assert int(size, 16) == len(rest) - 2
        assert reader.counted[0].events == ("fact", "position")


async def test_lines_are_written_as_chunks_too() -> None:
    house = FakeSpectator()
    async with reading(house, as_lines=True) as (reader, _):
        house.go()
        await settled()
        assert [line[:17] for line in reader.text.splitlines()] == ['{"event":"fact","', '{"event":"positio']


async def test_a_full_line_is_passed_over_and_told_the_rest_in_order_when_it_has_room() -> None:
    house = FakeSpectator()
    async with reading(house) as (reader, _):
        reader.flow.write_paused = True
        for _unread in range(3):
            house.go()
            await settled()
        assert reader.written == []
        assert reader.answer.sending_since > 0, "it is waited for"
        reader.flow.write_paused = False
        reader.told.drained()
        assert reader.answer.sending_since == 0
        assert reader.facts == [4, 5, 6]
        house.go()
        await settled()
        assert reader.facts == [4, 5, 6, 7]


async def test_it_is_over_when_the_match_is_and_nothing_is_written_behind_the_end() -> None:
    house = FakeSpectator()
    async with reading(house) as (reader, place):
        house.finish()
        await settled()
        await reader.told.over
        written = len(reader.written)
        assert "event: end" in reader.text
        place.audience.heartbeats += 1
        reader.told.tell()
        reader.told.drained()
        assert len(reader.written) == written


async def test_a_fault_with_one_reader_is_none_with_another(monkeypatch: pytest.MonkeyPatch) -> None:
    house = FakeSpectator()
    async with reading(house) as (reader, place):
        second = await another(place)

        def broken() -> Frame | None:
            raise ZeroDivisionError

        monkeypatch.setattr(place, "news", broken)
        house.go()
        await settled()
        with pytest.raises(ZeroDivisionError):
            await reader.told.over
        assert second.facts == [4]


async def test_who_has_gone_is_cut_off() -> None:
    async with reading(FakeSpectator()) as (reader, _):
        reader.told.gone()
        assert reader.answer.cut
