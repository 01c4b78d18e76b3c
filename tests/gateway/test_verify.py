"""An export that is sent to the house is checked line by line, and the answer says how it goes."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import httpx
import msgspec
import pytest

from engine.games import find_game
from engine.kernel.commit import line_hash
from services.gateway.api import verify
from services.gateway.app import web_app
from services.gateway.assets import Assets
from services.gateway.reach import Reach
from tests.kit.forgery import with_swapped_outcome
from tests.kit.table import play

LINES = play(find_game("just4fun"), 3, {}, 5).lines


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """No house behind it: to verify takes none."""
    app = web_app(cast(Reach, None), Assets.read())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://gateway") as made:
        yield made


async def told(client: httpx.AsyncClient, lines: Sequence[bytes]) -> list[dict[str, Any]]:
    answer = await client.post("/api/verify", content=b"\n".join(lines) + b"\n")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [msgspec.json.decode(line) for line in answer.content.splitlines()]


async def test_a_match_that_holds_is_told_step_by_step_and_reported(client: httpx.AsyncClient) -> None:
    *steps, last = await told(client, LINES)
    assert steps[-1] == {"event": "held", "line": len(LINES), "of": len(LINES)}
    assert [step["line"] for step in steps] == sorted({step["line"] for step in steps})
    assert (last["event"], last["game"], last["seats"], last["commits"]) == ("holds", "just4fun", 3, len(LINES))
    assert last["commits"] == last["decisions"] + last["draws"] + 1
    assert last["root"] == line_hash(LINES[-1])


async def test_the_first_line_that_does_not_hold_is_named(client: httpx.AsyncClient) -> None:
    forged = with_swapped_outcome(LINES)
    number = 1 + next(n for n, (old, new) in enumerate(zip(LINES, forged, strict=True)) if old != new)
    *steps, last = await told(client, forged)
    assert (last["event"], last["line"], last["code"]) == ("fails", number, "luck_differs")
    assert steps[-1]["line"] == number - 1


@pytest.mark.parametrize("lines", [[b""], [b"hello"], [b"{}"], [b'{"match":"\xff"}'], LINES[:5]])
async def test_what_is_no_match_is_told_so(client: httpx.AsyncClient, lines: list[bytes]) -> None:
    *_, last = await told(client, lines)
    assert last["event"] == "fails"
    assert last["detail"].endswith(".")


async def test_a_file_that_is_too_large_is_refused(client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "EXPORT_BYTES_MAX", 1_000)
    answer = await client.post("/api/verify", content=b"\n".join(LINES))
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "too_large"


async def test_a_file_that_the_rules_cannot_bear_is_a_fault_of_ours_and_stops_nobody(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret words")

    monkeypatch.setattr(verify, "verify", broken)
    for _ in range(verify.AT_ONCE + 1):
        async with asyncio.timeout(5):
            (last,) = await told(client, LINES)
        assert (last["event"], last["code"]) == ("problem", "internal_error")
        assert "secret" not in last["detail"]
    monkeypatch.undo()
    assert (await told(client, LINES))[-1]["event"] == "holds"


async def test_no_more_files_are_held_than_there_is_room_for(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "FILES_MAX", 2)
    go_on = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield b"{"
        await go_on.wait()

    held = [asyncio.create_task(client.post("/api/verify", content=slowly())) for _ in range(2)]
    for _ in range(20):
        await asyncio.sleep(0)
    answer = await client.post("/api/verify", content=b"{}")
    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "checks_busy", "1")
    held[0].cancel()
    await asyncio.gather(held[0], return_exceptions=True)
    assert (await client.post("/api/verify", content=b"{}")).status_code == 200, "who has gone holds nothing"
    go_on.set()
    await held[1]
    monkeypatch.setattr(verify, "EXPORT_BYTES_MAX", 1)
    for _ in range(3):
        assert (await client.post("/api/verify", content=b"{}")).status_code == 413
