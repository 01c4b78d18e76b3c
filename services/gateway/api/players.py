"""Players: what they are called."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import StringConstraints
from starlette.responses import Response

from services.gateway.answers import answer
from services.gateway.reach import Reached

router = APIRouter(prefix="/api/players", tags=["players"])

PLAYERS_MAX = 100
"""In one question; a table has no more seats than fit into an address."""

PlayerId = Annotated[str, StringConstraints(min_length=1, max_length=200)]


@router.get("/names")
async def names(
    request: Request, reach: Reached,
    player: Annotated[list[PlayerId], Query(min_length=1, max_length=PLAYERS_MAX, description="Opaque ids.")],
) -> Response:  # fmt: skip
    """The public names of players, by id; an id that nobody has is not in the answer."""
    found = await reach.house.tournament.name_players(list(dict.fromkeys(player)))
    return answer(request, {"names": {each: name for each, name in found.items() if name}})
