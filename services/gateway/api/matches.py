"""Matches: to look at, to follow, to open and to play."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from engine.kernel.deal import deal_of
from engine.kernel.history import Duplicate
from engine.kernel.limits import PATH_STEPS_MAX, SEATS_MAX
from engine.kernel.refusal import Refusal
from engine.kernel.value import SeatView, Spectator
from services.gateway import asking
from services.gateway.answers import answer, done, json_text, made_json, ndjson, tagged, told
from services.gateway.api import shapes
from services.gateway.api.shapes import Opening
from services.gateway.openapi import Errors, failing, ok, streamed
from services.gateway.reach import (
    Key,
    LanguageQuery,
    MatchId,
    Reached,
    RevisionQuery,
    ViewerQuery,
    id_from,
    kept_by,
    key_reused,
    looker_in,
)
from services.gateway.shared import LISTS
from services.gateway.streams.accepted import LastEventId, takes_lines, wants_lines
from services.gateway.streams.frames import fact_body
from services.gateway.streams.positions import position_body
from services.gateway.streams.responder import NDJSON, EventStream

router = APIRouter(prefix="/api/matches", tags=["matches"], default_response_class=Response)

FACTS_MAX = 5_000
"""Facts in one answer."""

After = Annotated[int | None, Query(ge=0, le=2**31, description="Only what came after this revision.")]
OneOrNone = Annotated[
    str, Query(pattern="^[01]$", description="1: of a position that follows another, only what has changed.")
]


@router.post("", status_code=201, responses={201: ok(shapes.Opened), **failing(Errors.COMMAND)})
async def open_match(opening: Opening, key: Key, reach: Reached) -> Response:
    """Open a match.

    Without `match` its id is made from the key, so a repeat opens nothing else. With it, the id is what a repeat is
    known by: the same opening is answered again, another one is refused (`match_exists`).
    """
    match = opening.match or id_from(key, "m")
    try:
        receipt = await reach.house.rules(opening.game).open(
            match, opening.game, opening.seats, options_json=json_text(opening.options), nonces=opening.nonces,
            players=opening.players, turn_ms=opening.turn_ms, bank_ms=opening.bank_ms,
            increment_ms=opening.increment_ms, on_timeout=opening.on_timeout, delay_ms=opening.delay_ms,
            deal=None if opening.deal is None else deal_of(opening.deal.group, opening.deal.tables),
        )  # fmt: skip
    except Refusal as refusal:
        raise (refusal if opening.match else key_reused(refusal)) from None
    reach.shared.forget(match)
    reach.shared.forget(LISTS)
    body = {"match": match, "revision": receipt.revision}
    location = {"Location": f"/api/matches/{match}"}
    return done(body, status=201, replayed=isinstance(receipt, Duplicate), headers=location)


@router.get("/{match}", responses={200: ok(shapes.Position), **failing(Errors.LOOK)})
async def get_position(
    match: MatchId, request: Request, reach: Reached,
    viewer: ViewerQuery = "spectator", language: LanguageQuery = "en", revision: RevisionQuery = 0,
) -> Response:  # fmt: skip
    """The match at one revision."""
    looking = looker_in(viewer, match)
    if looking == Spectator():
        return told(request, await asking.position(reach, match, language, revision))
    found = await reach.house.spectator.snapshot(match, looking, revision=revision, language=language)
    return answer(request, position_body(found), cache=kept_by(looking))


@router.get("/{match}/board.svg", responses={200: ok("image/svg+xml"), **failing(Errors.LOOK)})
async def get_board(
    match: MatchId, request: Request, reach: Reached,
    viewer: ViewerQuery = "spectator", language: LanguageQuery = "en", revision: RevisionQuery = 0,
    seen: Annotated[int, Query(ge=0, le=2**31, description="A revision that the caller has been told of.")] = 0,
) -> Response:  # fmt: skip
    """The picture of the match at one revision."""
    looking = looker_in(viewer, match)
    if looking == Spectator():
        return told(request, await asking.board(reach, match, language, revision, seen=seen))
    found = await reach.house.spectator.snapshot(match, looking, revision=revision, language=language)
    return tagged(request, found.svg.encode(), "image/svg+xml", cache=kept_by(looking))


@router.get("/{match}/facts", responses={200: ok(shapes.Facts, lines=shapes.Fact), **failing(Errors.LOOK)})
async def list_facts(
    match: MatchId, request: Request, reach: Reached,
    viewer: ViewerQuery = "spectator", language: LanguageQuery = "en", after: After = 0,
) -> Response:  # fmt: skip
    """What has happened so far, from the beginning or behind a revision.

    At most 5000 revisions at once; as JSON, or a fact a line for `Accept: application/x-ndjson`.
    """
    looking = looker_in(viewer, match)
    newest = (await reach.house.spectator.snapshot(match, looking, language=language)).newest
    found: list[dict[str, Any]] = []
    since = after or 0
    if since < newest:
        async with aclosing(reach.house.spectator.facts(match, looking, after=since, language=language)) as past:
            async for fact in past:
                found.append(fact_body(fact))
                if fact.revision >= newest or len(found) == FACTS_MAX:
                    break
    if wants_lines(request, else_="application/json"):
        return tagged(request, ndjson(found), NDJSON, cache=kept_by(looking), headers={"Vary": "Accept"})
    body = await made_json({"match": match, "facts": found, "newest": newest})
    return told(request, body, cache=kept_by(looking), headers={"Vary": "Accept"})


@router.get("/{match}/stream", responses={**streamed(shapes.Frame), **failing(Errors.LOOK)})
async def follow_match(
    match: MatchId, request: Request, reach: Reached,
    viewer: ViewerQuery = "spectator", language: LanguageQuery = "en", after: After = None, patches: OneOrNone = "0",
    last_event_id: LastEventId = "",
) -> Response:  # fmt: skip
    """The match as it happens: facts and positions, until it is complete.

    As server-sent events, or as lines for `Accept: application/x-ndjson`. The id of an event is its revision;
    `Last-Event-ID` is taken before `after`. A browser that comes again after the end is answered 204, and stays away.
    """
    as_lines = takes_lines(request)
    resumed = last_event_id.isascii() and last_event_id.isdigit()
    since = min(int(last_event_id), 2**31) if resumed else after
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(
            reach.hub.join(match, looker_in(viewer, match), language, since, patches=patches == "1")
        )
        if resumed and place.is_past_the_end:
            return Response(status_code=204, headers={"Cache-Control": "no-store"})
        return EventStream(place.past(), stack.pop_all(), as_lines=as_lines, then=place)
    raise AssertionError("the stack swallows nothing")


@router.get("/{match}/choices", responses={200: ok(shapes.Choices), **failing(Errors.LOOK)})
async def list_choices(
    match: MatchId, request: Request, reach: Reached,
    seat: Annotated[int, Query(ge=0, lt=SEATS_MAX, description="Whoever asks speaks for this seat.")],
    path: Annotated[
        list[Annotated[str, Query(max_length=200)]] | None,
        Query(max_length=PATH_STEPS_MAX, description="The keys of the steps so far."),
    ] = None,
    language: LanguageQuery = "en",
) -> Response:  # fmt: skip
    """What a seat may do next, one step at a time."""
    rules = reach.house.rules(await reach.hub.game_of(match, SeatView(seat)))
    found = await rules.choices(match, seat, path or (), language=language)
    body = {
        "revision": found.revision,
        "prompt": found.prompt,
        "choices": [{"key": each.key, "label": each.label, "place": each.place} for each in found.choices],
        "command": msgspec.Raw(found.command_json.encode()) if found.command_json else None,
    }
    return answer(request, body)


@router.get("/{match}/export", responses={200: ok(NDJSON), **failing(Errors.LOOK)})
async def export_match(match: MatchId, reach: Reached) -> Response:
    """The log of a complete match, byte for byte: a commit a line. Refused while the match is running."""
    pieces = reach.house.spectator.export_pieces(match)
    first = await anext(pieces)  # what is refused is refused before anything has been sent

    async def body() -> AsyncGenerator[bytes, None]:
        yield b"".join(line + b"\n" for line in first)
        async for lines in pieces:
            yield b"".join(line + b"\n" for line in lines)

    headers = {
        "Content-Disposition": f'attachment; filename="{match}.jsonl"',
        "Cache-Control": "public, max-age=3600",
    }
    return _Export(body(), pieces, headers)


class _Export(StreamingResponse):
    """Ends what it is made of when it ends, however that comes about: a call that is left lying is not cancelled."""

    def __init__(
        self, body: AsyncGenerator[bytes, None], pieces: AsyncGenerator[Any, None], headers: dict[str, str]
    ) -> None:
        super().__init__(body, headers=headers, media_type=NDJSON)
        self._body = body
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(self._pieces), aclosing(self._body):
            await super().__call__(scope, receive, send)
