"""Beats and bookmarks on JetStream: ``BEATS`` keeps the newest message of each subject ``beat.<game>``, ``BOOKMARKS``
that of each ``bookmark.<partition>.<game>``, and neither any other.

They are made together with the log, with as many replicas. What is asked for comes from the leader, so a beat that has
been acknowledged is in every later answer.
"""

from typing import Any, Final

import msgspec

from engine.kernel.limits import ID_LENGTH_MAX
from engine.kernel.ports import Unavailable
from engine.kernel.value import Instant, instant_of, instant_text
from services.kit.beats import BOOKMARK_VERSION, Bookmark
from services.kit.jetstream.client import header_block
from services.kit.jetstream.connection import NOT_FOUND, ApiError, Connection, Unanswered, raise_failure
from services.kit.jetstream.streams import DUPLICATE_WINDOW_NS, NAME_IN_USE, create_stream

BEATS: Final = "BEATS"
BOOKMARKS: Final = "BOOKMARKS"
BEAT_BYTES_MAX: Final = 256
BOOKMARK_BYTES_MAX: Final = 1_000_000
"""A server takes no message that is much larger. It is room for 14,000 open matches with names of the longest kind."""
assert 14_000 * (ID_LENGTH_MAX + len('"",')) < BOOKMARK_BYTES_MAX

NO_MESSAGE: Final = 10037
"""The stream is there, and nothing on that subject."""


class _Message(msgspec.Struct, frozen=True):
    data: bytes


class _Got(msgspec.Struct, frozen=True):
    message: _Message


_got = msgspec.json.Decoder(_Got)
_bookmark = msgspec.json.Decoder(Bookmark)


class JetStreamBeats:
    """``services.kit.beats.Beats`` over the connection of a log."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def last(self, game: str) -> Instant:
        """See ``Beats``. Raises ``Unavailable``."""

        async def attempt() -> Instant:
            try:
                return instant_of((await self._newest(BEATS, beat_subject(game))).decode())
            except ApiError as error:
                if error.err_code == NO_MESSAGE:
                    return 0
                raise Unanswered(str(error)) from error

        return await self._connection.persist(attempt)

    async def beat(self, game: str, at: Instant) -> None:
        """See ``Beats``. Raises ``Unavailable`` after one try: a beat that came late would stand for a newer one."""
        await self._put(BEATS, beat_subject(game), instant_text(at).encode())

    async def bookmark(self, game: str, partition: int) -> Bookmark | None:
        """See ``Beats``. Raises ``Unavailable``. A log that was made before there were bookmarks has none."""

        async def attempt() -> Bookmark | None:
            try:
                said = await self._newest(BOOKMARKS, bookmark_subject(game, partition))
            except ApiError as error:
                if error.code == NOT_FOUND:
                    return None
                raise Unanswered(str(error)) from error
            try:
                bookmark = _bookmark.decode(said)
            except msgspec.MsgspecError:
                return None
            return bookmark if bookmark.version == BOOKMARK_VERSION else None

        return await self._connection.persist(attempt)

    async def leave(self, game: str, partition: int, bookmark: Bookmark) -> None:
        """See ``Beats``. Raises ``Unavailable`` after one try: the next bookmark is as good."""
        await self._put(BOOKMARKS, bookmark_subject(game, partition), msgspec.json.encode(bookmark))

    async def _newest(self, stream: str, subject: str) -> bytes:
        """Raises ``ApiError``, ``Unanswered``."""
        got = await self._connection.api(f"STREAM.MSG.GET.{stream}", {"last_by_subj": subject})
        return _got.decode(got).message.data

    async def _put(self, stream: str, subject: str, payload: bytes) -> None:
        try:
            answer = await self._connection.ask(subject, payload, header_block({"Nats-Expected-Stream": stream}))
            raise_failure(answer.data)
        except (ApiError, Unanswered) as error:
            raise Unavailable("log_unavailable", f"The log does not take what is for {stream}: {error}.") from error


async def make_beats(connection: Connection, replicas: int) -> None:
    """Make both streams unless they are there. Raises ``Unavailable``."""
    for config in (
        _config(BEATS, beat_subject("*"), BEAT_BYTES_MAX, replicas),
        _config(BOOKMARKS, bookmark_subject("*"), BOOKMARK_BYTES_MAX, replicas),
    ):

        async def attempt(config: dict[str, Any] = config) -> None:
            try:
                await create_stream(connection, config)
            except ApiError as error:
                if error.err_code != NAME_IN_USE:  # it is there, of an earlier version of the house
                    raise Unavailable("log_unavailable", f"The log cannot be made: {error}.") from error

        await connection.persist(attempt)


def beat_subject(game: str) -> str:
    """``beat.<game>``; ``*`` stands for any game."""
    return f"beat.{game}"


def bookmark_subject(game: str, partition: int | None = None) -> str:
    """``bookmark.00.<game>``; of all partitions ``bookmark.*.<game>``, and ``*`` stands for any game."""
    return f"bookmark.{'*' if partition is None else f'{partition:02d}'}.{game}"


def _config(name: str, subjects: str, bytes_max: int, replicas: int) -> dict[str, Any]:
    return {
        "name": name,
        "subjects": [subjects],
        "retention": "limits",
        "storage": "file",
        "num_replicas": replicas,
        "discard": "old",
        "max_msgs_per_subject": 1,
        "max_msg_size": bytes_max,
        "duplicate_window": DUPLICATE_WINDOW_NS,
    }
