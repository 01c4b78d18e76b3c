"""Events, to follow: who plays whom, how everybody stands, and why."""

from contextlib import AsyncExitStack
from typing import Annotated, Any, TypeAlias

import msgspec
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from services.gateway.answers import told
from services.gateway.api import tournament_models as shapes
from services.gateway.asking import of_event, of_events, of_matches
from services.gateway.openapi import Errors, failing, ok, streamed
from services.gateway.reach import ID_PATTERN, EventId, Reached
from services.gateway.shared import SHORT_SECONDS
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


@router.get("", responses={200: ok(shapes.Events), **failing(Errors.LOOK)})
async def list_events(request: Request, reach: Reached) -> Response:
    """All events, the newest first."""

    async def find() -> Any:
        return {"tournaments": [fields_of(each) async for each in reach.house.tournament.tournaments()]}

    return told(request, await of_events(reach, ("events",), find))


@router.get("/{event}", responses={200: ok(shapes.EventInFull), **failing(Errors.LOOK)})
async def get_event(event: EventId, request: Request, reach: Reached) -> Response:
    """One event: its configuration, its entrants, the penalties that stand."""

    async def find() -> Any:
        found = fields_of(await reach.house.tournament.tournament(event))
        return {"config": msgspec.json.decode(found.pop("config_json") or "{}"), **found}

    return told(request, await of_event(reach, event, ("event",), find))


@router.get("/{event}/rounds/{number}", responses={200: ok(shapes.Round), **failing(Errors.LOOK)})
async def get_round(event: EventId, number: RoundNumber, request: Request, reach: Reached) -> Response:
    """One published round: who sits where, results, byes, quality."""

    async def find() -> Any:
        return round_fields(await reach.house.tournament.round(event, number))

    return told(request, await of_event(reach, event, ("round", number), find))


@router.get("/{event}/standings", responses={200: ok(shapes.Standings), **failing(Errors.LOOK)})
async def get_standings(
    event: EventId, request: Request, reach: Reached, stage: Stage = 0, after_round: AfterRound = 0
) -> Response:
    """The order of a stage, now or as it was published after a round."""

    async def find() -> Any:
        found = await reach.house.tournament.standings(event, stage=stage, after_round=after_round)
        return standings_fields(found) | {"keys_shown": keys_shown(found)}

    return told(request, await of_event(reach, event, ("standings", stage, after_round), find))


@router.get("/{event}/status", responses={200: ok(shapes.Status), **failing(Errors.LOOK)})
async def get_status(event: EventId, request: Request, reach: Reached) -> Response:
    """How an event is getting on: tables by state, the slowest, when the round may end."""

    async def find() -> Any:
        return fields_of(await reach.house.tournament.status(event))

    return told(request, await of_event(reach, event, ("status",), find, seconds=SHORT_SECONDS))


@router.get("/{event}/bracket", responses={200: ok(shapes.Bracket), **failing(Errors.LOOK)})
async def get_bracket(event: EventId, request: Request, reach: Reached, stage: Stage = 0) -> Response:
    """An elimination to be drawn: rounds, tables, who goes on where, and what is to come."""

    async def find() -> Any:
        return fields_of(await reach.house.tournament.bracket(event, stage=stage))

    return told(request, await of_event(reach, event, ("bracket", stage), find))


@router.get("/{event}/entrants/{entry}", responses={200: ok(shapes.EntrantInFull), **failing(Errors.LOOK)})
async def get_entrant(event: EventId, entry: EntryNumber, request: Request, reach: Reached) -> Response:
    """One entrant: where to sit, the line in the standings, and every round so far."""

    async def find() -> Any:
        found = await reach.house.tournament.entrant(event, entry)
        line = line_fields(found.line, found.keys) if found.HasField("line") else None
        return fields_of(found) | {"line": line}

    return told(request, await of_event(reach, event, ("entrant", entry), find))


@router.get("/{event}/entrants/{entry}/standing", responses={200: ok(shapes.WhyStanding), **failing(Errors.LOOK)})
async def explain_standing(
    event: EventId, entry: EntryNumber, request: Request, reach: Reached, stage: Stage = 0
) -> Response:
    """Every figure of an entrant in its terms, and why they stand behind the one before."""

    async def find() -> Any:
        return (await reach.house.tournament.explain_standing(event, entry, stage=stage)).encode()

    return told(request, await of_event(reach, event, ("why standing", entry, stage), find))


