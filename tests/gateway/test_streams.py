"""Streams over real sockets: a house of processes that is killed, readers that stall or leave, and a clean stop."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.kernel.ports import Failed
from services.gateway import door
from services.gateway.streams import responder
from services.gateway.streams.place import Place
from tests.e2e.command import Up
from tests.gateway.front import Front, first, front
from tests.gateway.matches_at import post, running_match
from tests.kit.nats import until

M = "m-stream"
MANY = 200


async def opened(gate: Front, count: int) -> list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Readers on raw sockets, each with its first position."""
    lines = [await asyncio.open_connection("127.0.0.1", gate.server.port, limit=2**22) for _ in range(count)]
    for _, writer in lines:
        writer.write(f"GET /api/matches/{M}/stream HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    for reader, _ in lines:
        async with asyncio.timeout(10):
            await reader.readuntil(b"event: position")
            await reader.readuntil(b"\n\n")
    return lines


async def test_a_gateway_with_many_readers_stops_at_once_and_tells_them_to_come_again(tmp_path: Path) -> None:
    async with front(tmp_path) as gate:
        await gate.open(M)
        lines = await opened(gate, MANY)
        assert len(gate.app.state.answers) == MANY
        await gate.client.aclose()
        began = asyncio.get_running_loop().time()
        await gate.server.stop(0)
        assert asyncio.get_running_loop().time() - began < 1.0
        for reader, writer in lines:
            async with asyncio.timeout(5):
                told = await reader.read()
            assert b"retry: " in told
            assert told.endswith(b"0\r\n\r\n"), "the answer has ended, it has not been broken off"
            writer.close()


async def test_readers_that_leave_leave_nothing_behind(tmp_path: Path) -> None:
    """Counted from the second crowd on: what a match is told over is called up with the first."""
    async with front(tmp_path) as gate:
        await gate.open(M)
        staying = await opened(gate, 1)
        await _come_and_go(gate, 50)
        before = len(asyncio.all_tasks())
        await _come_and_go(gate, 50)
        await until(lambda: len(asyncio.all_tasks()) <= before, "their tasks are gone")
        staying[0][1].close()


async def _come_and_go(gate: Front, readers: int) -> None:
    """Half of them hang up, the others break off; one who was there before stays."""
    for number, (_, writer) in enumerate(await opened(gate, readers)):
        if number % 2:
            writer.transport.abort()
        else:
            writer.close()
    await until(lambda: len(gate.app.state.answers) == 1, "all have been noticed to have gone, with nothing sent")


async def test_a_reader_that_announces_a_body_and_sends_none_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "PAUSE_SECONDS", 0.05)
    async with front(tmp_path) as gate:
        await gate.open(M)
        _, writer = await asyncio.open_connection("127.0.0.1", gate.server.port)
        writer.write(f"GET /api/matches/{M}/stream HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n".encode())
        await until(lambda: len(gate.app.state.answers) == 1, "the answer is open")
        await until(lambda: len(gate.app.state.answers) == 0, "nobody would hear that the reader goes, so it ends")
        writer.close()


