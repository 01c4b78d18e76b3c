"""Reading lines of a partition, those of one match or of all: batched direct get, which nats-py does not offer.

The server sends the lines as one burst of messages, then an end mark (status 204) that says how many are left. Each
message names the sequence of the one before it in the burst, so a hole is noticed.

Direct get is answered by any replica, which may be a moment behind. So the leader is asked first how far the match
goes, and a replica that does not know as much is asked again: who is refused on what was read is refused rightly, a
repeat finds the command that it repeats, and the deck sees the end that the host has seen. Who wants one line, the next
or the last, has it from the leader itself (``STREAM.MSG.GET``), and no replica is asked.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from engine.kernel.ports import Position, Stored, Whole
from services.kit.jetstream.connection import NO_RESPONDERS, NOT_FOUND, ApiError, Connection, Unanswered
from services.kit.jetstream.parser import Answer, number
from services.kit.jetstream.streams import Stream, last_of
from services.kit.tracing import Traced, is_tracing

PAGE_LINES: Final = 1024
"""Asked for at once. There is no flow control in a burst, so this bounds what waits in the connection's buffers."""

PAGE_BYTES: Final = 16 * 1024 * 1024
"""The server ends a burst early beyond this many bytes, and says how many lines are left."""

ALL: Final = ">"
"""Every subject. The server looks at none then, which it does for a pattern that fits them all."""

END_OF_BATCH: Final = "204"
NO_MESSAGE: Final = "404"


class Kept(msgspec.Struct, frozen=True):
    """One line as the leader has it; bytes travel as base64."""

    subject: str
    seq: Position
    data: bytes = b""
    hdrs: bytes = b""

    @property
    def stored(self) -> Stored:
        return stored_of(Answer(self.hdrs, self.data), self.seq)


class _Got(msgspec.Struct, frozen=True):
    message: Kept


_got = msgspec.json.Decoder(_Got)


async def read(
    connection: Connection, stream: Stream, match: str, *, after: Position, limit: int
) -> tuple[Stored, ...]:
    """The lines of a match behind ``after``; ``limit`` 0 means all. Raises ``Unavailable``."""
    if limit == 1:
        asked = {"seq": after + 1, "next_by_subj": stream.subject("*", match)}
        kept = await connection.persist(lambda: kept_by_leader(connection, stream, asked))
        return () if kept is None else (kept.stored,)
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


async def last(connection: Connection, stream: Stream, match: str) -> Stored | None:
    """The newest line of a match. Raises ``Unavailable``."""
    kept = await connection.persist(lambda: newest_of(connection, stream, match))
    return None if kept is None else kept.stored


async def newest_of(connection: Connection, stream: Stream, match: str) -> Kept | None:
    """The newest line of a match as the leader has it; ``None`` for an unknown match. Raises ``Unanswered``."""
    return await kept_by_leader(connection, stream, {"last_by_subj": stream.subject("*", match)})


async def kept_by_leader(connection: Connection, stream: Stream, asked: Mapping[str, object]) -> Kept | None:
    """One line, which the leader is asked for; ``None`` if it has none. Raises ``Unanswered``."""
    try:
        return _got.decode(await connection.api(f"STREAM.MSG.GET.{stream.name}", asked)).message
    except ApiError as error:
        if error.code == NOT_FOUND:
            return None
        raise Unanswered(str(error)) from error


async def page(
    connection: Connection, stream: Stream, subjects: str, after: Position, wanted: int
) -> tuple[list[Stored], bool]:
    """Up to ``wanted`` lines on ``subjects``, which may have wildcards, and whether there are more.

    Raises ``Unanswered``; nothing is kept of half a page.
    """
    lines: list[Stored] = []
    before: Position = 0

    def take(answer: Answer) -> None:
        nonlocal before
        lines.append(_stored(answer, before))
        before = lines[-1].position

    asked: dict[str, object] = {"seq": after + 1, "next_by_subj": subjects, "batch": wanted}
    end = await _burst(connection, stream, asked, take)
    return lines, number(end, b"Nats-Num-Pending") > 0


