"""Beats on JetStream: the stream ``BEATS`` keeps the newest message of each subject ``beat.<game>``, and no other.

It is made when it is first needed, with as many replicas as the log has. What is asked for comes from the leader, so a
beat that has been acknowledged is in every later answer.
"""

import base64
from typing import Any, Final

import msgspec

from engine.kernel.ports import Unavailable
from engine.kernel.value import Instant, instant_of, instant_text
from services.kit.jetstream.connection import NOT_FOUND, ApiError, Connection, Unanswered, raise_failure
from services.kit.jetstream.streams import DUPLICATE_WINDOW_NS, NAME_IN_USE, Stream, stream_info

STREAM: Final = "BEATS"
MESSAGE_BYTES_MAX: Final = 256


class _Message(msgspec.Struct, frozen=True):
    data: str


class _Got(msgspec.Struct, frozen=True):
    message: _Message


_got = msgspec.json.Decoder(_Got)


class JetStreamBeats:
    """``services.kit.beats.Beats`` over the connection of a log; ``log`` is one of its streams."""

    def __init__(self, connection: Connection, log: Stream) -> None:
        self._connection = connection
        self._log = log
        self._made = False

    async def last(self, game: str) -> Instant:
        """See ``Beats``. Raises ``Unavailable``."""

        async def attempt() -> Instant:
            await self._make()
            try:
                got = await self._connection.api(f"STREAM.MSG.GET.{STREAM}", {"last_by_subj": _subject(game)})
            except ApiError as error:
                if error.code == NOT_FOUND:
                    return 0
                raise self._lost(error) from error
            return instant_of(base64.b64decode(_got.decode(got).message.data).decode())

        return await self._connection.persist(attempt)

    async def beat(self, game: str, at: Instant) -> None:
        """See ``Beats``. Raises ``Unavailable`` after one try: a beat that came late would stand for a newer one."""
        try:
            await self._make()
            answer = await self._connection.ask(
                _subject(game), instant_text(at).encode(), {"Nats-Expected-Stream": STREAM}
            )
            raise_failure(answer.data)
        except (ApiError, Unanswered) as error:
            raise Unavailable("log_unavailable", f"The log does not take a beat: {self._lost(error)}.") from error

    async def _make(self) -> None:
        """Raises ``Unanswered``."""
        if self._made:
            return
        try:
            replicas = (await stream_info(self._connection, self._log)).config.get("num_replicas", 1)
            await self._connection.api(f"STREAM.CREATE.{STREAM}", _config(replicas))
        except ApiError as error:
            if error.err_code != NAME_IN_USE:  # it is there, of an earlier version of the house
                raise Unanswered(str(error)) from error
        self._made = True

    def _lost(self, error: Exception) -> Unanswered:
        """Whatever was wrong: the next try looks again whether the stream is there."""
        self._made = False
        return Unanswered(str(error))


def _subject(game: str) -> str:
    return f"beat.{game}"


def _config(replicas: int) -> dict[str, Any]:
    return {
        "name": STREAM,
        "subjects": [_subject("*")],
        "retention": "limits",
        "storage": "file",
        "num_replicas": replicas,
        "discard": "old",
        "max_msgs_per_subject": 1,
        "max_msg_size": MESSAGE_BYTES_MAX,
        "duplicate_window": DUPLICATE_WINDOW_NS,
    }
