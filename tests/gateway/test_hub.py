"""Audiences and places, against a house that breaks as the test says."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, SeatView, Spectator, Viewer
from services.gateway.streams import audience as audience_module
from services.gateway.streams import hub as hub_module
from services.gateway.streams.frames import Frame
from services.gateway.streams.hub import Hub
from services.gateway.streams.patches import applied
from services.gateway.streams.place import Place
from services.gateway.streams.several import cursor_of, cursor_text, follow_several
from tests.gateway.fake_spectator import FakeSpectator, picture, settled
from tests.kit.nats import until


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audience_module, "RETRY_SECONDS", (0.0,))
    monkeypatch.setattr(audience_module, "TOGETHER_SECONDS", 0.0)


@pytest.fixture
async def house() -> FakeSpectator:
    return FakeSpectator()


@asynccontextmanager
async def hub_of(house: FakeSpectator) -> AsyncIterator[Hub]:
    """Closed in the end; nothing may be left of it."""
    before = asyncio.all_tasks()
    hub = Hub(house.client)
    yield hub
    await hub.close()
    await settled()
    assert house.open == 0, "an upstream is left"
    assert asyncio.all_tasks() <= before, "a task is left"


ANYBODY = Spectator()


class Reader:
    """Takes all that it is told, at once."""

    def __init__(
        self, hub: Hub, after: Revision | None = None, viewer: Viewer = ANYBODY, *, patches: bool = False
    ) -> None:
        self.told: list[str] = []
        self.frames: list[Frame] = []
        self.task = asyncio.create_task(self._read(hub, after, viewer, patches))

    async def _read(self, hub: Hub, after: Revision | None, viewer: Viewer, patches: bool) -> None:
        async with hub.join("m", viewer, "en", after, patches=patches) as place:
            async for each in place.past():
                self._take(each)
            while not place.ended:
                told = place.news()
                if told is None:
                    await place.audience.news()
                else:
                    self._take(told)

    def _take(self, batch: Frame) -> None:
        for each in batch.parts or (batch,):
            self.frames.append(each)
            self.told.append(f"{each.event} {each.revision}".removesuffix(" 0"))

    async def leave(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def test_readers_share_one_upstream_and_get_the_same_frames(house: FakeSpectator) -> None:
    async with hub_of(house) as hub:
        readers = [Reader(hub) for _ in range(5)]
        await settled()
        house.go()
        await settled()
        assert house.open == 2, "facts and positions"
        assert {tuple(reader.told) for reader in readers} == {("position 3", "fact 4", "position 4")}
        assert len({id(reader.frames[1].sse) for reader in readers}) == 1, "encoded once"
        house.finish()
        await settled()
        assert {tuple(reader.told[3:]) for reader in readers} == {("fact 5", "position 5", "end 5")}
        assert all(reader.task.done() for reader in readers)


@pytest.mark.parametrize(("after", "told"), [
    (0, ["fact 1", "fact 2", "fact 3", "position 3"]),
    (2, ["fact 3", "position 3"]),
    (3, ["position 3"]),
    (None, ["position 3"]),
    (99, ["reset 3"]),
])  # fmt: skip
async def test_a_reader_goes_on_from_where_it_was(
    house: FakeSpectator, after: Revision | None, told: list[str]
) -> None:
    async with hub_of(house) as hub:
        reader = Reader(hub, after)
        await settled()
        assert reader.told == told
        house.go()
        await settled()
        assert reader.told == [*told, "fact 4", "position 4"]


async def test_a_match_that_is_over_is_told_to_its_end(house: FakeSpectator) -> None:
    house.finish()
    async with hub_of(house) as hub:
        reader = Reader(hub, 0)
        await settled()
        assert reader.told == ["fact 1", "fact 2", "fact 3", "fact 4", "position 4", "end 4"]
        async with hub.join("m", Spectator(), "en", 4) as place:
            assert place.is_past_the_end
        async with hub.join("m", Spectator(), "en", 3) as place:
            assert not place.is_past_the_end


async def test_a_house_that_goes_away_and_comes_back_costs_no_revision(house: FakeSpectator) -> None:
    async with hub_of(house) as hub:
        reader = Reader(hub)
        await settled()
        house.cut(down=True)
        house.go(3)
        await settled()
        assert reader.told == ["position 3", "away"]
        house.is_down = False
        await until(lambda: reader.told[-1] == "position 6", "it is there again")
        assert reader.told[2:] == ["fact 4", "fact 5", "fact 6", "position 6"]
        house.cut()
        house.finish()
        await until(reader.task.done, "it is over")
        facts = [each for each in reader.told if each.startswith("fact")]
        assert facts == ["fact 4", "fact 5", "fact 6", "fact 7"]
        assert reader.told[-1] == "end 7"


async def test_a_house_that_is_not_there_is_said_to_be_so_and_is_asked_again_by_the_next(house: FakeSpectator) -> None:
    house.is_down = True
    async with hub_of(house) as hub:
        for _ in range(2):
            with pytest.raises(Unavailable):
                async with hub.join("m", Spectator(), "en"):
                    raise AssertionError
        with pytest.raises(Refusal, match="unknown_match"):
            async with hub.join("other", Spectator(), "en"):
                raise AssertionError
        house.is_down = False
        reader = Reader(hub)
        await settled()
        assert reader.told == ["position 3"]


async def test_a_house_that_does_not_answer_is_not_waited_for(
    house: FakeSpectator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audience_module, "OPEN_SECONDS", 0.01)

    async def silent(*_: object, **__: object) -> AsyncGenerator[Any, None]:
        await asyncio.Event().wait()
        yield

    monkeypatch.setattr(house, "positions", silent)
    async with hub_of(house) as hub:
        with pytest.raises(Unavailable, match="deadline_exceeded"):
            async with hub.join("m", Spectator(), "en"):
                raise AssertionError


async def test_a_log_that_is_damaged_ends_a_stream_with_the_reason_and_the_next_asks_again(
    house: FakeSpectator,
) -> None:
    async with hub_of(house) as hub:
        reader = Reader(hub)
        await settled()
        house.fail(Failed("broken_log", "The log of match m is damaged."))
        await settled()
        assert reader.told == ["position 3", "problem"]
        assert b"broken_log" in reader.frames[-1].data
        house.fault = None
        other = Reader(hub)
        await settled()
        assert other.told == ["position 3"]


async def test_a_fault_of_ours_is_told_as_a_problem_and_not_as_the_end(house: FakeSpectator) -> None:
    async with hub_of(house) as hub:
        reader = Reader(hub)
        await settled()
        house.fail(ZeroDivisionError("secret"))
        await settled()
        assert reader.told == ["position 3", "problem"]
        assert b"internal_error" in reader.frames[-1].data
        assert b"secret" not in reader.frames[-1].data
        house.fault = ZeroDivisionError()
        with pytest.raises(Failed, match="internal_error"):
            async with hub.join("m", SeatView(0), "en"):
                raise AssertionError


async def test_what_goes_wrong_with_one_reader_is_nothing_to_the_others(house: FakeSpectator) -> None:
    async with hub_of(house) as hub:
        reader = Reader(hub)
        await settled()
        with pytest.raises(Unavailable):
            async with hub.join("m", Spectator(), "en"):
                raise Unavailable("x", "Of this reader alone.")
        for late in [Reader(hub) for _ in range(3)]:
            await late.leave()
        house.go()
        await settled()
        assert reader.told == ["position 3", "fact 4", "position 4"]


async def test_an_audience_is_given_up_when_nobody_has_been_there_for_a_while(
    house: FakeSpectator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "IDLE_SECONDS", 0.02)
    async with hub_of(house) as hub:
        for _ in range(3):
            reader = Reader(hub)
            await settled()
            await reader.leave()
            assert house.open == 2, "a page that is reloaded finds it as it was"
        staying = Reader(hub)
        await asyncio.sleep(0.04)
        assert house.open == 2, "the leaving of those before does not count any more"
        await staying.leave()
        await until(lambda: house.open == 0, "it is given up")


async def test_a_slow_reader_is_told_the_position_anew(house: FakeSpectator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audience_module, "FRAMES_KEPT", 4)
    async with hub_of(house) as hub, hub.join("m", Spectator(), "en", 3) as place:
        assert [each.event async for each in place.past()] == []
        quick = Reader(hub)
        for _ in range(20):
            house.go()
            await settled()
        told = _all(place)
        assert [(each.event, each.revision) for each in told] == [("reset", 23)]
        assert b"\nid: 23\n" in told[0].sse
        house.go()
        await settled()
        assert [(each.event, each.revision) for each in _all(place)] == [("fact", 24), ("position", 24)]
        assert [each for each in quick.told if each.startswith("fact")] == [f"fact {n}" for n in range(4, 25)]


async def test_a_house_that_was_set_back_resets_its_readers(
    house: FakeSpectator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audience_module, "BEHIND_TRIES", 2)
    async with hub_of(house) as hub:
        reader = Reader(hub)
        await settled()
        house.go(5)
        await settled()
        house.revision = 2
        house.cut()
        await until(lambda: reader.told[-1] == "reset 2", "it is told anew")
        house.go()
        await settled()
        assert reader.told[-2:] == ["fact 3", "position 3"]


async def test_who_comes_late_to_a_game_of_memory_is_given_nothing_from_the_list() -> None:
    house = FakeSpectator(past_is_open=False)
    async with hub_of(house) as hub:
        early = Reader(hub)
        await settled()
        house.go(4)
        await settled()
        late, again = Reader(hub), Reader(hub, 3)
        await settled()
        assert late.told == ["position 7"]
        assert again.told == ["fact 4", "fact 5", "fact 6", "fact 7", "position 7"]
        assert all(b"recalled" in each.data for each in again.frames[:4]), "asked for anew, not taken from the list"
        assert not any(b"recalled" in each.data for each in early.frames)
        house.go()
        await settled()
        for reader in (early, late, again):
            assert reader.told[-2:] == ["fact 8", "position 8"]
            assert b"recalled" not in reader.frames[-2].data, "they were there"


async def test_each_reader_in_a_seat_of_a_game_of_memory_has_an_upstream_of_its_own() -> None:
    house = FakeSpectator(past_is_open=False)
    async with hub_of(house) as hub:
        one, other = Reader(hub, None, SeatView(1)), Reader(hub, 2, SeatView(1))
        await settled()
        assert sorted(house.asked) == [("seat:1", 2), ("seat:1", 3)], "and none besides, which would be the newest"
        assert (one.told, other.told) == (["position 3"], ["fact 3", "position 3"])
        await one.leave()
        await other.leave()
        await settled()
        assert house.open == 0


async def test_patches_put_together_are_the_pictures(house: FakeSpectator) -> None:
    async with hub_of(house) as hub:
        whole, patched = Reader(hub), Reader(hub, patches=True)
        await settled()
        svg = msgspec.json.decode(patched.frames[0].data)["svg"]
        for _ in range(3):
            house.go()
            await settled()
        for frame in patched.frames[1:]:
            if frame.event == "patch":
                body = msgspec.json.decode(frame.data)
                assert body["before"] == body["revision"] - 1
                svg = applied(svg, body["edits"])
                assert svg == picture(body["revision"])
        assert patched.told == ["position 3", "fact 4", "patch 4", "fact 5", "patch 5", "fact 6", "patch 6"]
        assert whole.told[-1] == "position 6"
        assert len(patched.frames[-1].sse) < len(whole.frames[-1].sse) / 5


async def test_a_reader_that_skips_a_position_gets_the_next_one_whole(house: FakeSpectator) -> None:
    async with hub_of(house) as hub, hub.join("m", Spectator(), "en", patches=True) as place:
        assert [each.event async for each in place.past()] == ["position"]
        for _ in range(2):
            house.go()
            await settled()
        assert [each.event for each in _all(place)] == ["fact", "fact", "position"]


async def test_quiet_streams_have_a_heart(house: FakeSpectator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audience_module, "HEARTBEAT_SECONDS", 0.01)
    async with hub_of(house) as hub:
        reader = Reader(hub)
        await until(lambda: len(reader.told) > 2, "it has a heart")
        assert reader.told[:2] == ["position 3", "heartbeat"]


async def test_several_matches_stand_on_one_stream_with_one_cursor(house: FakeSpectator) -> None:
    async with (
        hub_of(house) as hub,
        hub.join("m", Spectator(), "en", 2) as one,
        hub.join("m", SeatView(0), "en") as two,
    ):
        frames: list[Frame] = []

        async def read() -> None:
            async for each in follow_several([one, two], []):
                frames.append(each)  # noqa: PERF401 - as they come

        reading = asyncio.create_task(read())
        await settled()
        assert [each.event for each in frames] == ["position", "fact", "position"]
        assert frames[1].sse.startswith(b"event: fact\nid: m:3\n"), "the same match twice is one name"
        house.finish()
        await settled()
        assert [each.event for each in frames].count("end") == 2
        assert reading.done()


def test_a_cursor_is_read_as_it_is_written() -> None:
    assert cursor_of(cursor_text({"a": 12, "b-1": 0})) == {"a": 12, "b-1": 0}
    assert cursor_of("") == {}
    for wrong in ("a", "a:", ":3", "a:x", "a:1,,", "a:" + "9" * 20):
        with pytest.raises(Refusal, match="bad_cursor"):
            cursor_of(wrong)


async def test_a_hub_that_is_closed_sends_everybody_away_and_lets_nobody_in(house: FakeSpectator) -> None:
    async with hub_of(house) as hub:
        readers = [Reader(hub) for _ in range(20)]
        await settled()
        await hub.close()
        await settled()
        assert {reader.told[-1] for reader in readers} == {"goodbye"}
        assert all(reader.frames[-1].sse.startswith(b"retry: ") for reader in readers)
        with pytest.raises(Unavailable, match="service_stopping"):
            async with hub.join("m", Spectator(), "en"):
                raise AssertionError


def _all(place: Place) -> list[Frame]:
    told: list[Frame] = []
    while (each := place.next()) is not None:
        told.append(each)
    return told
