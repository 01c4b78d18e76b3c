"""An exported match, checked while one watches: what a browser cannot do by itself, to decide every command again.

The answer is a line of NDJSON for some of the lines that hold, then one that says how it went. It is the same check as
that of ``tavolata verify``, which needs no house.
"""

import asyncio
import threading
import uuid
from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
import structlog
from fastapi import APIRouter, Header, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from engine.games import game_of_rules
from engine.kernel.ports import Unavailable
from engine.luck.verifier import Report, VerificationFailed, verify
from services.gateway.problems import problem
from services.gateway.reach import ID_PATTERN
from services.gateway.streams.responder import NDJSON

router = APIRouter(prefix="/api/verify", tags=["verify"])

EXPORT_BYTES_MAX: Final = 32 * 1024 * 1024
"""Ten times the export of a match of a hundred seats."""

STEPS: Final = 100
"""Of the progress that is told."""

AT_ONCE: Final = 2
"""Matches that are checked at the same time; others wait for their turn."""

FILES_MAX: Final = 8
"""Files that are held at the same time: on their way in, waiting for their turn, or being checked."""

logger = structlog.get_logger()


class Checks:
    """What one gateway checks just now."""

    def __init__(self) -> None:
        self.turns = asyncio.Semaphore(AT_ONCE)
        self.files = 0

    def enter(self) -> None:
        """Raises ``Unavailable`` (``checks_busy``)."""
        if self.files >= FILES_MAX:
            raise Unavailable("checks_busy", "The house checks as much as it can just now; ask again in a moment.")
        self.files += 1

    def leave(self) -> None:
        self.files -= 1


class _Verdict(StreamingResponse):
    """How it goes; ``checks`` is left when it has been told, or when nobody listens any more."""

    def __init__(self, export: bytes, checks: Checks) -> None:
        super().__init__(_told(export, checks), media_type=NDJSON, headers={"Cache-Control": "no-store"})
        self._checks = checks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._checks.leave()


@router.post(
    "",
    response_class=StreamingResponse,
    responses={
        200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}, "description": "How it goes."},
        413: {"description": "The file is too large.", "content": {"application/problem+json": {}}},
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/x-ndjson": {"schema": {"type": "string", "description": "An export."}}},
        }
    },
)
async def verify_export(
    request: Request,
    key: Annotated[str, Header(alias="Idempotency-Key", pattern=ID_PATTERN, description="Not needed.")] = "unkept",
) -> Response:
    """Checks an exported match: chain, commitment, each draw, each decision. Changes nothing."""
    checks: Checks = request.app.state.checks
    checks.enter()
    try:
        export = await _export(request)
    except BaseException:
        checks.leave()
        raise
    if export is None:
        checks.leave()
        sentence = f"A file has at most {EXPORT_BYTES_MAX // 2**20} MiB here; tavolata verify takes larger ones."
        return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", sentence, headers={"Connection": "close"})
    return _Verdict(export, checks)


async def _export(request: Request) -> bytes | None:
    """``None`` for one that is too large."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > EXPORT_BYTES_MAX:
            return None
    return bytes(body)


async def _told(export: bytes, checks: Checks) -> AsyncGenerator[bytes, None]:
    async with checks.turns:
        loop = asyncio.get_running_loop()
        news: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        gone = threading.Event()

        def held(number: int, of: int) -> None:
            if gone.is_set():
                raise _Gone
            if number == of or number % max(1, of // STEPS) == 0:
                loop.call_soon_threadsafe(news.put_nowait, {"event": "held", "line": number, "of": of})

        checking = asyncio.create_task(asyncio.to_thread(_verdict, export, held))
        checking.add_done_callback(lambda done: news.put_nowait({} if done.cancelled() else done.result()))
        try:
            while True:
                told = await news.get()
                yield msgspec.json.encode(told) + b"\n"
                if told.get("event") != "held":
                    return
        finally:
            gone.set()


class _Gone(Exception):
    """Whoever asked does not listen any more."""


def _verdict(export: bytes, held: Any) -> dict[str, Any]:
    try:
        report = verify(export.splitlines(keepends=True), game_of_rules, held)
    except VerificationFailed as failure:
        return {"event": "fails", "line": failure.line_number, "code": failure.code, "detail": failure.sentence}
    except _Gone:
        return {}
    except Exception as error:  # whatever a forged file makes of the rules
        error_id = uuid.uuid4().hex[:12]
        logger.error("internal_error", error_id=error_id, exc_info=error)
        sentence = f"Something went wrong on our side (error {error_id})."
        return {"event": "problem", "code": "internal_error", "detail": sentence}
    return {"event": "holds", **_report(report)}


def _report(report: Report) -> dict[str, Any]:
    return {
        "match": report.match,
        "game": report.game,
        "seats": report.seats,
        "commits": report.commits,
        "draws": report.draws,
        "decisions": report.decisions,
        "root": report.root_hash,
        "ranks": report.ranks,
        "deal": None if report.deal is None else {"group": report.deal.group, "tables": report.deal.tables},
    }
