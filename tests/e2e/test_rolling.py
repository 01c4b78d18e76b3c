"""An upgrade while people play: services are stopped and started again one by one, as an operator does it. And what the
whole house has written into its logs meanwhile, at their most talkative.
"""

import asyncio
import os
import re
import signal
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.games import game_of_rules
from engine.kernel.commit import decode_line
from engine.kernel.official import EVENTS
from engine.kernel.value import Spectator
from engine.luck.verifier import verify
from services.kit.wire.channel import open_channel
from services.kit.wire.house import HouseClients, connect
from services.kit.wire.lasting import lasting_facts
from services.local.house import House
from services.local.plan import plan_house
from tests.e2e.players import Notes, patiently, play_match
from tests.kit.nats import until

GAME = "just4fun"
MATCHES = ("m-0", "m-1", "m-2")
RESTARTED = ("spectator", f"rules-{GAME}", "deck")
MOVES_BETWEEN = 4


async def watch(clients: HouseClients, match: str, told: list[int]) -> None:
    """As anybody may, from the first revision to the last."""

    async def is_open() -> bool:
        return bool((await clients.spectator.snapshot(match, Spectator())).newest)

    await patiently(is_open)
    async with aclosing(lasting_facts(clients.spectator, match, Spectator())) as facts:
        async for fact in facts:
            told.append(fact.revision)  # noqa: PERF401 - it is looked at meanwhile


async def restart(house: House, label: str) -> None:
    """SIGTERM, and the house starts it anew: the new one answers before this returns."""
    stopped = house.pid(label)
    os.kill(stopped, signal.SIGTERM)
    await until(lambda: house.pid(label) != stopped, f"{label} runs again")


async def be_rude(url: str) -> None:
    """Requests that are none, wrong or unwelcome: the gateway and its server have something to write about."""
    host, _, port = url.removeprefix("http://").rstrip("/").partition(":")
    for said in (b"\x16\x03\x01\r\n\r\n", b"GET /api/matches/m-0?seed=c0ffee HTTP/1.1\r\nHost: elsewhere\r\n\r\n"):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(said)
        await writer.drain()
        writer.write_eof()
        await reader.read()
        writer.close()


def lines_of(data: Path) -> list[dict[str, Any]]:
    """Of all services; each line is one JSON object that says who speaks, how loud and when."""
    lines = []
    for path in (data / "logs").glob("*.log"):
        for line in path.read_text().splitlines():
            found = msgspec.json.decode(line)
            assert {"event", "level", "timestamp", "service"} <= set(found), line
            assert found["service"] == path.stem
            lines.append(found)
    return lines


def holds_no_secret(said: list[dict[str, Any]], data: Path, logs: dict[str, list[bytes]]) -> None:
    """Neither keys, seeds, nonces nor what a command or an event says; of a match its id and its revision."""
    seeds = {EVENTS.decode(event).seed for lines in logs.values() for event in decode_line(lines[-1]).events}  # type: ignore[union-attr]  # the last line reveals the seed
    files = [path.read_text() for path in data.glob("*/master.key")]
    keys = {key for text in files for key in re.findall(r"[0-9a-f]{32,}", text)}
    assert len(keys) >= len(files) == 2
    assert len(seeds) == len(logs)
    for line in said:
        text = msgspec.json.encode(line).decode()
        for secret in (*seeds, *keys, "00ff", "c0ffee"):
            assert secret not in text, f"a line of {line['service']} holds a secret"
        for word in ("cards", "outcome", "luck.", "place_token", "hand_drawn", "Bearer", "eyJ"):
            assert word not in text, f"a line of {line['service']} tells of {word}"


@pytest.mark.timeout(150)
async def test_services_are_restarted_one_by_one_and_no_move_and_no_revision_is_missed(tmp_path: Path) -> None:
    plan = plan_house(tmp_path / "house", 0, settings={"log_level": "debug"})
    rules = next(service for service in plan.services if service.game == GAME)
    told: dict[str, list[int]] = {match: [] for match in MATCHES}
    async with House(plan) as house, connect(house.url) as clients, open_channel(rules.address) as channel:
        notes = Notes(channel)
        async with asyncio.timeout(120), asyncio.TaskGroup() as group:
            for match in MATCHES:
                group.create_task(play_match(clients, notes, match, GAME, 2))
            await until(lambda: len(notes.acknowledged) >= MOVES_BETWEEN, "the matches have begun")
            for match in MATCHES:
                group.create_task(watch(clients, match, told[match]))
            for label in RESTARTED:
                enough = len(notes.acknowledged) + MOVES_BETWEEN
                await restart(house, label)
                await until(lambda enough=enough: len(notes.acknowledged) >= enough, f"moves go on after {label}")  # type: ignore[misc]  # mypy does not infer a lambda's default
        logs = {match: await patiently(lambda match=match: clients.spectator.export(match)) for match in MATCHES}  # type: ignore[misc]  # mypy does not infer a lambda's default
        await be_rude(house.web_url)
    said = lines_of(plan.data)
    stopped = [line["service"] for line in said if line["event"] == "stopped"]
    assert set(stopped) == {service.label for service in plan.services}
    assert len(stopped) == len(plan.services) + len(RESTARTED), "each of them was stopped in order"
    holds_no_secret(said, plan.data, logs)
    stored = set()
    for match, lines in logs.items():
        verify(lines, game_of_rules)
        assert told[match] == list(range(1, len(lines) + 1)), "a watcher is told every revision once, in order"
        stored |= {(match, commit.actor, commit.id, commit.revision) for commit in map(decode_line, lines)}
    assert {tuple(move) for move in notes.acknowledged} <= stored
