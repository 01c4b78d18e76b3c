"""The places that a log may lie in: in memory, on one nats-server, on three.

A suite that takes ``log_place`` runs on each of them, one that takes ``nats_place`` on both kinds of servers. Three
servers are started once a session and shared: every test has an account of its own there, with streams that no other
test sees. Whoever stops or pauses a node leaves it to ``shared_cluster`` to put things right.
"""

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any, Final, Literal

import nats
import pytest

from engine.kernel.ports import Log, Position, Stored, Unavailable
from engine.kernel.value import Instant
from services.kit.beats import Beats
from services.kit.family import MATCHES, TOURNAMENTS, Family
from services.kit.jetstream import JetStreamLog
from services.kit.memory_log import MemoryLog
from services.kit.sockets import LOOPBACK
from services.local.nats_server import NatsServer
from tests.kit.nats import DEADLINE_S, until
from tests.kit.nats_cluster import NatsCluster, NatsNode

ACCOUNTS: Final = 400
"""Tests in one session that may ask for three servers."""

PATIENCE_S: Final = 20.0
"""Where a leader may have to be elected first: that takes up to nine seconds."""


class NatsPlace:
    """Servers for one test. ``account`` begins the address of its own account there, and may be empty."""

    def __init__(self, servers: tuple[NatsServer, ...], account: str = "") -> None:
        self.servers = servers
        self.account = account

    @property
    def replicas(self) -> Literal[1, 3]:
        return 1 if len(self.servers) == 1 else 3

    @property
    def url(self) -> str:
        return ",".join(self.url_of(server.port) for server in self.servers)

    def url_of(self, port: int) -> str:
        """The account by way of one port: a server's, or that of a line before it."""
        return f"nats://{self.account}{LOOPBACK}:{port}"

    async def open(self, url: str = "", **options: Any) -> JetStreamLog:
        """The log of this place, made if it is not there."""
        options = {"patience_s": PATIENCE_S if self.replicas > 1 else 6.0, **options}
        return await JetStreamLog.connect(url or self.url, create=True, replicas=self.replicas, **options)

    async def api(self, subject: str, body: object = None) -> dict[str, Any]:
        """An operator's question to ``$JS.API``."""
        client = await nats.connect(self.url.split(","))
        try:
            answer = await client.request(f"$JS.API.{subject}", json.dumps(body or {}).encode(), timeout=DEADLINE_S)
        finally:
            await client.close()
        found: dict[str, Any] = json.loads(answer.data)
        return found


class ClusterPlace(NatsPlace):
    """An account on three servers; its user has its name, and a password like it."""

    def __init__(self, cluster: NatsCluster, name: str) -> None:
        super().__init__(cluster.nodes, f"{name}:{name}@")
        self.cluster = cluster
        self._name = name

    async def leader(self, but: NatsNode | None = None) -> NatsNode:
        """Who leads the first stream of matches, as soon as somebody does who is not ``but``."""
        found: NatsNode | None = None

        async def leads() -> bool:
            nonlocal found
            found = await self.cluster.stream_leader("MATCHES_00", self._name)
            return found not in (None, but)

        await until(leads, "the stream has a leader")
        assert found is not None
        return found

    async def forget(self) -> None:
        """Delete the streams, so that nobody goes on electing leaders for them."""
        for stream in (await self.api("STREAM.NAMES"))["streams"] or ():
            await self.api(f"STREAM.DELETE.{stream}")


async def one_by_one(follower: AsyncGenerator[Sequence[Stored], None]) -> AsyncGenerator[Stored, None]:
    """The lines of a follower, which hands on several at a time."""
    async with aclosing(follower):
        async for batch in follower:
            for stored in batch:
                yield stored


