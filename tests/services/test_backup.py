"""A stream that is copied while it is written to comes back line by line, or not at all."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import structlog

from engine.kernel.refusal import Refusal
from services.kit.family import MATCHES, TOURNAMENTS
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.backup import snapshot, streams_of_the_house
from services.kit.jetstream.connection import Connection
from services.kit.jetstream.replicas import PAGE_LINES, counts_of, pages, replicas_of
from services.kit.jetstream.restore import delete, restore, restored_from
from services.local.nats_server import NatsServer
from tests.kit.lines import check_chain, fill
from tests.kit.stored import flip

STREAM = "MATCHES_00"


@asynccontextmanager
async def connected(server: NatsServer) -> AsyncIterator[Connection]:
    connection = await Connection.open(server.url, logger=structlog.get_logger(), ask_s=5, patience_s=10)
    try:
        yield connection
    finally:
        await connection.close()


async def positions(connection: Connection, until: int, subject: str = "") -> list[list[int]]:
    node = (await replicas_of(connection, STREAM)).leader
    read = pages(connection, STREAM, node, until=until, subject=subject)
    return [[stored.position for stored in page] async for page in read]


async def test_a_stream_comes_back_as_it_was_and_goes_on(nats_server: NatsServer, tmp_path: Path) -> None:
    async with (
        await JetStreamLog.connect(nats_server.url, create=True) as log,
        connected(nats_server) as connection,
    ):
        lines = await fill(log, "none", "m1", 40, padding=20_000)
        before, stored = await log.bounds(0), await log.read("m1", after=0)
        taken = await snapshot(connection, STREAM, tmp_path / "archive")
        assert (taken.last, taken.messages, taken.things, taken.partitions) == (40, 40, 1, 1)
        assert taken.created == before.epoch
        with pytest.raises(Refusal, match="restore_failed"):
            await restore(connection, STREAM, taken, tmp_path / "archive", backup="b1", replicas=1)
        assert await restored_from(connection, STREAM) == ""
        await delete(connection, STREAM)
        assert await restored_from(connection, STREAM) is None
        await restore(connection, STREAM, taken, tmp_path / "archive", backup="b1", replicas=1)
        assert await restored_from(connection, STREAM) == "b1"
    async with await JetStreamLog.connect(nats_server.url, create=False) as log:
        after = await log.bounds(0)
        assert after.last == before.last
        assert after.epoch != before.epoch, "positions that readers remember must be void"
        assert await log.read("m1", after=0) == stored
        await fill(log, "none", "m2", 2)
        assert [each.line for each in await log.read("m1", after=0)] == lines


async def test_what_is_appended_meanwhile_breaks_nothing(nats_server: NatsServer, tmp_path: Path) -> None:
    async with (
        await JetStreamLog.connect(nats_server.url, create=True) as log,
        connected(nats_server) as connection,
    ):
        await fill(log, "none", "first", 20, padding=50_000)
        writing = asyncio.create_task(fill(log, "none", "second", 100, padding=5_000))
        taken = await snapshot(connection, STREAM, tmp_path / "archive")
        await writing
        await delete(connection, STREAM)
        await restore(connection, STREAM, taken, tmp_path / "archive", backup="b", replicas=1)
        assert 20 <= taken.last < 120
        assert (await replicas_of(connection, STREAM)).last == taken.last
    async with await JetStreamLog.connect(nats_server.url, create=False) as log:
        second = [each.line for each in await log.read("second", after=0)]
        assert len(second) == taken.last - 20
        check_chain("second", second)


async def test_a_flipped_byte_of_an_archive_restores_nothing(nats_server: NatsServer, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    async with (
        await JetStreamLog.connect(nats_server.url, create=True) as log,
        connected(nats_server) as connection,
    ):
        await fill(log, "none", "m1", 30, padding=2_000)
        taken = await snapshot(connection, STREAM, archive)
        content = bytearray(archive.read_bytes())
        content[len(content) // 2] ^= 1
        archive.write_bytes(content)
        await delete(connection, STREAM)
        with pytest.raises(Refusal, match="restore_failed"):
            await restore(connection, STREAM, taken, archive, backup="b", replicas=1)
        assert await restored_from(connection, STREAM) is None


async def test_our_streams_are_named_in_the_order_of_copying(nats_server: NatsServer) -> None:
    async with await JetStreamLog.connect(nats_server.url, family=MATCHES, partitions=2, create=True) as log:
        await log.beats().beat("none", 1)
    async with await JetStreamLog.connect(nats_server.url, family=TOURNAMENTS, partitions=2, create=True):
        pass
    async with connected(nats_server) as connection:
        await connection.api("STREAM.CREATE.OTHERS", {"name": "OTHERS", "subjects": ["others"]})
        assert await streams_of_the_house(connection) == (
            "TOURNAMENTS_00", "TOURNAMENTS_01", "BEATS", "MATCHES_00", "MATCHES_01",
        )  # fmt: skip


async def test_a_line_that_the_disk_has_lost_is_a_hole_in_its_page(own_nats: NatsServer) -> None:
    last = PAGE_LINES + 40
    async with await JetStreamLog.connect(own_nats.url, create=True) as log:
        await fill(log, "none", "m1", last - 10)
        await fill(log, "none", "m2", 10)
        lost = (await log.read("m1", after=0))[PAGE_LINES + 9]
    async with connected(own_nats) as connection:
        whole = [*range(1, PAGE_LINES + 1)], [*range(PAGE_LINES + 1, last + 1)]
        assert await positions(connection, last) == list(whole)
    await own_nats.stop()
    flip(own_nats.folder, STREAM, lost.line)
    await own_nats.start()
    async with connected(own_nats) as connection:
        first, second = await positions(connection, last)
        assert first == whole[0]
        assert sorted({*whole[1]} - {*second}) == [lost.position]
        assert await counts_of(connection, STREAM) == {"match.00.none.m1": last - 10, "match.00.none.m2": 10}
        _, of_m2 = await positions(connection, last, "match.00.*.m2")
        assert of_m2 == [*range(last - 9, last + 1)]
