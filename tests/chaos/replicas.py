"""What each node keeps of the log, asked at that node alone: how far it goes, and one hash over all of it.

A question for lines is answered by whatever replica is nearest, and none is nearer than that of the node at the other
end of the line.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import nats
from nats.aio.msg import Msg

from engine.kernel.ports import Position
from engine.kernel.value import Value
from services.kit.jetstream.dial import dialled

PAGE: Final = 500
PAGE_S: Final = 5.0
CURRENT_S: Final = 30.0


class Replica(Value, frozen=True):
    """``digest`` is over position, subject and bytes of every line."""

    node: str
    stream: str
    last: Position
    digest: str


async def replicas_of(nodes: Sequence[tuple[str, str]], streams: Sequence[str]) -> list[Replica]:
    """``nodes`` by name and URL. Waits until every node has as many lines as the leader; says what it has if it never
    comes to that.
    """
    found = []
    for stream in streams:
        ends = [await _last(url, stream) for _, url in nodes]
        deadline = asyncio.get_running_loop().time() + CURRENT_S
        for name, url in nodes:
            replica = await _replica(name, url, stream)
            while replica.last < max(ends) and asyncio.get_running_loop().time() < deadline:
                await asyncio.sleep(0.2)
                replica = await _replica(name, url, stream)
            found.append(replica)
    return found


async def _last(url: str, stream: str) -> Position:
    """Where the leader ends."""
    client = await nats.connect(**dialled(url))
    try:
        info = await client.jetstream().stream_info(stream)
        return int(info.state.last_seq)
    finally:
        await client.close()


async def _replica(node: str, url: str, stream: str) -> Replica:
    client = await nats.connect(**dialled(url))
    digest = hashlib.sha256()
    last = 0
    try:
        while page := await _page(client, stream, last + 1):
            for position, subject, data in page:
                digest.update(f"{position} {subject} {len(data)} ".encode() + data)
                last = position
    finally:
        await client.close()
    return Replica(node, stream, last, digest.hexdigest())


async def _page(client: Any, stream: str, first: Position) -> list[tuple[Position, str, bytes]]:
    """The next lines at the node that the client is connected to; none behind its end."""
    inbox = client.new_inbox()
    subscription = await client.subscribe(inbox)
    lines: list[tuple[Position, str, bytes]] = []
    try:
        asked = {"seq": first, "batch": PAGE, "next_by_subj": ">"}
        await client.publish(f"$JS.API.DIRECT.GET.{stream}", msgspec.json.encode(asked), reply=inbox)
        while True:
            message: Msg = await subscription.next_msg(PAGE_S)
            headers = message.headers or {}
            if headers.get("Status"):
                assert headers["Status"] in ("204", "404"), f"{stream} answers {headers}"
                return lines
            lines.append((int(headers["Nats-Sequence"]), headers["Nats-Subject"], message.data))
    finally:
        await subscription.unsubscribe()
