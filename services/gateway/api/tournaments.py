"""Events, to follow: who plays whom, how everybody stands, and why."""

from contextlib import AsyncExitStack
from typing import Annotated, TypeAlias

import msgspec
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from services.gateway.answers import ASK_AGAIN, answer, tagged
from services.gateway.api import tournament_models as told
from services.gateway.openapi import Errors, failing, ok, streamed
from services.gateway.reach import ID_PATTERN, EventId, Reached
from services.gateway.streams.accepted import LastEventId, takes_lines
from services.gateway.streams.responder import EventStream
from services.kit.paper.archive import all_rounds, archive_of, document_of
from services.kit.paper.figures import fields_of, keys_shown, line_fields, round_fields, standings_fields
from services.kit.paper.sheets import Separator, results_sheet, standings_sheet

router = APIRouter(prefix="/api/tournaments", tags=["tournaments"], default_response_class=Response)
ratings_router = APIRouter(prefix="/api/ratings", tags=["tournaments"], default_response_class=Response)

NUMBER_MAX = 100_000
"""More than there are entrants, rounds or stages anywhere."""
REVISION_DIGITS = 16
"""Longer than any revision; and a number that is short enough to be read."""

Stage = Annotated[int, Query(ge=0, le=NUMBER_MAX, description="The stage, from 1; 0 is the newest.")]
AfterRound = Annotated[int, Query(ge=0, le=NUMBER_MAX, description="As published after this round; 0 is now.")]
RoundNumber: TypeAlias = Annotated[
    int, Path(ge=0, le=NUMBER_MAX, description="The round; 0 is the newest that is published.")
]
EntryNumber: TypeAlias = Annotated[int, Path(ge=1, le=NUMBER_MAX, description="The entrant's number in the event.")]
Between = Annotated[Separator, Query(description="Between the cells.")]


@router.get("", responses={200: ok(told.Events), **failing(Errors.LOOK)})
async def list_events(request: Request, reach: Reached) -> Response:
    """All events, the newest first."""
    return answer(request, {"tournaments": [fields_of(each) async for each in reach.house.tournament.tournaments()]})


@router.get("/{event}", responses={200: ok(told.EventInFull), **failing(Errors.LOOK)})
async def get_event(event: EventId, request: Request, reach: Reached) -> Response:
    """One event: its configuration, its entrants, the penalties that stand."""
    found = fields_of(await reach.house.tournament.tournament(event))
    return answer(request, {"config": msgspec.json.decode(found.pop("config_json") or "{}"), **found})


@router.get("/{event}/rounds/{number}", responses={200: ok(told.Round), **failing(Errors.LOOK)})
async def get_round(event: EventId, number: RoundNumber, request: Request, reach: Reached) -> Response:
    """One published round: who sits where, results, byes, quality."""
    return answer(request, round_fields(await reach.house.tournament.round(event, number)))


@router.get("/{event}/standings", responses={200: ok(told.Standings), **failing(Errors.LOOK)})
async def get_standings(
    event: EventId, request: Request, reach: Reached, stage: Stage = 0, after_round: AfterRound = 0
) -> Response:
    """The order of a stage, now or as it was published after a round."""
    found = await reach.house.tournament.standings(event, stage=stage, after_round=after_round)
    return answer(request, standings_fields(found) | {"keys_shown": keys_shown(found)})


@router.get("/{event}/status", responses={200: ok(told.Status), **failing(Errors.LOOK)})
async def get_status(event: EventId, request: Request, reach: Reached) -> Response:
    """How an event is getting on: tables by state, the slowest, when the round may end."""
    return answer(request, fields_of(await reach.house.tournament.status(event)))


@router.get("/{event}/bracket", responses={200: ok(told.Bracket), **failing(Errors.LOOK)})
async def get_bracket(event: EventId, request: Request, reach: Reached, stage: Stage = 0) -> Response:
    """An elimination to be drawn: rounds, tables, who goes on where, and what is to come."""
    return answer(request, fields_of(await reach.house.tournament.bracket(event, stage=stage)))


@router.get("/{event}/entrants/{entry}", responses={200: ok(told.EntrantInFull), **failing(Errors.LOOK)})
async def get_entrant(event: EventId, entry: EntryNumber, request: Request, reach: Reached) -> Response:
    """One entrant: where to sit, the line in the standings, and every round so far."""
    found = await reach.house.tournament.entrant(event, entry)
    line = line_fields(found.line, found.keys) if found.HasField("line") else None
    return answer(request, fields_of(found) | {"line": line})


