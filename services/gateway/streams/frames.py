"""One thing that is told, encoded once for every reader: as a server-sent event, and as a line of NDJSON.

The id of a fact's frame is its revision, so ``Last-Event-ID`` says where a reader stands; other frames have none and
leave it where it is.
"""

from typing import Any, Final

import msgspec
from tavolata.spectator.v1 import spectator_pb2

from engine.kernel.facts import Fact
from engine.kernel.value import Revision

RETRY_MS: Final = 500
"""After how long a browser comes again; left to itself it waits for about three seconds."""

HELLO: Final = f"retry: {RETRY_MS}\n\n".encode()


class Frame(msgspec.Struct, frozen=True, gc=False):
    """``revision`` is that of what it tells; 0 where there is none."""

    revision: Revision
    sse: bytes
    line: bytes


def frame(event: str, revision: Revision, body: dict[str, Any], *, has_id: bool = False) -> Frame:
    data = msgspec.json.encode(body)
    head = f"event: {event}\nid: {revision}\ndata: " if has_id else f"event: {event}\ndata: "
    line = msgspec.json.encode({"event": event, **body})
    return Frame(revision, head.encode() + data + b"\n\n", line + b"\n")


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


HEARTBEAT: Final = Frame(0, b": still here\n\n", b'{"event":"heartbeat"}\n')


def farewell(retry_ms: int) -> Frame:
    """The gateway stops; after so long somebody will be there again."""
    return Frame(0, f"retry: {retry_ms}\n\n".encode(), b'{"event":"goodbye"}\n')


def end_frame(revision: Revision) -> Frame:
    """The match is complete, and nothing will follow."""
    return frame("end", revision, {"revision": revision})


def trouble_frame(code: str, sentence: str) -> Frame:
    """Nothing more can be told, and why."""
    return frame("problem", 0, {"code": code, "detail": sentence})


_WAITING: Final = {
    spectator_pb2.WAITING_SEATS: "seats",
    spectator_pb2.WAITING_HOUSE: "house",
    spectator_pb2.WAITING_OVER: "over",
}


def waiting_name(waiting: spectator_pb2.Waiting.ValueType) -> str:
    return _WAITING[waiting]
