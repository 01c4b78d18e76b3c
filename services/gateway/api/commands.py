"""What is done to a match: moves of its seats, one or many, and what its director does.

The key of a command is known by the match for ever, so a repeat is the same command: nothing is done, and it is
answered as the first time.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Final, assert_never

import msgspec
from fastapi import APIRouter, Header, Request
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engine.kernel.history import Duplicate
from engine.kernel.limits import COMMAND_BYTES_MAX
from engine.kernel.official import COMMANDS, CallTime, Directing, Extend, Leave, Pause, Resume
from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import SeatView, Spectator
from services.gateway.answers import done, json_text
from services.gateway.api import shapes
from services.gateway.api.shapes import Direction, KeyedMove, Move
from services.gateway.openapi import Errors, failing, ok, taking
from services.gateway.problems import Refused, is_json, key_missing, misread_problem, problem_of, unknown_media_type
from services.gateway.reach import ID_PATTERN, KEY_SAYS, Key, MatchId, Reach, Reached
from services.gateway.streams.responder import NDJSON
from services.kit.wire.clients import Accepted

router = APIRouter(prefix="/api/matches", tags=["matches"], default_response_class=Response)

LINE_BYTES_MAX: Final = 2 * COMMAND_BYTES_MAX
"""Of one line of several commands: what stands around the command has room."""

KeyOrNone = Annotated[str | None, Header(alias="Idempotency-Key", pattern=ID_PATTERN, description=KEY_SAYS)]


@router.post(
    "/{match}/commands",
    responses={200: ok(shapes.Done, lines=shapes.DoneLine), **failing(Errors.COMMAND)},
    openapi_extra=taking(shapes.Move, lines=shapes.KeyedMove),
)
async def send_commands(match: MatchId, request: Request, reach: Reached, key: KeyOrNone = None) -> Response:
    """Make a move, or leave; or many of them, one a line.

    As `application/x-ndjson`, each line has its own `key`, and is answered by a line when it is done, in order: with a
    revision, or with the problem. After a problem that is nobody's fault (503) the rest is not read: send it again
    under the same keys.
    """
    media_type = request.headers.get("content-type", "")
    if media_type.partition(";")[0].strip().lower() == NDJSON:
        return _Answers(_all_done(match, _lines(request), reach))
    if not is_json(media_type):
        return unknown_media_type("application/json", NDJSON)
    if key is None:
        return key_missing()
    try:
        move = Move.model_validate_json(await request.body())
    except ValidationError as error:
        return misread_problem(error.errors(include_url=False, include_input=False, include_context=False))
    receipt = await _act(match, key, move, reach)
    return done({"revision": receipt.revision}, replayed=isinstance(receipt, Duplicate))


@router.post("/{match}/directions", responses={200: ok(shapes.Done), **failing(Errors.COMMAND)})
async def direct_match(match: MatchId, direction: Direction, key: Key, reach: Reached) -> Response:
    """Pause a match, resume it, give time, call time, or have a seat leave."""
    command = json_text(COMMANDS.encode(_directing(direction)))
    receipt = await _direct(match, key, command, reach)
    reach.shared.forget(match)
    return done({"revision": receipt.revision}, replayed=isinstance(receipt, Duplicate))


async def _direct(match: str, key: str, command: str, reach: Reach) -> Accepted | Duplicate:
    """Who directs a match need not see it: while bystanders do not yet either, the rules services say whose it is.

    Raises ``Refusal``, ``Unavailable`` or ``Failed``.
    """
    try:
        return await reach.house.rules(await reach.hub.game_of(match, Spectator())).direct(match, key, command)
    except Refusal as refusal:
        if refusal.code != "unknown_match":
            raise
        told = refusal
    for game in reach.house.games:
        try:
            return await reach.house.rules(game).direct(match, key, command)
        except Refusal as refusal:
            if refusal.code not in ("other_game", "unknown_match"):
                raise
    raise told


def _directing(asked: Direction) -> Directing | Leave:
    """Raises ``Refusal`` for a seat that has to be named and is not."""
    match asked.act:
        case "pause":
            return Pause(asked.reason)
        case "resume":
            return Resume(asked.reason)
        case "extend":
            return Extend(asked.ms, asked.seat, asked.reason)
        case "call_time":
            return CallTime(asked.reason)
        case "seat_out":
            if asked.seat is None:
                raise Refusal("unknown_seat", "Say which seat has to leave.", Kind.INVALID)
            return Leave(asked.seat, asked.reason)
        case _:
            assert_never(asked.act)


async def _act(match: str, key: str, move: Move, reach: Reach) -> Accepted | Duplicate:
    """Raises ``Refused``, ``Refusal``, ``Unavailable`` or ``Failed``."""
    looking = SeatView(move.seat)
    rules = reach.house.rules(await reach.hub.game_of(match, looking))
    command = json_text(move.command.model_dump())
    try:
        receipt = await rules.act(match, key, move.seat, command, expected_revision=move.expected_revision)
    except Refusal as refusal:
        try:
            newest = (await reach.house.spectator.snapshot(match, looking)).newest
        except (Refusal, Unavailable, Failed):
            raise refusal from None
        raise Refused(refusal, newest) from refusal
    reach.shared.forget(match)
    return receipt


# -- many --------------------------------------------------------------------------------------------------------------


class _Answers(Response):
    """Lines that go out while others still come in: nobody but who reads the body may listen."""

    def __init__(self, lines: AsyncGenerator[bytes, None]) -> None:
        super().__init__(media_type=NDJSON, headers={"Cache-Control": "no-store"})
        del self.headers["content-length"]
        self._lines = lines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self._lines) as lines:
            async for line in lines:
                await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _all_done(match: str, lines: AsyncIterator[bytes], reach: Reach) -> AsyncGenerator[bytes, None]:
    async for line in lines:
        key = ""
        passing = False
        try:
            move = KeyedMove.model_validate_json(line)
            key = move.key
            receipt = await _act(match, key, move, reach)
            said: dict[str, Any] = {"key": key, "revision": receipt.revision}
        except asyncio.CancelledError:
            raise
        except Exception as error:
            said = {"key": key, "problem": msgspec.Raw(_problem(error))}
            passing = isinstance(error, Unavailable)
        yield msgspec.json.encode(said) + b"\n"
        if passing:
            return


def _problem(error: Exception) -> bytes:
    if isinstance(error, ValidationError):
        answer = misread_problem(error.errors(include_url=False, include_input=False, include_context=False))
    else:
        answer = problem_of(error)
    return bytes(answer.body)


async def _lines(request: Request) -> AsyncGenerator[bytes, None]:
    """The lines of a body as they come in, empty ones passed over. One that is too long stands for all the rest."""
    kept = b""
    try:
        async for piece in request.stream():
            *whole, kept = (kept + piece).split(b"\n")
            for line in whole:
                if line.strip():
                    yield line
            if len(kept) > LINE_BYTES_MAX:
                break
    except (HTTPException, ClientDisconnect):
        return  # too large, too slow, or gone: what has come whole has been done
    if kept.strip():
        yield kept
