"""When hosts were last there: one suite, run on the beats in memory and on JetStream's, of one server and of three."""

from collections.abc import AsyncIterator

import pytest

from engine.kernel.ports import Unavailable
from services.kit.beats import Beats, MemoryBeats
from services.kit.jetstream import JetStreamLog
from services.local.nats_server import NatsServer
from tests.kit.given import NOON
from tests.kit.logs import IN_MEMORY, NatsPlace, beaten, place_of


@pytest.fixture(params=[IN_MEMORY, "one node", "three nodes"])
def servers(request: pytest.FixtureRequest) -> NatsPlace | None:
    return place_of(request, request.param)


@pytest.fixture
async def beats(servers: NatsPlace | None) -> AsyncIterator[Beats]:
    if servers is None:
        yield MemoryBeats()
        return
    async with await servers.open() as log:
        await beaten(log.beats(), "another", NOON)
        yield log.beats()


async def test_before_the_first_beat_nobody_was_there(beats: Beats) -> None:
    assert await beats.last("hearts") == 0


async def test_the_newest_beat_of_each_game_is_kept(beats: Beats) -> None:
    for at in (NOON, NOON + 1, NOON + 1_000_000):
        await beats.beat("hearts", at)
    await beats.beat("bridge", NOON + 7)
    assert [await beats.last(game) for game in ("hearts", "bridge", "whist")] == [NOON + 1_000_000, NOON + 7, 0]


class TestOnJetStream:
    async def test_every_host_of_a_game_hears_of_the_others(self, nats_place: NatsPlace) -> None:
        async with await nats_place.open() as one, await nats_place.open() as other:
            await beaten(one.beats(), "hearts", NOON)
            assert await other.beats().last("hearts") == NOON
            await other.beats().beat("hearts", NOON + 5)
            assert await one.beats().last("hearts") == NOON + 5

    async def test_beats_are_kept_by_as_many_servers_as_the_log(self, nats_place: NatsPlace) -> None:
        async with await nats_place.open() as log:
            await beaten(log.beats(), "hearts", NOON)
        for stream in ("MATCHES_00", "BEATS"):
            assert (await nats_place.api(f"STREAM.INFO.{stream}"))["config"]["num_replicas"] == nats_place.replicas

    async def test_a_beat_outlives_the_server(self, own_nats: NatsServer) -> None:
        async with await JetStreamLog.connect(own_nats.url, create=True) as log:
            await log.beats().beat("hearts", NOON)
            await own_nats.kill()
            await own_nats.start()
            assert await log.beats().last("hearts") == NOON

    async def test_while_the_server_is_away_nobody_knows(self, nats_server: NatsServer) -> None:
        async with await JetStreamLog.connect(nats_server.url, create=True, ask_s=0.2, patience_s=0.3) as log:
            beats = log.beats()
            await beats.beat("hearts", NOON)
            await nats_server.kill()
            with pytest.raises(Unavailable):
                await beats.beat("hearts", NOON + 1)
            with pytest.raises(Unavailable):
                await beats.last("hearts")
            await nats_server.start()
