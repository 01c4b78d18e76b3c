"""The caster and the referee at the gateway: who is let in, how late, and that nothing of it is kept for others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.kernel.ports import Clock
from engine.kernel.refusal import Refusal
from services.gateway.app import Access
from services.gateway.reach import looker_in
from services.kit.access.caller import Caller, calling
from services.kit.access.carried import Own, carry
from services.kit.access.grants import ALL, CasterGrant, Grant, OrganiserGrant, PlayerGrant, RefereeGrant, SeatGrant
from services.kit.access.making import revoke
from services.kit.access.tokens import issue
from services.kit.lookers import looker_name
from tests.access.keys import Keys
from tests.gateway.front import Front, first, front
from tests.kit.nats import until
from tests.services.curtains import Watch

M = "cup-r1-t1"
DELAY_MS = 60_000
PATHS = ("", "/board.svg", "/board.png", "/facts", "/stream")
STREAMS = [
    (accept, query)
    for accept in ("text/event-stream", "application/x-ndjson")
    for query in ("", "&after=0", "&patches=1")
]
LINES = {"Accept": "application/x-ndjson"}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}" if token else "none"}


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path / "keys")


@asynccontextmanager
async def locked(folder: Path, keys: Keys, clock: Clock | None = None, **more: Any) -> AsyncIterator[Front]:
    """A house with keys and one match, whose seats are all one player's, who asks unless somebody says otherwise."""
    carry(Own(keys.key("rules-just4fun")))
    async with front(folder, clock=clock, access=Access(keys.trust)) as gate:
        carry(lambda: "")
        gate.client.headers.update(bearer(keys.token(OrganiserGrant(ALL))))
        await gate.open(M, players=["p-ana", "p-ana"], **more)
        gate.client.headers.update(bearer(keys.token(PlayerGrant("p-ana"))))
        yield gate


async def ask(gate: Front, grant: str, path: str, viewer: str, **headers: str) -> httpx.Response:
    """The answer to a token, whole; of a stream that is let in, its head."""
    url = f"/api/matches/{M}{path}?viewer={viewer}"
    async with gate.client.stream("GET", url, headers=bearer(grant) | headers) as response:
        if path != "/stream" or response.status_code != 200:
            await response.aread()
        return response


async def test_whoever_has_no_token_for_it_gets_nothing(tmp_path: Path, keys: Keys) -> None:
    old = issue(keys.key(), CasterGrant(match=M), 60, lambda: 1_700_000_000)
    denied: list[Grant] = [
        CasterGrant(match="cup-r1-t2"), CasterGrant("other"), RefereeGrant(match="m9"), SeatGrant(M, 0),
        PlayerGrant("p-ana"), OrganiserGrant(ALL),
    ]  # fmt: skip
    cases = [
        ("", 401, "token_missing"), ("made-up", 401, "token_invalid"), (old, 401, "token_expired"),
        *((keys.token(grant), 403, "not_your_match") for grant in denied),
    ]  # fmt: skip
    async with locked(tmp_path, keys) as gate:
        for token, status, code in cases:
            for viewer in ("caster", "referee"):
                for path in PATHS:
                    answer = await ask(gate, token, path, viewer)
                    assert (answer.status_code, answer.json()["code"]) == (status, code), (path, viewer)
        caster, referee = keys.token(CasterGrant("cup")), keys.token(RefereeGrant("cup"))
        for path in PATHS:
            for token, viewer in ((caster, "caster"), (referee, "referee"), (referee, "caster")):
                assert (await ask(gate, token, path, viewer)).status_code == 200
            answer = await ask(gate, caster, path, "referee")
            assert (answer.status_code, answer.json()["code"]) == (403, "not_your_match"), "a caster is not live"


async def test_the_gateway_asks_before_it_looks_for_anything(keys: Keys) -> None:
    """The spectator service asks again; here it is not there."""
    for viewer, grant, may in (
        ("caster", CasterGrant("cup"), True),
        ("referee", RefereeGrant("cup"), True),
        ("referee", CasterGrant("cup"), False),
        ("caster", SeatGrant(M, 0), False),
        ("referee", OrganiserGrant(ALL), False),
    ):
        calling(Caller(keys.token(grant), keys.trust))
        if may:
            assert looker_name(looker_in(viewer, M)) == viewer
        else:
            with pytest.raises(Refusal, match="not_your_match"):
                looker_in(viewer, M)
    calling(Caller("", keys.trust))
    with pytest.raises(Refusal, match="token_missing"):
        looker_in("caster", M)


async def test_an_open_house_shows_nobody_every_hand(tmp_path: Path) -> None:
    async with front(tmp_path) as gate:
        await gate.open(M)
        for viewer in ("caster", "referee"):
            for path in PATHS:
                answer = await gate.get(f"/api/matches/{M}{path}?viewer={viewer}")
                assert (answer.status_code, answer.json()["code"]) == (400, "unknown_viewer")
        assert (await gate.get(f"/api/matches/{M}?viewer=seat:0")).status_code == 200


