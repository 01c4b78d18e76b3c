"""Reading what one node of the cluster has stored: every line of a stream, from that node's own disk.

A direct get does not say who answers it, and it is not the node that one is connected to: the servers share the
questions out. But a consumer of one replica reads the store of the node that it was put on, and the server says which
that is. Where it is put cannot be asked for, so consumers are made until one is on the wanted node, and the others are
let go.

A line that the node cannot read is left out by the server without a word, so a missing position is the sign of damage:
positions of a log have no holes.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any, Final

import msgspec
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from engine.kernel.ports import Position, Stored, Unavailable
from engine.kernel.value import Value
from services.kit.jetstream.connection import PAUSE_MAX_S, ApiError, Connection, Unanswered
from services.kit.jetstream.parser import Answer
from services.kit.jetstream.streams import PARTITIONS_KEY

PAGE_LINES: Final = 256
"""Asked for at once, and the unit in which nodes are compared."""

SILENCE_S: Final = 10.0
"""Without a line that is due; a node that is behind has the time to catch up."""

LAG_S: Final = 2.0
"""A replica that takes part has what its leader has within this time."""

SETTLE_S: Final = 15.0
"""For a node to take part again after a start or an election."""

INACTIVE_S: Final = 60
"""The server forgets a consumer that nobody asks for so long."""

NANOSECONDS: Final = 1_000_000_000

PLACINGS_MAX: Final = 100
"""Consumers made until one is on the wanted node: of three nodes, one of 10^17 runs needs more."""


class Node(Value, frozen=True):
    """One replica of a stream as its leader sees it."""

    name: str
    current: bool
    offline: bool = False

    @property
    def is_present(self) -> bool:
        """Whether what it has is what the others have, as far as the leader knows."""
        return self.current and not self.offline


class Replicas(Value, frozen=True):
    """Who keeps a stream, and how far it goes by its leader's word."""

    stream: str
    leader: str
    nodes: tuple[Node, ...]
    last: Position
    messages: int
    partitions: int
    """How many streams its family has; 0 for a stream that is not of the log."""


class Placed(Stored, frozen=True):
    """A line, and what it is of by the subject that it lies under: the id of a match or an event."""

    thing: str


class _Peer(msgspec.Struct, frozen=True):
    name: str
    current: bool = False
    offline: bool = False


class _Cluster(msgspec.Struct, frozen=True):
    leader: str = ""
    replicas: tuple[_Peer, ...] = ()


class _State(msgspec.Struct, frozen=True):
    last_seq: Position
    messages: int
    subjects: dict[str, int] = {}


class _Info(msgspec.Struct, frozen=True):
    state: _State
    config: dict[str, Any]
    cluster: _Cluster = _Cluster()
    total: int = 0


class _Where(msgspec.Struct, frozen=True):
    cluster: _Cluster | None = None
    """A server that is alone says nothing of it."""


async def replicas_of(connection: Connection, stream: str) -> Replicas:
    """Raises ``Unavailable``."""
    info = await _info(connection, stream, {})
    cluster = info.cluster
    nodes = (Node(cluster.leader, current=True), *(Node(p.name, p.current, p.offline) for p in cluster.replicas))
    return Replicas(
        stream=stream,
        leader=cluster.leader,
        nodes=nodes,
        last=info.state.last_seq,
        messages=info.state.messages,
        partitions=int(info.config.get("metadata", {}).get(PARTITIONS_KEY, "0")),
    )


async def settled_replicas_of(connection: Connection, stream: str) -> Replicas:
    """The same once every node takes part, or after ``SETTLE_S``: a server that has been started needs some seconds.

    Raises ``Unavailable``.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + SETTLE_S
    while True:
        replicas = await replicas_of(connection, stream)
        if all(node.is_present for node in replicas.nodes) or loop.time() > deadline:
            return replicas
        await asyncio.sleep(PAUSE_MAX_S)


async def counts_of(connection: Connection, stream: str) -> dict[str, int]:
    """How many lines lie under each subject, by the server's own count. Raises ``Unavailable``."""
    counts: dict[str, int] = {}
    while True:
        page = await _info(connection, stream, {"subjects_filter": ">", "offset": len(counts)})
        counts.update(page.state.subjects)
        if not page.state.subjects or len(counts) >= page.total:
            return counts


async def _info(connection: Connection, stream: str, body: dict[str, Any]) -> _Info:
    async def ask() -> _Info:
        try:
            info = msgspec.json.decode(await connection.api(f"STREAM.INFO.{stream}", body), type=_Info)
        except ApiError as error:
            raise Unanswered(str(error)) from error
        if not info.cluster.leader:
            raise Unanswered(f"{stream} has no leader")
        return info

    return await connection.persist(ask)


