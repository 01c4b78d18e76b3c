"""Nothing of a match that is kept behind reaches a bystander early, on any way out of the gateway; the end lifts it."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.deal import Deal
from services.kit.memory_log import MemoryLog
from tests.gateway.front import Front, first, front, rest
from tests.services.curtains import Watch

M = "m-late"
DELAY_MS = 60_000
PAIR = {"group": "g", "tables": 2}
AHEAD, BEHIND = Deal("g", 2).match(1), Deal("g", 2).match(2)
ABSENT = 9
"""A seat that no match here has: who speaks for it is nobody."""


async def seen(gate: Front, match: str) -> dict[str, tuple[int, dict[str, str], bytes]]:
    """All that a bystander can ask for, whole: status, headers and body by request."""
    at = f"/api/matches/{match}"
    asked = [
        *(("GET", f"{at}{path}", {}) for path in ("", "?revision=1", "?revision=500", "?language=fr")),
        *(("GET", f"{at}{path}", {}) for path in ("/board.svg", "/board.svg?revision=3", "/facts", "/facts?after=2")),
        ("GET", f"{at}/facts", {"Accept": "application/x-ndjson"}),
        *(("GET", f"{at}{path}", {}) for path in ("/export", "/card.png", "/board.png?width=200")),
        *(("GET", f"{path}/{match}", {}) for path in ("/m", "/embed/m")),
        ("GET", f"/api/oembed?url=http://127.0.0.1/m/{match}", {}),
        ("GET", f"{at}/choices?seat={ABSENT}", {}),
        ("GET", "/api/matches", {}),
        ("HEAD", at, {}),
        ("HEAD", f"{at}/stream", {}),
        ("OPTIONS", at, {}),
    ]
    found = {}
    for method, path, headers in asked:
        answer = await gate.client.request(method, path, headers=headers)
        kept = {name: value for name, value in answer.headers.items() if name != "date"}
        found[f"{method} {path} {headers}"] = (answer.status_code, kept, answer.content)
    leave = {"type": "tavolata.leave", "v": 1, "data": {"seat": ABSENT}}
    for path, body in (
        ("commands", {"seat": ABSENT, "command": leave}),
        ("commands", {"seat": ABSENT, "command": leave, "expected_revision": 1}),
    ):
        answer = await gate.post(f"{at}/{path}", body, f"nobody-{len(found)}")
        found[f"POST {path} {body}"] = (answer.status_code, {}, answer.content)
    return found


@asynccontextmanager
async def streams(gate: Front, match: str) -> AsyncIterator[list[Any]]:
    """A bystander on every kind of stream; what each is told, so far."""
    told: list[Any] = []

    async def read(frames: Any) -> None:
        async for each in frames:
            told.append(each)  # noqa: PERF401 - as they come

    async with AsyncExitStack() as stack:
        at = f"/api/matches/{match}/stream"
        opened = (
            gate.events(at), gate.events(at, after=0), gate.events(at, {"Last-Event-ID": "1"}), gate.lines(at, after=0),
            gate.lines(at, patches=1), gate.events("/api/stream", match=match), gate.lines("/api/stream", match=match),
        )  # fmt: skip
        tasks = [asyncio.create_task(read(await stack.enter_async_context(each))) for each in opened]
        yield told
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def newest(told: list[Any]) -> int:
    return max((each.get("revision", 0) for each in told), default=0)


async def quiet() -> None:
    """Long enough for what was let out by mistake to arrive: whatever is told is told within a few milliseconds."""
    await asyncio.sleep(0.15)


async def test_before_its_time_there_is_no_such_match(tmp_path: Path) -> None:
    watch = Watch()
    async with front(tmp_path, clock=watch) as gate:
        absent = {
            request.replace("m-none", M): (status, body.replace(b"m-none", M.encode()))
            for request, (status, _, body) in (await seen(gate, "m-none")).items()
        }
        await gate.open(M, delay_ms=DELAY_MS)
        await gate.move(M)
        found = {request: (status, body) for request, (status, _, body) in (await seen(gate, M)).items()}
        of_seats = {request for request in found if "choices" in request or request.startswith("POST")}
        for request in found.keys() - of_seats:
            assert found[request] == absent[request], request
        for request in of_seats:
            assert b"revision" not in found[request][1], request
        answer = await gate.get(f"/api/stream?match={M}")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_match")


async def test_a_bystander_is_told_nothing_early_and_everything_at_the_end(tmp_path: Path) -> None:
    watch = Watch()
    async with front(tmp_path, clock=watch) as gate:
        await gate.open(M, delay_ms=DELAY_MS)
        shown = (await gate.get(f"/api/matches/{M}", viewer="seat:0")).json()["newest"]
        watch.forward(DELAY_MS)
        async with streams(gate, M) as told:
            before = await seen(gate, M)
            await quiet()
            assert newest(told) == shown
            said = len(told)
            for _ in range(3):
                played = await gate.move(M)
            own = (await gate.get(f"/api/matches/{M}", viewer="seat:0")).json()
            assert own["newest"] >= played, "a seat of the table looks behind the curtain"
            await quiet()
            assert len(told) == said
            assert await seen(gate, M) == before
            watch.forward(DELAY_MS - 1)
            await quiet()
            assert (len(told), await seen(gate, M) == before) == (said, True)
            watch.forward(1)
            await quiet()
            assert newest(told) == own["newest"]
            assert (await gate.get(f"/api/matches/{M}")).json()["newest"] == own["newest"]
            await gate.move(M)
            await gate.finish(M)
            await quiet()
            end = (await gate.get(f"/api/matches/{M}")).json()
            assert end["complete"]
            assert sum(each.get("event") == "end" for each in told) == 7, "on each of the streams"
            assert (await gate.get(f"/api/matches/{M}/export")).status_code == 200


async def test_tables_of_a_deal_tell_nothing_before_the_others_have_met_it(tmp_path: Path) -> None:
    async with front(tmp_path) as gate:
        await gate.open(AHEAD, deal=PAIR)
        await gate.open(BEHIND, deal=PAIR)
        async with streams(gate, AHEAD) as told:
            await quiet()
            before, said = await seen(gate, AHEAD), len(told)
            for _ in range(3):
                await gate.move(AHEAD)
            await quiet()
            assert len(told) == said
            assert await seen(gate, AHEAD) == before
            await gate.move(BEHIND)
            await quiet()
            assert len(told) > said
            at = newest(told)
            leave = {"seat": 0, "command": {"type": "tavolata.leave", "v": 1, "data": {"seat": 0}}}
            assert (await gate.post(f"/api/matches/{AHEAD}/commands", leave)).status_code == 200
            await quiet()
            assert not any(each.get("event") == "end" for each in told), "its end tells the seed of both"
            assert newest(told) == at
            await gate.finish(BEHIND)
            await quiet()
            assert sum(each.get("event") == "end" for each in told) == 7


async def test_of_several_matches_each_is_kept_behind_for_itself(tmp_path: Path) -> None:
    watch = Watch()
    async with front(tmp_path, clock=watch) as gate:
        await gate.open(M, delay_ms=DELAY_MS)
        await gate.open("m-now")
        async with gate.lines("/api/stream", match=[M, "m-now"]) as frames:
            told = await first(frames, 2)
            assert (told[0]["event"], told[0]["match"], told[0]["code"]) == ("problem", M, "unknown_match")
            assert (told[1]["event"], told[1]["match"]) == ("position", "m-now")
            await gate.move(M)
            await gate.finish("m-now")
            assert {each["match"] for each in await rest(frames)} == {"m-now"}


@pytest.mark.parametrize("number", range(3))
async def test_at_any_moment_no_way_out_is_ahead_of_the_curtain(tmp_path: Path, number: int) -> None:
    """Moves and time at random: what may be shown is what the commits' own instants say."""
    dice, watch, log = random.Random(number), Watch(), MemoryLog()
    async with front(tmp_path, clock=watch, log=log) as gate:
        await gate.open(M, delay_ms=DELAY_MS)
        opened = watch.now()
        due = [opened + DELAY_MS * 1000] * len(await log.read(M, after=0))
        watch.forward(DELAY_MS)
        async with streams(gate, M) as told:
            for _ in range(8):
                if dice.random() < 0.6:
                    await gate.move(M)
                else:
                    watch.forward(dice.randrange(DELAY_MS))
                lines = len(await log.read(M, after=0))
                due += [watch.now() + DELAY_MS * 1000] * (lines - len(due))
                await quiet()
                allowed = sum(at <= watch.now() for at in due)
                assert newest(told) == allowed
                assert (await gate.get(f"/api/matches/{M}")).json()["newest"] == allowed
