"""Whatever a browser sends, the answer is a problem with a code and a sentence, and never a fault of ours."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from services.gateway.problems import MEDIA_TYPE
from tests.gateway.organisers import BY, EVENT, Organiser, organising, refused
from tests.services.tournaments import CONFIG

DEEP: Any = "x"
for _ in range(400):
    DEEP = [DEEP]


@pytest.fixture
async def organiser(tmp_path: Path) -> AsyncIterator[Organiser]:
    async with organising(tmp_path) as made:
        await made.post("/tournaments", {"id": EVENT, "config_toml": CONFIG, "organiser": "ana"})
        yield made


async def test_what_means_nothing_is_refused_with_a_code(organiser: Organiser) -> None:
    async def commanded(**data: Any) -> tuple[int, str]:
        told = await organiser.ask(data.pop("command", "comment"), **data)
        assert told.headers["content-type"] == MEDIA_TYPE
        return told.status_code, told.json()["code"]

    assert await commanded(command="fly") == (400, "malformed_command")
    assert await commanded(reason=7) == (400, "malformed_command")
    assert await commanded(reason=DEEP) == (400, "malformed_command")
    assert await commanded(reason=10**400) == (400, "malformed_command")
    assert await commanded(reason="x" * 501) == (400, "bad_reason")
    assert await commanded(reason="x" * 70_000) == (400, "command_too_large")
    assert await commanded(command="check_out", entries=[10**30]) == (404, "unknown_entrant")
    assert await commanded(command="draft_round", seed="00" * 32) == (403, "not_yours_to_do")
    assert await commanded(command="call_time", round=1, tables=[1]) == (403, "not_yours_to_do")
    assert await commanded(by="player:9", command="finish") == (403, "not_yours_to_do")
    assert await commanded(by="house") == (400, "bad_request")


async def test_an_odd_text_is_refused_with_a_code(organiser: Organiser) -> None:
    """Half of a pair of surrogates is JSON, and no text."""
    headers = {"Idempotency-Key": "odd", "Content-Type": "application/json"}
    for body in (
        rf'{{"actor": "{BY}", "command": {{"type": "tournament.comment", "data": {{"reason": "\ud800"}}}}}}',
        rf'{{"actor": "{BY}", "command": {{"type": "\ud800"}}}}',
        rf'{{"actor": "{BY}", "command": {{"type": "tournament.comment", "data": {{"\udfff": NaN}}}}}}',
        f'{{"actor": "{BY}", "command": {"[" * 100_000}',
        "",
    ):
        path = f"/api/tournaments/{EVENT}/commands"
        told = await organiser.http.post(path, content=body.encode("utf-8"), headers=headers)
        assert told.status_code == 400, told.text
        assert told.headers["content-type"] == MEDIA_TYPE


async def test_what_is_not_there_is_missing(organiser: Organiser) -> None:
    for path in ("desk", "draft", "actions"):
        refused(await organiser.http.get(f"/api/tournaments/nowhere/{path}"), 404, "unknown_tournament")
    refused(await organiser.http.get(f"/api/tournaments/{EVENT}/desk?round=4"), 404, "unknown_round")
    refused(await organiser.http.get(f"/api/tournaments/{EVENT}/actions?page=x"), 400, "bad_page_token")
    refused(await organiser.send("/tournaments/nowhere/draft", {"actor": BY}), 404, "unknown_tournament")
    suppositions = ({"config": {"name": DEEP}}, {"config": {"scoring": {"scheme": "x"}}}, {"config": {"\ud800": 1}})
    for body in (*suppositions, {"results": [{"table": 1, "scores": [1] * 17}]}):
        told = await organiser.http.post(
            f"/api/tournaments/{EVENT}/what-if",
            content=_escaped(body),
            headers={"Content-Type": "application/json", "Idempotency-Key": "what-if"},
        )
        assert 400 <= told.status_code < 500, told.text


async def test_a_key_is_needed_to_change_anything(organiser: Organiser) -> None:
    for path, body in (
        ("commands", {"actor": BY, "command": {"type": "tournament.comment", "data": {"reason": "x"}}}),
        ("draft", {"actor": BY}),
        ("people", {"actor": BY, "people": [{"name": "Ana"}]}),
        ("configuration", {"actor": BY, "config_toml": CONFIG}),
    ):
        refused(await organiser.http.post(f"/api/tournaments/{EVENT}/{path}", json=body), 400, "key_missing")


def _escaped(body: dict[str, Any]) -> bytes:
    return json.dumps(body).encode()
