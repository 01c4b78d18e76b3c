"""What comes in is bounded in size and in time, and whatever is wrong with it is told as a problem."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import generate_latest
from structlog.testing import capture_logs

from engine.kernel.ports import Unavailable
from services.gateway import door as door_module
from services.gateway import protocol
from services.gateway.door import BODY_BYTES_MAX
from services.gateway.protocol import HEAD_BYTES_MAX
from tests.gateway.front import Front, front
from tests.kit.nats import until

M = "m-door"
OPENING = {"game": "just4fun", "seats": 2}


async def raw(gate: Front, *pieces: bytes) -> tuple[int, dict[str, Any]]:
    """What is answered to bytes on a line: status and problem."""
    reader, writer = await asyncio.open_connection("127.0.0.1", gate.server.port)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        async with asyncio.timeout(10):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            assert "content-type: application/problem+json" in head
            size = int(head.partition("content-length: ")[2].partition("\r\n")[0])
            return int(head.split()[1]), json.loads(await reader.readexactly(size))
    finally:
        writer.close()


def post(length: int) -> bytes:
    head = "POST /api/matches HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {length}\r\n\r\n".encode()


async def test_what_is_wrong_is_a_problem_of_its_status(tmp_path: Path) -> None:
    async with front(tmp_path) as gate:
        await gate.open(M)
        body, at = json.dumps(OPENING), f"/api/matches/{M}"
        stated = {"Idempotency-Key": "k", "Content-Type": "application/json"}
        begun = body.removesuffix("}")
        for method, path, headers, content, status, code in (
            ("GET", "/api/nothing", {}, "", 404, "no_such_page"),
            ("GET", "/api/matches/none", {}, "", 404, "unknown_match"),
            ("DELETE", f"/api/matches/{M}", {}, "", 405, "no_such_method"),
            ("PUT", "/api/matches", stated, body, 405, "no_such_method"),
            ("GET", f"{at}/stream", {"Accept": "text/html"}, "", 406, "not_acceptable"),
            ("POST", "/api/matches", stated | {"Content-Type": "text/plain"}, body, 415, "unknown_media_type"),
            ("POST", f"{at}/commands", stated | {"Content-Type": "text/csv"}, body, 415, "unknown_media_type"),
            ("POST", "/api/matches", stated, "{", 400, "bad_request"),
            ("POST", "/api/matches", stated, "", 400, "bad_request"),
            ("POST", "/api/matches", stated, '{"game": "just4fun", "seats": 1e400}', 400, "bad_request"),
            ("POST", "/api/matches", stated, '{"game": "\\ud800", "seats": 2}', 400, "bad_request"),
            ("POST", "/api/matches", stated, begun + ', "options": {"a": "\\ud800"}}', 400, "bad_json"),
            ("POST", "/api/matches", stated, begun + ', "options": {"a": 1' + "0" * 30 + "}}", 400, "bad_options"),
            ("POST", "/api/matches", stated, begun + ', "options": ' + '{"a":' * 900 + "1" + "}" * 901, 400, None),
            ("POST", "/api/matches", stated, begun + ', "\\u0000": 1}', 400, "bad_request"),
            ("POST", "/api/matches", stated, '{"game": "no\\u0000", "seats": 2}', 404, "unknown_game"),
            ("POST", "/api/matches", stated | {"Idempotency-Key": "a b"}, body, 400, "key_missing"),
            ("GET", f"/api/matches/{M}?revision={10**30}", {}, "", 400, "bad_request"),
            ("GET", f"/api/matches/{M}?viewer=referee", {}, "", 400, "unknown_viewer"),
            ("GET", f"/api/matches/{M}?viewer=seat:9", {}, "", 400, "unknown_seat"),
            ("GET", f"/api/matches/{M}/export", {}, "", 403, "match_running"),
            ("GET", f"/api/stream?match={M}&after=x", {}, "", 400, "bad_cursor"),
            ("GET", "/api/stream", {}, "", 400, "bad_request"),
        ):  # fmt: skip
            answer = await gate.client.request(method, path, headers=headers, content=content)
            told = answer.json()
            assert answer.status_code == status, (path, content[:60], answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
            assert told["status"] == status
            assert told["type"] == "about:blank"
            assert code is None or told["code"] == code, told
            assert told["detail"].endswith(".")
            assert "\0" not in answer.text


async def test_a_body_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    async with front(tmp_path) as gate:
        assert (await raw(gate, post(BODY_BYTES_MAX + 1)))[0] == 413
        chunked = post(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        piece = b"%x\r\n%s\r\n" % (2**16, b" " * 2**16)
        status, told = await raw(gate, chunked, *(piece for _ in range(BODY_BYTES_MAX // 2**16 + 1)))
        assert (status, told["code"]) == (413, "body_too_large")


async def test_a_body_that_does_not_come_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door_module, "PAUSE_SECONDS", 0.05)
    async with front(tmp_path) as gate:
        status, told = await raw(gate, post(100), b"{")
        assert (status, told["code"]) == (408, "body_too_slow")


async def test_who_goes_in_the_middle_of_a_body_is_no_fault_of_ours(tmp_path: Path) -> None:
    async with front(tmp_path) as gate:
        await gate.open(M)
        with capture_logs() as logged:
            for path in (b"/api/verify", b"/api/matches/m-door/commands", b"/api/matches"):
                _, writer = await asyncio.open_connection("127.0.0.1", gate.server.port)
                writer.write(post(100).replace(b"/api/matches", path) + b"{")
                await until(lambda: len(gate.app.state.bodies.awaited) == 1, "it is on its way")
                writer.close()
                await until(lambda: not gate.app.state.bodies.awaited, "it has been noticed to have gone")
            assert (await gate.get("/readyz")).status_code == 200
        assert not [each for each in logged if each["log_level"] == "error"]


async def test_who_takes_nothing_of_a_long_answer_is_hung_up_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_module, "TAKE_SECONDS", 0.1)
    ended = asyncio.Event()

    async def pieces(*_: object) -> AsyncGenerator[list[bytes], None]:
        try:
            while True:
                yield [b"x" * 2**16]
                await asyncio.sleep(0)
        finally:
            ended.set()

    async with front(tmp_path) as gate:
        monkeypatch.setattr(gate.app.state.reach.house.spectator, "export_pieces", pieces)
        _, writer = await asyncio.open_connection("127.0.0.1", gate.server.port, limit=1)
        writer.write(b"GET /api/matches/m1/export HTTP/1.1\r\nHost: x\r\n\r\n")
        async with asyncio.timeout(10):
            await ended.wait()
        writer.transport.abort()


async def test_a_gateway_that_stops_waits_for_no_body(tmp_path: Path) -> None:
    async with front(tmp_path) as gate:
        await gate.open(M)
        lines = post(100).replace(b"/api/matches", b"/api/matches/m-door/commands").replace(b"/json", b"/x-ndjson")
        export = post(100).replace(b"/api/matches", b"/api/verify")
        waiting = [asyncio.create_task(raw(gate, begun, b"{")) for begun in (post(100), export)]
        _, writer = await asyncio.open_connection("127.0.0.1", gate.server.port)
        writer.write(lines)
        await until(lambda: len(gate.app.state.bodies.awaited) == 3, "all three are on their way")
        began = asyncio.get_running_loop().time()
        await gate.server.stop(0)
        assert asyncio.get_running_loop().time() - began < 2.0
        for each in waiting:
            status, told = await each
            assert (status, told["code"]) == (503, "service_stopping")
        writer.close()


async def test_a_head_beyond_the_limit_is_refused_whole_or_in_the_middle(tmp_path: Path) -> None:
    async with front(tmp_path) as gate:
        for end in (b"\r\n\r\n", b""):
            status, told = await raw(gate, b"GET /api/x HTTP/1.1\r\nX: " + b"a" * (HEAD_BYTES_MAX + 1) + end)
            assert (status, told["code"]) == (431, "head_too_large")
        assert (await raw(gate, b"\x16\x03\x01nonsense\r\n\r\n"))[1]["code"] == "not_http"


async def test_who_says_nothing_is_hung_up_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.05)
    async with front(tmp_path) as gate:
        for begun in (b"", b"GET / HTTP/1.1\r\nX: "):
            reader, writer = await asyncio.open_connection("127.0.0.1", gate.server.port)
            writer.write(begun)
            async with asyncio.timeout(5):
                with suppress(ConnectionResetError):
                    assert await reader.read() == b""
            writer.close()


async def test_a_fault_of_ours_has_an_id_that_stands_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with front(tmp_path) as gate:

        async def broken(*_: object, **__: object) -> None:
            raise ZeroDivisionError("secret words")

        spectator = gate.app.state.reach.house.spectator
        monkeypatch.setattr(spectator, "snapshot", broken)
        with capture_logs() as logged:
            answer = await gate.get(f"/api/matches/{M}")
        assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
        assert "secret" not in answer.text
        (entry,) = (each for each in logged if each["event"] == "internal_error")
        assert answer.json()["detail"] == f"Something went wrong on our side (error {entry['error_id']})."
        assert isinstance(entry["exc_info"], ZeroDivisionError)

        async def away(*_: object, **__: object) -> None:
            raise Unavailable("service_unavailable", "The service did not answer.")

        monkeypatch.setattr(spectator, "snapshot", away)
        answer = await gate.get(f"/api/matches/{M}")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


async def test_a_house_that_is_down_is_said_to_be_at_once(tmp_path: Path) -> None:
    async with front(tmp_path) as gate:
        await gate.open(M)
        for name in ("spectator", "rules"):
            await gate.house.servers[name].stop(0)
        began = asyncio.get_running_loop().time()
        for path in (
            f"/api/matches/{M}",
            f"/api/matches/{M}/stream",
            f"/api/matches/{M}/facts",
            f"/api/stream?match={M}",
        ):
            answer = await gate.get(path)
            assert (answer.status_code, answer.json()["code"]) == (503, "service_unavailable")
        leave = {"seat": 1, "command": {"type": "tavolata.leave", "v": 1, "data": {"seat": 1}}}
        assert (await gate.post(f"/api/matches/{M}/commands", leave)).status_code == 503
        assert asyncio.get_running_loop().time() - began < 5


async def test_requests_are_counted_by_what_they_ask_and_never_by_match(tmp_path: Path) -> None:
    async with front(tmp_path) as gate:
        await gate.open(M)
        await gate.get(f"/api/matches/{M}/facts")
        await gate.get("/api/matches/none-such")
        told = generate_latest().decode()
    assert 'tavolata_http_requests_total{method="GET",route="/api/matches/{match}/facts",status="2xx"}' in told
    assert 'tavolata_http_requests_total{method="GET",route="/api/matches/{match}",status="4xx"}' in told
    assert M not in told
    assert "none-such" not in told
