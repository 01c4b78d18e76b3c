"""An upgrade while people play: services are stopped and started again one by one, as an operator does it."""

import asyncio
import os
import signal
from contextlib import aclosing, suppress
from pathlib import Path

import pytest

from engine.games import game_of_rules
from engine.kernel.commit import decode_line
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
RESTARTED = ("spectator", f"rules-{GAME}", "deck", "spectator", f"rules-{GAME}")
MOVES_BETWEEN = 5


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


@pytest.mark.timeout(150)
async def test_services_are_restarted_one_by_one_and_no_move_and_no_revision_is_missed(tmp_path: Path) -> None:
    plan = plan_house(tmp_path / "house", 0)
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
                await until(lambda enough=enough: len(notes.acknowledged) >= enough, f"moves go on after {label}")  # type: ignore[misc]
        logs = {match: await patiently(lambda match=match: clients.spectator.export(match)) for match in MATCHES}  # type: ignore[misc]
        with suppress(FileNotFoundError):
            said = "".join(path.read_text() for path in (house.plan.data / "logs").glob("*.log"))
    assert "Traceback" not in said
    assert said.count('"event": "stopped"') >= len(RESTARTED), "each of them was stopped in order"
    stored = set()
    for match, lines in logs.items():
        verify(lines, game_of_rules)
        assert told[match] == list(range(1, len(lines) + 1)), "a watcher is told every revision once, in order"
        stored |= {(match, commit.actor, commit.id, commit.revision) for commit in map(decode_line, lines)}
    assert {tuple(move) for move in notes.acknowledged} <= stored