class Watcher:
    """A follower in the background that remembers what it saw."""

    def __init__(self, log: Log, after: Position = 0) -> None:
        self.seen: list[Stored] = []
        self._task = asyncio.ensure_future(self._watch(log, after))

    async def _watch(self, log: Log, after: Position) -> None:
        async for batch in log.follow(0, after=after):
            self.seen.extend(batch)

    async def has_seen(self, count: int) -> None:
        await until(lambda: self._task.done() or len(self.seen) >= count, f"{count} lines are seen")
        if self._task.done():
            self._task.result()

    async def __aenter__(self) -> "Watcher":
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def beaten(beats: Beats, game: str, at: Instant) -> None:
    """A beat is tried once, and lost while a stream that was just made has no leader: then the next one comes."""

    async def is_kept() -> bool:
        try:
            await beats.beat(game, at)
        except Unavailable:
            return False
        return True

    await until(is_kept, "a beat is kept")


class SharedCluster:
    """Three servers with many accounts."""

    def __init__(self, folder: Path) -> None:
        accounts = folder / "accounts.conf"
        lines = [f"  T{n} {{ jetstream: enabled, users: [{{ user: T{n}, password: T{n} }}] }}" for n in range(ACCOUNTS)]
        accounts.write_text("\n".join(["accounts {", *lines, "}"]) + "\n")
        self.cluster = NatsCluster(folder, durability="fast", auth_include=accounts)
        self._numbers = iter(range(ACCOUNTS))

    def place(self) -> ClusterPlace:
        return ClusterPlace(self.cluster, f"T{next(self._numbers)}")


@pytest.fixture(scope="session")
def running_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedCluster]:
    shared = SharedCluster(tmp_path_factory.mktemp("cluster"))
    _run(shared.cluster.start())
    try:
        yield shared
    finally:
        _run(shared.cluster.stop())


@pytest.fixture
async def three_nodes(running_cluster: SharedCluster) -> AsyncIterator[ClusterPlace]:
    """A place on three servers that are well, and are so again when the test has ended."""
    cluster = running_cluster.cluster
    place = running_cluster.place()
    yield place
    for node in cluster.nodes:
        node.resume()
    await cluster.start()
    await place.forget()


@pytest.fixture(params=["one node", "three nodes"])
def nats_place(request: pytest.FixtureRequest) -> NatsPlace:
    place = place_of(request, request.param)
    assert place is not None
    return place


class LogPlace:
    """Where the logs of one test lie; ``nats`` is ``None`` in memory. All that is opened is closed at the end."""

    def __init__(self, nats: NatsPlace | None, family: Family, opened: AsyncExitStack) -> None:
        self.nats = nats
        self.family = family
        self._opened = opened

    async def make(self, partitions: int = 1, bytes_max: int = 0) -> Log:
        """An empty log; on servers, the same again for whoever asks again."""
        if self.nats is None:
            return MemoryLog(partitions, bytes_max=bytes_max, family=self.family)
        log = await self.nats.open(family=self.family, partitions=partitions, bytes_max=bytes_max)
        return await self._opened.enter_async_context(log)


IN_MEMORY: Final = "memory"
PLACES: Final = (
    *itertools.product((IN_MEMORY, "one node"), (MATCHES, TOURNAMENTS)),
    ("three nodes", MATCHES),  # how many servers keep a line has nothing to do with what it tells of
)


@pytest.fixture(params=PLACES, ids=lambda param: f"{param[0]}, {param[1].noun}")
def servers_and_family(request: pytest.FixtureRequest) -> tuple[NatsPlace | None, Family]:
    place, family = request.param
    return place_of(request, place), family


@pytest.fixture
async def log_place(servers_and_family: tuple[NatsPlace | None, Family]) -> AsyncIterator[LogPlace]:
    async with AsyncExitStack() as opened:
        yield LogPlace(*servers_and_family, opened)


def place_of(request: pytest.FixtureRequest, name: str) -> NatsPlace | None:
    """``None`` in memory. Nothing is started that the test does not need."""
    if name == IN_MEMORY:
        return None
    if name == "one node":
        return NatsPlace((request.getfixturevalue("nats_server"),))
    three: ClusterPlace = request.getfixturevalue("three_nodes")
    return three


def _run(work: Coroutine[Any, Any, None]) -> None:
    """On a loop of its own: the servers are no loop's, and outlive that of every test."""
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(work)
    finally:
        loop.close()
