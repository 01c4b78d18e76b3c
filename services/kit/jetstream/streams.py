"""The streams of the log: their names, subjects and configuration, and how they are made and opened.

``MATCHES_00`` holds ``match.00.<game>.<match>``, and so on; ``services/kit/family.py`` names the families. The number
of partitions of a family is fixed when it is made, since a match lies where its id hashes to: it is kept in the
metadata of every stream, and opening with another number is refused. The creation time of a stream is its epoch:
positions mean nothing across two of them.
"""

from typing import Any, Final

import msgspec

from engine.kernel.limits import COMMIT_BYTES_MAX
from engine.kernel.ports import Position, Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.kit.family import Family
from services.kit.jetstream.connection import NOT_FOUND, ApiError, Connection, Unanswered
from services.kit.partition import partition_of

HEADERS_BYTES_MAX: Final = 4 * 1024
"""Room for the envelope beside the line; the server counts both."""

PARTITIONS_KEY: Final = "tavolata.partitions"

DUPLICATE_WINDOW_NS: Final = 100_000_000
"""We send no ``Nats-Msg-Id`` (see ``append``), so nothing is ever in the window; the server wants it above zero."""

NAME_IN_USE: Final = 10058
NOT_YET: Final = frozenset({10005, 10008})
"""A cluster of which some servers are not there yet: no peers for all replicas, or no leader."""

FIXED: Final = ("subjects", "retention", "storage", "discard", "deny_delete", "deny_purge", "allow_direct", "republish")
"""What makes a stream a log. A stream of this name with other values there is not ours to write to."""


class StreamState(msgspec.Struct, frozen=True):
    """``last_ts`` is when the last line was stored, RFC 3339 with up to nine digits of a second."""

    last_seq: Position
    messages: int = 0
    bytes: int = 0
    last_ts: str = ""


class Replica(msgspec.Struct, frozen=True):
    """A follower as the stream's leader sees it. ``current``: it has all that the leader has."""

    current: bool = False
    offline: bool = False


class Cluster(msgspec.Struct, frozen=True):
    """Of a stream that has replicas."""

    replicas: tuple[Replica, ...] = ()


class StreamInfo(msgspec.Struct, frozen=True):
    """What we read of ``STREAM.INFO``; ``created`` is RFC 3339 with nanoseconds."""

    created: str
    config: dict[str, Any]
    state: StreamState
    cluster: Cluster = Cluster()


class _Message(msgspec.Struct, frozen=True):
    seq: Position


class _Got(msgspec.Struct, frozen=True):
    message: _Message


_info = msgspec.json.Decoder(StreamInfo)
_got = msgspec.json.Decoder(_Got)


class Stream(msgspec.Struct, frozen=True):
    """One partition of a family."""

    family: Family
    partition: int

    @property
    def name(self) -> str:
        """``MATCHES_00``."""
        return f"{self.family.stream}_{self.partition:02d}"

    @property
    def subjects(self) -> str:
        """All of them: ``match.00.>``."""
        return f"{self.family.noun}.{self.partition:02d}.>"

    def subject(self, game: str, match: str) -> str:
        """``match.00.<game>.<match>``; ``*`` stands for any game and any match."""
        return f"{self.family.noun}.{self.partition:02d}.{game}.{match}"


def live(subjects: str) -> str:
    """Where the server says what it has stored: ``live.match.00.…``."""
    return f"live.{subjects}"


def stream_config(stream: Stream, partitions: int, *, bytes_max: int, replicas: int) -> dict[str, Any]:
    """``bytes_max`` bounds the stream on disk (0: no bound of its own). Full means refused, never forgotten."""
    return {
        "name": stream.name,
        "subjects": [stream.subjects],
        "retention": "limits",
        "storage": "file",
        "num_replicas": replicas,
        "discard": "new",
        "max_bytes": bytes_max or -1,
        "max_age": 0,
        "max_msgs": -1,
        "max_msgs_per_subject": -1,
        "max_consumers": -1,
        "max_msg_size": COMMIT_BYTES_MAX + HEADERS_BYTES_MAX,
        "deny_delete": True,
        "deny_purge": True,
        "allow_direct": True,
        "republish": {"src": stream.subjects, "dest": live(stream.subjects)},
        "compression": "none",
        "duplicate_window": DUPLICATE_WINDOW_NS,
        "metadata": {PARTITIONS_KEY: str(partitions)},
    }


