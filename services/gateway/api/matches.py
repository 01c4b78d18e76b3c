"""Matches: to look at, to follow, to open and to play."""

from contextlib import AsyncExitStack, aclosing
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Header, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import SeatView, Viewer
from services.gateway.answers import answer, tagged
from services.gateway.problems import Refused
from services.gateway.reach import Key, LanguageQuery, MatchId, Reach, Reached, ViewerQuery, id_from, viewer_in
from services.gateway.streams.frames import fact_body
from services.gateway.streams.positions import position_body
from services.gateway.streams.responder import EventStream

router = APIRouter(prefix="/api/matches", tags=["matches"])

FACTS_MAX = 5_000
"""Facts in one answer."""

Revision = Annotated[int, Query(ge=0, le=2**31, description="The revision to look at; 0 is the newest.")]
After = Annotated[int | None, Query(ge=0, le=2**31, description="Only what came after this revision.")]


class Opening(BaseModel, extra="forbid"):
    """What is agreed before the first card."""

    match: str = Field("", pattern=r"^[A-Za-z0-9_-]{0,64}$", description="Made from the key if it is left out.")
    game: str = Field(max_length=64)
    seats: int = Field(ge=1, le=1_000)
    options: dict[str, Any] = Field(default_factory=dict)
    nonces: list[str] = Field(default_factory=list, max_length=1_000)
    players: list[str] = Field(default_factory=list, max_length=1_000)
    turn_ms: int = Field(0, ge=0, le=2**53)
    bank_ms: int = Field(0, ge=0, le=2**53)
    increment_ms: int = Field(0, ge=0, le=2**53)
    on_timeout: str = Field("", pattern="^(|default|forfeit)$")


class Named(BaseModel):
    """A command as the log has it."""

    type: str
    v: int
    data: dict[str, Any]


class Move(BaseModel, extra="forbid"):
    """One command of one seat."""

    seat: int = Field(ge=0, le=999)
    command: Named
    expected_revision: int = Field(0, ge=0, le=2**31, description="If not 0: refuse unless the match stands here.")


@router.post("", status_code=201)
async def open_match(opening: Opening, key: Key, reach: Reached) -> Response:
    """Opens a match."""
    match = opening.match or id_from(key, "m")
    accepted = await reach.house.rules(opening.game).open(
        match, opening.game, opening.seats,
        options_json=msgspec.json.encode(opening.options).decode(), nonces=opening.nonces, players=opening.players,
        turn_ms=opening.turn_ms, bank_ms=opening.bank_ms, increment_ms=opening.increment_ms,
        on_timeout=opening.on_timeout,
    )  # fmt: skip
    body = msgspec.json.encode({"match": match, "revision": accepted.revision})
    return Response(body, 201, headers={"Location": f"/api/matches/{match}"}, media_type="application/json")


@router.get("/{match}")
async def position(
    match: MatchId, request: Request, reach: Reached,
    viewer: ViewerQuery = "spectator", language: LanguageQuery = "en", revision: Revision = 0,
) -> Response:  # fmt: skip
    """The match at one revision."""
    found = await reach.house.spectator.snapshot(match, viewer_in(viewer), revision=revision, language=language)
    return answer(request, position_body(found))


@router.get("/{match}/board.svg")
async def board(
    match: MatchId, request: Request, reach: Reached,
    viewer: ViewerQuery = "spectator", language: LanguageQuery = "en", revision: Revision = 0,
) -> Response:  # fmt: skip
    """The picture of the match at one revision."""
    found = await reach.house.spectator.snapshot(match, viewer_in(viewer), revision=revision, language=language)
    return tagged(request, found.svg.encode(), "image/svg+xml")


@router.get("/{match}/facts")
async def facts(
    match: MatchId, request: Request, reach: Reached,
    viewer: ViewerQuery = "spectator", language: LanguageQuery = "en", after: After = 0,
) -> Response:  # fmt: skip
    """What has happened so far, from the beginning or behind a revision; at most 5000 revisions at once."""
    looking = viewer_in(viewer)
    newest = (await reach.house.spectator.snapshot(match, looking, language=language)).newest
    found: list[dict[str, Any]] = []
    since = after or 0
    if since < newest:
        async with aclosing(reach.house.spectator.facts(match, looking, after=since, language=language)) as past:
            async for fact in past:
                found.append(fact_body(fact))
                if fact.revision >= newest or len(found) == FACTS_MAX:
                    break
    return answer(request, {"match": match, "facts": found, "newest": newest})


@router.get("/{match}/stream")
async def stream(
    match: MatchId, reach: Reached,
    viewer: ViewerQuery = "spectator", language: LanguageQuery = "en", after: After = None,
    accept: Annotated[str, Header()] = "",
    last_event_id: Annotated[str, Header(alias="Last-Event-ID", max_length=32)] = "",
) -> Response:  # fmt: skip
    """The match as it happens: facts and positions, until it is complete."""
    since = int(last_event_id) if last_event_id.isascii() and last_event_id.isdigit() else after
    async with AsyncExitStack() as place:
        audience = await place.enter_async_context(reach.hub.join(match, viewer_in(viewer), language, since))
        return EventStream(audience.follow(since), place.pop_all(), as_lines="application/x-ndjson" in accept)
    raise AssertionError("the stack swallows nothing")


@router.get("/{match}/choices")
async def choices(
    match: MatchId, reach: Reached,
    seat: Annotated[int, Query(ge=0, le=999)],
    path: Annotated[list[str] | None, Query(max_length=64)] = None, language: LanguageQuery = "en",
) -> Response:  # fmt: skip
    """What a seat may do next, one step at a time."""
    looking = SeatView(seat)
    rules = reach.house.rules(await _game_of(reach, match, looking))
    found = await rules.choices(match, seat, path or (), language=language)
    body = {
        "revision": found.revision,
        "prompt": found.prompt,
        "choices": [{"key": each.key, "label": each.label, "place": each.place} for each in found.choices],
        "command": msgspec.Raw(found.command_json.encode()) if found.command_json else None,
    }
    return Response(msgspec.json.encode(body), headers={"Cache-Control": "no-store"}, media_type="application/json")


@router.post("/{match}/commands")
async def act(match: MatchId, move: Move, key: Key, reach: Reached) -> Response:
    """Makes a move, or leaves."""
    looking = SeatView(move.seat)
    command = msgspec.json.encode(move.command.model_dump()).decode()
    rules = reach.house.rules(await _game_of(reach, match, looking))
    try:
        done = await rules.act(match, key, move.seat, command, expected_revision=move.expected_revision)
    except Refusal as refusal:
        raise await _with_revision(reach, match, looking, refusal) from refusal
    return Response(msgspec.json.encode({"revision": done.revision}), media_type="application/json")


async def _game_of(reach: Reach, match: str, viewer: Viewer) -> str:
    return reach.hub.game_of(match) or (await reach.house.spectator.snapshot(match, viewer)).game


async def _with_revision(reach: Reach, match: str, viewer: Viewer, refusal: Refusal) -> Exception:
    try:
        return Refused(refusal, (await reach.house.spectator.snapshot(match, viewer)).newest)
    except (Refusal, Unavailable, Failed):
        return refusal
