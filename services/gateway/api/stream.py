"""Several matches at once, for pages that show several boards."""

from contextlib import AsyncExitStack
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from engine.kernel.ports import Failed
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Spectator
from services.gateway.api import shapes
from services.gateway.api.matches import OneOrNone
from services.gateway.openapi import Errors, failing, streamed
from services.gateway.reach import ID_PATTERN, LanguageQuery, Reached
from services.gateway.streams.accepted import LastEventId, takes_lines
from services.gateway.streams.frames import Frame, trouble_frame
from services.gateway.streams.place import Place
from services.gateway.streams.responder import EventStream
from services.gateway.streams.several import MATCHES_MAX, cursor_of, follow_several

router = APIRouter(prefix="/api", tags=["matches"], default_response_class=Response)


@router.get("/stream", responses={**streamed(shapes.Frame), **failing(Errors.LOOK)})
async def follow_matches(
    request: Request, reach: Reached,
    match: Annotated[
        list[Annotated[str, Query(pattern=ID_PATTERN)]],
        Query(min_length=1, max_length=MATCHES_MAX, description="The ids of matches; each once."),
    ],
    language: LanguageQuery = "en", patches: OneOrNone = "0",
    after: Annotated[str, Query(max_length=4_096, description="A cursor: the id of an event of this stream.")] = "",
    last_event_id: LastEventId = "",
) -> Response:  # fmt: skip
    """Several matches as bystanders see them, on one connection, until all are complete.

    Frames are those of the single streams, each with its `match`. An id is a cursor over all of them, `a:12,b:7`.
    A match that cannot be told is a `problem` among the frames; the others go on.
    """
    as_lines = takes_lines(request)
    cursor = cursor_of(last_event_id or after)
    places: list[Place] = []
    refused: list[Frame] = []
    first: Refusal | Failed | None = None
    async with AsyncExitStack() as stack:
        for each in dict.fromkeys(match):
            joining = reach.hub.join(each, Spectator(), language, cursor.get(each), patches=patches == "1")
            try:
                places.append(await stack.enter_async_context(joining))
            except (Refusal, Failed) as error:
                first = first or error
                refused.append(trouble_frame(error.code, error.sentence, each))
        if not places:
            raise first or Refusal("bad_request", "Say which matches.", Kind.INVALID)
        if last_event_id and all(place.is_past_the_end for place in places):
            return Response(status_code=204, headers={"Cache-Control": "no-store"})
        return EventStream(follow_several(places, refused), stack.pop_all(), as_lines=as_lines)
    raise AssertionError("the stack swallows nothing")
