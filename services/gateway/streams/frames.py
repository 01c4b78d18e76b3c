"""One thing that is told, encoded once for every reader: as a server-sent event, and as a line of NDJSON.

The id of a fact's frame is its revision, so ``Last-Event-ID`` says where a reader stands; other frames have none and
leave it where it is. Every frame that is about a match names it.
"""

import random
from functools import cached_property
from typing import Any, Final

import msgspec
from tavolata.spectator.v1 import spectator_pb2

from engine.kernel.facts import Fact
from engine.kernel.value import Revision

RETRY_MS: Final = 500
"""After how long a browser comes again; left to itself it waits for about three seconds."""

HELLO: Final = f"retry: {RETRY_MS}\n\n".encode()


class Frame(msgspec.Struct, frozen=True, dict=True):
    """``revision`` is that of what it tells; 0 where there is none. The JSON stands in ``sse`` from ``start`` on.

    What a frame is in other forms is made when it is first asked for, and then once for all readers.
    """

    event: str
    revision: Revision
    sse: bytes
    start: int
    has_id: bool = False
    parts: tuple["Frame", ...] = ()
    """The frames it is made of, if they go out together."""

    @property
    def data(self) -> bytes:
        """A JSON object."""
        return self.sse[self.start : -2]

    @cached_property
    def line(self) -> bytes:
        """The same object with its event, on a line."""
        if self.parts:
            return b"".join(part.line for part in self.parts)
        data = self.data
        return b'{"event":"%s"%s%s\n' % (self.event.encode(), b"" if data == b"{}" else b",", data[1:])

    @cached_property
    def sse_chunk(self) -> bytes:
        """``sse`` as a chunk of an answer that has no length."""
        return _chunk(self.sse)

    @cached_property
    def line_chunk(self) -> bytes:
        return _chunk(self.line)

    @cached_property
    def events(self) -> tuple[str, ...]:
        """Of the frames it is made of, or its own."""
        return tuple(part.event for part in self.parts or (self,))

    def under(self, event: str, mark: str) -> "Frame":
        """What it tells, as another event, with an id of the stream it stands in; without one for no mark."""
        head = f"event: {event}\nid: {mark}\ndata: " if mark else f"event: {event}\ndata: "
        return Frame(event, self.revision, b"%s%s\n\n" % (head.encode(), self.data), len(head), bool(mark))


def _chunk(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(body), body)


def frame(event: str, revision: Revision, body: dict[str, Any], *, has_id: bool = False) -> Frame:
    head = f"event: {event}\nid: {revision}\ndata: " if has_id else f"event: {event}\ndata: "
    return Frame(event, revision, b"%s%s\n\n" % (head.encode(), msgspec.json.encode(body)), len(head), has_id)


def together(parts: tuple[Frame, ...]) -> Frame:
    """Several that are sent at once; each is still a frame of its own to the reader."""
    if len(parts) == 1:
        return parts[0]
    return Frame("", parts[-1].revision, b"".join(part.sse for part in parts), 0, parts=parts)


def fact_frame(fact: Fact) -> Frame:
    return frame("fact", fact.revision, fact_body(fact), has_id=True)


def fact_body(fact: Fact) -> dict[str, Any]:
    return {
        "match": fact.match,
        "revision": fact.revision,
        "at": fact.at,
        "actor": fact.actor,
        "events": [{"type": each.type, "v": each.v, "data": each.data} for each in fact.events],
        "words": fact.words,
    }


def _bare(event: str, sse: bytes) -> Frame:
    """A frame that says nothing but what it is."""
    return Frame(event, 0, sse + b"{}\n\n", len(sse))


HEARTBEAT: Final = _bare("heartbeat", b": ")


def farewell() -> Frame:
    """The gateway stops; somebody will be there again. When to come is drawn for each, so that not all come at once."""
    retry_ms = random.randrange(200, 2_000)  # noqa: S311 - to be unlike other readers', not to be secret
    return _bare("goodbye", f"retry: {retry_ms}\n: ".encode())


def away_frame(match: str) -> Frame:
    """The house cannot be reached just now. What is missed meanwhile will be told."""
    return frame("away", 0, {"match": match})


def end_frame(match: str, revision: Revision) -> Frame:
    """The match is complete, and nothing will follow."""
    return frame("end", revision, {"match": match, "revision": revision})


def trouble_frame(code: str, sentence: str, match: str = "") -> Frame:
    """Nothing more can be told, and why."""
    of = {"match": match} if match else {}
    return frame("problem", 0, of | {"code": code, "detail": sentence})


_WAITING: Final = {
    spectator_pb2.WAITING_SEATS: "seats",
    spectator_pb2.WAITING_HOUSE: "house",
    spectator_pb2.WAITING_OVER: "over",
}


def waiting_name(waiting: spectator_pb2.Waiting.ValueType) -> str:
    return _WAITING[waiting]
