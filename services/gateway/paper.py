"""Pages to print: the same that the command writes into files, under an address of their own.

They need nothing but themselves, and their policy lets them have nothing else: one style, known by its hash.
"""

import base64
import hashlib
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from services.gateway.answers import Answer, told
from services.gateway.api.tournaments import NUMBER_MAX, AfterRound, Stage
from services.gateway.asking import of_event
from services.gateway.reach import EventId, Reached
from services.kit.paper.pages import STYLE, round_page, standings_page

router = APIRouter(prefix="/t/{event}/print", include_in_schema=False)

HTML: Final = "text/html; charset=utf-8"

_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY: Final = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'; " + (
    "frame-ancestors 'none'"
)


@router.get("/standings")
async def standings(
    event: EventId, request: Request, reach: Reached, stage: Stage = 0, after_round: AfterRound = 0
) -> Response:
    async def find() -> bytes:
        found = await reach.house.tournament.tournament(event)
        shown = await reach.house.tournament.standings(event, stage=stage, after_round=after_round)
        return standings_page(found.tournament, shown).encode()

    return _page(request, await of_event(reach, event, ("standings page", stage, after_round), find, media_type=HTML))


@router.get("/{number}")
async def pairings(
    event: EventId, number: Annotated[int, Path(ge=0, le=NUMBER_MAX)], request: Request, reach: Reached
) -> Response:
    """By name, by table, and the slips; round 0 is the newest."""

    async def find() -> bytes:
        found = await reach.house.tournament.tournament(event)
        return round_page(found.tournament, await reach.house.tournament.round(event, number)).encode()

    return _page(request, await of_event(reach, event, ("round page", number), find, media_type=HTML))


def _page(request: Request, found: Answer) -> Response:
    return told(request, found, headers={"Content-Security-Policy": POLICY})
