"""What many ask by HTTP is asked of the house once; what one may see is theirs; and bodies travel by gzip."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from typing import Any, Final, NamedTuple, cast

import httpx
import pytest
from tavolata.spectator.v1 import spectator_pb2
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.value import Viewer, viewer_name
from services.gateway import asking
from services.gateway.app import web_app
from services.gateway.assets import Assets
from services.gateway.encoding import BYTES_MIN
from services.gateway.reach import Reach
from services.gateway.streams.hub import Hub
from services.gateway.streams.lobby import Lobby
from services.gateway.streams.noticeboard import Noticeboard
from services.kit.wire.clients import SpectatorClient
from services.kit.wire.house import HouseClients
from services.kit.wire.tournament import TournamentClient
from tests.gateway.test_noticeboard import Service
from tests.kit.nats import until

READERS: Final = 200
PICTURE: Final = f"<svg>{'<i/>' * BYTES_MIN}</svg>"
AS_IT_IS: Final = {"Accept-Encoding": "identity"}


class Events(Service):
    """One event, ``cup``; its cut stands where its revision does, so that one can see of when an answer is."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[Any, ...]] = []

    async def standings(self, event: str, *, stage: int = 0, after_round: int = 0) -> pb.GetStandingsResponse:
        self.asked.append(("standings", stage, after_round))
        await asyncio.sleep(0)
        entrants = [pb.Line(entry=entry, name=f"Player {entry}", place=entry) for entry in range(1, 60)]
        return pb.GetStandingsResponse(cut=self.events[event].revision, lines=entrants)

    async def command(self, event: str, *_: Any, **__: Any) -> pb.CommandResponse:
        self.put(event, self.events[event].revision + 1, tell=False)
        return pb.CommandResponse(revision=self.events[event].revision)

    async def erase(self, _: str) -> bool:
        return False


