"""When hosts were last there: one suite, run on the beats in memory and on JetStream's, of one server and of three."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from engine.kernel.limits import ID_LENGTH_MAX
from engine.kernel.ports import Unavailable
from services.kit.beats import BOOKMARK_VERSION, Beats, Bookmark, MemoryBeats
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.beats import BOOKMARKS, bookmark_subject
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


def a_bookmark(position: int, *left_open: str) -> Bookmark:
    return Bookmark(BOOKMARK_VERSION, "an epoch", position, "m-1", "5eed" * 16, left_open)


async def test_before_the_first_bookmark_there_is_none(beats: Beats) -> None:
    assert await beats.bookmark("hearts", 0) is None


async def test_the_newest_bookmark_of_each_game_and_partition_is_kept(beats: Beats) -> None:
    left = {("hearts", 0): a_bookmark(9, "m-1"), ("hearts", 11): a_bookmark(3), ("bridge", 0): a_bookmark(7, "b")}
    await beats.leave("hearts", 0, a_bookmark(12, "m-1", "m-2"))
    for (game, partition), bookmark in left.items():
        await beats.leave(game, partition, bookmark)
    for (game, partition), bookmark in left.items():
        assert await beats.bookmark(game, partition) == bookmark
    assert await beats.bookmark("hearts", 1) is None


async def test_a_bookmark_has_room_for_a_house_full_of_matches(beats: Beats) -> None:
    """Fourteen thousand in one partition, with names as long as a name may be."""
    bookmark = a_bookmark(1, *(f"{number:0{ID_LENGTH_MAX}}" for number in range(14_000)))
    await beats.leave("hearts", 0, bookmark)
    assert await beats.bookmark("hearts", 0) == bookmark


class TestOnJetStream:
    async def test_what_does_not_fit_is_not_left(self, nats_server: NatsServer) -> None:
        async with await JetStreamLog.connect(nats_server.url, create=True) as log:
            beats = log.beats()
            await beats.leave("hearts", 0, a_bookmark(1))
            for names in (15_000, 50_000):  # more than the stream takes, and than the server does
                with pytest.raises(Unavailable):
                    await beats.leave("hearts", 0, a_bookmark(2, *(f"{n:0{ID_LENGTH_MAX}}" for n in range(names))))
            assert await beats.bookmark("hearts", 0) == a_bookmark(1)

    async def test_a_bookmark_of_another_version_is_none(self, nats_server: NatsServer) -> None:
        async with await JetStreamLog.connect(nats_server.url, create=True) as log:
            beats = log.beats()
            await beats.leave("hearts", 0, replace(a_bookmark(1), version=BOOKMARK_VERSION + 1))
            assert await beats.bookmark("hearts", 0) is None
            await beats._put(BOOKMARKS, bookmark_subject("hearts", 0), b"no bookmark at all")
            assert await beats.bookmark("hearts", 0) is None
            await beats._put(BOOKMARKS, bookmark_subject("hearts", 0), b"{}")
            assert await beats.bookmark("hearts", 0) is None

    async def test_a_log_from_before_there_were_bookmarks_has_none(self, nats_place: NatsPlace) -> None:
        async with await nats_place.open() as log:
            await beaten(log.beats(), "hearts", NOON)
            await nats_place.api("STREAM.DELETE.BOOKMARKS")
            assert await log.beats().bookmark("hearts", 0) is None
            with pytest.raises(Unavailable):
                await log.beats().leave("hearts", 0, a_bookmark(1))

    async def test_every_host_of_a_game_hears_of_the_others(self, nats_place: NatsPlace) -> None:
        async with await nats_place.open() as one, await nats_place.open() as other:
            await beaten(one.beats(), "hearts", NOON)
            assert await other.beats().last("hearts") == NOON
            await other.beats().beat("hearts", NOON + 5)
            assert await one.beats().last("hearts") == NOON + 5

    async def test_beats_are_kept_by_as_many_servers_as_the_log(self, nats_place: NatsPlace) -> None:
        async with await nats_place.open() as log:
            await beaten(log.beats(), "hearts", NOON)
        for stream in ("MATCHES_00", "BEATS", "BOOKMARKS"):
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
