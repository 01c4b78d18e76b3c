"""What a reader of a stream asks for in its headers: which of the two forms, and from where on."""

from http import HTTPStatus
from typing import Annotated, Final, TypeAlias

from fastapi import Header, Request
from starlette.exceptions import HTTPException

from services.gateway.streams.responder import NDJSON, SSE

LastEventId: TypeAlias = Annotated[
    str, Header(alias="Last-Event-ID", max_length=4_096, description="Where the reader is; taken before `after`.")
]

_WEIGHT_UNREADABLE: Final = 0.0


def takes_lines(request: Request) -> bool:
    """Whether a stream goes out as lines. Raises ``HTTPException`` (406) for a reader that takes neither form."""
    weights = {form: _weight(request, form) for form in (SSE, NDJSON)}
    if not any(weights.values()):
        raise HTTPException(HTTPStatus.NOT_ACCEPTABLE, f"This is told as {SSE} or as {NDJSON}.")
    return weights[NDJSON] > weights[SSE]


def wants_lines(request: Request, *, else_: str) -> bool:
    """Whether a list goes out as lines; whoever takes neither gets ``else_`` all the same."""
    return _weight(request, NDJSON) > _weight(request, else_)


def _weight(request: Request, form: str) -> float:
    """How much a form is wanted: what is said of it, else of its kind, else of everything."""
    accept = ",".join(request.headers.getlist("accept"))
    if not accept.strip():
        return 1.0
    said: dict[str, float] = {}
    for part in accept.split(","):
        name, *parameters = (each.strip() for each in part.lower().split(";"))
        said[name] = next((_number(each[2:]) for each in parameters if each.startswith("q=")), 1.0)
    for name in (form, f"{form.partition('/')[0]}/*", "*/*"):
        if name in said:
            return said[name]
    return 0.0


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return _WEIGHT_UNREADABLE
    return number if 0.0 <= number <= 1.0 else _WEIGHT_UNREADABLE
