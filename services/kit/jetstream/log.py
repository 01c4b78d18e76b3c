"""The event log on JetStream: ``ports.Log`` over one connection."""

from collections.abc import AsyncGenerator, Sequence
from time import perf_counter
from types import TracebackType
from typing import Final, Self

import structlog

from engine.kernel.ports import Appended, Bounds, Position, Stored
from engine.kernel.value import check_id
from services.kit.family import MATCHES, Family
from services.kit.jetstream.append import Traceparent, append
from services.kit.jetstream.beats import JetStreamBeats, make_beats
from services.kit.jetstream.connection import ApiError, Connection, Logger, Unanswered
from services.kit.jetstream.credentials import STRANGER, Login
from services.kit.jetstream.follow import follow
from services.kit.jetstream.read import read
from services.kit.jetstream.streams import Stream, StreamInfo, last_of, open_streams, stream_info
from services.kit.partition import partition_of
from services.kit.telemetry import APPEND_SECONDS, LOG_BYTES, LOG_BYTES_MAX, LOG_REPLICAS
from services.kit.tracing import span

ASK_S: Final = 1.0
"""One question waits this long for its answer; an honest answer takes a millisecond."""

UNHURRIED_S: Final = 0.02
"""For who follows the log and acts on it within a quarter of a second or more: lines are taken in as often as this."""

PATIENCE_S: Final = 6.0
"""One call of the log asks again this long; a server that was killed is back in one or two seconds."""


class JetStreamLog:
    """Made by ``connect``. An async context manager that closes itself; one event loop uses it."""

    def __init__(
        self, connection: Connection, family: Family, epochs: tuple[str, ...], traceparent: Traceparent | None
    ) -> None:
        self._connection = connection
        self._family = family
        self._streams = tuple(Stream(family, partition) for partition in range(len(epochs)))
        self._epochs = epochs
        self._traceparent = traceparent
        self._seconds = APPEND_SECONDS.labels(family.noun)

    @classmethod
    async def connect(
        cls,
        url: str,
        *,
        login: Login = STRANGER,
        family: Family = MATCHES,
        partitions: int = 1,
        create: bool = False,
        bytes_max: int = 0,
        replicas: int = 1,
        logger: Logger | None = None,
        traceparent: Traceparent | None = None,
        ask_s: float = ASK_S,
        patience_s: float = PATIENCE_S,
        rest_s: float = 0.0,
    ) -> Self:
        """Open the log at ``url`` (servers with commas between them); ``create`` makes it if it is not there, and the
        beats with it, which takes an operator's ``login`` where there are users.

        Each ``family`` is a log of its own, with its own partitions; two of them are two connections.
        ``bytes_max`` (bytes of one partition on disk, 0: no bound) and ``replicas`` matter only when it is made;
        ``partitions`` is fixed from then on. ``traceparent`` tells the trace context of whoever appends.
        A line that is followed may be handed on ``rest_s`` seconds late (``UNHURRIED_S``, or at once), together with
        those that have come meanwhile; an answer is not.

        Raises ``Unavailable`` (``log_unavailable``) if nobody answers within ``patience_s`` or there is no log,
        ``Failed`` (``log_forbidden``) for a user who may not, and ``Refusal`` (``partitions_fixed``, ``log_foreign``)
        if the log there is not the one that was asked for.
        """
        connection = await Connection.open(
            url,
            login=login,
            logger=logger or structlog.get_logger(),
            ask_s=ask_s,
            patience_s=patience_s,
            rest_s=rest_s,
        )
        try:
            epochs = await open_streams(
                connection, family, partitions, create=create, bytes_max=bytes_max, replicas=replicas
            )
            if create:
                await make_beats(connection, replicas)
        except BaseException:
            await connection.close()
            raise
        return cls(connection, family, epochs, traceparent)

    async def close(self) -> None:
        """Followers end with an error; whoever waits for an answer gets ``Unavailable``."""
        await self._connection.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def partitions(self) -> int:
        return len(self._epochs)

    def beats(self) -> JetStreamBeats:
        """When hosts were last there, over the same connection."""
        return JetStreamBeats(self._connection)

    @property
    def connected(self) -> bool:
        """Whether the line is up now; for health checks, not for decisions."""
        return bool(self._connection.client.is_connected)

    async def read(self, match: str, *, after: Position, limit: int = 0) -> tuple[Stored, ...]:
        """See ``ports.Log``. Raises ``Unavailable``, and ``Refusal`` for a malformed id."""
        check_id(f"{self._family.noun} id", match)
        return await read(self._connection, self._stream_of(match), match, after=after, limit=limit)

    async def append(self, game: str, match: str, line: bytes, *, expected: Position) -> Appended:
        """See ``ports.Log``. Raises ``Refusal`` (``commit_too_large``) and ``BadLine`` as ``line_head`` does."""
        started = perf_counter()
        with span("append", game=game):
            appended = await append(
                self._connection,
                self._stream_of(match),
                game,
                match,
                line,
                expected=expected,
                traceparent=self._traceparent,
            )
        self._seconds.observe(perf_counter() - started)
        return appended

    def follow(
        self, partition: int, *, after: Position, game: str | None = None
    ) -> AsyncGenerator[Sequence[Stored], None]:
        """See ``ports.Log``. Raises ``Refusal`` (``log_rewound``) for a position that the log does not have."""
        epoch = self._epochs[partition]
        return follow(self._connection, self._streams[partition], after=after, game=game, epoch=epoch)

    async def bounds(self, partition: int, *, game: str | None = None) -> Bounds:
        """See ``ports.Log``. Raises ``Unavailable``."""

        stream = self._streams[partition]

        async def attempt() -> Bounds:
            try:
                if game is not None:
                    last = await last_of(self._connection, stream, stream.subject(game, "*"))
                    return Bounds(self._epochs[partition], last)
                info = await stream_info(self._connection, stream)
            except ApiError as error:
                raise Unanswered(str(error)) from error
            _tell(stream, info)
            return Bounds(info.created, info.state.last_seq)

        return await self._connection.persist(attempt)

    def _stream_of(self, match: str) -> Stream:
        return self._streams[partition_of(match, self.partitions)]


def _tell(stream: Stream, info: StreamInfo) -> None:
    """What the leader says of its stream, as metrics. Who answers is the leader, and has all."""
    followers = info.cluster.replicas
    offline = sum(each.offline for each in followers)
    current = sum(each.current and not each.offline for each in followers)
    LOG_REPLICAS.labels(stream.name, "current").set(1 + current)
    LOG_REPLICAS.labels(stream.name, "behind").set(len(followers) - current - offline)
    LOG_REPLICAS.labels(stream.name, "offline").set(offline)
    LOG_BYTES.labels(stream.name).set(info.state.bytes)
    bytes_max = info.config.get("max_bytes", -1)
    if bytes_max > 0:
        LOG_BYTES_MAX.labels(stream.name).set(bytes_max)
