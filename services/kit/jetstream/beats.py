"""Beats on JetStream: the stream ``BEATS`` keeps the newest message of each subject ``beat.<game>``, and no other.

It is made together with the log, with as many replicas. What is asked for comes from the leader, so a beat that has
been acknowledged is in every later answer.
"""

import base64
from typing import Any, Final

import msgspec

from engine.kernel.ports import Unavailable
from engine.kernel.value import Instant, instant_of, instant_text
from services.kit.jetstream.client import header_block
from services.kit.jetstream.connection import ApiError, Connection, Unanswered, raise_failure
from services.kit.jetstream.streams import DUPLICATE_WINDOW_NS, NAME_IN_USE, create_stream

BEATS: Final = "BEATS"
MESSAGE_BYTES_MAX: Final = 256
NO_MESSAGE: Final = 10037
"""The stream is there, and nothing on that subject."""


class _Message(msgspec.Struct, frozen=True):
    data: str


class _Got(msgspec.Struct, frozen=True):
    message: _Message


_got = msgspec.json.Decoder(_Got)


class JetStreamBeats:
    """``services.kit.beats.Beats`` over the connection of a log."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def last(self, game: str) -> Instant:
        """See ``Beats``. Raises ``Unavailable``."""

        async def attempt() -> Instant:
            try:
                got = await self._connection.api(f"STREAM.MSG.GET.{BEATS}", {"last_by_subj": beat_subject(game)})
            except ApiError as error:
                if error.err_code == NO_MESSAGE:
                    return 0
                raise Unanswered(str(error)) from error
            return instant_of(base64.b64decode(_got.decode(got).message.data).decode())

        return await self._connection.persist(attempt)

    async def beat(self, game: str, at: Instant) -> None:
        """See ``Beats``. Raises ``Unavailable`` after one try: a beat that came late would stand for a newer one."""
        try:
            answer = await self._connection.ask(
                beat_subject(game), instant_text(at).encode(), header_block({"Nats-Expected-Stream": BEATS})
            )
            raise_failure(answer.data)
        except (ApiError, Unanswered) as error:
            raise Unavailable("log_unavailable", f"The log does not take a beat: {error}.") from error


async def make_beats(connection: Connection, replicas: int) -> None:
    """Make the stream unless it is there. Raises ``Unavailable``."""

    async def attempt() -> None:
        try:
            await create_stream(connection, _config(replicas))
        except ApiError as error:
            if error.err_code != NAME_IN_USE:  # it is there, of an earlier version of the house
                raise Unavailable("log_unavailable", f"The log cannot be made: {error}.") from error

    await connection.persist(attempt)


def beat_subject(game: str) -> str:
    """``beat.<game>``; ``*`` stands for any game."""
    return f"beat.{game}"


def _config(replicas: int) -> dict[str, Any]:
    return {
        "name": BEATS,
        "subjects": [beat_subject("*")],
        "retention": "limits",
        "storage": "file",
        "num_replicas": replicas,
        "discard": "old",
        "max_msgs_per_subject": 1,
        "max_msg_size": MESSAGE_BYTES_MAX,
        "duplicate_window": DUPLICATE_WINDOW_NS,
    }
