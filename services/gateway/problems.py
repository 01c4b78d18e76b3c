"""Every error as ``application/problem+json`` (RFC 9457): a code for programs, a sentence for people.

``type`` names the row of the list of codes, ``code`` is the literal of the refusal, ``detail`` its sentence, and
``revision``, where there is one, the revision that the match or event stands at now, so that whoever was refused can
look before trying again.
"""

from http import HTTPStatus
from typing import Any, Final

import msgspec
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from engine.kernel.ports import Conflict, Failed, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, clip

MEDIA_TYPE: Final = "application/problem+json"

STATUS: Final = {
    Kind.INVALID: HTTPStatus.BAD_REQUEST,
    Kind.ILLEGAL: HTTPStatus.CONFLICT,
    Kind.MISSING: HTTPStatus.NOT_FOUND,
    Kind.DENIED: HTTPStatus.FORBIDDEN,
    Kind.STALE: HTTPStatus.PRECONDITION_FAILED,
    Kind.EXISTS: HTTPStatus.CONFLICT,
}

logger = structlog.get_logger()


class Refused(Exception):
    """A refusal, with the revision that what was spoken of stands at."""

    def __init__(self, refusal: Refusal, revision: Revision) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal
        self.revision = revision


def problem(status: int, code: str, sentence: str, *, headers: dict[str, str] | None = None, **more: Any) -> Response:
    body = {
        "type": f"/docs/what-can-go-wrong#{code}",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "code": code,
        "detail": sentence,
        **more,
    }
    return Response(msgspec.json.encode(body), status, headers={"Cache-Control": "no-store"} | (headers or {}),
                    media_type=MEDIA_TYPE)  # fmt: skip


def problem_of(error: Exception) -> Response:
    """What is said about an error that the house raises on purpose; ``Refusal``, ``Unavailable`` and the like."""
    match error:
        case Refused(refusal=refusal, revision=revision):
            return problem(STATUS[refusal.kind], refusal.code, refusal.sentence, revision=revision)
        case Refusal(code=code, sentence=sentence, kind=kind):
            return problem(STATUS[kind], code, sentence)
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
            logger.error("internal_error", exc_info=error)
            return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal_error", "Something went wrong on our side.")


def add_to(app: FastAPI) -> None:
    async def told(request: Request, error: Exception) -> Response:
        return problem_of(error)

    async def misread(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        errors = [{"where": ".".join(map(str, each["loc"])), "what": each["msg"]} for each in error.errors()[:20]]
        return problem(HTTPStatus.BAD_REQUEST, "bad_request", f"{where}: {first['msg']}.", errors=errors)

    async def no_such(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = {404: "no_such_page", 405: "no_such_method"}.get(error.status_code, "bad_request")
        sentence = {
            404: f"There is nothing at {clip(request.url.path)}.",
            405: f"{clip(request.url.path)} does not take {request.method}.",
        }.get(error.status_code, f"{error.detail}.")
        return problem(error.status_code, code, sentence, headers=dict(error.headers or {}))

    for kind in (Refused, Refusal, Unavailable, Conflict, Failed, Exception):
        app.add_exception_handler(kind, told)
    app.add_exception_handler(RequestValidationError, misread)
    app.add_exception_handler(HTTPException, no_such)
