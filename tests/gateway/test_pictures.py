"""Boards as PNG, link cards, oEmbed: what a bystander may see, drawn once, and known by what it is drawn from."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any, Final, cast

import httpx
import pytest
from tavolata.spectator.v1 import spectator_pb2

from engine.kernel.picture import PAPER, frame, rect
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Spectator, Viewer
from services.gateway import asking, drawings, pages
from services.gateway.app import web_app
from services.gateway.assets import Assets
from services.gateway.cards import HEIGHT, WIDTH, embed_size, on_card, tags
from services.gateway.cards import card_of as card
from services.gateway.drawings import PIXELS_MAX, Drawings, width_for
from services.gateway.reach import Reach
from services.gateway.streams.hub import Hub
from services.gateway.streams.lobby import Lobby
from services.gateway.streams.noticeboard import Noticeboard
from services.kit.wire.clients import SpectatorClient
from services.kit.wire.house import HouseClients

NEWEST: Final = 7


def words(text: str) -> str:
    return f'<text x="9" y="30" font-size="24" font-family="Never Heard Of, sans-serif">{text}</text>'


def svg(*parts: str, title: str = "Chess: Seat 1 &amp; co", size: tuple[int, int] = (200, 100)) -> str:
    return frame(*size, "en", title, "One &lt;sees&gt; this.", rect(0, 0, *size, 0, PAPER), *parts)


class Shown:
    """A spectator service with one match, whose past is closed."""

    def __init__(self) -> None:
        self.asked: list[tuple[Viewer, int, str]] = []
        self.svg = svg()

    async def snapshot(
        self, match: str, viewer: Viewer, *, revision: int = 0, language: str = "en"
    ) -> spectator_pb2.Position:
        self.asked.append((viewer, revision, language))
        if match != "here":
            raise Refusal("unknown_match", f"There is no match {match}.", Kind.MISSING)
        if revision not in (0, NEWEST):
            raise Refusal("past_is_closed", "Only the present is shown.", Kind.DENIED)
        return spectator_pb2.Position(match_id=match, revision=NEWEST, svg=self.svg)


@pytest.fixture
def shown() -> Shown:
    return Shown()


@pytest.fixture
async def client(shown: Shown) -> AsyncIterator[httpx.AsyncClient]:
    hub = Hub(cast(SpectatorClient, shown))
    reach = Reach(cast(HouseClients, SimpleNamespace(spectator=shown)), hub, cast(Noticeboard, None), cast(Lobby, None))
    app = web_app(reach, Assets.read())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://tables.example") as made:
        yield made


def size_of_png(drawn: bytes) -> tuple[int, int]:
    assert drawn.startswith(b"\x89PNG\r\n\x1a\n")
    return int.from_bytes(drawn[16:20]), int.from_bytes(drawn[20:24])


async def test_a_board_is_drawn_as_a_bystander_sees_it(client: httpx.AsyncClient, shown: Shown) -> None:
    answer = await client.get("/api/matches/here/board.png?width=400&language=ko")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert size_of_png(answer.content) == (400, 200)
    assert shown.asked == [(Spectator(), 0, "ko")]


async def test_who_has_a_picture_is_told_so_and_nothing_is_drawn(
    client: httpx.AsyncClient, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []

    async def draw(svg: str, width: int) -> bytes:
        drawn.append(width)
        return b"png"

    monkeypatch.setattr(drawings, "_draw", draw)
    monkeypatch.setattr(asking, "SHORT_SECONDS", 0.0)
    tag = {"If-None-Match": (await client.get("/api/matches/here/board.png")).headers["etag"]}
    again = await client.get("/api/matches/here/board.png", headers=tag)
    assert (again.status_code, again.content, drawn) == (304, b"", [1000])
    assert (await client.get("/api/matches/here/board.png?width=999", headers=tag)).status_code == 200
    shown.svg = svg(rect(0, 0, 9, 9, 0, "#000000"))
    assert (await client.get("/api/matches/here/board.png", headers=tag)).status_code == 200
    assert drawn == [1000, 999, 1000]


async def test_the_same_picture_is_drawn_once_however_many_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []

    async def draw(svg: str, width: int) -> bytes:
        drawn.append(width)
        await asyncio.sleep(0)
        return b"x" * (drawings.KEPT_BYTES_MAX // 2)

    monkeypatch.setattr(drawings, "_draw", draw)
    kept = Drawings()
    await asyncio.gather(*(kept.png(svg(), 300) for _ in range(5)))
    assert drawn == [300]
    await kept.png(svg(), 301)
    await kept.png(svg(), 300)
    assert drawn == [300, 301]
    await kept.png(svg(), 302)  # there is room for two: the one that was not asked for longest goes
    await kept.png(svg(), 300)
    await kept.png(svg(), 301)
    assert drawn == [300, 301, 302, 301]


@pytest.mark.parametrize("text", ["Seat 1 to move", "좌석 1 차례"])
async def test_words_are_drawn_whatever_fonts_are_here(text: str) -> None:
    kept = Drawings()
    assert await kept.png(svg(words(text)), 200) != await kept.png(svg(), 200)


@pytest.mark.parametrize("width", [0, 199, 2001, "wide"])
async def test_a_width_has_limits(client: httpx.AsyncClient, width: object) -> None:
    assert (await client.get(f"/api/matches/here/board.png?width={width}")).status_code == 400


def test_a_tall_board_is_drawn_smaller_than_it_is_asked_for() -> None:
    assert width_for(svg(size=(1400, 1022)), 2000) == 2000
    tall = width_for(svg(size=(1000, 20_000)), 2000)
    assert 0.7 * PIXELS_MAX < tall * tall * 20 <= PIXELS_MAX


async def test_a_card_has_the_whole_board_in_its_middle(client: httpx.AsyncClient, shown: Shown) -> None:
    answer = await client.get("/api/matches/here/card.png")
    assert size_of_png(answer.content) == (WIDTH, HEIGHT)
    assert '<svg x="20" y="25" width="1160" height="580" xmlns=' in on_card(svg(), "en")
    assert '<svg x="452" y="20" width="295" height="590" xmlns=' in on_card(svg(size=(100, 200)), "en")


async def test_a_link_is_previewed_with_the_words_of_the_board(client: httpx.AsyncClient, shown: Shown) -> None:
    page = await client.get("/m/here", headers={"Accept-Language": "fr"})
    assert page.status_code == 200
    assert "<title>Chess: Seat 1 &amp; co · Tavolata</title>" in page.text
    assert '<meta property="og:title" content="Chess: Seat 1 &amp; co">' in page.text
    assert '<meta name="description" content="One &lt;sees&gt; this.">' in page.text
    image = '<meta property="og:image" content="http://tables.example/api/matches/here/card.png?language=fr">'
    assert image in page.text
    assert '<meta name="twitter:card" content="summary_large_image">' in page.text
    assert shown.asked == [(Spectator(), 0, "fr")]


async def test_the_link_of_a_player_is_previewed_as_a_bystander_sees_it(
    client: httpx.AsyncClient, shown: Shown
) -> None:
    assert (await client.get("/m/here/seat/1")).status_code == 200
    for seat in (-1, 10**30, "x"):
        assert (await client.get(f"/m/here/seat/{seat}")).status_code == 400
    assert {viewer for viewer, _, _ in shown.asked} == {Spectator()}


async def test_a_link_to_a_turn_is_previewed_at_that_turn(client: httpx.AsyncClient) -> None:
    page = await client.get(f"/m/here?turn={NEWEST}")
    assert f"card.png?language=en&amp;revision={NEWEST}" in page.text


@pytest.mark.parametrize("turn", ["3", "99", "soon", "-1", "9" * 20])
async def test_where_the_past_is_closed_the_present_is_previewed(client: httpx.AsyncClient, turn: str) -> None:
    page = await client.get(f"/m/here?turn={turn}")
    assert page.status_code == 200
    assert 'card.png?language=en"' in page.text


@pytest.mark.parametrize("path", ["/m/nowhere", "/embed/m/nowhere", "/m/nowhere/seat/0", "/m/nowhere?turn=3"])
async def test_the_page_of_no_match_says_so_by_its_status(client: httpx.AsyncClient, path: str) -> None:
    page = await client.get(path)
    assert page.status_code == 404
    assert '<div id="root">' in page.text
    assert "og:image" not in page.text


async def test_a_page_does_not_wait_for_a_house_that_hangs(
    client: httpx.AsyncClient, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hangs(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(pages, "CARD_SECONDS", 0.05)
    monkeypatch.setattr(shown, "snapshot", hangs)
    async with asyncio.timeout(5):
        page = await client.get("/m/here")
    assert page.status_code == 200
    assert "og:image" not in page.text


async def test_oembed_tells_how_to_frame_a_match(client: httpx.AsyncClient) -> None:
    told: dict[str, Any] = (
        await client.get("/api/oembed", params={"url": f"https://tables.example/m/here?turn={NEWEST}"})
    ).json()
    assert (told["type"], told["version"], told["width"], told["height"]) == ("rich", "1.0", 800, 456)
    assert f'<iframe src="http://tables.example/embed/m/here?turn={NEWEST}"' in told["html"]
    assert 'title="Chess: Seat 1 &amp; co"' in told["html"]


def test_an_embedded_board_keeps_the_limits_of_its_page() -> None:
    """The height is the width times the ratio of the picture, and 56 pixels."""
    assert embed_size(svg()) == (800, 456)
    assert embed_size(svg(), 300) == (300, 206)
    assert embed_size(svg(), 800, 256) == (400, 256)


@pytest.mark.parametrize("url", ["", "http://[", "https://tables.example/t/here", "/m/no where", "/m/here/../there"])
async def test_oembed_knows_only_matches(client: httpx.AsyncClient, url: str) -> None:
    answer = await client.get("/api/oembed", params={"url": url})
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_match")


def test_what_a_board_says_cannot_leave_its_place_in_the_page() -> None:
    made = tags(card(svg(title="&quot;&gt;&lt;script&gt;"), "here", "http://tables.example", "en", 0))
    assert "<script" not in made
