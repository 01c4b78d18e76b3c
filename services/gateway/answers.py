"""Answers: to questions with an ETag, so that who has the newest is sent nothing; to commands the first answer again.

No answer to a command is kept. One that was done is known for ever by its key, where it was done, and so is what it
came to; one that was refused has changed nothing and is decided anew. Answers to questions that many ask are kept for a
moment, in ``services/gateway/shared.py``.

An ETag is weak: it is the same for a body as it is and made smaller, and so says what is the same to a reader.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from fastapi import Request
from starlette.responses import Response

from engine.kernel.refusal import Kind, Refusal
from services.gateway.encoding import LEVEL_FOR_EVER, VARY, gzipped, gzipped_beside, is_smaller, takes_gzip

ASK_AGAIN: Final = "no-cache"
"""May be kept, but not shown without asking whether it is still so."""
PRIVATE: Final = "private, no-store"
"""For one pair of eyes: kept nowhere on the way, nor by the browser, and so without an ETag."""
FOR_ONE: Final = f"private, {ASK_AGAIN}"
"""The same of what depends on who asks: nothing between the house and a browser keeps it, a hand least of all."""
REPLAYED: Final = "Idempotent-Replayed"
"""The header of an answer to a repeat."""
FOR_EVER: Final = "public, max-age=31536000, immutable"


class Answer(msgspec.Struct, frozen=True):
    """Whole and ready to be sent, to one or to many."""

    body: bytes
    media_type: str
    tag: str
    smaller: bytes = b""
    """The body by gzip; empty if there is no such form."""

    @property
    def size(self) -> int:
        """In bytes, about what it takes to keep it."""
        return len(self.body) + len(self.smaller) + 500


async def made(body: bytes, media_type: str = "application/json") -> Answer:
    """For many: made smaller at once, without holding up anybody else."""
    smaller = await gzipped_beside(body) if is_smaller(body, media_type) else b""
    return Answer(body, media_type, _tag(body), smaller)


def made_for_ever(body: bytes, media_type: str) -> Answer:
    """As small as it can be, for what is made once."""
    smaller = gzipped(body, LEVEL_FOR_EVER) if is_smaller(body, media_type) else b""
    return Answer(body, media_type, _tag(body), smaller)


async def made_json(body: Any) -> Answer:
    return await made(msgspec.json.encode(body))


def answer(request: Request, body: Any, *, cache: str = FOR_ONE, headers: Mapping[str, str] | None = None) -> Response:
    """``body`` as JSON, for one."""
    return tagged(request, msgspec.json.encode(body), "application/json", cache=cache, headers=headers)


def tagged(
    request: Request, body: bytes, media_type: str, *, cache: str = FOR_ONE, headers: Mapping[str, str] | None = None
) -> Response:
    """``body`` for one, made smaller if who asks takes that."""
    tag = _tag(body)
    is_news = cache == PRIVATE or not is_held(request, tag)
    is_wanted = is_smaller(body, media_type) and takes_gzip(request) and is_news
    smaller = gzipped(body) if is_wanted else b""
    return told(request, Answer(body, media_type, tag, smaller), cache=cache, headers=headers)


def told(
    request: Request, answered: Answer, *, cache: str = ASK_AGAIN, headers: Mapping[str, str] | None = None
) -> Response:
    """In the form that who asks can take; 304 if they have it."""
    head = {"Cache-Control": cache, **(headers or {})}
    if is_smaller(answered.body, answered.media_type):
        head["Vary"] = ", ".join((*filter(None, [head.get("Vary")]), VARY))
    if cache != PRIVATE:
        head["ETag"] = answered.tag
        if is_held(request, answered.tag):
            return Response(status_code=304, headers=head)
    if answered.smaller and takes_gzip(request):
        head["Content-Encoding"] = "gzip"
        return Response(answered.smaller, headers=head, media_type=answered.media_type)
    return Response(answered.body, headers=head, media_type=answered.media_type)


def _tag(body: bytes) -> str:
    return f'W/"{hashlib.sha256(body).hexdigest()[:24]}"'


def is_held(request: Request, tag: str) -> bool:
    """Whether who asks has what is tagged so."""
    asked = request.headers.get("if-none-match", "")
    opaque = tag.removeprefix("W/")
    return asked == "*" or opaque in (each.strip().removeprefix("W/") for each in asked.split(","))


def done(body: Any, *, status: int = 200, replayed: bool, headers: Mapping[str, str] | None = None) -> Response:
    """What a command came to; ``replayed`` if that was known already, and nothing has been done now."""
    head = {"Cache-Control": "no-store", **(headers or {})} | ({REPLAYED: "true"} if replayed else {})
    return Response(msgspec.json.encode(body), status, headers=head, media_type="application/json")


def ndjson(bodies: Iterable[Any]) -> bytes:
    """NDJSON."""
    return b"".join(msgspec.json.encode(each) + b"\n" for each in bodies)


def json_text(value: Any) -> str:
    """What a caller sent, as JSON again. Raises ``Refusal`` for what no other service could read."""
    try:
        return msgspec.json.encode(value).decode()
    except (UnicodeEncodeError, OverflowError, RecursionError, msgspec.MsgspecError):
        raise Refusal("bad_json", "The body holds what is no JSON for us: half a character, a number beyond "
                      "64 bits, or too many levels.", Kind.INVALID) from None  # fmt: skip