async def stream_info(connection: Connection, stream: Stream) -> StreamInfo:
    """Raises ``ApiError`` or ``Unanswered``."""
    return _info.decode(await connection.api(f"STREAM.INFO.{stream.name}", {}))


async def create_stream(connection: Connection, config: dict[str, Any]) -> StreamInfo:
    """Make a stream, or find one of the very same configuration. Raises ``ApiError`` or ``Unanswered``."""
    try:
        return _info.decode(await connection.api(f"STREAM.CREATE.{config['name']}", config))
    except ApiError as error:
        if error.err_code in NOT_YET:
            raise Unanswered(str(error)) from error
        raise


async def last_of(connection: Connection, stream: Stream, subject: str) -> Position:
    """The position of the newest line on a subject, which may have wildcards; 0 if there is none.

    Asked of the leader. Raises ``ApiError`` or ``Unanswered``.
    """
    try:
        got = await connection.api(f"STREAM.MSG.GET.{stream.name}", {"last_by_subj": subject})
    except ApiError as error:
        if error.code == NOT_FOUND:
            return 0
        raise
    return _got.decode(got).message.seq


async def open_streams(
    connection: Connection, family: Family, partitions: int, *, create: bool, bytes_max: int, replicas: int
) -> tuple[str, ...]:
    """The epochs of a family's streams; ``create`` makes those that are missing, and never alters one that is there.

    Raises ``Refusal`` (``partitions_fixed``, ``log_foreign``), or ``Unavailable`` if the log does not answer or has
    not been made.
    """
    partition_of("", partitions)
    epochs = []
    for partition in range(partitions):
        stream = Stream(family, partition)
        config = stream_config(stream, partitions, bytes_max=bytes_max, replicas=replicas)

        async def open_one(stream: Stream = stream, config: dict[str, Any] = config) -> StreamInfo:
            try:
                return await stream_info(connection, stream)
            except ApiError as error:
                if error.code != NOT_FOUND:
                    raise Unanswered(str(error)) from error
            if not create:
                raise Unanswered(f"there is no stream {stream.name}; the log has not been made")
            try:
                return await create_stream(connection, config)
            except ApiError as error:
                if error.err_code == NAME_IN_USE:  # somebody made it a moment ago; look at theirs
                    raise Unanswered(str(error)) from error
                raise Unavailable("log_unavailable", f"The log cannot be made: {error}.") from error

        info = await connection.persist(open_one)
        _check(info, partitions, config)
        epochs.append(info.created)
    return tuple(epochs)


def _check(info: StreamInfo, partitions: int, wanted: dict[str, Any]) -> None:
    name = wanted["name"]
    made_with = info.config.get("metadata", {}).get(PARTITIONS_KEY)
    if made_with != str(partitions):
        raise Refusal(
            "partitions_fixed",
            f"The log was made with {made_with or 'no'} partitions, which cannot be changed to {partitions}.",
            Kind.INVALID,
        )
    if info.state.messages != info.state.last_seq:
        raise Refusal(
            "log_lost_lines",
            f"Stream {name} has {info.state.messages} of its {info.state.last_seq} lines; restore it from a copy.",
            Kind.INVALID,
        )
    for field in FIXED:
        if info.config.get(field) != wanted[field]:
            raise Refusal(
                "log_foreign",
                f"Stream {name} has {field} {info.config.get(field)}, not {wanted[field]}; it is not a log of ours.",
                Kind.INVALID,
            )
