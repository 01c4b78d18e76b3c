"""Following one partition: an ordered reader of our own over an ephemeral pull consumer.

nats-py's ordered consumer starts over at sequence 1 when it is lost before its first message, and drops what its queue
cannot hold. This one keeps one thing: the position of the last line it handed on. Whatever goes wrong (the consumer is
deleted, the server is killed, a delivery is missing, the line drops) it makes a new consumer from there.

- The consumer numbers its deliveries; a number out of turn is a hole and means: start again.
- Lines are asked for a batch at a time, and the next batch when half of the last one has come, so catching up never
  waits for a round trip, and no more than ``BATCH_LINES`` wait here for a slow taker.
- An idle server sends heartbeats. Silence for ``SILENCE_S`` means that nobody is working for us any more.
- One subscription serves the reader for life; each consumer answers on its own last token, so that a late word about
  an old one is told apart.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any, Final

import msgspec
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from engine.kernel.ports import Position, Stored, Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.kit.jetstream.connection import PAUSE_FIRST_S, PAUSE_MAX_S, ApiError, Connection, Unanswered
from services.kit.jetstream.streams import Stream, stream_info
from services.kit.telemetry import LOG_READER_RESTARTS
from services.kit.tracing import Traced, is_tracing

BATCH_LINES: Final = 1024
"""Asked for and not yet handed on, at most."""

HEARTBEAT_S: Final = 2
SILENCE_S: Final = 5
EXPIRES_S: Final = 60
"""How long the server keeps a question for lines open."""
INACTIVE_S: Final = 30
"""The server forgets a consumer that nobody asks for so long: ours, if this process dies."""

HEARTBEAT: Final = "100"
NANOSECONDS: Final = 1_000_000_000

assert HEARTBEAT_S * 2 < SILENCE_S < EXPIRES_S


class _Lost(Exception):
    """The consumer is of no more use."""


async def follow(
    connection: Connection, stream: Stream, *, after: Position, game: str | None, epoch: str
) -> AsyncGenerator[Stored, None]:
    """See ``ports.Log.follow``. Never gives up on a server that is away; ``Unavailable`` means we closed the log.

    Raises ``Refusal`` (``log_rewound``) if the log ends before the position it has reached, or was made anew: then the
    lines that were read before are not the log's any more, and going on would hide it.
    """
    reader = _Reader(connection, stream, after, game, epoch)
    try:
        while True:
            for stored in await reader.take():
                yield stored
    finally:
        await reader.close()


class _Reader:
    def __init__(self, connection: Connection, stream: Stream, after: Position, game: str | None, epoch: str) -> None:
        self._connection = connection
        self._stream = stream
        self._filter = stream.subject(game or "*", "*")
        self._epoch = epoch
        self._position = after
        self._inbox = connection.client.new_inbox()
        self._subscription: Subscription | None = None
        self._consumer = ""
        self._deliveries = 0
        self._asked = 0
        self._arrived: list[Msg] = []
        self._news = asyncio.Event()
        self._dropped = False
        connection.drops.add(self._on_drop)

    async def take(self) -> list[Stored]:
        """The next lines, at least one."""
        pause = PAUSE_FIRST_S
        while True:
            try:
                if not self._consumer:
                    await self._start()
                    pause = PAUSE_FIRST_S
                if 2 * self._asked <= BATCH_LINES:
                    await self._ask(BATCH_LINES - self._asked)
                async with asyncio.timeout(SILENCE_S):
                    await self._news.wait()
                lines = self._sort()
                if lines:
                    return lines
            except (_Lost, Unanswered, ApiError, TimeoutError) as error:
                if self._connection.closed:
                    raise Unavailable("log_unavailable", "The connection to the log was closed.") from error
                LOG_READER_RESTARTS.labels(self._stream.name).inc()
                self._connection.logger.info(
                    "log_reader_restarts", stream=self._stream.name, position=self._position, error=repr(error)
                )
                await self._leave()
                await asyncio.sleep(pause)
                pause = min(2 * pause, PAUSE_MAX_S)

    async def close(self) -> None:
        self._connection.drops.discard(self._on_drop)
        await self._leave()
        if self._subscription is not None and not self._connection.closed:
            with suppress(NatsError):
                await self._subscription.unsubscribe()

    async def _start(self) -> None:
        """Raises ``Refusal`` if there is no going on, ``ApiError`` or ``Unanswered`` if there may be later."""
        if self._subscription is None:
            try:
                self._subscription = await self._connection.client.subscribe(
                    f"{self._inbox}.*", cb=self._on_message, pending_msgs_limit=0, pending_bytes_limit=0
                )
            except NatsError as error:
                raise Unanswered(f"the line is down: {type(error).__name__}") from error
        self._dropped = False
        info = await stream_info(self._connection, self._stream)
        if info.created != self._epoch or info.state.last_seq < self._position:
            raise Refusal(
                "log_rewound",
                f"Position {self._position} of {self._stream.name} lies behind its end, {info.state.last_seq}, or in "
                "an earlier log; what was read from there is to be read again from the start.",
                Kind.STALE,
            )
        consumer = f"follow_{secrets.token_hex(8)}"
        config: dict[str, Any] = {
            "name": consumer,
            "deliver_policy": "by_start_sequence",
            "opt_start_seq": self._position + 1,
            "ack_policy": "none",
            "filter_subject": self._filter,
            "mem_storage": True,
            "num_replicas": 1,
            "inactive_threshold": INACTIVE_S * NANOSECONDS,
        }
        await self._connection.api(
            f"CONSUMER.CREATE.{self._stream.name}.{consumer}.{self._filter}",
            {"stream_name": self._stream.name, "config": config, "action": "create"},
        )
        self._consumer = consumer
        self._deliveries = 0
        self._asked = 0
        self._arrived = []

    async def _ask(self, lines: int) -> None:
        body = {"batch": lines, "expires": EXPIRES_S * NANOSECONDS, "idle_heartbeat": HEARTBEAT_S * NANOSECONDS}
        await self._connection.send(
            f"$JS.API.CONSUMER.MSG.NEXT.{self._stream.name}.{self._consumer}",
            msgspec.json.encode(body),
            reply=f"{self._inbox}.{self._consumer}",
        )
        self._asked += lines

    def _sort(self) -> list[Stored]:
        """What has arrived since the last time: lines to hand on, and the server's words about our questions."""
        arrived, self._arrived = self._arrived, []
        self._news.clear()
        lines: list[Stored] = []
        try:
            for message in arrived:
                delivery = delivery_of(message)
                if delivery is None:
                    self._hear(message)
                    continue
                consumer, position, number = delivery
                if consumer != self._consumer:
                    continue
                if number != self._deliveries + 1:
                    raise _Lost(f"delivery {number} came behind {self._deliveries}")
                self._deliveries = number
                self._asked -= 1
                self._position = position
                lines.append(_stored(position, message))
            if self._dropped:
                raise _Lost("the line dropped")
        except _Lost:
            # What came in order before the loss is good; the loss is found again, or mended, at the next take.
            if not lines:
                raise
            self._consumer = ""
        return lines

    def _hear(self, message: Msg) -> None:
        """A word of the server: a heartbeat, the end of a question, or the end of the consumer."""
        if message.subject.rpartition(".")[2] != self._consumer:
            return
        headers = message.headers or {}
        if headers.get("Status") == HEARTBEAT:
            return
        left = headers.get("Nats-Pending-Messages")
        if left is None:
            raise _Lost(f"{headers.get('Status')} {headers.get('Description')}")
        self._asked -= int(left)

    async def _leave(self) -> None:
        """Let the server forget the consumer now rather than in ``INACTIVE_S``. Nobody waits for the answer."""
        consumer, self._consumer = self._consumer, ""
        if consumer and not self._connection.closed:
            with suppress(Unanswered):
                await self._connection.send(f"$JS.API.CONSUMER.DELETE.{self._stream.name}.{consumer}", b"")

    async def _on_message(self, message: Msg) -> None:
        self._arrived.append(message)
        self._news.set()

    def _on_drop(self) -> None:
        self._dropped = True
        self._news.set()


def _stored(position: Position, message: Msg) -> Stored:
    traceparent = (message.headers or {}).get("traceparent") if is_tracing() else None
    return Traced(position, message.data, traceparent) if traceparent else Stored(position, message.data)


def delivery_of(message: Msg) -> tuple[str, Position, int] | None:
    """Consumer, stream sequence and delivery number, from the reply subject; ``None`` for a word of the server.

    ``$JS.ACK.<stream>.<consumer>.<times>.<stream seq>.<delivery>.<time>.<left>``, or, with domain and account behind
    ``ACK``, the longer form that a server may be set to use.
    """
    tokens = message.reply.split(".") if message.reply.startswith("$JS.ACK.") else ()
    if len(tokens) < 9:
        return None
    first = 2 if len(tokens) == 9 else 4
    return tokens[first + 1], int(tokens[first + 3]), int(tokens[first + 4])
