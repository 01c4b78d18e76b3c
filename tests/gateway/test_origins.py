"""Nobody acts through somebody else's page, and every answer has the headers that a browser goes by."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import httpx
import pytest

from services.gateway.app import web_app
from services.gateway.assets import Assets
from services.gateway.door import BODY_BYTES_MAX
from services.gateway.headers import ALWAYS
from services.gateway.origins import hosts_of
from services.gateway.reach import Reach
from services.gateway.server import start_web_server

CHECK = "/api/verify"
"""Needs no house, and would do what it is asked."""


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """A gateway without a house, that goes by one name beside those of loopback."""
    app = web_app(cast(Reach, None), Assets({}), hosts_of("127.0.0.1:0", "play.example"))

    async def nothing() -> None: ...

    server = await start_web_server("127.0.0.1:0", app, nothing)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", trust_env=False) as made:
        yield made
    await server.stop(0)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://play.example"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:3000"}, 403),
        ({"Host": "play.example:80", "Origin": "http://play.example:80"}, 200),
        ({"Host": "play.example", "Origin": "https://PLAY.example"}, 200),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
async def test_what_acts_is_not_asked_for_by_a_page_of_another_site(
    client: httpx.AsyncClient, headers: dict[str, str], status: int
) -> None:
    answer = await client.post(CHECK, content=b"{}", headers=headers)
    assert answer.status_code == status
    if status != 200:
        assert answer.json()["code"] == "foreign_page"
    assert (await client.get("/readyz", headers=headers)).status_code == 200, (
        "what is only read is told to nobody's page"
    )


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200), ("localhost:7406", 200), ("LOCALHOST", 200), ("house.localhost:1", 200),
        ("127.0.0.1", 200), ("127.1.2.3:80", 200), ("[::1]:7406", 200),
        ("play.example", 200), ("Play.Example:443", 200),
        ("evil.example", 403), ("localhost.evil.example", 403), ("127.0.0.1.evil.example:7406", 403),
        ("evil-localhost", 403), ("192.168.0.1", 403), ("localhost@evil.example", 403),
        ("", 403), ("[", 403), ("[::1", 403),
    ],
)  # fmt: skip
async def test_a_house_on_loopback_goes_by_the_names_of_loopback_and_by_its_own(
    client: httpx.AsyncClient, host: str, status: int
) -> None:
    answer = await client.get("/readyz", headers={"Host": host})
    assert answer.status_code == status
    if status != 200:
        assert answer.json()["code"] == "unknown_host"


def test_a_house_that_is_not_on_loopback_goes_by_any_name() -> None:
    assert hosts_of("0.0.0.0:80", "") is None
    assert hosts_of("192.168.0.7:80", "play.example") is None
    assert hosts_of("[::1]:80", "") == []
    assert hosts_of("localhost:80", "a.example,b.example") == ["a.example", "b.example"]


async def test_every_answer_has_the_headers_that_a_browser_goes_by(client: httpx.AsyncClient) -> None:
    large = b" " * (BODY_BYTES_MAX + 1)
    asked: tuple[tuple[str, str, dict[str, Any], int], ...] = (
        ("GET", "/readyz", {}, 200),
        ("GET", "/api/nothing", {}, 404),
        ("GET", "/assets/x/y", {}, 404),
        ("GET", "/api/openapi.json", {"headers": {"Host": "evil.example"}}, 403),
        ("POST", "/api/matches", {"content": large}, 413),
        ("GET", "/api/matches/m1", {}, 500),  # there is no house
        ("GET", "/api/matches/m1/board.png", {}, 500),
        ("GET", "/embed/m/a b", {}, 400),
    )
    for method, path, sent, status in asked:
        answer = await client.request(method, path, **sent)
        assert answer.status_code == status, path
        assert {name: answer.headers.get(name) for name in ALWAYS} == ALWAYS
        framed = path.startswith("/embed/")
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; ")
        assert answer.headers["content-security-policy"].endswith(
            "frame-ancestors *" if framed else "frame-ancestors 'none'"
        )
        shared = framed or path.endswith(".png")
        assert answer.headers["cross-origin-resource-policy"] == ("cross-origin" if shared else "same-origin")
        assert "access-control-allow-origin" not in answer.headers


async def test_what_is_no_http_is_answered_with_them_too(client: httpx.AsyncClient) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
    writer.write(b"\x16\x03\x01nonsense\r\n\r\n")
    async with asyncio.timeout(5):
        told = (await reader.read()).decode().lower()
    writer.close()
    assert "x-content-type-options: nosniff" in told
    assert "content-security-policy: default-src 'none'" in told
