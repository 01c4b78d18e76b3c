"""A stream as a file while the house runs: the server's own snapshot.

``STREAM.SNAPSHOT`` answers with the configuration and state of the stream, then sends the archive in chunks to an
inbox. Each chunk is acknowledged, which is the flow control. An empty one ends it: with status 204, or, behind a single
chunk, with none. What is appended meanwhile is not in the archive.

``jsck`` asks the server to check the stream first. It does not find everything: nats-server 2.15.1 has copied a stream
with a flipped byte in it and said nothing. So whoever makes a backup reads the stream as well (``replicas.py``), and
keeps the digest of what it ought to hold.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from engine.kernel.ports import Position, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from services.kit.family import MATCHES, TOURNAMENTS
from services.kit.jetstream.beats import BEATS
from services.kit.jetstream.connection import ApiError, Connection, Unanswered
from services.kit.jetstream.streams import PARTITIONS_KEY
from services.kit.secret_files import new_private

T = TypeVar("T")

CHUNK_BYTES: Final = 256 * 1024
SILENCE_S: Final = 30.0
"""Without a chunk; the server checks the whole stream before it sends the first one."""

DONE: Final = "204"

Told = Callable[[int], object]
"""Told how many bytes of the archive there are so far."""


class Snapshot(Value, frozen=True):
    """What an archive is of. ``config`` and ``state`` are the server's words, and go back to it as they are."""

    created: str
    """The epoch of the stream: RFC 3339 with nanoseconds."""
    config: dict[str, Any]
    state: dict[str, Any]

    @property
    def last(self) -> Position:
        found: int = self.state["last_seq"]
        return found

    @property
    def messages(self) -> int:
        found: int = self.state["messages"]
        return found

    @property
    def things(self) -> int:
        """Matches or tournaments: one subject each."""
        found: int = self.state.get("num_subjects", 0)
        return found

    @property
    def partitions(self) -> int:
        """How many streams its family has; 0 for a stream that is not of the log."""
        return int(self.config.get("metadata", {}).get(PARTITIONS_KEY, "0"))


class _Names(msgspec.Struct, frozen=True):
    total: int
    streams: list[str] | None = None


class _Begun(msgspec.Struct, frozen=True):
    config: dict[str, Any]
    state: dict[str, Any]


class _Info(msgspec.Struct, frozen=True):
    created: str


async def streams_of_the_house(connection: Connection) -> tuple[str, ...]:
    """Our streams, in the order in which they are to be copied.

    Tournaments come first: what an event has read from a match is then in the copy of the match, too. Beats come before
    matches: clocks are given a moment too much back, and none too little. Raises ``Unavailable``.
    """

    async def ask() -> tuple[str, ...]:
        found: list[str] = []
        try:
            while True:
                page = msgspec.json.decode(await connection.api("STREAM.NAMES", {"offset": len(found)}), type=_Names)
                found.extend(page.streams or ())
                if not page.streams or len(found) >= page.total:
                    break
        except ApiError as error:
            raise Unanswered(str(error)) from error
        return tuple(sorted((name for name in found if _rank(name) >= 0), key=lambda name: (_rank(name), name)))

    return await connection.persist(ask)


def _rank(stream: str) -> int:
    """Where a stream stands in the order; -1 for one that is not ours."""
    if stream == BEATS:
        return 1
    family, _, partition = stream.partition("_")
    ranks = {TOURNAMENTS.stream: 0, MATCHES.stream: 2}
    return ranks.get(family, -1) if partition.isdigit() else -1


async def snapshot(connection: Connection, stream: str, file: Path, told: Told = lambda so_far: None) -> Snapshot:
    """Write the archive of a stream to a new ``file`` for its owner alone, on disk when this returns.

    Raises ``Refusal`` (``stream_damaged``) if the server finds the stream damaged, and ``Unavailable`` if it falls
    silent; what has been written then is worth nothing.
    """
    info = await _asked(connection.api(f"STREAM.INFO.{stream}", {}), _Info)
    inbox = connection.client.new_inbox()
    chunks: asyncio.Queue[Msg] = asyncio.Queue()
    try:
        subscription = await connection.client.subscribe(
            inbox, cb=chunks.put, pending_msgs_limit=0, pending_bytes_limit=0
        )
    except NatsError as error:
        raise _silent(stream) from error
    try:
        body = {"deliver_subject": inbox, "no_consumers": True, "chunk_size": CHUNK_BYTES, "jsck": True}
        begun = await _asked(connection.api(f"STREAM.SNAPSHOT.{stream}", body), _Begun)
        await _write(connection, stream, chunks, file, told)
    finally:
        with suppress(NatsError):
            await subscription.unsubscribe()
    return Snapshot(info.created, begun.config, begun.state)


async def _asked(answer: Awaitable[bytes], kind: type[T]) -> T:
    try:
        return msgspec.json.decode(await answer, type=kind)
    except ApiError as error:
        raise Refusal("stream_damaged", f"The log cannot be copied: {error}.", Kind.INVALID) from error
    except Unanswered as error:
        raise Unavailable("log_unavailable", f"The log does not answer: {error}.") from error


async def _write(connection: Connection, stream: str, chunks: asyncio.Queue[Msg], file: Path, told: Told) -> None:
    written = 0
    with new_private(file) as archive:
        while True:
            try:
                async with asyncio.timeout(SILENCE_S):
                    chunk = await chunks.get()
                if chunk.data and chunk.reply:
                    await connection.send(chunk.reply, b"")
            except (TimeoutError, Unanswered) as error:
                raise _silent(stream) from error
            if not chunk.data:
                break
            archive.write(chunk.data)
            written += len(chunk.data)
            told(written)
        archive.flush()
        os.fsync(archive.fileno())
    headers = chunk.headers or {}
    if not written or headers.get("Status", DONE) != DONE:
        said = headers.get("Description", "it gave no reason")
        raise Refusal("stream_damaged", f"The server did not copy {stream} to its end: {said}.", Kind.INVALID)


def _silent(stream: str) -> Unavailable:
    return Unavailable("log_unavailable", f"The server fell silent while it copied {stream}.")
