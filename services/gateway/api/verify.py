"""An exported match, checked while one watches: what a browser cannot do by itself, to decide every command again.

The answer is a line of NDJSON for some of the lines that hold, then one that says how it went. It is the same check as
that of ``tavolata verify``, which needs no house.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from fastapi import APIRouter, Header, Request
from starlette.responses import Response, StreamingResponse

from engine.games import game_of_rules
from engine.luck.verifier import Report, VerificationFailed, verify
from services.gateway.problems import problem
from services.gateway.reach import ID_PATTERN

router = APIRouter(prefix="/api/verify", tags=["verify"])

EXPORT_BYTES_MAX: Final = 32 * 1024 * 1024
"""Ten times the export of a match of a hundred seats."""

STEPS: Final = 100
"""Of the progress that is told."""

AT_ONCE: Final = 2
"""Matches that are checked at the same time; others wait for their turn."""

_turns = asyncio.Semaphore(AT_ONCE)


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
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > EXPORT_BYTES_MAX:
            sentence = f"A file has at most {EXPORT_BYTES_MAX // 2**20} MiB here; tavolata verify takes larger ones."
            return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", sentence)
    return StreamingResponse(
        _told(bytes(body)), media_type="application/x-ndjson", headers={"Cache-Control": "no-store"}
    )


async def _told(export: bytes) -> AsyncGenerator[bytes, None]:
    async with _turns:
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
