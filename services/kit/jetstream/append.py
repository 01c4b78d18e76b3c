"""The one place that writes to the log. Header names and values are its business alone.

**At most once.** Each append carries ``Nats-Expected-Last-Subject-Sequence``: the stream sequence of the match's last
line. Once the line is stored that number has moved on, so a second copy of the same append cannot be stored, whether it
is a retry, a copy that was in flight when the connection dropped, or one sent an hour later. For the first line of a
match (expected 0) the check is made over the match's id under every game, so that an id is given once.

**Recognising a repeat.** When the check fails we ask the leader for the match's line right behind ``expected``. If it
is ours, byte for byte, the append happened before; otherwise somebody else was first. That is true however long ago it
was and whatever has been appended since.

**No ``Nats-Msg-Id``.** The broker's duplicate check spans the whole stream and some minutes: it would drop a line of
one match that has the id of another, it forgets, and it answers before or after the sequence check depending on the
number of replicas. It adds nothing to the two rules above. **Never ``Nats-Expected-Last-Msg-Id``**: one
mismatch stops a replicated stream for good (nats-server 2.14 and 2.15).

Names are case-sensitive and an empty value is ignored without a word, so no header is built anywhere else.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from engine.kernel.ports import Appended, Conflict, Position, Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.kit.jetstream.client import VERSION
from services.kit.jetstream.connection import ApiError, Connection, Unanswered, raise_failure
from services.kit.jetstream.read import kept_by_leader
from services.kit.jetstream.streams import Stream
from services.kit.line_head import line_head

WRONG_SEQUENCE: Final = 10071
"""The match's last line is another one."""
WRITE_IN_FLIGHT: Final = 10164
"""Replicated streams: another append to the match is being decided. Who wins is not known yet."""
TOO_BIG: Final = 10054
STORE_FAILED: Final = 10077
"""The store's own words follow; full is one of them."""
NO_ROOM: Final = frozenset({10002, 10023, 10028, 10047})
"""Resource limits of the account or the server: storage or memory is spent."""
FULL_WORDS: Final = ("maximum", "no space", "insufficient", "exceeded")

Traceparent = Callable[[], str | None]
"""The W3C trace context of whoever appends."""


class _Ack(msgspec.Struct, frozen=True):
    """Of an append that was taken; ``seq`` is 0 where it was not."""

    seq: Position = 0


_ack = msgspec.json.Decoder(_Ack)


async def append(
    connection: Connection,
    stream: Stream,
    game: str,
    match: str,
    line: bytes,
    *,
    expected: Position,
    traceparent: Traceparent | None = None,
) -> Appended:
    """See ``ports.Log.append``. Raises ``Conflict``, ``Unavailable``, ``Refusal`` and ``BadLine``."""
    subject = stream.subject(game, match)
    headers = _headers(stream, game, match, line, expected, traceparent)

    async def attempt() -> Appended:
        answer = await connection.ask(subject, line, headers)
        position = _ack.decode(answer.data).seq
        if position:
            return Appended(position, repeated=False)
        try:
            raise_failure(answer.data)
        except ApiError as error:
            if error.err_code not in (WRONG_SEQUENCE, WRITE_IN_FLIGHT):
                raise _translated(error) from error
            return await _settle(connection, stream, subject, match, line, expected, error)
        raise Unanswered("an answer that says neither yes nor no")

    return await connection.persist(attempt)


def _headers(
    stream: Stream, game: str, match: str, line: bytes, expected: Position, traceparent: Traceparent | None
) -> bytes:
    """What the broker checks, and the envelope of CloudEvents' binary NATS binding.

    Written in one go. The values are checked names and numbers but for two, the time of the line and the trace of the
    caller: a line's end in them would begin a header of somebody else's choice.
    """
    head = line_head(stream.family, game, match, line)
    at = _one_line(head.at)
    first = "" if expected else f"Nats-Expected-Last-Subject-Sequence-Subject: {stream.subject('*', match)}\r\n"
    trace = traceparent() if traceparent is not None else None
    traced = f"traceparent: {_one_line(trace)}\r\n" if trace else ""
    return (
        f"{VERSION}\r\n"
        f"Nats-Expected-Stream: {stream.name}\r\n"
        f"Nats-Expected-Last-Subject-Sequence: {expected}\r\n"
        "ce-specversion: 1.0\r\n"
        "ce-type: tavolata.commit\r\n"
        f"ce-source: /tavolata/{game}\r\n"
        f"ce-id: {match}/{head.revision}\r\n"
        f"ce-time: {at}\r\n"
        f"ce-subject: {match}\r\n"
        "content-type: application/json\r\n"
        f"{first}{traced}\r\n"
    ).encode()


def _one_line(text: str) -> str:
    return text.replace("\r", " ").replace("\n", " ")


async def _settle(
    connection: Connection,
    stream: Stream,
    subject: str,
    match: str,
    line: bytes,
    expected: Position,
    refusal: ApiError,
) -> Appended:
    """The append was refused for its position: was it a repeat, or was somebody else first?

    The leader is asked: a replica that answers a direct get may be behind.
    """
    scope = subject if expected else stream.subject("*", match)
    behind = await kept_by_leader(connection, stream, {"seq": expected + 1, "next_by_subj": scope})
    if behind is None:
        if refusal.err_code == WRITE_IN_FLIGHT:
            raise Unanswered(f"another append to the {stream.family.noun} is being decided") from refusal
        raise Conflict(f"{stream.family.noun} {match} does not reach position {expected}") from refusal
    if behind.subject == subject and behind.data == line:
        return Appended(behind.seq, repeated=True)
    raise Conflict(f"{stream.family.noun} {match} has moved on since position {expected}")


def _translated(error: ApiError) -> Exception:
    """What an error of the broker means to a caller. ``Unanswered`` is tried again, anything else is told."""
    if error.err_code == TOO_BIG:
        return Refusal("commit_too_large", "The commit is larger than the log takes.", Kind.INVALID)
    full = error.err_code == STORE_FAILED and any(word in error.description for word in FULL_WORDS)
    if full or error.err_code in NO_ROOM:
        return Unavailable("log_full", "The log is full; nothing can be appended until it is given more room.")
    return Unanswered(str(error))
