"""What each node keeps of the log: how far its own copy goes, and one hash over all of it.

A question for lines is answered by any replica, also by one at the other end of a route, so asking at a node does not
say what that node keeps. A consumer with one replica does: it lives on one node and reads that node's copy. Where it
lives is the servers' choice, so consumers are made until every node has had one.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import nats
from nats.errors import Error as NatsError

from engine.kernel.ports import Position
from engine.kernel.value import Value
from services.kit.jetstream.dial import dialled

PAGE: Final = 500
ASK_S: Final = 5.0
CURRENT_S: Final = 60.0
"""For every node to have had a consumer, and to be as far as the others."""


class Replica(Value, frozen=True):
    """``digest`` is over position, subject and bytes of every line."""

    node: str
    stream: str
    last: Position
    digest: str


class _Info(msgspec.Struct):
    name: str
    cluster: dict[str, Any]


async def replicas_of(url: str, nodes: Sequence[str], streams: Sequence[str]) -> list[Replica]:
    """Of every stream the copy of every node. Waits until all are as far as the leader; says what is there if they
    never come to that. Raises ``TimeoutError`` if some node has no copy.
    """
    client = await nats.connect(**dialled(url))
    try:
        return [replica for stream in streams for replica in await _copies(client, stream, nodes)]
    finally:
        await client.close()


async def _copies(client: Any, stream: str, nodes: Sequence[str]) -> list[Replica]:
    deadline = asyncio.get_running_loop().time() + CURRENT_S
    found: dict[str, Replica] = {}
    while True:
        try:
            last = (await client.jetstream().stream_info(stream)).state.last_seq
            replica = await _copy(client, stream, [node for node in nodes if node not in found])
            if replica is not None and (
                replica.last >= last or asyncio.get_running_loop().time() > deadline - CURRENT_S / 2
            ):
                found[replica.node] = replica
        except NatsError:
            await asyncio.sleep(0.2)  # an election
        if len(found) == len(nodes):
            return [found[node] for node in nodes]
        if asyncio.get_running_loop().time() > deadline:
            raise TimeoutError(f"{stream}: no copy was found on {sorted(set(nodes) - set(found))}")


async def _copy(client: Any, stream: str, wanted: Sequence[str]) -> Replica | None:
    """That of the node where a new consumer happens to live; ``None`` if it is not wanted."""
    name = f"copy_{secrets.token_hex(8)}"
    config = {
        "name": name,
        "deliver_policy": "all",
        "ack_policy": "none",
        "mem_storage": True,
        "num_replicas": 1,
        "inactive_threshold": int(CURRENT_S) * 1_000_000_000,
    }
    asked = {"stream_name": stream, "config": config, "action": "create"}
    made = await client.request(f"$JS.API.CONSUMER.CREATE.{stream}.{name}", msgspec.json.encode(asked), timeout=ASK_S)
    try:
        node = msgspec.json.decode(made.data, type=_Info).cluster.get("leader", "")
    except msgspec.ValidationError as error:
        raise NatsError(made.data.decode()) from error
    try:
        return await _read(client, stream, name, node) if node in wanted else None
    finally:
        await client.publish(f"$JS.API.CONSUMER.DELETE.{stream}.{name}", b"")


async def _read(client: Any, stream: str, consumer: str, node: str) -> Replica:
    digest = hashlib.sha256()
    last = 0
    inbox = client.new_inbox()
    subscription = await client.subscribe(inbox)
    try:
        ended = False
        while not ended:
            asked = {"batch": PAGE, "no_wait": True}
            await client.publish(
                f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}", msgspec.json.encode(asked), reply=inbox
            )
            for _ in range(PAGE):
                message = await subscription.next_msg(ASK_S)
                if (message.headers or {}).get("Status"):
                    ended = True
                    break
                last = message.metadata.sequence.stream
                digest.update(f"{last} {message.subject} {len(message.data)} ".encode() + message.data)
    finally:
        await subscription.unsubscribe()
    return Replica(node, stream, last, digest.hexdigest())