async def page_of_all(connection: Connection, stream: Stream, after: Position, wanted: int) -> list[Stored]:
    """Up to ``wanted`` lines behind ``after``, of whatever match.

    Asked for without headers, which are half of the work of server and reader: positions of a log have no holes, so
    they follow from the first and from the last, which the end mark names. Where that does not come out, a line is
    lost on the way or damaged, and the page is read with headers. Raises ``Unanswered``.
    """
    if not is_tracing():
        lines: list[bytes] = []
        asked: dict[str, object] = {"seq": after + 1, "batch": wanted, "no_hdr": True}
        end = await _burst(connection, stream, asked, lambda answer: lines.append(answer.data))
        if not lines:
            return []
        if number(end, b"Nats-Last-Sequence") == after + len(lines):
            return [Stored(position, line) for position, line in enumerate(lines, after + 1)]
    return (await page(connection, stream, ALL, after, wanted))[0]


async def whole(connection: Connection, stream: Stream, match: str) -> Whole:
    """All lines of a match, and where the newest lies. Raises ``Unavailable``.

    Asked for without headers, which are half of the work of server and reader. The leader has said which line is the
    newest and where it lies, so what comes must end with that line there, and count the revisions up to it; where it
    does not, a line is lost on the way, or damaged, or one has just been added, and ``read`` tells.
    """

    newest = await connection.persist(lambda: newest_of(connection, stream, match))
    if newest is None:
        return Whole((), 0)
    lines: list[bytes] = []
    position: Position = 0

    async def one_page() -> bool:
        nonlocal position
        got: list[bytes] = []
        asked = {"seq": position + 1, "next_by_subj": newest.subject, "batch": PAGE_LINES, "no_hdr": True}
        end = await _burst(connection, stream, asked, lambda answer: got.append(answer.data))
        lines.extend(got)
        position = number(end, b"Nats-Last-Sequence") if got else position
        return bool(got) and position < newest.seq  # without headers, the server does not count what is left

    while await connection.persist(one_page):
        pass
    if position == newest.seq and lines[-1] == newest.data and _count_up(match, lines):
        return Whole(tuple(lines), position)
    stored = await read(connection, stream, match, after=0, limit=0)
    return Whole(tuple(each.line for each in stored), stored[-1].position if stored else 0)


def _count_up(match: str, lines: Sequence[bytes]) -> bool:
    """Whether these are, as far as their beginnings say, the revisions 1, 2, 3 ... of a match."""
    begins = b'{"match":"%b","revision":' % match.encode()
    return all(line.startswith(b"%b%d," % (begins, revision)) for revision, line in enumerate(lines, start=1))


async def _burst(
    connection: Connection, stream: Stream, asked: dict[str, object], take: Callable[[Answer], None]
) -> Answer:
    """Hand each line of a batch to ``take``, which may raise ``Unanswered``; the end mark."""
    done: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

    def hear(answer: Answer) -> None:
        if done.done():
            return
        try:
            if _ended(answer):
                done.set_result(answer)
            else:
                take(answer)
        except Unanswered as error:
            done.set_exception(error)

    token, subject = connection.expect(hear), _question(connection, stream)
    connection.wait_for(done, subject)
    try:
        body = msgspec.json.encode(asked | {"max_bytes": PAGE_BYTES})
        await connection.send(subject, body, reply=connection.inbox_of(token))
        connection.expire(done)
        return await done
    finally:
        connection.forget(token)
        connection.stop_waiting(done)


def _question(connection: Connection, stream: Stream) -> str:
    return connection.api_subject(f"DIRECT.GET.{stream.name}")


def _ended(answer: Answer) -> bool:
    """Whether this is no line but the word that no more will come. Raises ``Unanswered`` for any other word."""
    if answer.is_stored:
        return False
    status = answer.status
    if status in (END_OF_BATCH, NO_MESSAGE):
        return True
    said = "nobody listens" if status == NO_RESPONDERS else answer.description or "no reason given"
    raise Unanswered(f"the log answered {status}: {said}")


def _stored(answer: Answer, before: Position) -> Stored:
    """The line in an answer. ``before`` is the position of the last line of this burst, 0 for the first."""
    position = number(answer, b"Nats-Sequence")
    if not position:
        raise Unanswered("the log answered without a position")
    if before and number(answer, b"Nats-Last-Sequence") != before:
        raise Unanswered(f"a line behind position {before} was lost on the way")
    return stored_of(answer, position)


def stored_of(answer: Answer, position: Position) -> Stored:
    """The line that a message of the log holds."""
    traceparent = answer.header(b"traceparent") if is_tracing() else None
    if traceparent is not None:
        return Traced(position, answer.data, traceparent.decode(errors="replace"))
    return Stored(position, answer.data)
