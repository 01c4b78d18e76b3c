"""A gateway of a house with keys: who is let through, how a browser signs in, and what ends when a token does."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from services.gateway.app import Access
from services.gateway.proxies import networks_of
from services.kit.access.carried import Own, carry
from services.kit.access.grants import (
    ALL,
    CasterGrant,
    Grant,
    OrganiserGrant,
    PlayerGrant,
    RefereeGrant,
    SeatGrant,
)
from services.kit.access.making import revoke
from services.kit.access.tokens import issue
from tests.access.keys import Keys
from tests.gateway.front import Front, first, front

SITE = "https://club.example"
M = "evening-1"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path / "keys")


@pytest.fixture
async def door(tmp_path: Path, keys: Keys) -> AsyncIterator[Front]:
    """Loopback is the proxy of this house, so that a test may come from anywhere."""
    access = Access(keys.trust, (SITE,), networks_of("127.0.0.1"))
    carry(Own(keys.key("rules-just4fun")))
    async with front(tmp_path, access=access) as opened:
        carry(lambda: "")
        body = {"match": M, "game": opened.game, "seats": 2, "players": ["p-ana", "p-bo"]}
        answer = await opened.post("/api/matches", body, **bearer(keys.token(OrganiserGrant(ALL))))
        assert answer.status_code == 201, answer.text
        yield opened


def told(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", "")


async def test_a_seat_is_looked_at_and_spoken_for_with_its_token(door: Front, keys: Keys) -> None:
    own = bearer(keys.token(SeatGrant(M, 0)))
    player = bearer(keys.token(PlayerGrant("p-ana")))
    other = bearer(keys.token(SeatGrant(M, 1)))
    organiser = bearer(keys.token(OrganiserGrant(ALL)))
    move = {"seat": 0, "command": {"type": "tavolata.leave", "v": 1, "data": {"seat": 0}}}
    for path in (f"/api/matches/{M}", f"/api/matches/{M}/board.svg", f"/api/matches/{M}/facts"):
        url = f"{path}?viewer=seat:0"
        assert told(await door.client.get(url)) == (401, "token_missing")
        assert told(await door.client.get(url, headers=other)) == (403, "not_your_seat")
        assert told(await door.client.get(url, headers=organiser)) == (403, "not_your_seat")
        for headers in (own, player):
            assert (await door.client.get(url, headers=headers)).status_code == 200
        assert (await door.client.get(path)).status_code == 200, "spectators are asked nothing"
    choices = f"/api/matches/{M}/choices?seat=0"
    assert told(await door.client.get(choices)) == (401, "token_missing")
    assert told(await door.client.get(choices, headers=other)) == (403, "not_your_seat")
    assert (await door.client.get(choices, headers=own)).status_code in (200, 409)
    assert told(await door.post(f"/api/matches/{M}/commands", move)) == (401, "token_missing")
    assert told(await door.post(f"/api/matches/{M}/commands", move, **other)) == (403, "not_your_seat")
    lines = await door.client.post(
        f"/api/matches/{M}/commands",
        content=b'{"key": "a", "seat": 0, "command": {"type": "tavolata.leave", "v": 1, "data": {"seat": 0}}}\n',
        headers=other | {"Content-Type": "application/x-ndjson"},
    )
    assert lines.json()["problem"]["code"] == "not_your_seat"
    assert (await door.post(f"/api/matches/{M}/commands", move, **own)).status_code == 200
    wanted = (await door.client.get(f"/api/matches/{M}?viewer=seat:0")).headers["www-authenticate"]
    assert wanted == "Bearer"


@pytest.mark.parametrize("text", ["é", "a\tb", "let me in", "x" * 20_000], ids=["é", "tab", "words", "long"])
async def test_what_cannot_be_a_token_is_none(text: str, door: Front) -> None:
    """A call to a service carries neither every letter nor any length: it is not tried."""
    url = f"/api/matches/{M}?viewer=seat:0"
    answer = await door.client.get(url, headers={b"Authorization": f"Bearer {text}".encode("latin-1")})
    assert told(answer) == (401, "token_invalid")
    by_cookie = await door.client.get(url, headers={b"Cookie": f"tavolata={text}".encode("latin-1")})
    assert told(by_cookie) == (401, "token_invalid")


async def test_a_match_is_directed_by_who_may(door: Front, keys: Keys) -> None:
    pause = {"act": "call_time"}
    path = f"/api/matches/{M}/directions"
    for token in ("", keys.token(SeatGrant(M, 0)), keys.token(CasterGrant(match=M)), keys.token(RefereeGrant("cup"))):
        status, _ = told(await door.post(path, pause, **(bearer(token) if token else {})))
        assert status == (403 if token else 401)
    answer = await door.post(path, pause, **bearer(keys.token(RefereeGrant(match=M))))
    assert answer.status_code == 200, answer.text


async def test_a_match_that_nobody_sees_yet_is_directed_all_the_same(door: Front, keys: Keys) -> None:
    organiser = bearer(keys.token(OrganiserGrant(ALL)))
    body = {"match": "late", "game": door.game, "seats": 2, "delay_ms": 600_000}
    assert (await door.post("/api/matches", body, **organiser)).status_code == 201
    assert (await door.client.get("/api/matches/late")).status_code == 404
    assert (await door.post("/api/matches/late/directions", {"act": "call_time"}, **organiser)).status_code == 200
    assert told(await door.post("/api/matches/none/directions", {"act": "call_time"}, **organiser)) == (
        404,
        "unknown_match",
    )
    for match in ("late", "none"):
        seat = await door.client.get(f"/api/matches/{match}?viewer=seat:0", headers=organiser)
        assert told(seat) == (403, "not_your_seat"), "whether it is there is told to nobody else"


async def test_what_only_an_organiser_sees_is_told_to_nobody_else(door: Front, keys: Keys) -> None:
    for path in ("desk", "configuration"):
        url = f"/api/tournaments/cup/{path}"
        assert told(await door.client.get(url)) == (401, "token_missing")
        for grant in (OrganiserGrant("other"), RefereeGrant("cup"), PlayerGrant("p-ana")):
            assert told(await door.client.get(url, headers=bearer(keys.token(grant)))) == (403, "not_your_event")
        # The tournament service is not there: whoever is let through learns that.
        assert (await door.client.get(url, headers=bearer(keys.token(OrganiserGrant("cup"))))).status_code == 503


async def test_a_browser_signs_in_and_out(door: Front, keys: Keys) -> None:
    places: list[tuple[Grant, str]] = [
        (SeatGrant(M, 1), f"/m/{M}/seat/1"),
        (PlayerGrant("p-ana"), "/"),
        (PlayerGrant("p-ana", "cup"), "/t/cup"),
        (OrganiserGrant(ALL), "/organise"),
        (OrganiserGrant("cup"), "/organise/cup"),
        (RefereeGrant(match=M), f"/m/{M}"),
        (CasterGrant(event="cup"), "/t/cup"),
    ]
    for grant, goes_to in places:
        assert (await door.get("/api/session")).json()["kind"] == ""
        answer = await door.post("/api/session", {"token": keys.token(grant, 300)})
        assert answer.status_code == 200, answer.text
        assert answer.json()["goes_to"] == goes_to
        cookie = answer.headers["set-cookie"]
        assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/"))
        assert "Secure" not in cookie, "this came by plain HTTP, and the browser would not send it back"
        session = (await door.get("/api/session")).json()
        assert session == answer.json()
        assert session["asks"]
        await door.client.delete("/api/session")
    assert (await door.get("/api/session")).json()["kind"] == ""


async def test_a_cookie_speaks_for_the_browser_that_has_it(door: Front, keys: Keys) -> None:
    await door.post("/api/session", {"token": keys.token(SeatGrant(M, 0))})
    url = f"/api/matches/{M}?viewer=seat:0"
    assert (await door.client.get(url)).status_code == 200
    other = await door.client.get(url, headers=bearer(keys.token(SeatGrant(M, 1))))
    assert told(other) == (403, "not_your_seat"), "who says who they are is who they say"
    foreign = {"Origin": SITE, "Sec-Fetch-Site": "cross-site"}
    assert told(await door.client.get(url, headers=foreign)) == (401, "token_missing")
    move = {"seat": 0, "command": {"type": "tavolata.leave", "v": 1, "data": {"seat": 0}}}
    assert told(await door.post(f"/api/matches/{M}/commands", move, **foreign)) == (401, "token_missing")
    stranger = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert told(await door.post(f"/api/matches/{M}/commands", move, **stranger)) == (403, "foreign_page")


async def test_what_is_no_token_signs_nobody_in(door: Front, keys: Keys) -> None:
    old = issue(keys.key(), SeatGrant(M, 0), 60, lambda: 1_700_000_000)
    for token, code in (("made-up", "token_invalid"), (old, "token_expired")):
        answer = await door.post("/api/session", {"token": token})
        assert told(answer) == (401, code)
        assert "set-cookie" not in answer.headers
        assert token not in answer.text
    door.client.cookies.set("tavolata", old)
    assert (await door.get("/api/session")).json()["kind"] == ""
    assert (await door.get(f"/api/matches/{M}")).status_code == 200, (
        "a token that has expired keeps nobody from watching"
    )


async def test_by_https_the_cookie_is_for_https_alone(door: Front, keys: Keys) -> None:
    by_https = {"X-Forwarded-Proto": "https"}
    token = keys.token(SeatGrant(M, 0))
    answer = await door.post("/api/session", {"token": token}, **by_https)
    assert answer.headers["set-cookie"].startswith("__Host-tavolata=")
    assert "Secure" in answer.headers["set-cookie"]
    assert answer.headers["strict-transport-security"].startswith("max-age=")
    assert "strict-transport-security" not in (await door.get("/api/session")).headers
    weak = by_https | {"Cookie": f"tavolata={token}"}
    assert (await door.client.get("/api/session", headers=weak)).json()["kind"] == ""


async def test_a_reader_in_a_seat_is_told_no_more_when_the_key_is_revoked(door: Front, keys: Keys) -> None:
    path = f"/api/matches/{M}/stream"
    refused = await door.client.get(f"{path}?viewer=seat:0", headers={"Accept": "application/x-ndjson"})
    assert told(refused) == (401, "token_missing")
    headers = bearer(keys.token(SeatGrant(M, 0))) | {"Accept": "application/x-ndjson"}
    async with door.client.stream("GET", f"{path}?viewer=seat:0", headers=headers) as response:
        assert response.status_code == 200
        other = bearer(keys.token(SeatGrant(M, 1))) | {"Accept": "application/x-ndjson"}
        assert told(await door.client.get(f"{path}?viewer=seat:0", headers=other)) == (403, "not_your_seat"), (
            "that somebody else looks lets nobody in"
        )
        lines = response.aiter_lines()
        await anext(lines)
        revoke(keys.trust_file, keys.key().kid)
        async with asyncio.timeout(6):
            rest = [line async for line in lines]
    assert "token_revoked" in rest[-1]
    async with door.lines(path) as frames:
        assert (await first(frames, 1))[0]["event"]


async def test_another_site_that_is_named_may_ask_with_a_token(door: Front, keys: Keys) -> None:
    asks = {"Origin": SITE, "Access-Control-Request-Method": "POST", "Sec-Fetch-Site": "cross-site"}
    preflight = await door.client.options(f"/api/matches/{M}/commands", headers=asks)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == SITE
    assert "Authorization" in preflight.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in preflight.headers
    move = {"seat": 0, "command": {"type": "tavolata.leave", "v": 1, "data": {"seat": 0}}}
    site = {"Origin": SITE, "Sec-Fetch-Site": "cross-site"}
    answer = await door.post(f"/api/matches/{M}/commands", move, **site, **bearer(keys.token(SeatGrant(M, 0))))
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == SITE
    assert "Origin" in answer.headers["vary"]
    for origin in ("https://evil.example", "https://club.example.evil.example", "null", "http://club.example"):
        asks = {"Origin": origin, "Access-Control-Request-Method": "POST", "Sec-Fetch-Site": "cross-site"}
        answer = await door.client.options(f"/api/matches/{M}/commands", headers=asks)
        assert "access-control-allow-origin" not in answer.headers
        answer = await door.client.get(f"/api/matches/{M}", headers={"Origin": origin})
        assert "access-control-allow-origin" not in answer.headers


async def test_another_site_makes_nobody_somebody_else_on_our_pages(door: Front, keys: Keys) -> None:
    """A site beside ours in one domain would be obeyed by the browser: SameSite lets its answers set our cookie."""
    for site in ("cross-site", "same-site"):
        foreign = {"Origin": SITE, "Sec-Fetch-Site": site}
        answer = await door.post("/api/session", {"token": keys.token(SeatGrant(M, 0))}, **foreign)
        assert told(answer) == (403, "foreign_page")
        assert "set-cookie" not in answer.headers


async def test_what_depends_on_who_asks_is_kept_by_their_browser_and_a_hand_by_nobody(door: Front, keys: Keys) -> None:
    await door.post("/api/session", {"token": keys.token(SeatGrant(M, 0))})
    at = f"/api/matches/{M}"
    for path in (at, f"{at}/board.svg", f"{at}/facts"):
        answer = await door.client.get(f"{path}?viewer=seat:0")
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "private, no-store"), path
    for path in (f"/m/{M}", "/nowhere"):
        answer = await door.client.get(path, headers={"Accept": "text/html"})
        assert answer.headers["content-type"].startswith("text/html")
        assert answer.headers["cache-control"] == "private, no-cache", path
    assert (await door.client.get(at)).headers["cache-control"] == "no-cache"


async def test_an_open_house_has_nothing_to_sign_in_to(tmp_path: Path) -> None:
    async with front(tmp_path) as opened:
        assert told(await opened.post("/api/session", {"token": "x"})) == (409, "open_house")
        session: dict[str, Any] = (await opened.get("/api/session")).json()
        assert (session["asks"], session["kind"]) == (False, "")
