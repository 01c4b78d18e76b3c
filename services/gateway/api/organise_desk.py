"""What only an organiser looks at: the desk, an open draft, what was done and why, files to begin with.

The desk is an event in one answer, so that a page need not put together what it asked at several moments.
"""

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from engine.kernel.refusal import Refusal
from engine.tournament.config import config_from
from services.gateway.answers import answer, made_json
from services.gateway.answers import told as told_now
from services.gateway.api import organise_models as told
from services.gateway.api.organise_bodies import NUMBER_MAX, PageToken
from services.gateway.api.organise_toml import toml_of
from services.gateway.api.tournament_models import Round
from services.gateway.openapi import Errors, failing, ok
from services.gateway.reach import EventId, Reached
from services.kit.access.caller import caller
from services.kit.access.rights import may_run
from services.kit.paper.figures import fields_of
from services.kit.wire.tournament import TournamentClient

router = APIRouter(default_response_class=Response)

EXAMPLES: Final = Path(__file__).parents[3] / "docs/examples"
"""The files that the handbook explains; a wheel carries them at the same place."""
NO_STORE: Final = "no-store"

RoundQuery = Annotated[int, Query(ge=0, le=NUMBER_MAX, description="The round to show; 0 is the newest published.")]


@router.get("/templates", responses={200: ok(told.Templates), **failing(Errors.LOOK)})
async def templates(request: Request) -> Response:
    """Configurations to begin with: name, what the first line says of it, and the TOML."""
    return answer(request, {"templates": _templates()})


@router.get("/tournaments/{event}/desk", responses={200: ok(told.OrganiserDesk), **failing(Errors.LOOK)})
async def desk(event: EventId, request: Request, reach: Reached, round: RoundQuery = 0) -> Response:
    """The event as its organiser has it in view: people, how it is getting on, a round, and a draft if there is one."""
    may_run(caller(), event)
    client = reach.house.tournament
    found = await client.tournament(event)  # first: its revision is at most that of the rest
    newest = found.tournament.round
    body: dict[str, Any] = fields_of(found) | {
        "config": msgspec.Raw(found.config_json.encode()),
        "status": fields_of(await client.status(event)),
        "round": fields_of(await client.round(event, round)) if round or newest else None,
        "draft": await _draft(client, event) if found.tournament.drafted else None,
    }
    del body["config_json"]
    return told_now(request, await made_json(body))


@router.get("/tournaments/{event}/draft", responses={200: ok(Round), **failing(Errors.LOOK)})
async def draft(event: EventId, request: Request, reach: Reached) -> Response:
    """The round that is drafted and not yet public."""
    return answer(request, fields_of(await reach.house.tournament.round(event, draft=True)), cache=NO_STORE)


@router.get("/tournaments/{event}/configuration", responses={200: ok(told.Configuration), **failing(Errors.LOOK)})
async def configuration(event: EventId, request: Request, reach: Reached) -> Response:
    """The configuration as a file to be changed: what differs from the defaults."""
    may_run(caller(), event)
    found = await reach.house.tournament.tournament(event)
    return answer(request, {"config_toml": toml_of(config_from(msgspec.json.decode(found.config_json)))})


@router.get("/tournaments/{event}/actions", responses={200: ok(told.LogPage), **failing(Errors.LOOK)})
async def actions(
    event: EventId, request: Request, reach: Reached,
    page: PageToken = "",
    size: Annotated[int, Query(ge=1, le=100, description="At most so many.")] = 50,
    actor: Annotated[str, Query(max_length=80, description="Only what this actor has done.")] = "",
    house: Annotated[bool, Query(description="Also what the house did by itself.")] = False,
) -> Response:  # fmt: skip
    """Who did what, when and why, newest first."""
    found = await reach.house.tournament.actions(event, page_size=size, page_token=page, actor=actor, house=house)
    listed = [
        fields_of(each) | {"changes": each.changes if each.HasField("changes") else None} for each in found.actions
    ]
    return answer(request, {"actions": listed, "next": found.next_page_token})


async def _draft(client: TournamentClient, event: str) -> dict[str, Any] | None:
    try:
        return fields_of(await client.round(event, draft=True))
    except Refusal as refusal:  # thrown away or published since
        if refusal.code != "no_draft":
            raise
        return None


@lru_cache
def _templates() -> list[dict[str, str]]:
    return [
        {"name": file.stem, "about": text.partition("\n")[0].lstrip("# "), "config_toml": text}
        for file in sorted(EXAMPLES.glob("*.toml"))
        for text in [file.read_text("utf-8")]
    ]
