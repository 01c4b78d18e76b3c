"""One run: a calm round for comparison, the same round in a storm, and what is left looked at."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.kernel.value import Value
from services.kit.wire.house import clients_at
from tests.chaos.calm import calm_standings
from tests.chaos.checkers import Violation, violations
from tests.chaos.event import Event, Play
from tests.chaos.evidence import Aftermath, collect
from tests.chaos.faults import Fault
from tests.chaos.house import ProcessHouse
from tests.chaos.replicas import copies_of
from tests.chaos.storm import Tell, storm

STREAMS = ("MATCHES_00", "TOURNAMENTS_00")


class Run(Value, frozen=True):
    """What came of it."""

    event: Event
    faults: tuple[Fault, ...]
    aftermath: Aftermath
    violations: tuple[Violation, ...]


async def run(
    folder: Path,
    event: Event,
    faults: Sequence[Fault],
    *,
    services: Sequence[str],
    rest_moves: int,
    tell: Tell,
) -> Run:
    """On processes: these services and three nodes.

    Raises ``AssertionError`` if the house does not find itself again.
    """
    tell("the calm round")
    twin = await calm_standings(folder / "calm", msgspec.structs.replace(event, pace_s=0.0))
    tell("opening a house with three nodes")
    async with ProcessHouse(folder / "storm", event.game, event.seed, services) as house:
        play = Play(event, house.named, house.rules)
        await storm(play, house, faults, rest_moves=rest_moves, tell=tell)
        tell("looking at what is left")
        await house.cluster.wait_healthy()
        copies = await copies_of(house.cluster.url, STREAMS)
        async with clients_at(house.named, {}) as clients:
            aftermath = await collect(
                clients,
                house.cluster.url,
                event.id,
                [table.match for table in play.tables],
                play.notes,
                said=[house.log_of(label) for label in house.services],
                copies=copies,
                twin=twin,
            )
    return Run(event, tuple(faults), aftermath, tuple(violations(aftermath)))


def clear(folder: Path) -> Path:
    """An empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
