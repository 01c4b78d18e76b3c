"""When hosts were last there: one suite, run on the beats in memory and on JetStream's."""

from collections.abc import AsyncIterator

import pytest

from engine.kernel.ports import Unavailable
from services.kit.beats import Beats, MemoryBeats
from services.kit.jetstream import JetStreamLog
from services.local.nats_server import NatsServer
from tests.kit.given import NOON


@pytest.fixture(params=["memory", "jetstream"])
async def beats(request: pytest.FixtureRequest, nats_server: NatsServer) -> AsyncIterator[Beats]:
    if request.param == "memory":
        yield MemoryBeats()
        return
    async with await JetStreamLog.connect(nats_server.url, create=True) as log:
        yield log.beats()


async def test_before_the_first_beat_nobody_was_there(beats: Beats) -> None:
    assert await beats.last("hearts") == 0


async def test_the_newest_beat_of_each_game_is_kept(beats: Beats) -> None:
    for at in (NOON, NOON + 1, NOON + 1_000_000):
        await beats.beat("hearts", at)
    await beats.beat("bridge", NOON + 7)
    assert [await beats.last(game) for game in ("hearts", "bridge", "whist")] == [NOON + 1_000_000, NOON + 7, 0]


class TestOnJetStream:
    async def test_every_host_of_a_game_hears_of_the_others(self, nats_server: NatsServer) -> None:
        async with (
            await JetStreamLog.connect(nats_server.url, create=True) as one,
            await JetStreamLog.connect(nats_server.url, create=True) as other,
        ):
            await one.beats().beat("hearts", NOON)
            assert await other.beats().last("hearts") == NOON
            await other.beats().beat("hearts", NOON + 5)
            assert await one.beats().last("hearts") == NOON + 5

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
