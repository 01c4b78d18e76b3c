"""The lobby over HTTP: tables, games, players, and a table to practise at, asked of a house in this process."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import jsonschema_rs
import msgspec
import pytest
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.games import all_games
from services.gateway.api.games import options_schema
from services.gateway.app import web_app
from services.gateway.assets import Assets
from services.gateway.reach import Reach
from services.gateway.streams.hub import Hub
from services.gateway.streams.lobby import Lobby
from services.gateway.streams.noticeboard import Noticeboard
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import ScoringClient, SpectatorClient
from services.kit.wire.house import HouseClients
from services.kit.wire.tournament import TournamentClient
from tests.kit.nats import until
from tests.services.hosts import leave
from tests.services.small_house import GAME, SmallHouse
from tests.services.test_tournament_wire import desk
from tests.services.tournaments import CONFIG, T

PRACTICE = {"game": GAME, "seats": 3, "level": "greedy", "pace_ms": 1500, "options": {"layout": "random"}}


class Front(NamedTuple):
    """A browser without a page, and the house behind it."""

    web: httpx.AsyncClient
    house: SmallHouse
    events: TournamentClient
    lobby: Lobby

    async def matches(self, **query: Any) -> dict[str, Any]:
        answer = await self.web.get("/api/matches", params=query)
        assert answer.status_code == 200, answer.text
        page: dict[str, Any] = answer.json()
        return page

    async def listed(self, *matches: str, status: str = "") -> dict[str, Any]:
        """The list, once it holds just these."""

        async def holds() -> bool:
            return [each["match"] for each in (await self.matches(status=status))["matches"]] == list(matches)

        await until(holds, f"{matches} are listed")
        return await self.matches(status=status)


@asynccontextmanager
async def front(folder: Path) -> AsyncIterator[Front]:
    async with desk(folder) as (house, events, rules), AsyncExitStack() as stack:
        spectator = SpectatorClient(await stack.enter_async_context(open_channel(house.addresses["spectator"])))
        scoring = ScoringClient(await stack.enter_async_context(open_channel(house.addresses["scoring"])))
        hub, notices = Hub(spectator), Noticeboard(events)
        lobby = Lobby(scoring, notices)
        stack.push_async_callback(hub.close)
        stack.push_async_callback(notices.close)
        stack.push_async_callback(lobby.close)
        clients = HouseClients(spectator, scoring, events, {GAME: rules})
        app = web_app(Reach(clients, hub, notices, lobby), Assets({}))
        web = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://house")
        yield Front(await stack.enter_async_context(web), house, events, lobby)


async def test_tables_are_listed_in_short_a_page_at_a_time(tmp_path: Path) -> None:
    async with front(tmp_path) as here:
        for match in ("a", "b", "c"):
            await here.house.host.open(match, seats=2, players=["ann", "bot:greedy"])
        await here.house.host.act("b", "bye", 0, leave(0))
        listed = await here.listed("b", status="ended")
        [ended] = listed["matches"]
        assert (ended["status"], ended["reason"], listed["next_page_token"]) == ("ended", "last_seat", "")
        assert [(seat["player"], seat["rank"], seat["left"]) for seat in ended["seats"]] == [
            ("ann", 2, True), ("bot:greedy", 1, False),
        ]  # fmt: skip
        assert set(ended) == {"match", "game", "status", "revision", "opened_at", "changed_at", "reason", "seats"}
        await here.listed("c", "a", status="running")
        first = await here.matches(page_size=2)
        rest = await here.matches(page_size=2, page_token=first["next_page_token"])
        assert [each["match"] for each in first["matches"] + rest["matches"]] == ["c", "b", "a"]
        assert rest["next_page_token"] == ""
        assert (await here.matches(game="memcel"))["matches"] == []
        wrong = await here.web.get("/api/matches", params={"page_token": "nonsense"})
        assert (wrong.status_code, wrong.json()["code"]) == (400, "bad_page_token")
        answer = await here.web.get("/api/matches")
        again = await here.web.get("/api/matches", headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


async def test_a_practice_table_is_opened_once_however_often_it_is_asked_for(tmp_path: Path) -> None:
    async with front(tmp_path) as here:
        answers = [
            await here.web.post("/api/practice", json=PRACTICE, headers={"Idempotency-Key": "k-1"}) for _ in range(3)
        ]
        assert {answer.status_code for answer in answers} == {201}
        assert [answer.headers.get("Idempotent-Replayed") for answer in answers] == [None, "true", "true"]
        [table] = {answer.text for answer in answers}
        match = msgspec.json.decode(table)["match"]
        assert msgspec.json.decode(table)["seat"] == 0
        listed = await here.listed(match)
        assert [seat["player"] for seat in listed["matches"][0]["seats"]] == [
            "", "bot:greedy@1500", "bot:greedy@1500",
        ]  # fmt: skip
        other = await here.web.post("/api/practice", json=PRACTICE | {"seats": 2}, headers={"Idempotency-Key": "k-1"})
        assert (other.status_code, other.json()["code"]) == (409, "id_reused")


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"game": "chess"}, 404, "unknown_game"),
        ({"level": "hal"}, 400, "unknown_bot"),
        ({"seats": 9}, 400, "bad_seats"),
        ({"options": {"layout": "upside_down"}}, 400, "bad_options"),
        ({"options": {"layout": [[1, 2], [3]]}}, 400, "bad_options"),
        ({"options": {"layout": "\ud800"}}, 400, "bad_json"),
        ({"pace_ms": -1}, 400, "bad_request"),
        ({"players": ["me"]}, 400, "bad_request"),
    ],
)
async def test_a_practice_table_that_cannot_be_is_refused(
    tmp_path: Path, changed: dict[str, Any], status: int, code: str
) -> None:
    async with front(tmp_path) as here:
        body = json.dumps(PRACTICE | changed)
        headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
        answer = await here.web.post("/api/practice", content=body, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert (await here.matches())["matches"] == []


async def test_a_player_is_found_by_name_with_the_events_entered(tmp_path: Path) -> None:
    async with front(tmp_path) as here:
        await here.events.create(T, CONFIG, "ana")
        assert (await here.web.get("/api/players", params={"search": "ann"})).json() == {"players": []}
        await _registered(here.events, "Ann Bee", "Hannah Cee", "Bob")
        found = (await here.web.get("/api/players", params={"search": "ANN"})).json()["players"]
        assert [(each["name"], each["entered"]) for each in found] == [
            (name, [{"tournament": T, "name": "Cup of the house", "entry": entry, "standing": "in", "now": None}])
            for name, entry in (("Ann Bee", 1), ("Hannah Cee", 2))
        ]


async def test_the_stream_comes_as_events_and_as_lines(tmp_path: Path) -> None:
    async with front(tmp_path) as here:
        await here.events.create(T, CONFIG, "ana")
        await here.house.host.open("a", seats=2)
        await here.listed("a")
        as_events = asyncio.create_task(here.web.get("/api/lobby/stream"))
        lines = {"Accept": "application/x-ndjson"}
        as_lines = asyncio.create_task(here.web.get("/api/lobby/stream", headers=lines))
        async with here.lobby.join() as lobby:
            frames = lobby.follow()
            while b"here" not in (await anext(frames)).line:
                pass
            await frames.aclose()
        await here.lobby.close()
        text, told = (
            (await as_events).text,
            [msgspec.json.decode(line) for line in (await as_lines).content.splitlines()],
        )
        assert [each["event"] for each in told] == ["begin", "tournament", "match", "here", "goodbye"]
        assert (told[1]["tournament"], told[1]["name"], told[1]["phase"]) == (T, "Cup of the house", "created")
        assert [line for line in text.splitlines() if line.startswith("event: ")] == [
            "event: begin", "event: tournament", "event: match", "event: here",
        ]  # fmt: skip
        assert text.startswith("retry: 500\n\n")
        refused = await here.web.get("/api/lobby/stream")
        assert (refused.status_code, refused.json()["code"]) == (503, "service_stopping")


async def test_games_are_told_with_their_options_as_a_schema(tmp_path: Path) -> None:
    async with front(tmp_path) as here:
        games = {each["key"]: each for each in (await here.web.get("/api/games")).json()["games"]}
    assert list(games) == sorted(all_games())
    assert games["welcome_to"]["seats"] == {"min": 1, "max": 100}
    assert games["memcel"]["levels"] == ["easy", "greedy", "hard", "medium", "random"]
    layout = games["just4fun"]["options"]["properties"]["layout"]
    assert (layout["title"], layout["default"]) == ("Layout", "original")
    assert layout["description"].startswith("J-01: a named layout, a shuffled one")
    assert layout["anyOf"][0] == {"enum": ["original", "random", "row_major_test"]}


@pytest.mark.parametrize("key", sorted(all_games()))
def test_the_schema_of_the_options_is_one_and_the_defaults_meet_it(key: str) -> None:
    game = all_games()[key]
    schema = options_schema(game)
    schema = json.loads(msgspec.json.encode(schema))
    jsonschema_rs.meta.validate(schema)
    meets = jsonschema_rs.Draft202012Validator(schema)
    defaults = json.loads(msgspec.json.encode(game.options()))
    meets.validate(defaults)
    assert {name: each["default"] for name, each in schema["properties"].items()} == defaults
    assert all(each["title"] for each in schema["properties"].values())
    assert not meets.is_valid({"no_such_option": True})


async def _registered(events: TournamentClient, *names: str) -> None:
    opened = '{"type": "tournament.open_registration", "data": {}}'
    await events.command(T, "open", "organiser:ana", opened)
    await events.register(T, "people", "organiser:ana", [pb.Person(name=name) for name in names])
