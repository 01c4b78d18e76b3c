"""Players are named by their ids, those that somebody has."""

from collections.abc import AsyncIterator, Sequence
from types import SimpleNamespace
from typing import cast

import httpx
import pytest

from services.gateway.app import web_app
from services.gateway.assets import Assets
from services.gateway.reach import Reach


class People:
    async def name_players(self, players: Sequence[str]) -> dict[str, str]:
        known = {"p-1": "Ann", "p-2": "erased player"}
        return {each: known.get(each, "") for each in players}


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    app = web_app(cast(Reach, SimpleNamespace(house=SimpleNamespace(tournament=People()))), Assets.read())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://gateway") as made:
        yield made


async def test_players_are_named(client: httpx.AsyncClient) -> None:
    answer = await client.get("/api/players/names", params={"player": ["p-1", "p-9", "p-2", "p-1"]})
    assert answer.json() == {"names": {"p-1": "Ann", "p-2": "erased player"}}


@pytest.mark.parametrize("players", [[], [""], ["x" * 201], ["x"] * 101])
async def test_a_question_has_limits(client: httpx.AsyncClient, players: list[str]) -> None:
    assert (await client.get("/api/players/names", params={"player": players})).status_code == 400
