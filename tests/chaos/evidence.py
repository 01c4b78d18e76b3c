"""What is left of a round when it is over: the log as it stands, what everybody was told, and what is shown.

The evidence of matches has the form of the simulation's, so that its checkers can look at it.
"""

import asyncio
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from tavolata.scoring.v1 import scoring_pb2
from tavolata.tournament.v1 import tournament_pb2

from engine.kernel.game import Objective, ScoreLine
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Value
from engine.tournament.played import Entry
from services.kit.jetstream import JetStreamLog
from services.kit.paper.archive import archive_of
from services.kit.wire.house import HouseClients
from services.scoring.scoreboard import SeatStanding, Standing
from tests.chaos.event import steadily
from tests.chaos.records import Notes
from tests.chaos.replicas import Copy
from tests.sim.records import Evidence, Record

CAUGHT_UP_S: Final = 30.0
"""For a read model to come to the end of the log."""


class Place(Value, frozen=True):
    """A line of the final standings."""

    entry: Entry
    place: int
    values: tuple[str, ...]


class _Planned(Value, frozen=True):
    match_id: str


class _Plan(Value, frozen=True):
    matches: tuple[_Planned, ...]


class Aftermath(msgspec.Struct):
    """Of one round. ``event_log`` and ``standings`` are the tournament's; ``twin`` are those of the calm round."""

    notes: Notes
    matches: Evidence
    event_log: list[bytes]
    standings: tuple[Place, ...]
    twin: tuple[Place, ...]
    copies: list[Copy]


async def collect(
    clients: HouseClients,
    url: str,
    event: str,
    ids: Sequence[str],
    notes: Notes,
    *,
    said: Iterable[Path] = (),
    copies: Sequence[Copy] = (),
    twin: tuple[Place, ...] = (),
) -> Aftermath:
    """``url`` is the log's, ``said`` what the services have said, ``ids`` the matches."""
    async with await JetStreamLog.connect(url, create=False, patience_s=CAUGHT_UP_S) as log:
        lines = {match: [stored.line for stored in await log.read(match, after=0)] for match in ids}
    record = Record(has_ended=lambda match: True, answers=[told.answer() for told in notes.told], sights=notes.sights)
    for match in ids:
        record.exports[match] = await steadily(partial(clients.spectator.export, match))
        record.standings.append(standing_of(await _scored(clients, match, len(lines[match]))))
    record.failures = [line for path in said for line in failures_in(path)]
    plan = _Plan(tuple(map(_Planned, ids)))
    archive = await steadily(partial(archive_of, clients.tournament, event))
    return Aftermath(
        notes,
        Evidence(plan, lines, record, at_rest=True),
        archive.log,
        places_of(archive.standings[-1]),
        twin,
        list(copies),
    )


def places_of(standings: tournament_pb2.GetStandingsResponse) -> tuple[Place, ...]:
    return tuple(Place(line.entry, line.place, tuple(line.values)) for line in standings.lines)


async def _scored(clients: HouseClients, match: str, revision: int) -> scoring_pb2.Match:
    """What the read model says when it has read so far, or when it has had the time to."""
    deadline = asyncio.get_running_loop().time() + CAUGHT_UP_S
    while True:
        found = scoring_pb2.Match(match_id=match)
        with suppress(Unavailable, Refusal):
            found = await clients.scoring.match(match)
        if found.revision >= revision or asyncio.get_running_loop().time() > deadline:
            return found
        await asyncio.sleep(0.1)


def standing_of(match: scoring_pb2.Match) -> Standing:
    return Standing(
        match_id=match.match_id,
        game=match.game,
        ended=match.status == scoring_pb2.STATUS_ENDED,
        revision=match.revision,
        opened_at=match.opened_at,
        changed_at=match.changed_at,
        reason=match.reason,
        seats=tuple(
            SeatStanding(
                seat=each.seat,
                player=each.player,
                total=each.total,
                rank=each.rank,
                left=each.left,
                lines=tuple(ScoreLine(line.key, line.label, line.points) for line in each.lines),
                objectives=tuple(Objective(one.key, one.label, one.have, one.need) for one in each.objectives),
            )
            for each in match.seats
        ),
    )


def failures_in(log: Path) -> list[str]:
    """What a service says of faults of its own: every line of level error, and every line that is none of ours."""
    found = []
    for line in log.read_text(errors="replace").splitlines():
        try:
            told = json.loads(line)
        except ValueError:
            told = {"level": "error", "event": line}
        if told.get("level") in ("error", "critical"):
            found.append(f"{log.stem}: {line[:300]}")
    return found