@router.get(
    "/{event}/rounds/{number}/entrants/{entry}/pairing", responses={200: ok(shapes.WhyPairing), **failing(Errors.LOOK)}
)
async def explain_pairing(
    event: EventId, number: RoundNumber, entry: EntryNumber, request: Request, reach: Reached
) -> Response:
    """Why an entrant sits where they sit in a round, and what the nearest others would have cost."""

    async def find() -> Any:
        return (await reach.house.tournament.explain_pairing(event, entry, number=number)).encode()

    return told(request, await of_event(reach, event, ("why pairing", number, entry), find))


@router.get("/{event}/export", responses={200: ok("application/x-ndjson"), **failing(Errors.LOOK)})
async def get_log(event: EventId, request: Request, reach: Reached) -> Response:
    """The log of an event, byte for byte, without what no draft may show yet."""

    async def find() -> bytes:
        return b"".join(line + b"\n" for line in await reach.house.tournament.export(event))

    found = await of_event(reach, event, ("log",), find, media_type="application/x-ndjson")
    return told(request, found, headers=_named(f"{event}.jsonl"))


@router.get("/{event}/archive.json", responses={200: ok(shapes.ArchiveOfEvent), **failing(Errors.LOOK)})
async def get_archive(event: EventId, request: Request, reach: Reached) -> Response:
    """Everything but the log as one JSON document."""

    async def find() -> bytes:
        return msgspec.json.encode(document_of(await archive_of(reach.house.tournament, event)))

    found = await of_event(reach, event, ("archive",), find, media_type="application/json")
    return told(request, found, headers=_named(f"{event}.json"))


@router.get("/{event}/results.csv", responses={200: ok("text/csv"), **failing(Errors.LOOK)})
async def get_results_sheet(event: EventId, request: Request, reach: Reached, separator: Between = ",") -> Response:
    """Every seat of every round with its result, for a spreadsheet."""

    async def find() -> bytes:
        return results_sheet(await all_rounds(reach.house.tournament, event), separator)

    found = await of_event(reach, event, ("results", separator), find, media_type="text/csv; charset=utf-8")
    return told(request, found, headers=_named(f"{event}-results.csv"))


@router.get("/{event}/standings.csv", responses={200: ok("text/csv"), **failing(Errors.LOOK)})
async def get_standings_sheet(
    event: EventId, request: Request, reach: Reached,
    stage: Stage = 0, after_round: AfterRound = 0, separator: Between = ",",
) -> Response:  # fmt: skip
    """The standings, for a spreadsheet."""

    async def find() -> bytes:
        shown = await reach.house.tournament.standings(event, stage=stage, after_round=after_round)
        return standings_sheet(shown, separator)

    found = await of_event(
        reach, event, ("sheet", stage, after_round, separator), find, media_type="text/csv; charset=utf-8"
    )
    return told(request, found, headers=_named(f"{event}-standings.csv"))


@router.get("/{event}/stream", responses={**streamed(shapes.EventFrame), **failing(Errors.LOOK)})
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


@ratings_router.get("", responses={200: ok(shapes.Ratings), **failing(Errors.LOOK)})
async def list_ratings(
    request: Request, reach: Reached,
    game: Annotated[str, Query(pattern=ID_PATTERN.replace("{1,", "{0,"), description="All games if empty.")] = "",
    page_size: Annotated[int, Query(ge=0, le=500, description="0 is 100.")] = 0,
    page_token: Annotated[str, Query(max_length=200, description="From the answer before.")] = "",
) -> Response:  # fmt: skip
    """Ratings of a game, or of all games together, the best first."""

    async def find() -> Any:
        return fields_of(await reach.house.tournament.ratings(game, page_size=page_size, page_token=page_token))

    return told(request, await of_matches(reach, ("ratings", game, page_size, page_token), find))


def _named(name: str) -> dict[str, str]:
    """An id of an event needs no quoting in the name of a file."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}
