"""The description of the API, OpenAPI 3.1: how endpoints say what they answer, and what holds for all of them.

Endpoints make their answers themselves, so they name the shapes of them here: ``ok`` for what is answered, ``failing``
for what can go wrong, ``streamed`` for an open answer, ``taking`` for a body that they read themselves. Every error is
one shape, ``Problem``.
"""

from enum import Enum
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from services.gateway.api import shapes
from services.gateway.problems import MEDIA_TYPE
from services.gateway.streams.responder import NDJSON, SSE

ABOUT: Final = """\
Look at matches and events, follow them, and play. Whoever reaches an open house may speak for any seat; a house with
keys wants a token for that, `Authorization: Bearer`, or answers 401 and 403. Every POST has an `Idempotency-Key`: a
repeat under the same key is answered as the first time (`Idempotent-Replayed: true`), and has been done once. Every
error is a Problem with a stable `code`.
"""

_REF: Final = "#/components/schemas/{model}"

_said: dict[str, Any] = {}
"""Name → shape, of all that an endpoint has named here."""


ALWAYS: Final = (400, 401, 403, 404, 406, 409, 429, 431, 500, 503)
ALWAYS_TAKING: Final = (408, 412, 413, 415)
"""What may come of any request, and of any that has a body."""


TAGGED: Final = {"application/json", "image/svg+xml", "image/png"}
"""What is answered to a question has an ETag; an open answer has none."""


class Errors(Enum):
    """What can go wrong, by what is asked."""

    LOOK = ALWAYS
    COMMAND = (*ALWAYS, *ALWAYS_TAKING)


def failing(errors: Errors) -> dict[int | str, dict[str, Any]]:
    """For ``responses=``: these statuses, as problems."""
    return {status: _problem(status) for status in errors.value}


def ok(shape: Any, *, lines: Any = None) -> dict[str, Any]:
    """For ``responses=``: a shape as JSON, or the media type of what is none; ``lines`` if it comes as NDJSON, too."""
    if isinstance(shape, str):
        return {"description": "As it is.", "content": {shape: {"schema": {"type": "string"}}}}
    content = {"application/json": {"schema": _ref(shape)}}
    if lines is not None:
        content[NDJSON] = _lines(lines)
    return {"description": (shape.__doc__ or "Done.").strip().splitlines()[0], "content": content}


def streamed(frame: Any) -> dict[int | str, dict[str, Any]]:
    """For ``responses=``: an open answer whose frames are ``frame``."""
    event = {
        "type": "object",
        "description": "One event. Its data is the frame without the field `event`.",
        "properties": {
            "event": {"type": "string", "examples": ["fact"]},
            "id": {"type": "string", "examples": ["12"]},
            "data": {"type": "string", "contentMediaType": "application/json"},
            "retry": {"type": "integer"},
        },
    }
    content = {SSE: {"schema": event, "x-item-schema": _ref(frame)}, NDJSON: _lines(frame)}
    return {
        200: {"description": "Frames, until there are no more.", "content": content},
        204: {"description": "All of it has been told; do not come again."},
    }


def taking(shape: Any, *, lines: Any) -> dict[str, Any]:
    """For ``openapi_extra=``: the body, as JSON or as NDJSON."""
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ref(shape)}, NDJSON: _lines(lines)},
        }
    }


def add_to(app: FastAPI) -> None:
    """After all routes."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]  # as FastAPI's own manual extends its document


def _document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title=app.title, version=app.version, summary=app.summary, description=ABOUT, routes=app.routes,
        license_info=app.license_info,
    )  # fmt: skip
    schemas: dict[str, Any] = document.setdefault("components", {}).setdefault("schemas", {})
    _said["Problem"] = shapes.Problem
    for name, shape in _said.items():
        made = TypeAdapter(shape).json_schema(ref_template=_REF, mode="serialization")
        schemas.update(made.pop("$defs", {}))
        schemas[name] = made
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for path in document["paths"].values():
        for operation in path.values():
            _complete(operation)
    return document


def _complete(operation: dict[str, Any]) -> None:
    """What holds for every operation: no errors in another shape, and those that may always come."""
    responses: dict[str, Any] = operation["responses"]
    if "HTTPValidationError" in str(responses.get("422")):
        del responses["422"]
    takes = "requestBody" in operation
    content = responses.get("200", {}).get("content", {})
    if SSE in content:
        content.pop("application/json", None)
    declared = {int(status) for status in responses if int(status) >= HTTPStatus.BAD_REQUEST}
    for each in {*declared, *ALWAYS, *(ALWAYS_TAKING if takes else ())}:
        responses[str(each)] = _problem(each)
    for each in ("429", "503"):
        responses[each]["headers"] = {"Retry-After": _header("In seconds.")}
    if takes:
        for status in {"200", "201"} & responses.keys():
            responses[status].setdefault("headers", {})["Idempotent-Replayed"] = _header(
                "`true` on the answer to a repeat: nothing was done now."
            )
    elif TAGGED & content.keys():
        responses["200"].setdefault("headers", {})["ETag"] = _header(
            "Send it as `If-None-Match`, and be told 304 if nothing has changed."
        )
        responses.setdefault("304", {"description": "You have the newest."})
    operation["responses"] = dict(sorted(responses.items()))


def _header(says: str) -> dict[str, Any]:
    return {"description": says, "schema": {"type": "string"}}


def _problem(status: int) -> dict[str, Any]:
    return {
        "description": HTTPStatus(status).phrase,
        "content": {MEDIA_TYPE: {"schema": {"$ref": _REF.format(model="Problem")}}},
    }


def _lines(shape: Any) -> dict[str, Any]:
    """Many of a shape: OpenAPI 3.1 has a word for the text only, so what it is made of is named beside it."""
    return {"schema": {"type": "string"}, "x-item-schema": _ref(shape)}


def _ref(shape: Any) -> dict[str, str]:
    name = getattr(shape, "__name__", "Frame")
    _said[name] = shape
    return {"$ref": _REF.format(model=name)}
