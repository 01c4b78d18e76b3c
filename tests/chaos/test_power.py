"""Power is cut at every node at once while lines are appended. ``strict``: every acknowledged line is there."""

import asyncio
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from engine.kernel.ports import Position, Unavailable
from services.kit.jetstream import JetStreamLog
from services.local.nats_server import Durability, NatsServer
from tests.chaos.power import NoPowerDisk, PowerDisk
from tests.kit.lines import line_of
from tests.kit.nats import until
from tests.kit.nats_cluster import NODES, NatsCluster

WRITERS: Final = 16
ENOUGH: Final = 400
"""Acknowledged lines before the power is cut."""
GAME: Final = "none"


class Acknowledged(NamedTuple):
    match: str
    position: Position
    line: bytes


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[list[PowerDisk]]:
    """One for each node, where its folder is to be."""
    with ExitStack() as stack:
        try:
            yield [
                stack.enter_context(PowerDisk(tmp_path / f"disk-{number}", tmp_path / "nats" / f"nats-{number}"))
                for number in range(1, NODES + 1)
            ]
        except NoPowerDisk as reason:
            pytest.skip(f"no disk whose power can be cut: {reason}")


async def write_and_cut(
    url: str, replicas: int, servers: Sequence[NatsServer], disks: Sequence[PowerDisk]
) -> list[Acknowledged]:
    """What was acknowledged before the servers and their disks stopped, all in the midst of it."""
    acknowledged: list[Acknowledged] = []

    async def append(log: JetStreamLog, match: str) -> None:
        position, revision, before = 0, 0, None
        with suppress(Unavailable):
            while True:
                revision += 1
                line = line_of(match, revision, before=before)
                position = (await log.append(GAME, match, line, expected=position)).position
                acknowledged.append(Acknowledged(match, position, line))
                before = line

    async with await JetStreamLog.connect(url, create=True, replicas=replicas, patience_s=20) as log:
        writing = [asyncio.create_task(append(log, f"m-{number}")) for number in range(WRITERS)]
        try:
            await until(lambda: len(acknowledged) >= ENOUGH, f"{ENOUGH} lines are acknowledged")
            for server in servers:
                _freeze(server)
            for disk in disks:
                disk.cut_power()
        finally:
            for task in writing:
                task.cancel()
            await asyncio.gather(*writing, return_exceptions=True)
    await asyncio.gather(*(server.kill() for server in servers))
    for disk in disks:
        disk.come_back()
    return acknowledged


async def missing(url: str, acknowledged: Sequence[Acknowledged]) -> list[Acknowledged]:
    """What was acknowledged and is not in the log as it came back."""
    async with await JetStreamLog.connect(url, create=False, patience_s=30) as log:
        found = {
            (match, stored.position, stored.line)
            for match in sorted({each.match for each in acknowledged})
            for stored in await log.read(match, after=0)
        }
    return [each for each in acknowledged if tuple(each) not in found]


@pytest.mark.timeout(120)
async def test_one_strict_node_keeps_every_acknowledged_line(disks: list[PowerDisk]) -> None:
    async with NatsServer(disks[0].folder, durability="strict") as server:
        acknowledged = await write_and_cut(server.url, 1, [server], disks[:1])
        await server.start()
        assert await missing(server.url, acknowledged) == []


@pytest.mark.timeout(180)
@pytest.mark.parametrize("durability", ["strict", "fast"])
async def test_three_nodes_that_lose_their_power_together(
    disks: list[PowerDisk], durability: Durability, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``fast`` tells its disks ten times a second: what it loses is said, and is no failure."""
    async with NatsCluster(tmp_path / "nats", durability=durability) as cluster:
        acknowledged = await write_and_cut(cluster.url, NODES, cluster.nodes, disks)
        await cluster.start()
        lost = await missing(cluster.url, acknowledged)
    with capsys.disabled():
        print(f"\n{durability}: {len(lost)} of {len(acknowledged)} acknowledged lines were lost with the power")
    assert durability == "fast" or lost == []


def _freeze(server: NatsServer) -> None:
    """It does not see its disk go: with the power, everything stops at one moment."""
    pid = server.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