async def pages(
    connection: Connection, stream: str, node: str, *, until: Position, subject: str = ""
) -> AsyncGenerator[list[Placed], None]:
    """What ``node`` has stored of a stream up to a position, ``PAGE_LINES`` positions at a time, empty pages too.

    Page *n* holds the positions *n* times ``PAGE_LINES`` + 1 and up, so that the pages of several nodes can be laid
    beside each other. ``subject`` leaves out what lies elsewhere. Raises ``Unavailable`` if the node does not answer.
    """
    reader = _Reader(connection, stream, node, subject)
    try:
        await reader.start()
        ahead: list[Placed] = []
        is_at_end = False
        for first in range(1, until + 1, PAGE_LINES):
            end = min(first + PAGE_LINES, until + 1)
            while not is_at_end and reader.position < end - 1:
                more = await reader.more()
                if not more and not subject:  # what lies elsewhere is not missing
                    more = await reader.wait_for_more()
                is_at_end = not more
                ahead.extend(more)
            count = next((n for n, stored in enumerate(ahead) if stored.position >= end), len(ahead))
            yield ahead[:count]
            ahead = ahead[count:]
    except (Unanswered, ApiError, NatsError, TimeoutError) as error:
        raise Unavailable("node_unavailable", f"Node {node} does not read {stream} to its end: {error!r}.") from error
    finally:
        await reader.close()


class _Reader:
    """One consumer on one node, asked for ``PAGE_LINES`` at a time."""

    def __init__(self, connection: Connection, stream: str, node: str, subject: str) -> None:
        self._connection = connection
        self._stream = stream
        self._node = node
        self._subject = subject
        self._inbox = connection.client.new_inbox()
        self._heard: list[Placed] = []
        self._is_whole = asyncio.Event()
        """Whether all has come of what was asked for."""
        self._subscription: Subscription | None = None
        self._consumer = ""
        self.position: Position = 0

    async def start(self) -> None:
        self._subscription = await self._connection.client.listen(self._inbox, self._hear)
        for _ in range(PLACINGS_MAX):
            name = f"read_{secrets.token_hex(8)}"
            if await self._place(name) == self._node:
                self._consumer = name
                return
            await self._forget(name)
        raise Unanswered(f"no consumer could be put on {self._node}")

    def _hear(self, subject: bytes, answer: Answer) -> None:
        position = _position_of(answer)
        if position:
            thing = subject[subject.rfind(b".") + 1 :].decode()
            self._heard.append(Placed(position, answer.data, thing))
        if not position or len(self._heard) == PAGE_LINES:  # a word of the server: there is no more
            self._is_whole.set()

    async def more(self) -> list[Placed]:
        """The next lines; none if there are no more now."""
        lines: list[Placed] = []
        self._heard = lines
        self._is_whole.clear()
        body = {"batch": PAGE_LINES, "no_wait": True}
        question = self._connection.api_subject(f"CONSUMER.MSG.NEXT.{self._stream}.{self._consumer}")
        await self._connection.send(question, msgspec.json.encode(body), reply=self._inbox)
        while not self._is_whole.is_set():
            before = len(lines)
            try:
                async with asyncio.timeout(SILENCE_S):
                    await self._is_whole.wait()
            except TimeoutError:
                if len(lines) == before:
                    raise
        if lines:
            self.position = lines[-1].position
        return lines

    async def wait_for_more(self) -> list[Placed]:
        """What comes within ``LAG_S`` behind the end; none if what is missing there stays away."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + LAG_S
        while True:
            await asyncio.sleep(PAUSE_MAX_S)
            lines = await self.more()
            if lines or loop.time() > deadline:
                return lines

    async def close(self) -> None:
        if self._connection.closed:
            return
        with suppress(NatsError):
            if self._subscription is not None:
                await self._subscription.unsubscribe()
        if self._consumer:
            await self._forget(self._consumer)

    async def _place(self, name: str) -> str:
        """The node that a new consumer is on."""
        config: dict[str, Any] = {
            "name": name,
            "deliver_policy": "all",
            "ack_policy": "none",
            "mem_storage": True,
            "num_replicas": 1,
            "inactive_threshold": INACTIVE_S * 1_000_000_000,
        }
        subject = f"CONSUMER.CREATE.{self._stream}.{name}"
        if self._subject:
            config["filter_subject"] = self._subject
            subject = f"{subject}.{self._subject}"
        answer = await self._connection.api(
            subject, {"stream_name": self._stream, "config": config, "action": "create"}
        )
        cluster = msgspec.json.decode(answer, type=_Where).cluster
        return self._node if cluster is None else cluster.leader

    async def _forget(self, name: str) -> None:
        with suppress(Unanswered, ApiError):
            await self._connection.api(f"CONSUMER.DELETE.{self._stream}.{name}", {})


def _position_of(answer: Answer) -> Position:
    """Of a line, from the reply subject; 0 for a word of the server.

    ``$JS.ACK.<stream>.<consumer>.<times>.<position>.<delivery>.<time>.<left>``, or, with domain and account behind
    ``ACK``, the longer form that a server may be set to use.
    """
    tokens = answer.reply.split(b".") if answer.reply.startswith(b"$JS.ACK.") else ()
    if len(tokens) < 9:
        return 0
    return int(tokens[5 if len(tokens) == 9 else 7])
