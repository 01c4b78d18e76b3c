"""kill -9 takes each process of the house in turn while people play; nothing that was acknowledged is lost."""

import asyncio
import os
import signal
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from tavolata.scoring.v1 import scoring_pb2

from engine.games import game_of_rules
from engine.kernel.commit import decode_line
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.luck.verifier import verify
from services.kit.wire.channel import open_channel
from services.kit.wire.house import HouseClients, connect
from services.local.house import House
from services.local.plan import plan_house
from tests.e2e.players import Notes, patiently, play_match
from tests.kit.nats import until

TABLES = 3
MOVES_BETWEEN = 12
"""Acknowledged after each kill before the next: the house has found itself again."""
GAME = "just4fun"


class Killer:
    """Keeps the tables busy until every process has been killed."""

    def __init__(self, house: House, clients: HouseClients, notes: Notes) -> None:
        self.house = house
        self.clients = clients
        self.notes = notes
        self.matches: list[str] = []
        self.done = False

    async def run(self) -> None:
        async with asyncio.timeout(100), asyncio.TaskGroup() as group:
            for table in range(TABLES):
                group.create_task(self._keep_table(table))
            for label in self.house.labels:
                await self._moves_go_on(f"before {label} is killed")
                await self._kill(label)
            await self._moves_go_on("after the last kill")
            self.done = True

    async def _keep_table(self, table: int) -> None:
        """One match after the other."""
        number = 0
        while not self.done:
            match = f"table-{table}-{number}"
            self.matches.append(match)
            await play_match(self.clients, self.notes, match, GAME, 2 + (table + number) % 3)
            number += 1

    async def _moves_go_on(self, when: str) -> None:
        enough = len(self.notes.acknowledged) + MOVES_BETWEEN
        await until(lambda: len(self.notes.acknowledged) >= enough, f"moves are acknowledged {when}")

    async def _kill(self, label: str) -> None:
        killed = self.house.pid(label)
        os.kill(killed, signal.SIGKILL)

        def is_back() -> bool:
            with suppress(AssertionError):  # nats has no process just now
                return self.house.pid(label) != killed
            return False

        await until(is_back, f"{label} runs again")


@pytest.mark.timeout(180)
async def test_every_process_is_killed_in_turn_and_no_acknowledged_move_is_lost(tmp_path: Path) -> None:
    async with House(plan_house(tmp_path / "house", 0)) as house, connect(house.url) as clients:
        rules = next(service for service in house.plan.services if service.game == GAME)
        async with open_channel(rules.address) as channel:
            notes = Notes(channel)
            killer = Killer(house, clients, notes)
            await killer.run()
            logs: dict[str, list[bytes]] = {}
            for match in killer.matches:
                logs[match] = await patiently(lambda match=match: clients.spectator.export(match))  # type: ignore[misc]  # mypy does not infer a lambda's default
                await _scores_agree(clients, match, logs[match])

    for lines in logs.values():
        verify(lines, game_of_rules)
    commits = {match: [decode_line(line) for line in lines] for match, lines in logs.items()}
    stored = Counter(
        (match, commit.actor, commit.id, commit.revision) for match, found in commits.items() for commit in found
    )
    twice = [key for key, times in Counter(key[:3] for key in stored.elements()).items() if times > 1]
    assert not twice, f"in the log more than once: {twice}"
    lost = [move for move in notes.acknowledged if tuple(move) not in stored]
    assert not lost, f"acknowledged, and not in the log: {lost}"
    assert len(notes.acknowledged) >= MOVES_BETWEEN * len(house.labels)


async def _scores_agree(clients: HouseClients, match: str, lines: list[bytes]) -> None:
    """The scoring service tells of the match what its own log tells."""
    report = verify(lines, game_of_rules)

    async def has_caught_up() -> bool:
        with suppress(Unavailable, Refusal):
            return (await clients.scoring.match(match)).revision == len(lines)
        return False

    await until(has_caught_up, f"scoring has read {match} to its end")
    told = await clients.scoring.match(match)
    assert told.status == scoring_pb2.STATUS_ENDED
    assert tuple(seat.rank for seat in told.seats) == report.ranks
