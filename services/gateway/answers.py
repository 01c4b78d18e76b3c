"""Answers: to questions with an ETag, so that who has the newest is sent nothing; to commands the first answer again.

The gateway keeps no answers. A command that was done is known for ever by its key, where it was done, and so is what it
came to; one that was refused has changed nothing and is decided anew.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from fastapi import Request
from starlette.responses import Response

from engine.kernel.refusal import Kind, Refusal

ASK_AGAIN: Final = "no-cache"
"""May be kept, but not shown without asking whether it is still so."""
REPLAYED: Final = "Idempotent-Replayed"
"""The header of an answer to a repeat."""
FOR_EVER: Final = "public, max-age=31536000, immutable"


def answer(
    request: Request, body: Any, *, cache: str = ASK_AGAIN, headers: Mapping[str, str] | None = None
) -> Response:
    """``body`` as JSON."""
    return tagged(request, msgspec.json.encode(body), "application/json", cache=cache, headers=headers)


def tagged(
    request: Request, body: bytes, media_type: str, *, cache: str = ASK_AGAIN, headers: Mapping[str, str] | None = None
) -> Response:
    tag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    head = {"ETag": tag, "Cache-Control": cache, **(headers or {})}
    if is_held(request, tag):
        return Response(status_code=304, headers=head)
    return Response(body, headers=head, media_type=media_type)


def is_held(request: Request, tag: str) -> bool:
    """Whether who asks has what is tagged so."""
    asked = request.headers.get("if-none-match", "")
    return asked == "*" or tag in (each.strip().removeprefix("W/") for each in asked.split(","))


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
