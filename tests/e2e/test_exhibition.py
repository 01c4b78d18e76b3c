"""A house that keeps a table of bots going."""

import asyncio
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from tavolata.scoring.v1 import scoring_pb2

from bots.exhibition import exhibit
from services.kit.wire.house import HouseClients, connect
from services.local.house import House
from services.local.plan import plan_house
from tests.cli.here import Client
from tests.e2e.command import up

LIVES_S = 10.0
"""From the open door until something is to be seen."""

SHOWN_S = 60.0
"""For two matches without pauses on a busy machine; three seconds on an idle one."""


@pytest.mark.timeout(120)
def test_whoever_looks_in_soon_sees_a_match_that_runs(tmp_path: Path) -> None:
    with up(tmp_path / "house", "--exhibition") as opened:
        house = Client(opened)
        began = monotonic()
        while not (running := matches(house)):
            assert monotonic() < began + LIVES_S
            sleep(0.1)
        assert [(match["match"], match["status"]) for match in running] == [("exhibition-1", "running")]
        assert [seat["player"] for seat in running[0]["seats"]] == ["bot:greedy@1500"] * 3


@pytest.mark.timeout(120)
async def test_matches_are_played_to_their_end_and_numbers_go_on_after_a_restart(tmp_path: Path) -> None:
    async with (
        House(plan_house(tmp_path / "house", 0, bots=True), durability="fast") as house,
        connect(house.url) as clients,
        asyncio.timeout(SHOWN_S),
    ):
        await exhibit(clients, matches_max=1, pace_ms=0, pause_s=0)
        assert await ended(clients, 1) == ["exhibition-1"]
        await exhibit(clients, matches_max=1, pace_ms=0, pause_s=0)
        assert await ended(clients, 2) == ["exhibition-2", "exhibition-1"]


async def ended(clients: HouseClients, count: int) -> list[str]:
    """The matches of the house, newest first, once so many have ended."""
    while True:
        found = [match async for match in clients.scoring.matches()]
        if len(found) == count and all(match.status == scoring_pb2.STATUS_ENDED for match in found):
            return [match.match_id for match in found]
        await asyncio.sleep(0.05)


def matches(house: Client) -> Any:
    return house.ask("match", "list", "--json").document
