"""A node that is paused holds its connections and says nothing: whoever is connected to it goes to another."""

import asyncio
from pathlib import Path
from typing import Final

import pytest

from engine.kernel.ports import Unavailable
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.feed import CorePublisher
from tests.kit.lines import fill, line_of
from tests.kit.nats_cluster import NODES, NatsCluster

GOES_ON_S: Final = 30.0
"""Three seconds until the line is given up, and an election on a busy machine; not the minutes of the client alone."""


@pytest.mark.timeout(150)
async def test_log_and_feed_leave_a_node_that_is_paused(tmp_path: Path) -> None:
    """Each node falls silent once, so that both lines have been on one that did."""
    async with (
        NatsCluster(tmp_path, durability="fast") as cluster,
        await JetStreamLog.connect(cluster.url, create=True, replicas=NODES, patience_s=GOES_ON_S) as log,
        await CorePublisher.connect(cluster.url) as publisher,
    ):
        lines = await fill(log, "none", "m-1", 1)
        position = (await log.read("m-1", after=0))[-1].position
        for revision, silent in enumerate(cluster.nodes, 2):
            silent.pause()
            try:
                async with asyncio.timeout(GOES_ON_S):
                    line = line_of("m-1", revision, before=lines[-1])
                    position = (await log.append("none", "m-1", line, expected=position)).position
                    await _told(publisher)
            finally:
                silent.resume()
            lines.append(line)
            await cluster.wait_healthy()
        assert [stored.line for stored in await log.read("m-1", after=0)] == lines


async def _told(publisher: CorePublisher) -> None:
    """The feed goes out again; what it could not send while its line was down is the follower's to send anew."""
    while True:
        try:
            await publisher.publish("feed.match.none.m-1", b"told")
            await publisher.flush()
            return
        except Unavailable:
            await asyncio.sleep(0.1)
