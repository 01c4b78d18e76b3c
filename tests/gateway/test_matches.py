"""The API of matches, over HTTP, against a house in one process."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.gateway.front import first, front, rest

M = "m-web"
LEAVE = {"seat": 1, "command": {"type": "tavolata.leave", "v": 1, "data": {"seat": 1}}}


async def test_a_match_is_opened_played_and_followed(tmp_path: Path) -> None:
    async with front(tmp_path) as door:
        await door.open(M, players=["ann", "bob"])
        begun = (await door.get(f"/api/matches/{M}")).json()
        assert begun["players"] == ["ann", "bob"]
        async with door.lines(f"/api/matches/{M}/stream") as frames:
            told = await first(frames, 1)
            assert told[0]["event"] == "position"
            at = told[0]["revision"]
            assert await door.move(M) == at + 1
            assert [each["revision"] for each in await first(frames, 1)] == [at + 1]
            await door.finish(M)
            told += await rest(frames)
        assert told[-1] == {"event": "end", "match": M, "revision": told[-1]["revision"]}
        facts = (await door.get(f"/api/matches/{M}/facts")).json()
        assert [each["revision"] for each in facts["facts"]] == list(range(1, facts["newest"] + 1))
        assert facts["newest"] == told[-1]["revision"]


async def test_the_same_command_twenty_times_at_once_is_one_commit_and_one_answer(tmp_path: Path) -> None:
    async with front(tmp_path) as door:
        await door.open(M, seats=3)
        before = (await door.get(f"/api/matches/{M}")).json()["newest"]
        answers = await asyncio.gather(*(door.post(f"/api/matches/{M}/commands", LEAVE, "once") for _ in range(20)))
        assert {(each.status_code, each.text) for each in answers} == {(200, f'{{"revision":{before + 1}}}')}
        assert sum("idempotent-replayed" not in each.headers for each in answers) == 1
        types = [
            event["type"]
            for fact in (await door.get(f"/api/matches/{M}/facts")).json()["facts"]
            for event in fact["events"]
        ]
        assert types.count("tavolata.seat_left") == 1
        other = LEAVE | {"seat": 0, "command": {"type": "tavolata.leave", "v": 1, "data": {"seat": 0}}}
        assert (await door.post(f"/api/matches/{M}/commands", other, "once")).status_code == 200, (
            "keys are a seat's own"
        )
        changed = {"seat": 1, "command": {"type": "tavolata.leave", "v": 1, "data": {"seat": 1, "reason": "late"}}}
        refused = await door.post(f"/api/matches/{M}/commands", changed, "once")
        assert (refused.status_code, refused.json()["code"]) == (400, "id_reused")


async def test_the_same_opening_twenty_times_at_once_is_one_match_and_one_answer(tmp_path: Path) -> None:
    async with front(tmp_path) as door:
        body = {"game": door.game, "seats": 2}
        answers = await asyncio.gather(*(door.post("/api/matches", body, "again") for _ in range(20)))
        assert len({(each.status_code, each.text, each.headers["location"]) for each in answers}) == 1
        assert answers[0].status_code == 201
        assert sum("idempotent-replayed" not in each.headers for each in answers) == 1
        other = await door.post("/api/matches", body | {"seats": 3}, "again")
        assert (other.status_code, other.json()["code"]) == (409, "id_reused")
        named = body | {"match": "mine"}
        assert (await door.post("/api/matches", named)).status_code == 201
        refused = await door.post("/api/matches", named | {"seats": 3})
        assert (refused.status_code, refused.json()["code"]) == (409, "match_exists")


async def test_a_post_without_a_key_is_told_what_a_key_is(tmp_path: Path) -> None:
    async with front(tmp_path) as door:
        await door.open(M)
        for path in ("/api/matches", f"/api/matches/{M}/commands", f"/api/matches/{M}/directions"):
            answer = await door.client.post(path, json=LEAVE)
            assert (answer.status_code, answer.json()["code"]) == (400, "key_missing")
            assert "Idempotency-Key" in answer.json()["detail"]


async def test_many_commands_are_answered_line_by_line(tmp_path: Path) -> None:
    async with front(tmp_path) as door:
        await door.open(M, seats=3)
        at = (await door.get(f"/api/matches/{M}")).json()["newest"]

        def line(key: str, seat: int) -> str:
            return (
                f'{{"key":"{key}","seat":{seat},"command":{{"type":"tavolata.leave","v":1,"data":{{"seat":{seat}}}}}}}'
            )

        body = "\n".join((line("a", 0), "", line("a", 0), "{", line("b", 0), line("c", 9), line("d", 1)))
        answer = await door.client.post(
            f"/api/matches/{M}/commands", content=body, headers={"Content-Type": "application/x-ndjson"}
        )
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/x-ndjson"
        said = _decoded(answer.text)
        assert [each["key"] for each in said] == ["a", "a", "", "b", "c", "d"]
        assert [each.get("revision") for each in said] == [at + 1, at + 1, None, None, None, at + 2]
        problems = [each["problem"] for each in said if "problem" in each]
        assert [each["code"] for each in problems] == ["bad_request", "seat_has_left", "unknown_seat"]


async def test_commands_are_done_while_others_are_still_being_written(tmp_path: Path) -> None:
    async with front(tmp_path) as door:
        await door.open(M, seats=3)
        reader, writer = await asyncio.open_connection("127.0.0.1", door.server.port)
        head = f"POST /api/matches/{M}/commands HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
        writer.write(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        for key in ("a", "b"):
            line = b'{"key":"%s","seat":0,"command":{"type":"tavolata.leave","v":1,"data":{"seat":0}}}\n' % key.encode()
            writer.write(b"%x\r\n%s\r\n" % (len(line), line))
            async with asyncio.timeout(5):
                await reader.readuntil(b'{"key":"%s"' % key.encode())
        writer.write(b"0\r\n\r\n")
        async with asyncio.timeout(5):
            await reader.readuntil(b"0\r\n\r\n")
        writer.close()


async def test_a_director_pauses_goes_on_and_sends_a_seat_away(tmp_path: Path) -> None:
    async with front(tmp_path) as door:
        await door.open(M, seats=3, turn_ms=60_000)
        path = f"/api/matches/{M}/directions"
        for act, more in (("pause", {}), ("resume", {}), ("extend", {"ms": 5_000}), ("seat_out", {"seat": 2})):
            answer = await door.post(path, {"act": act, "reason": "by hand", **more})
            assert answer.status_code == 200, answer.text
        facts = (await door.get(f"/api/matches/{M}/facts")).json()["facts"]
        done = [fact["events"][0]["type"] for fact in facts if fact["actor"] == "host"]
        acts = ["match_opened", "match_paused", "match_resumed", "time_extended", "seat_left"]
        assert done == [f"tavolata.{each}" for each in acts]
        again = await door.post(path, {"act": "resume"})
        assert (again.status_code, again.json()["code"]) == (409, "not_paused")
        assert (await door.post(path, {"act": "seat_out"})).json()["code"] == "unknown_seat"
        assert (await door.post(path, {"act": "call_time"})).status_code == 200


async def test_an_export_is_the_log_byte_for_byte_and_refused_before_the_end(tmp_path: Path) -> None:
    async with front(tmp_path) as door:
        await door.open(M)
        refused = await door.get(f"/api/matches/{M}/export")
        assert (refused.status_code, refused.json()["code"]) == (403, "match_running")
        await door.finish(M)
        answer = await door.get(f"/api/matches/{M}/export")
        stored = [each.line for each in await door.house.log.read(M, after=0)]
        assert answer.content == b"".join(line + b"\n" for line in stored)
        assert answer.headers["content-type"] == "application/x-ndjson"
        assert answer.headers["content-disposition"] == f'attachment; filename="{M}.jsonl"'


async def test_facts_come_as_lines_to_who_asks_for_lines(tmp_path: Path) -> None:
    async with front(tmp_path) as door:
        await door.open(M)
        plain = (await door.get(f"/api/matches/{M}/facts")).json()["facts"]
        answer = await door.client.get(f"/api/matches/{M}/facts", headers={"Accept": "application/x-ndjson"})
        assert _decoded(answer.text) == plain


async def test_who_has_the_newest_is_sent_nothing(tmp_path: Path) -> None:
    async with front(tmp_path) as door:
        await door.open(M)
        for path in (f"/api/matches/{M}", f"/api/matches/{M}/board.svg", f"/api/matches/{M}/facts"):
            answer = await door.get(path)
            again = await door.client.get(path, headers={"If-None-Match": answer.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
        await door.move(M)
        assert (await door.client.get(path, headers={"If-None-Match": answer.headers["etag"]})).status_code == 200


@pytest.mark.parametrize("path", [f"/api/matches/{M}", f"/api/matches/{M}/stream", f"/api/stream?match={M}"])
async def test_head_and_options_say_what_get_would(tmp_path: Path, path: str) -> None:
    async with front(tmp_path) as door:
        await door.open(M)
        head = await door.client.head(path)
        assert (head.status_code, head.content) == (200, b"")
        async with door.client.stream("GET", path) as whole:
            assert head.headers["content-type"] == whole.headers["content-type"]
        options = await door.client.options(path)
        assert (options.status_code, options.headers["allow"]) == (204, "GET, HEAD, OPTIONS")
        assert (await door.client.options("/api/matches")).headers["allow"] == "OPTIONS, POST"


def _decoded(text: str) -> list[Any]:
    return [msgspec.json.decode(line) for line in text.splitlines()]
