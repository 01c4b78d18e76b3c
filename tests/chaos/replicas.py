"""What each node keeps of the log: how far its own copy goes, and one hash over all of it."""

import hashlib
from collections.abc import Sequence
from contextlib import aclosing
from typing import Final

import structlog

from engine.kernel.ports import Position
from engine.kernel.value import Value
from services.kit.jetstream.connection import Connection
from services.kit.jetstream.replicas import pages, settled_replicas_of

ASK_S: Final = 2.0
PATIENCE_S: Final = 30.0
"""An election may be under way."""


class Copy(Value, frozen=True):
    """``digest`` is over position and bytes of every line."""

    node: str
    stream: str
    last: Position
    digest: str


async def copies_of(url: str, streams: Sequence[str]) -> list[Copy]:
    """Of every stream the copy of every node that keeps it, once all are as far as the leader, or do not come to that.

    Raises ``Unavailable`` if a node does not answer.
    """
    connection = await Connection.open(url, logger=structlog.get_logger(), ask_s=ASK_S, patience_s=PATIENCE_S)
    try:
        found: list[Copy] = []
        for stream in streams:
            replicas = await settled_replicas_of(connection, stream)
            names = sorted(node.name for node in replicas.nodes)
            found += [await _copy(connection, stream, name, replicas.last) for name in names]
        return found
    finally:
        await connection.close()


async def _copy(connection: Connection, stream: str, node: str, until: Position) -> Copy:
    digest = hashlib.sha256()
    last = 0
    async with aclosing(pages(connection, stream, node, until=until)) as read:
        async for page in read:
            for stored in page:
                last = stored.position
                digest.update(f"{last} {len(stored.line)} ".encode() + stored.line)
    return Copy(node, stream, last, digest.hexdigest())
