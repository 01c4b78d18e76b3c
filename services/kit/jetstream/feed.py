"""Core NATS as the ``Publisher`` of the public feed: heard by whoever listens now, stored by nobody."""

from types import TracebackType
from typing import Self

import structlog
from nats.errors import Error

from engine.kernel.ports import Unavailable
from services.kit.jetstream.client import NatsClient
from services.kit.jetstream.connection import forbidden
from services.kit.jetstream.credentials import STRANGER, Login
from services.kit.jetstream.dial import dialled

FLUSH_S = 5

logger = structlog.get_logger()


class CorePublisher:
    """One connection that reconnects for ever. Raises ``Unavailable`` when the server does not take what was sent, and
    at the first ``flush`` after the line has dropped: what was on it then is on no other line.
    """

    def __init__(self, client: NatsClient) -> None:
        self._client = client
        self._has_dropped = False

    @classmethod
    async def connect(cls, url: str, *, login: Login = STRANGER) -> Self:
        client = NatsClient()
        publisher = cls(client)
        try:
            await client.connect(
                **dialled(url), error_cb=_on_error, disconnected_cb=publisher._on_drop, **login.options
            )
            return publisher
        except (Error, OSError) as error:
            raise Unavailable("log_unavailable", f"No NATS server answers at {url}.") from error

    async def publish(self, subject: str, payload: bytes) -> None:
        try:
            self._client.put(subject, payload)
        except Error as error:
            raise Unavailable("feed_unavailable", f"The feed cannot be published: {error}.") from error

    async def flush(self) -> None:
        try:
            await self._client.flush(FLUSH_S)
        except Error as error:
            raise Unavailable("feed_unavailable", f"The feed cannot be published: {error}.") from error
        if self._has_dropped:
            self._has_dropped = False
            raise Unavailable("feed_unavailable", "The line of the feed has dropped; what was on it may be lost.")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    async def _on_drop(self) -> None:
        self._has_dropped = True


async def _on_error(error: Exception) -> None:
    """What is published without a right to is gone without an answer; this is all that is heard of it."""
    told = forbidden(error)
    if told is None:
        logger.info("feed_connection_error", error=repr(error))
    else:
        logger.error("log_forbidden", deed=told[0], subject=told[1])