@router.get("/{event}/entrants/{entry}/standing", responses={200: ok(told.WhyStanding), **failing(Errors.LOOK)})
async def explain_standing(
    event: EventId, entry: EntryNumber, request: Request, reach: Reached, stage: Stage = 0
) -> Response:
    """Every figure of an entrant in its terms, and why they stand behind the one before."""
    return answer(
        request, msgspec.Raw((await reach.house.tournament.explain_standing(event, entry, stage=stage)).encode())
    )


@router.get(
    "/{event}/rounds/{number}/entrants/{entry}/pairing", responses={200: ok(told.WhyPairing), **failing(Errors.LOOK)}
)
async def explain_pairing(
    event: EventId, number: RoundNumber, entry: EntryNumber, request: Request, reach: Reached
) -> Response:
    """Why an entrant sits where they sit in a round, and what the nearest others would have cost."""
    return answer(
        request, msgspec.Raw((await reach.house.tournament.explain_pairing(event, entry, number=number)).encode())
    )


@router.get("/{event}/export", responses={200: ok("application/x-ndjson"), **failing(Errors.LOOK)})
async def get_log(event: EventId, request: Request, reach: Reached) -> Response:
    """The log of an event, byte for byte, without what no draft may show yet."""
    lines = await reach.house.tournament.export(event)
    return _file(request, b"".join(line + b"\n" for line in lines), f"{event}.jsonl", "application/x-ndjson")


@router.get("/{event}/archive.json", responses={200: ok(told.ArchiveOfEvent), **failing(Errors.LOOK)})
async def get_archive(event: EventId, request: Request, reach: Reached) -> Response:
    """Everything but the log as one JSON document."""
    document = document_of(await archive_of(reach.house.tournament, event))
    return _file(request, msgspec.json.encode(document), f"{event}.json", "application/json")


@router.get("/{event}/results.csv", responses={200: ok("text/csv"), **failing(Errors.LOOK)})
async def get_results_sheet(event: EventId, request: Request, reach: Reached, separator: Between = ",") -> Response:
    """Every seat of every round with its result, for a spreadsheet."""
    rounds = await all_rounds(reach.house.tournament, event)
    return _file(request, results_sheet(rounds, separator), f"{event}-results.csv", "text/csv; charset=utf-8")


@router.get("/{event}/standings.csv", responses={200: ok("text/csv"), **failing(Errors.LOOK)})
async def get_standings_sheet(
    event: EventId, request: Request, reach: Reached,
    stage: Stage = 0, after_round: AfterRound = 0, separator: Between = ",",
) -> Response:  # fmt: skip
    """The standings, for a spreadsheet."""
    found = await reach.house.tournament.standings(event, stage=stage, after_round=after_round)
    return _file(request, standings_sheet(found, separator), f"{event}-standings.csv", "text/csv; charset=utf-8")


@router.get("/{event}/stream", responses={**streamed(told.EventFrame), **failing(Errors.LOOK)})
async def follow_event(
    event: EventId, request: Request, reach: Reached,
    after: Annotated[int | None, Query(ge=0, le=2**31, description="Only what came after this revision.")] = None,
    last_event_id: LastEventId = "",
) -> Response:  # fmt: skip
    """The event in short, now and after each change: `tournament` events with the revision as their id."""
    as_lines = takes_lines(request)
    known = last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < REVISION_DIGITS
    await reach.notices.opened(event)
    frames = reach.notices.follow(event, int(last_event_id) if known else after)
    return EventStream(frames, AsyncExitStack(), as_lines=as_lines)


@ratings_router.get("", responses={200: ok(told.Ratings), **failing(Errors.LOOK)})
async def list_ratings(
    request: Request, reach: Reached,
    game: Annotated[str, Query(pattern=ID_PATTERN.replace("{1,", "{0,"), description="All games if empty.")] = "",
    page_size: Annotated[int, Query(ge=0, le=500, description="0 is 100.")] = 0,
    page_token: Annotated[str, Query(max_length=200, description="From the answer before.")] = "",
) -> Response:  # fmt: skip
    """Ratings of a game, or of all games together, the best first."""
    found = await reach.house.tournament.ratings(game, page_size=page_size, page_token=page_token)
    return answer(request, fields_of(found))


def _file(request: Request, body: bytes, name: str, media_type: str) -> Response:
    """An id of an event needs no quoting in the name of a file."""
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return tagged(request, body, media_type, cache=ASK_AGAIN, headers=disposition)
