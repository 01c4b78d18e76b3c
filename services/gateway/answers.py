"""Answers with an ETag: who has the newest is told so, and sent nothing."""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from fastapi import Request
from starlette.responses import Response

ASK_AGAIN: Final = "no-cache"
"""May be kept, but not shown without asking whether it is still so."""
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
