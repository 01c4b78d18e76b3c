"""Reading lines of a partition, those of one match or of all: batched direct get, which nats-py does not offer.

The server sends the lines as one burst of messages, then an end mark (status 204) that says how many are left. Each
message names the sequence of the one before it in the burst, so a hole is noticed.

Direct get is answered by any replica, which may be a moment behind. So the leader is asked first how far the match
goes, and a replica that does not know as much is asked again: who is refused on what was read is refused rightly, a
repeat finds the command that it repeats, and the deck sees the end that the host has seen.
"""

import asyncio
from typing import Final

import msgspec
from nats.aio.msg import Msg

from engine.kernel.ports import Position, Stored
from services.kit.jetstream.connection import NO_RESPONDERS, ApiError, Connection, Unanswered
from services.kit.jetstream.streams import Stream, last_of
from services.kit.tracing import Traced, is_tracing

PAGE_LINES: Final = 512
"""Asked for at once. There is no flow control in a burst, so this bounds what waits in the connection's buffers."""

PAGE_BYTES: Final = 16 * 1024 * 1024
"""The server ends a burst early beyond this many bytes, and says how many lines are left."""

END_OF_BATCH: Final = "204"
NO_MESSAGE: Final = "404"


async def read(
    connection: Connection, stream: Stream, match: str, *, after: Position, limit: int
) -> tuple[Stored, ...]:
    """The lines of a match behind ``after``; ``limit`` 0 means all. Raises ``Unavailable``."""
    lines: list[Stored] = []

    async def ask_leader() -> Position:
        try:
            return await last_of(connection, stream, stream.subject("*", match))
        except ApiError as error:
            raise Unanswered(str(error)) from error

    newest = await connection.persist(ask_leader)
    position, more = after, newest > after

    async def one_page() -> bool:
        nonlocal position
        wanted = min(PAGE_LINES, limit - len(lines)) if limit else PAGE_LINES
        got, left = await page(connection, stream, stream.subject("*", match), position, wanted)
        lines.extend(got)
        if got:
            position = got[-1].position
        if limit and len(lines) == limit:
            return False
        if not left and position < newest:
            raise Unanswered(f"the replica that answered does not know position {newest} yet")
        return left

    while more:
        more = await connection.persist(one_page)
    return tuple(lines)


async def page(
    connection: Connection, stream: Stream, subjects: str, after: Position, wanted: int
) -> tuple[list[Stored], bool]:
    """Up to ``wanted`` lines on ``subjects``, which may have wildcards, and whether there are more.

    Raises ``Unanswered``; nothing is kept of half a page.
    """
    subject = connection.api_subject(f"DIRECT.GET.{stream.name}")
    asked: dict[str, object] = {"seq": after + 1, "next_by_subj": subjects}
    if wanted == 1:  # one message and no end mark: the cheap question of a reader who wants to know the next line
        answer = await connection.ask(subject, msgspec.json.encode(asked))
        stored = _stored(answer, 0)
        return ([], False) if stored is None else ([stored], True)
    asked |= {"batch": wanted, "max_bytes": PAGE_BYTES}
    lines: list[Stored] = []
    done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def take(message: Msg) -> None:
        if done.done():
            return
        try:
            headers = message.headers or {}
            if headers.get("Status") == END_OF_BATCH:
                done.set_result(int(headers.get("Nats-Num-Pending", "0")) > 0)
                return
            stored = _stored(message, lines[-1].position if lines else 0)
            if stored is None:
                done.set_result(False)
            else:
                lines.append(stored)
        except Unanswered as error:
            done.set_exception(error)

    token = connection.expect(take)
    connection.wait_for(done, subject)
    try:
        await connection.send(subject, msgspec.json.encode(asked), reply=connection.inbox_of(token))
        async with asyncio.timeout(connection.ask_s):
            return lines, await done
    except TimeoutError as error:
        raise Unanswered(f"the lines did not all come within {connection.ask_s} s") from error
    finally:
        connection.forget(token)
        connection.stop_waiting(done)


def _stored(message: Msg, before: Position) -> Stored | None:
    """The line in an answer; ``None`` if there is none. ``before`` is the position of the last line of this burst."""
    headers = message.headers or {}
    status = headers.get("Status")
    if status == NO_MESSAGE:
        return None
    if status is not None:
        said = "nobody listens" if status == NO_RESPONDERS else headers.get("Description", "no reason given")
        raise Unanswered(f"the log answered {status}: {said}")
    if before and int(headers.get("Nats-Last-Sequence", before)) != before:
        raise Unanswered(f"a line behind position {before} was lost on the way")
    return stored_of(message, int(headers["Nats-Sequence"]))


def stored_of(message: Msg, position: Position) -> Stored:
    """The line that a message of the log holds."""
    if is_tracing() and message.headers is not None:
        traceparent = message.headers.get("traceparent")
        if traceparent is not None:
            return Traced(position, message.data, traceparent)
    return Stored(position, message.data)
