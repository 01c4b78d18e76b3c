"""Every error as ``application/problem+json`` (RFC 9457): a code for programs, a sentence for people.

``type`` is ``about:blank``: what went wrong is told by ``code``, a literal that does not change and stands in
docs/how-to/what-can-go-wrong.md; a gateway does not serve that page. ``detail`` is a sentence, and ``revision``, where
there is one, the revision that the match or event stands at now, so that whoever was refused can look before trying
again.
"""

import uuid
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from engine.kernel.ports import Conflict, Failed, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, clip
from services.kit.telemetry import REFUSALS

MEDIA_TYPE: Final = "application/problem+json"

STATUS: Final = {
    Kind.INVALID: HTTPStatus.BAD_REQUEST,
    Kind.ILLEGAL: HTTPStatus.CONFLICT,
    Kind.MISSING: HTTPStatus.NOT_FOUND,
    Kind.DENIED: HTTPStatus.FORBIDDEN,
    Kind.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED,
    Kind.STALE: HTTPStatus.PRECONDITION_FAILED,
    Kind.EXISTS: HTTPStatus.CONFLICT,
}

ERRORS_TOLD: Final = 20
"""Of what is wrong with one request."""

logger = structlog.get_logger()


class Refused(Exception):
    """A refusal, with the revision that what was spoken of stands at."""

    def __init__(self, refusal: Refusal, revision: Revision) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal
        self.revision = revision


def problem(status: int, code: str, sentence: str, *, headers: dict[str, str] | None = None, **more: Any) -> Response:
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "code": code,
        "detail": sentence,
        **more,
    }
    REFUSALS.labels(code).inc()
    return Response(msgspec.json.encode(body), status, headers={"Cache-Control": "no-store"} | (headers or {}),
                    media_type=MEDIA_TYPE)  # fmt: skip


def problem_of(error: Exception) -> Response:
    """What is said about an error that the house raises on purpose; ``Refusal``, ``Unavailable`` and the like."""
    match error:
        case Refused(refusal=refusal, revision=revision):
            return problem(STATUS[refusal.kind], refusal.code, refusal.sentence, revision=revision)
        case Refusal(code=code, sentence=sentence, kind=kind):
            wanted = {"WWW-Authenticate": "Bearer"} if kind is Kind.UNAUTHENTICATED else None
            return problem(STATUS[kind], code, sentence, headers=wanted)
        case Unavailable(code=code, sentence=sentence):
            return problem(HTTPStatus.SERVICE_UNAVAILABLE, code, sentence, headers={"Retry-After": "1"})
        case Conflict():
            return problem(
                HTTPStatus.SERVICE_UNAVAILABLE, "conflict", "Others moved at the same time; send the same again.",
                headers={"Retry-After": "1"},
            )  # fmt: skip
        case Failed(code=code, sentence=sentence):
            return problem(HTTPStatus.INTERNAL_SERVER_ERROR, code, sentence)
        case _:
            error_id = uuid.uuid4().hex[:12]
            logger.error("internal_error", error_id=error_id, exc_info=error)
            sentence = f"Something went wrong on our side (error {error_id})."
            return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal_error", sentence)


KEY_MISSING: Final = "A POST needs an Idempotency-Key: 1 to 64 of A-Z a-z 0-9 _ -, kept for every retry."


def add_to(app: FastAPI, page: Callable[[Request, int], Response | None]) -> None:
    """``page`` is what somebody who browses is shown instead, where there is nothing at an address; None where it is
    nobody who browses."""

    async def told(request: Request, error: Exception) -> Response:
        return problem_of(error)

    async def misread(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return page(request, HTTPStatus.BAD_REQUEST) or misread_problem(
            error.errors(), request.headers.get("content-type", "")
        )

    async def no_such(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        shown = page(request, HTTPStatus.NOT_FOUND) if error.status_code == HTTPStatus.NOT_FOUND else None
        return shown or _http_problem(app, request, error)

    for kind in (Refused, Refusal, Unavailable, Conflict, Failed):
        app.add_exception_handler(kind, told)
    app.add_exception_handler(RequestValidationError, misread)
    app.add_exception_handler(HTTPException, no_such)


def misread_problem(errors: Sequence[Any], media_type: str = "application/json") -> Response:
    """What a request has that it should not have, or lacks; ``errors`` as pydantic tells them."""
    first = errors[0]
    if tuple(first["loc"]) == ("header", "Idempotency-Key"):
        return key_missing()
    if tuple(first["loc"]) == ("body",) and first["type"] != "missing" and not is_json(media_type):
        return unknown_media_type("application/json")
    where = ".".join(map(_printable, first["loc"]))
    told = [{"where": ".".join(map(_printable, each["loc"])), "what": each["msg"]} for each in errors[:ERRORS_TOLD]]
    return problem(HTTPStatus.BAD_REQUEST, "bad_request", f"{where}: {first['msg']}.", errors=told)


def key_missing() -> Response:
    return problem(HTTPStatus.BAD_REQUEST, "key_missing", KEY_MISSING)


def unknown_media_type(*wanted: str) -> Response:
    sentence = f"The body has to be {' or '.join(wanted)}, and its Content-Type has to say so."
    return problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unknown_media_type", sentence)


def is_json(media_type: str) -> bool:
    essence = media_type.partition(";")[0].strip().lower()
    return essence == "application/json" or (essence.startswith("application/") and essence.endswith("+json"))


def _printable(part: object) -> str:
    """Of an unknown field this is its name, which may be anything."""
    return clip(part)[1:-1] if isinstance(part, str) else str(part)


def _http_problem(app: FastAPI, request: Request, error: HTTPException) -> Response:
    status, headers = error.status_code, dict(error.headers or {})
    path, method = clip(request.url.path), request.method
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_methods(app, request))
        if method == "OPTIONS":
            return Response(status_code=HTTPStatus.NO_CONTENT, headers={"Allow": headers["Allow"]})
    sentence = {
        404: f"There is nothing at {path}.",
        405: f"{path} takes {headers.get('Allow', 'nothing')}, not {clip(method)}.",
    }.get(status, f"{str(error.detail).rstrip('.')}.")
    return problem(status, _code_of(status), sentence, headers=headers)


def _code_of(status: int) -> str:
    match status:
        case HTTPStatus.NOT_FOUND:
            code = "no_such_page"
        case HTTPStatus.METHOD_NOT_ALLOWED:
            code = "no_such_method"
        case HTTPStatus.NOT_ACCEPTABLE:
            code = "not_acceptable"
        case HTTPStatus.REQUEST_TIMEOUT:
            code = "body_too_slow"
        case HTTPStatus.SERVICE_UNAVAILABLE:
            code = "service_stopping"
        case HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            code = "body_too_large"
        case _:
            code = "bad_request"
    return code


def _methods(app: FastAPI, request: Request) -> list[str]:
    """What may be asked of this address, whoever answers it."""
    found = {"OPTIONS"}
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        scope = {**request.scope, "method": method}
        if any(route.matches(scope)[0] is Match.FULL for route in app.routes):
            found |= {method, "HEAD"} if method == "GET" else {method}
    return sorted(found)