async def test_a_reader_that_takes_nothing_is_hung_up_on_and_costs_nobody_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responder, "SEND_SECONDS", 0.2)
    monkeypatch.setattr(responder, "LOOK_SECONDS", 0.05)
    async with front(tmp_path) as gate:
        await gate.open(M)
        stuck = socket.socket()
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1_024)
        stuck.connect(("127.0.0.1", gate.server.port))
        stuck.setblocking(False)
        stuck.send(f"GET /api/matches/{M}/stream?after=0 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        async with gate.lines(f"/api/matches/{M}/stream", after=0) as frames:
            await until(lambda: len(gate.app.state.answers) == 2, "both are there")
            told: list[dict[str, Any]] = []
            reading = asyncio.create_task(_take(frames, told))
            played = 0
            while len(gate.app.state.answers) == 2:
                assert played < 200, "the stuck one is never hung up on"
                played = await gate.move(M)
            await until(lambda: told[-1]["revision"] >= played, "the other one has had everything")
            facts = [each["revision"] for each in told if each["event"] == "fact"]
            assert facts == list(range(1, facts[-1] + 1))
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        stuck.close()


async def test_a_browser_that_comes_again_after_the_end_is_sent_away(tmp_path: Path) -> None:
    async with front(tmp_path) as gate:
        await gate.open(M)
        await gate.finish(M)
        async with gate.events(f"/api/matches/{M}/stream", after=0) as events:
            told = [each async for each in events]
        assert told[0] == {"retry": "500"}
        last = [each["id"] for each in told if "id" in each][-1]
        assert (told[-1]["event"], str(told[-1]["revision"])) == ("end", last)
        for path, mark in ((f"/api/matches/{M}/stream", last), (f"/api/stream?match={M}", f"{M}:{last}")):
            answer = await gate.client.get(path, headers={"Last-Event-ID": mark})
            assert (answer.status_code, answer.content) == (204, b"")
        async with gate.events(f"/api/matches/{M}/stream", {"Last-Event-ID": "2"}, after=0) as events:
            assert (await first(events, 2))[1]["id"] == "3", "the header is taken before the parameter"


async def test_several_matches_are_taken_up_again_where_they_were(tmp_path: Path) -> None:
    async with front(tmp_path) as gate:
        for match in ("a", "b"):
            await gate.open(match)
        async with gate.events("/api/stream", match=["a", "b", "none"]) as events:
            begun = await first(events, 4)
            assert [(each.get("event"), each.get("match")) for each in begun[1:]] == [
                ("problem", "none"), ("position", "a"), ("position", "b"),
            ]  # fmt: skip
            at = {each["match"]: each["revision"] for each in begun[2:]}
            played = await gate.move("a")
            fact = (await first(events, 1))[0]
            assert fact["id"] == f"a:{played},b:{at['b']}"
        await gate.move("b")
        for query, headers in (({"after": fact["id"]}, {}), ({"after": "a:0"}, {"Last-Event-ID": fact["id"]})):
            async with gate.events("/api/stream", headers, match=["a", "b"], **query) as events:
                again = [each for each in await first(events, 4) if each.get("event") == "fact"]
                assert min(each["revision"] for each in again if each["match"] == "b") == at["b"] + 1
                assert all(each["revision"] > played for each in again if each["match"] == "a")


async def test_a_match_that_is_damaged_is_told_among_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with front(tmp_path) as gate:
        await gate.open("a")
        join = gate.hub.join

        @asynccontextmanager
        async def joining(match: str, *others: Any, **more: Any) -> AsyncGenerator[Place, None]:
            if match == "b":
                raise Failed("broken_log", "The log of the match is damaged.")
            async with join(match, *others, **more) as place:
                yield place

        monkeypatch.setattr(gate.hub, "join", joining)
        async with gate.lines("/api/stream", match=["b", "a"]) as lines:
            told = await first(lines, 2)
        assert [(each["event"], each["match"], each.get("code")) for each in told] == [
            ("problem", "b", "broken_log"), ("position", "a", None),
        ]  # fmt: skip


async def test_a_spectator_service_that_is_killed_costs_a_reader_no_revision(whole_house: Up) -> None:
    match = running_match(whole_house, "killed")
    (pid,) = (pid for pid, _ in whole_house.descendants() if _is_spectator(pid))
    async with httpx.AsyncClient(base_url=whole_house.web, timeout=30, trust_env=False) as client:
        headers = {"Accept": "application/x-ndjson"}
        async with client.stream("GET", f"api/matches/{match}/stream?after=0", headers=headers) as response:
            told: list[dict[str, Any]] = []
            reading = asyncio.create_task(_take(_json(response), told))
            await until(lambda: any(each["event"] == "position" for each in told), "it has begun")
            os.kill(pid, signal.SIGKILL)
            for seat in (0, 1):
                leave = {"seat": seat, "command": {"type": "tavolata.leave", "v": 1, "data": {"seat": seat}}}
                answer = await asyncio.to_thread(post, whole_house, f"matches/{match}/commands", leave, "leave")
                assert answer.status_code == 200, answer.text
            async with asyncio.timeout(30):
                await reading
    assert any(each["event"] == "away" for each in told)
    facts = [each["revision"] for each in told if each["event"] == "fact"]
    assert facts == list(range(1, told[-1]["revision"] + 1))
    assert told[-1]["event"] == "end"


def _is_spectator(pid: int) -> bool:
    return b"spectator" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")


async def _take(frames: AsyncGenerator[dict[str, Any], None], told: list[dict[str, Any]]) -> None:
    async for each in frames:
        told.append(each)  # noqa: PERF401 - as they come


async def _json(response: httpx.Response) -> AsyncGenerator[dict[str, Any], None]:
    async for line in response.aiter_lines():
        yield httpx.Response(200, text=line).json()
