"""Three servers keep one log; what one of them has lost is named, and a backup moves between one server and three."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.commit import decode_line
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.making import make_log
from services.local.nats_server import NatsServer
from tests.cli.here import here
from tests.e2e.command import Ran
from tests.kit.nats_cluster import NatsCluster
from tests.kit.stored import flip, match_lines, store

STREAM = "MATCHES_00"


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[NatsCluster]:
    async with NatsCluster(tmp_path / "cluster", durability="fast") as started:
        yield started


class Place:
    """Where commands find a log, and the people beside it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._monkeypatch = monkeypatch
        self._folder = folder

    def ask(self, url: str, replicas: int, *arguments: object) -> Ran:
        people = self._folder / f"people-{replicas}.sqlite"
        settings = {"NATS_URL": url, "REPLICAS": replicas, "PEOPLE_URL": f"sqlite:///{people}"}
        for name, value in settings.items():
            self._monkeypatch.setenv(f"TAVOLATA_{name}", str(value))
        return here(*arguments)

    async def json(self, url: str, replicas: int, *arguments: object) -> Any:
        """In a thread: the commands have event loops of their own."""
        ran = await asyncio.to_thread(self.ask, url, replicas, *arguments, "--json")
        assert ran.code in (0, 1), ran.err
        return json.loads(ran.out or ran.err)


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Place:
    return Place(monkeypatch, tmp_path)


async def test_what_one_of_three_nodes_has_lost_is_named_and_the_match_holds(
    cluster: NatsCluster, place: Place
) -> None:
    await make_log(cluster.url, replicas=3)
    async with await JetStreamLog.connect(cluster.url) as log:
        lines = match_lines(1)
        await store(log, match_lines(2))
        positions = await store(log, lines)
        await store(log, match_lines(3))
    await cluster.wait_healthy()
    clean = await place.json(cluster.url, 3, "audit")
    assert clean["holds"], clean
    assert sorted(clean["streams"][1]["nodes"]) == ["nats-1", "nats-2", "nats-3"]
    assert clean["complete"] == 3

    leader = await cluster.stream_leader(STREAM)
    assert leader is not None
    victim = next(node for node in cluster.nodes if node is not leader)
    await victim.stop()
    flip(victim.store, STREAM, lines[10])
    await victim.start()
    await cluster.wait_healthy()
    found = await place.json(cluster.url, 3, "audit")
    [finding] = found["findings"]
    assert finding["code"] == "line_unreadable"
    assert (finding["node"], finding["thing"], finding["revision"]) == (victim.name, "m-1", 11)
    assert (finding["stream"], finding["position"]) == (STREAM, positions[10])
    assert found["complete"] == 3, "two nodes have all of it"


async def test_a_backup_moves_from_one_server_to_three_and_back(
    cluster: NatsCluster, nats_server: NatsServer, place: Place, tmp_path: Path
) -> None:
    await make_log(nats_server.url)
    lines = match_lines(1)
    async with await JetStreamLog.connect(nats_server.url) as log:
        await store(log, lines)
    await place.json(nats_server.url, 1, "backup", tmp_path / "one")
    restored = await place.json(cluster.url, 3, "restore", tmp_path / "one")
    assert restored["streams"][STREAM] == {"things": 1, "lines": len(lines), "last": len(lines)}
    await cluster.wait_healthy()
    audited = await place.json(cluster.url, 3, "audit")
    assert audited["holds"], audited
    assert len(audited["streams"][1]["nodes"]) == 3
    async with await JetStreamLog.connect(cluster.url) as log:
        await store(log, match_lines(2))  # it goes on there

    await place.json(cluster.url, 3, "backup", tmp_path / "three")
    async with NatsServer(tmp_path / "alone", durability="fast") as alone:
        await place.json(alone.url, 1, "restore", tmp_path / "three")
        async with await JetStreamLog.connect(alone.url) as log:
            assert [each.line for each in await log.read("m-1", after=0)] == lines
            assert decode_line((await log.read("m-2", after=0))[-1].line).match == "m-2"