class Matches:
    """One match at revision 7."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, str]] = []

    async def snapshot(
        self, match: str, viewer: Viewer, *, revision: int = 0, language: str = "en"
    ) -> spectator_pb2.Position:
        self.asked.append((viewer_name(viewer), revision, language))
        await asyncio.sleep(0)
        return spectator_pb2.Position(
            match_id=match, game="g", revision=revision or 7, newest=7, waiting=spectator_pb2.WAITING_SEATS,
            svg=f"{PICTURE}{viewer_name(viewer)} {language}",
        )  # fmt: skip


class Door(NamedTuple):
    web: httpx.AsyncClient
    events: Events
    matches: Matches
    notices: Noticeboard

    async def all_get(self, *paths: str) -> list[httpx.Response]:
        """``READERS`` of each, at once."""
        answers = await asyncio.gather(*(self.web.get(path) for _ in range(READERS) for path in paths))
        assert {answer.status_code for answer in answers} == {200}
        return list(answers)


@pytest.fixture
async def door(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Door]:
    monkeypatch.setattr(asking, "SHORT_SECONDS", 60.0)  # however slow the machine is
    events, matches = Events(), Matches()
    events.put("cup", 4, tell=False)
    notices = Noticeboard(cast(TournamentClient, events))
    spectator = cast(SpectatorClient, matches)
    house = HouseClients(spectator, cast(Any, None), cast(TournamentClient, events), {})
    app = web_app(Reach(house, Hub(spectator), notices, cast(Lobby, None)), Assets.read())
    notices.begin()
    await until(lambda: _is(notices.revision("cup"), 4), "the event is known")
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://house") as web:
        yield Door(web, events, matches, notices)
    await notices.close()


async def _is(value: object, wanted: object) -> bool:
    return value == wanted


STANDINGS: Final = "/api/tournaments/cup/standings"
BOARD: Final = "/api/matches/m/board.svg"


async def test_each_document_of_an_event_is_asked_once_until_it_has_changed(door: Door) -> None:
    await door.all_get(STANDINGS, f"{STANDINGS}?after_round=2", f"{STANDINGS}?nobody_reads_this=1")
    assert sorted(door.events.asked) == [("standings", 0, 0), ("standings", 0, 2)]
    door.events.put("cup", 5)
    await until(lambda: _is(door.notices.revision("cup"), 5), "the change is heard of")
    answers = await door.all_get(STANDINGS)
    assert {answer.json()["cut"] for answer in answers} == {5}
    assert len(door.events.asked) == 3


async def test_who_has_changed_an_event_is_shown_it_at_once(door: Door) -> None:
    await door.all_get(STANDINGS)
    command = {"type": "tournament.open_registration", "v": 1, "data": {"reason": ""}}
    sent = await door.web.post(
        "/api/tournaments/cup/commands",
        json={"actor": "organiser:ana", "command": command},
        headers={"Idempotency-Key": "k"},
    )
    assert (sent.status_code, door.notices.revision("cup")) == (200, 4), sent.text
    assert (await door.web.get(STANDINGS)).json()["cut"] == 5
    assert (await door.web.delete("/api/people/somebody")).status_code == 200
    await door.web.get(STANDINGS)
    assert len(door.events.asked) == 3, "a name that is erased may stand anywhere"


async def test_a_refusal_is_told_to_all_and_not_kept(door: Door) -> None:
    for _ in range(2):
        refused = await asyncio.gather(*(door.web.get("/api/tournaments/none") for _ in range(3)))
        assert {(answer.status_code, answer.json()["code"]) for answer in refused} == {(404, "unknown_tournament")}
    door.events.put("none", 1, tell=False)
    assert (await door.web.get("/api/tournaments/none")).status_code == 200


async def test_bystanders_share_a_picture_by_language_and_a_seat_shares_with_nobody(door: Door) -> None:
    paths = [f"{BOARD}?language={language}&revision={revision}" for language in ("en", "it") for revision in (0, 3)]
    await door.all_get(*paths)
    assert sorted(door.matches.asked) == sorted(
        ("spectator", revision, language) for language in ("en", "it") for revision in (0, 3)
    )
    door.matches.asked.clear()
    seats = await door.all_get(f"{BOARD}?viewer=seat:1")
    assert door.matches.asked == [("seat:1", 0, "en")] * READERS
    assert {answer.text for answer in seats} == {f"{PICTURE}seat:1 en"}
    door.matches.asked.clear()
    await door.all_get("/api/matches/m", "/api/matches/m?viewer=seat:0")
    assert sorted(door.matches.asked) == [("seat:0", 0, "en")] * READERS + [("spectator", 0, "en")]


async def test_who_has_been_told_of_a_move_is_not_shown_a_picture_from_before(door: Door) -> None:
    await door.all_get(BOARD, f"{BOARD}?seen=7")
    await door.all_get(f"{BOARD}?seen=8")
    assert door.matches.asked == [("spectator", 0, "en")] * 3


@pytest.mark.parametrize("path", [STANDINGS, BOARD, "/api/templates", "/", "/verify"])
async def test_a_body_is_small_for_who_takes_that_and_the_same_for_who_does_not(door: Door, path: str) -> None:
    plain = await door.web.get(path, headers=AS_IT_IS)
    async with door.web.stream("GET", path, headers={"Accept-Encoding": "br, gzip;q=0.5"}) as small:
        raw = b"".join([piece async for piece in small.aiter_raw()])
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == "gzip"
    assert small.headers["content-length"] == str(len(raw))
    assert len(raw) < len(plain.content)
    assert gzip.decompress(raw) == plain.content
    for answer in (plain, small):
        assert "Accept-Encoding" in answer.headers["vary"]
        assert answer.headers["etag"] == plain.headers["etag"]
        assert answer.headers["etag"].startswith('W/"')
    for headers in (AS_IT_IS, {"Accept-Encoding": "gzip"}):
        again = await door.web.get(path, headers=headers | {"If-None-Match": small.headers["etag"]})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", plain.headers["etag"])
        assert "Accept-Encoding" in again.headers["vary"]
        head = await door.web.head(path, headers=headers)
        got = small if "gzip" in headers.values() else plain
        assert (head.content, head.headers["content-length"]) == (b"", got.headers["content-length"])
    refused = await door.web.get(path, headers={"Accept-Encoding": "gzip;q=0, *;q=1"})
    assert "content-encoding" not in refused.headers


async def test_a_hand_is_small_and_nothing_is_kept_of_it_to_compare_with(door: Door) -> None:
    path = f"{BOARD}?viewer=seat:0"
    plain = await door.web.get(path, headers=AS_IT_IS)
    small = await door.web.get(path, headers={"Accept-Encoding": "gzip"})
    assert (small.headers["content-encoding"], small.content) == ("gzip", plain.content)
    for answer in (plain, small):
        assert "Accept-Encoding" in answer.headers["vary"]
        assert "etag" not in answer.headers


async def test_assets_are_small_and_streams_go_out_as_they_come(door: Door) -> None:
    page = (await door.web.get("/")).text
    script = page.split('<script type="module" src="', 1)[1].split('"', 1)[0]
    asset = await door.web.get(script)
    assert (asset.headers["content-encoding"], asset.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert "immutable" in asset.headers["cache-control"]
    assert "import " in asset.text
    gone = asyncio.create_task(door.notices.close())
    for accept in ("text/event-stream", "application/x-ndjson"):
        stream = await door.web.get(
            "/api/tournaments/cup/stream", headers={"Accept": accept, "Accept-Encoding": "gzip"}
        )
        assert "content-encoding" not in stream.headers
    await gone
