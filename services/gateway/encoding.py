"""Bodies as they travel: once as they are, and once more by gzip for whoever takes that.

Only whole bodies are made smaller. A stream is not: what is told has to leave at once. Nor is NDJSON, which is a log
byte for byte or a stream, nor a picture that is small by itself.
"""

import asyncio
import gzip
from typing import Final

from starlette.requests import Request

SMALLER: Final = (
    "application/json",
    "application/manifest+json",
    "image/svg+xml",
    "text/css",
    "text/csv",
    "text/html",
    "text/javascript",
)
"""Media types that are worth it."""

BYTES_MIN: Final = 1_024
"""What fits into one packet anyway is left as it is."""

LEVEL: Final = 5
"""A board of 120 kB becomes 17 kB in 1.2 ms; at 9 it takes eight times as long and becomes 15 kB."""
LEVEL_FOR_EVER: Final = 9
"""For what is made once, when the gateway begins."""

BESIDE_BYTES: Final = 64 * 1_024
"""A larger body is worked on in a thread, which needs no interpreter: the streams go on meanwhile."""

VARY: Final = "Accept-Encoding"


def is_smaller(body: bytes, media_type: str) -> bool:
    """Whether there is a second form of such a body."""
    return len(body) >= BYTES_MIN and media_type.partition(";")[0] in SMALLER


def gzipped(body: bytes, level: int = LEVEL) -> bytes:
    """The same bytes from the same body, whenever it is."""
    return gzip.compress(body, level, mtime=0)


async def gzipped_beside(body: bytes) -> bytes:
    return gzipped(body) if len(body) < BESIDE_BYTES else await asyncio.to_thread(gzipped, body)


def takes_gzip(request: Request) -> bool:
    """As ``Accept-Encoding`` says: by name, or by ``*`` if it is not named; not with a weight of 0."""
    weights: dict[str, bool] = {}
    for each in request.headers.get("accept-encoding", "").lower().split(","):
        coding, _, parameter = each.partition(";")
        name, _, weight = parameter.strip().partition("=")
        weights[coding.strip()] = not (name.strip() == "q" and weight.strip().rstrip("0") in ("", "0", "0.", "."))
    return weights.get("gzip", weights.get("*", False))
