"""Following one partition: each line comes with a bell, and what bells do not bring is fetched as ``read`` fetches it.

The bell is ``live.…``, which the server publishes for every line that it has stored, with the line in it. Nobody else
can publish there (``docs/decisions/0042-lines-in-the-bell.md``), so the line is the log's. But a bell may be lost,
come twice or come late. So one is taken for the next line only if its position follows the last one; behind a hole
nothing is handed on before what is missing has been fetched, from behind the one thing that is kept, the position of
the last line handed on. Whatever goes wrong (the server is killed, a burst has a hole, the line drops) the next
question starts there.

- Whoever follows one game cannot tell a hole from a line of another game, so there a hole is an everyday thing. What
  comes in ``GATHER_S`` is fetched by one question.
- A bell names a position. A replica that does not know it yet is asked again.
- A line that dropped may have taken bells with it, so after that the leader is asked how far the log goes, and so it is
  after ``QUIET_S`` without a bell. Both times it is looked at whether it is the same log still.
- A bell for an old position and of a new time is of a log that was made anew: then it is looked at, too.
- While a page is taken in that is not the last, the next one is fetched. No more than ``PAGE_LINES`` fetched and
  ``AHEAD_LINES`` heard wait here for a slow taker.

There is no consumer on the server. Whoever may make one may let the server send what is in the log wherever he wants
to, and no permission would see it (``docs/decisions/0033-users-of-the-log.md``).
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from typing import Final

from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from engine.kernel.ports import Position, Stored, Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.kit.jetstream.connection import PAUSE_FIRST_S, PAUSE_MAX_S, ApiError, Connection, Unanswered
from services.kit.jetstream.parser import Answer, number, text
from services.kit.jetstream.read import PAGE_BYTES, PAGE_LINES, page, page_of_all, stored_of
from services.kit.jetstream.streams import Stream, last_of, live, stream_info
from services.kit.telemetry import LOG_READER_RESTARTS

QUIET_S: Final = 5.0

GATHER_S: Final = 0.005
"""From one question for what bells have not brought to the next."""

AHEAD_LINES: Final = 1024
AHEAD_BYTES: Final = PAGE_BYTES
"""Of lines that bells have brought and nobody has taken yet; what comes beyond is fetched later."""


async def follow(
    connection: Connection, stream: Stream, *, after: Position, game: str | None, epoch: str
) -> AsyncGenerator[Sequence[Stored], None]:
    """See ``ports.Log.follow``. Never gives up on a server that is away; ``Unavailable`` means we closed the log.

    Raises ``Refusal`` (``log_rewound``) if the log ends before the position it has reached, or was made anew: then the
    lines that were read before are not the log's any more, and going on would hide it.
    """
    reader = _Reader(connection, stream, after, game, epoch)
    coming: asyncio.Task[list[Stored]] | None = None
    try:
        while True:
            lines = await (coming or reader.take())
            coming = asyncio.create_task(reader.take()) if reader.is_behind else None
            yield lines
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
        await reader.close()


class _Reader:
    def __init__(self, connection: Connection, stream: Stream, after: Position, game: str | None, epoch: str) -> None:
        self._connection = connection
        self._stream = stream
        self._name = stream.name
        self._subjects = stream.subject(game or "*", "*")
        self._wants_all = game is None
        self._epoch = epoch
        self._position = after
        self._subscription: Subscription | None = None
        self._heard: Position = 0
        """The newest position that we have been told of."""
        self._ahead: list[Stored] = []
        """Lines that bells have brought, one position after the other, all of them behind ``_position``."""
        self._ahead_bytes = 0
        self._asked_at = 0.0
        """When we have last asked for lines."""
        self._newest = (0, "")
        """The newest line that we know of, and when it was stored."""
        self._bell: asyncio.Future[None] | None = None
        """Of whoever waits for news."""
        self._sure = False
        """Whether it is the same log, and no bell has been lost, as far as we know."""
        connection.drops.add(self._on_drop)

    @property
    def is_behind(self) -> bool:
        """Whether there are more lines to be fetched, as far as we know."""
        return self._heard > self._position and not self._ahead

    async def take(self) -> list[Stored]:
        """The next lines, at least one."""
        pause = PAUSE_FIRST_S
        while True:
            try:
                if not self._sure:
                    await self._make_sure()
                elif self._heard <= self._position:
                    await self._wait()
                elif lines := self._brought() or await self._fetch():
                    return lines
                else:  # a replica that does not know it yet
                    pause = await self._rest(pause)
            except (Unanswered, ApiError) as error:
                if self._connection.closed:
                    raise Unavailable("log_unavailable", "The connection to the log was closed.") from error
                LOG_READER_RESTARTS.labels(self._stream.name).inc()
                self._connection.logger.info(
                    "log_reader_waits", stream=self._stream.name, position=self._position, error=repr(error)
                )
                pause = await self._rest(pause)

    async def close(self) -> None:
        self._connection.drops.discard(self._on_drop)
        if self._subscription is not None and not self._connection.closed:
            with suppress(NatsError):
                await self._subscription.unsubscribe()

    async def _make_sure(self) -> None:
        """Raises ``Refusal`` if there is no going on, ``ApiError`` or ``Unanswered`` if there may be later."""
        if self._subscription is None:
            try:
                self._subscription = await self._connection.client.listen(live(self._subjects), self._on_bell)
            except NatsError as error:
                raise Unanswered(f"the line is down: {type(error).__name__}") from error
        self._sure, self._heard = True, 0  # unless the line drops from now on, until a bell rings
        try:
            info = await stream_info(self._connection, self._stream)
            last = info.state.last_seq
            if not self._wants_all:
                last = await last_of(self._connection, self._stream, self._subjects)
        except BaseException:
            self._sure = False
            raise
        self._heard = max(self._heard, last)
        self._newest = (info.state.last_seq, _digits(info.state.last_ts))
        if info.created != self._epoch or info.state.last_seq < self._position:
            raise Refusal(
                "log_rewound",
                f"Position {self._position} of {self._stream.name} lies behind its end, {info.state.last_seq}, or in "
                "an earlier log; what was read from there is to be read again from the start.",
                Kind.STALE,
            )

    def _brought(self) -> list[Stored]:
        """What bells have brought, if it is the next lines."""
        lines, self._ahead, self._ahead_bytes = self._ahead, [], 0
        if lines and lines[0].position <= self._position:  # fetched meanwhile
            lines = lines[self._position - lines[0].position + 1 :]
        if not lines:
            return []
        if lines[0].position > self._position + 1:
            self._ahead, self._ahead_bytes = lines, sum(len(each.line) for each in lines)
            return []
        self._position = lines[-1].position
        return lines

    async def _fetch(self) -> list[Stored]:
        """The next page, or nothing: nor is anything taken that may come from another log."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self._asked_at + GATHER_S - loop.time())
        if self._wants_all:
            lines = await page_of_all(self._connection, self._stream, self._position, PAGE_LINES)
        else:
            lines, _ = await page(self._connection, self._stream, self._subjects, self._position, PAGE_LINES)
        if not self._sure:
            return []
        if lines:
            self._position = lines[-1].position
        if len(lines) < PAGE_LINES:
            self._asked_at = loop.time()
        return lines

    async def _rest(self, pause: float) -> float:
        """Before the next try; what we have heard is asked for anew when it does not come."""
        await asyncio.sleep(pause)
        self._sure = self._sure and pause < PAUSE_MAX_S
        return min(2 * pause, PAUSE_MAX_S)

    async def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        self._bell = loop.create_future()
        quiet = loop.call_later(QUIET_S, self._on_drop)
        try:
            await self._bell
        finally:
            quiet.cancel()

    def _on_bell(self, subject: bytes, bell: Answer) -> None:
        position, at = number(bell, b"Nats-Sequence"), _digits(text(bell, b"Nats-Time-Stamp"))
        newest, newest_at = self._newest
        if position > newest:
            self._newest = (position, at)
        elif at > newest_at:
            self._sure = False
        if position > self._heard:
            self._heard = position
            if text(bell, b"Nats-Stream") == self._name:
                self._keep(stored_of(bell, position))
        self._ring()

    def _keep(self, stored: Stored) -> None:
        """A line ahead; behind a hole in what is ahead, or beyond what may wait, what was kept is fetched again."""
        ahead = self._ahead
        size = self._ahead_bytes + len(stored.line)
        if ahead and (ahead[-1].position + 1 != stored.position or len(ahead) >= AHEAD_LINES or size > AHEAD_BYTES):
            ahead.clear()
            size = len(stored.line)
        ahead.append(stored)
        self._ahead_bytes = size

    def _on_drop(self) -> None:
        self._sure = False
        self._ring()

    def _ring(self) -> None:
        if self._bell is not None and not self._bell.done():
            self._bell.set_result(None)


def _digits(timestamp: str) -> str:
    """A time that compares as text; the server leaves out zeros at the end."""
    seconds, _, fraction = timestamp.removesuffix("Z").partition(".")
    return f"{seconds}.{fraction:0<9}"
