"""What is going on in the house: tables, events, a practice table."""

from contextlib import AsyncExitStack
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response
from tavolata.scoring.v1 import scoring_pb2
from tavolata.tournament.v1 import tournament_pb2

from engine.games import find_game
from engine.kernel.history import Duplicate
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip
from services.gateway.answers import answer, done, json_text, told
from services.gateway.api import games
from services.gateway.api.games import levels_of
from services.gateway.asking import of_matches
from services.gateway.reach import Key, Reached, id_from, key_reused
from services.gateway.shared import LISTS
from services.gateway.streams.accepted import takes_lines
from services.gateway.streams.lobby import match_body
from services.gateway.streams.responder import EventStream
from services.kit.access.caller import caller
from services.kit.access.grants import PlayerGrant

router = APIRouter(tags=["lobby"])
router.include_router(games.router)

PAGE_MAX: Final = 100
PACE_MS_MAX: Final = 60_000
BOT: Final = "bot:"
"""Before the level, in the player id of a seat that a bot is to take."""

STATUSES: Final = {"": scoring_pb2.STATUS_UNSPECIFIED, "running": scoring_pb2.STATUS_RUNNING,
                   "ended": scoring_pb2.STATUS_ENDED}  # fmt: skip


class SeatShort(BaseModel):
    """One seat of a match."""

    seat: int
    player: str
    total: int
    rank: int
    """1 for the best once the match is over, shared by equals; 0 before."""
    left: bool


class MatchShort(BaseModel):
    """One match in short."""

    match: str
    game: str
    status: Literal["running", "ended"]
    revision: int
    opened_at: str
    changed_at: str
    reason: str
    seats: list[SeatShort]


class MatchPage(BaseModel):
    """Some matches, the newest first."""

    matches: list[MatchShort]
    next_page_token: str
    """For the next page; empty at the end."""


class SeatNow(BaseModel):
    """Where somebody plays in an event, or is about to."""

    round: int
    round_phase: str
    table: int
    seat: int
    match: str
    phase: str
    """Of the table: waiting or open."""


class Entered(BaseModel):
    """One event that a player has entered."""

    tournament: str
    name: str
    entry: int
    standing: str
    now: SeatNow | None


class FoundPlayer(BaseModel):
    """One player."""

    player: str
    name: str
    entered: list[Entered]


class FoundPlayers(BaseModel):
    """First those whose name begins so."""

    players: list[FoundPlayer]


class Practice(BaseModel, extra="forbid"):
    """A table for one person and bots."""

    game: str = Field(pattern="^[a-z0-9_]{1,64}$")
    seats: int = Field(ge=1, le=1_000, description="With the person's own; 1 is a solo game.")
    level: str = Field("greedy", pattern="^[a-z0-9_]{1,32}$", description="Of the bots, one that the game has.")
    pace_ms: int = Field(0, ge=0, le=PACE_MS_MAX, description="How long a bot thinks; 0 is at once.")
    options: dict[str, Any] = Field(default_factory=dict, description="As the schema of the game has them.")


class PracticeTable(BaseModel):
    """Where the person sits."""

    match: str
    seat: int


@router.get("/api/matches", responses={200: {"model": MatchPage}})
async def matches(
    request: Request, reach: Reached,
    status: Annotated[Literal["", "running", "ended"], Query(description="Only these, or all.")] = "",
    game: Annotated[str, Query(pattern="^[a-z0-9_]{0,64}$", description="Only of this game, or of all.")] = "",
    page_size: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 24,
    page_token: Annotated[str, Query(max_length=200, description="From the page before; empty at first.")] = "",
) -> Response:  # fmt: skip
    """Matches, the one that was opened last first."""

    async def find() -> Any:
        page = await reach.house.scoring.page(
            status=STATUSES[status], game=game, page_size=page_size, page_token=page_token
        )
        return {"matches": [match_body(match) for match in page.matches], "next_page_token": page.next_page_token}

    return told(request, await of_matches(reach, ("matches", status, game, page_size, page_token), find))


@router.get("/api/players", responses={200: {"model": FoundPlayers}})
async def players(
    request: Request, reach: Reached,
    search: Annotated[str, Query(max_length=100, description="A part of the public name.")],
) -> Response:  # fmt: skip
    """People of events by name, and where they are now; at most 20."""
    found = await reach.house.tournament.find_players(search)
    return answer(request, {"players": [player_body(each) for each in found.players]})


STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Events `match` and `tournament` with the short form of each, as it is now and whenever it "
        "changes; `begin` before all that is going on is told, `here` behind it; `away` while the house cannot be "
        "reached. At most 200 of a kind are told at a time, those that have changed last.",
        "content": {"text/event-stream": {}, "application/x-ndjson": {}},
    }
}


@router.get("/api/lobby/stream", responses=STREAM)
async def follow_lobby(request: Request, reach: Reached) -> Response:
    """The running matches and the events, and each as it changes."""
    as_lines = takes_lines(request)
    async with AsyncExitStack() as place:
        lobby = await place.enter_async_context(reach.lobby.join())
        return EventStream(lobby.follow(), place.pop_all(), as_lines=as_lines)
    raise AssertionError("the stack swallows nothing")


@router.post("/api/practice", status_code=201, responses={201: {"model": PracticeTable}})
async def practise(table: Practice, key: Key, reach: Reached) -> Response:
    """Opens a table with the caller on seat 0 and bots on the others."""
    levels = levels_of(find_game(table.game))
    if table.seats > 1 and table.level not in levels:
        sentence = f"{find_game(table.game).title} has no bot {clip(table.level)}; it has {', '.join(levels)}."
        raise Refusal("unknown_bot", sentence, Kind.INVALID)
    match = id_from(key, "practice-")
    bot = f"{BOT}{table.level}@{table.pace_ms}" if table.pace_ms else f"{BOT}{table.level}"
    options = json_text(table.options)
    try:
        receipt = await reach.house.rules(table.game).open(
            match, table.game, table.seats, options_json=options, players=[_caller(), *[bot] * (table.seats - 1)]
        )
    except Refusal as refusal:
        raise key_reused(refusal) from None
    reach.shared.forget(LISTS)
    location = {"Location": f"/api/matches/{match}"}
    return done({"match": match, "seat": 0}, status=201, replayed=isinstance(receipt, Duplicate), headers=location)


def _caller() -> str:
    """The player who asks; empty in a house that does not ask. Raises ``Refusal`` for nobody."""
    if caller().is_open:
        return ""
    grant = caller().grant()
    return grant.player if isinstance(grant, PlayerGrant) else ""


def player_body(found: tournament_pb2.FoundPlayer) -> dict[str, Any]:
    return {
        "player": found.player,
        "name": found.name,
        "entered": [
            {
                "tournament": each.tournament_id,
                "name": each.name,
                "entry": each.entry,
                "standing": each.standing,
                "now": seat_body(each.now) if each.HasField("now") else None,
            }
            for each in found.entered
        ],
    }


def seat_body(seat: tournament_pb2.Seat) -> dict[str, Any]:
    return {
        "round": seat.round,
        "round_phase": seat.round_phase,
        "table": seat.table,
        "seat": seat.seat,
        "match": seat.match_id,
        "phase": seat.phase,
    }