async def test_nothing_that_is_not_for_everybody_is_kept(tmp_path: Path, keys: Keys) -> None:
    async with locked(tmp_path, keys) as gate:
        caster, referee = keys.token(CasterGrant(match=M)), keys.token(RefereeGrant(match=M))
        hands = (await ask(gate, caster, "", "caster")).json()["svg"]
        public = (await gate.get(f"/api/matches/{M}")).json()["svg"]
        assert hands != public, "a caster sees the hands"
        for path in PATHS:
            for token, viewer in ((caster, "caster"), (referee, "referee")):
                answer = await ask(gate, token, path, viewer, **{"If-None-Match": "*"})
                assert answer.status_code == 200
                assert "no-store" in answer.headers["cache-control"]
                assert "etag" not in answer.headers
            if path != "/stream":
                assert "private" in answer.headers["cache-control"]
                mine = await gate.get(f"/api/matches/{M}{path}?viewer=seat:0")
                assert mine.headers["cache-control"] == "private, no-store"
                shared = await gate.get(f"/api/matches/{M}{path}")
                assert (shared.headers["cache-control"], bool(shared.headers["etag"])) == ("no-cache", True)
                assert shared.content != answer.content
        assert (await gate.get(f"/api/matches/{M}")).json()["svg"] == public


async def seen(gate: Front, token: str) -> dict[str, tuple[int, bytes]]:
    """All that a caster can ask for, byte for byte."""
    found = {}
    queries = ("", "&revision=1", "&revision=500", "&after=2", "&language=fr")
    asked = [(path, query) for path in ("", "/board.svg", "/facts") for query in queries]
    for path, query in (*asked, ("/board.png", "&width=200")):
        answer = await gate.client.get(f"/api/matches/{M}{path}?viewer=caster{query}", headers=bearer(token))
        found[path + query] = answer.status_code, answer.content
    return found


async def test_a_caster_is_told_nothing_early_byte_for_byte(tmp_path: Path, keys: Keys) -> None:
    watch = Watch()
    async with locked(tmp_path, keys, watch, delay_ms=DELAY_MS) as gate, AsyncExitStack() as stack:
        caster, referee = keys.token(CasterGrant("cup")), keys.token(RefereeGrant("cup"))
        for path in PATHS:
            answer = await ask(gate, caster, path, "caster")
            assert (answer.status_code, answer.json()["code"]) == (404, "unknown_match")
        watch.forward(DELAY_MS)
        told: list[bytes] = []

        async def read(response: httpx.Response) -> None:
            async for piece in response.aiter_raw():
                told.append(piece)  # noqa: PERF401 - as they come

        for accept, query in STREAMS:
            url = f"/api/matches/{M}/stream?viewer=caster{query}"
            headers = bearer(caster) | {"Accept": accept}
            response = await stack.enter_async_context(gate.client.stream("GET", url, headers=headers))
            assert response.status_code == 200
            reading = asyncio.create_task(read(response))
            stack.callback(reading.cancel)
        before = await seen(gate, caster)
        await asyncio.sleep(0.15)
        said = b"".join(told)
        shown = (await ask(gate, caster, "", "caster")).json()["newest"]
        for _ in range(3):
            played = await gate.move(M)
        live = (await ask(gate, referee, "", "referee")).json()["newest"]
        assert live >= played > shown, "the referee is live"
        async with gate.client.stream(
            "GET", f"/api/matches/{M}/stream?viewer=referee", headers=bearer(referee) | LINES
        ) as beside:
            assert f'"revision":{live}'.encode() in await anext(beside.aiter_raw())
            await asyncio.sleep(0.15)
            assert b"".join(told) == said, "neither for a referee who looks at the same match"
        assert await seen(gate, caster) == before
        watch.forward(DELAY_MS - 1)
        await asyncio.sleep(0.15)
        assert (b"".join(told), await seen(gate, caster)) == (said, before)
        watch.forward(1)

        async def is_told() -> bool:
            return b"".join(told).count(f'"revision":{live}'.encode()) >= len(STREAMS)

        await until(is_told, "every stream has told what may be shown now")
        assert (await ask(gate, caster, "", "caster")).json()["newest"] == live


async def test_readers_share_what_they_are_told_with_their_own_token_alone(tmp_path: Path, keys: Keys) -> None:
    async with locked(tmp_path, keys) as gate, AsyncExitStack() as stack:
        url = f"/api/matches/{M}/stream"
        tokens = [keys.token(CasterGrant(match=M), life) for life in (500, 500, 400)]
        for token in tokens:
            headers = bearer(token) | LINES
            response = await stack.enter_async_context(
                gate.client.stream("GET", f"{url}?viewer=caster", headers=headers)
            )
            await anext(response.aiter_lines())
        shared = [key for key in gate.hub._audiences if key[3]]
        assert {key[3] for key in shared} == set(tokens)
        assert len(shared) == len(set(tokens))
        stranger = await ask(gate, "", "/stream", "caster")
        assert stranger.status_code == 401, "that somebody looks lets nobody in"


async def test_a_caster_is_told_no_more_when_the_key_is_revoked(tmp_path: Path, keys: Keys) -> None:
    async with locked(tmp_path, keys) as gate:
        path = f"/api/matches/{M}/stream"
        headers = bearer(keys.token(CasterGrant(match=M))) | LINES
        async with gate.client.stream("GET", f"{path}?viewer=caster", headers=headers) as response:
            lines = response.aiter_lines()
            await anext(lines)
            revoke(keys.trust_file, keys.key().kid)
            async with asyncio.timeout(6):
                rest = [line async for line in lines]
        assert "token_revoked" in rest[-1]
        async with gate.lines(path) as frames:
            assert (await first(frames, 1))[0]["event"]
