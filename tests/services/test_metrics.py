"""What is counted is what happened: lag, moves, refusals, what is open, and how the log says it is."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from prometheus_client import REGISTRY

from engine.games import find_game
from engine.kernel.match import Match
from engine.kernel.ports import Bounds, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Spectator
from engine.tournament.state import RoundPhase, TablePhase
from services.kit.family import MATCHES
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.log import _tell
from services.kit.jetstream.streams import Stream, StreamInfo
from services.kit.lag import READY_S, Lag
from services.kit.memory_log import MemoryLog
from services.local.nats_server import NatsServer
from services.spectator.tripwire import check_shown
from services.tournament.census import count
from tests.kit.nats import until
from tests.kit.table import play
from tests.services.hosts import next_move
from tests.services.small_house import GAME, person, small_house
from tests.services.tournaments import World, all_open, entered, played, published

LINES = play(find_game(GAME), 2, {}, 1).lines


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


class Away(MemoryLog):
    """A log that can be out of reach."""

    away = False

    async def bounds(self, partition: int, *, game: str | None = None) -> Bounds:
        if self.away:
            raise Unavailable("log_unavailable", "The log does not answer.")
        return await super().bounds(partition, game=game)


class TestLag:
    def setup_method(self) -> None:
        self.log = Away()
        self.taken = [0]
        self.time = 100.0
        self.lag = Lag("test", self.log, lambda: self.taken, now=lambda: self.time)

    async def append(self, first: int, last: int) -> None:
        for revision in range(first, last + 1):
            await self.log.append(GAME, "m-1", LINES[revision - 1], expected=revision - 1)

    async def test_lines_and_seconds_behind_grow_while_a_consumer_stands_still(self) -> None:
        await self.append(1, 3)
        self.taken = [1]
        await self.lag.look()
        assert value("tavolata_lag_lines", consumer="test", partition="0") == 2
        assert value("tavolata_lag_seconds", consumer="test", partition="0") == 0.0
        self.time += 7
        await self.append(4, 4)
        await self.lag.look()
        assert value("tavolata_lag_lines", consumer="test", partition="0") == 3
        assert value("tavolata_lag_seconds", consumer="test", partition="0") == 7.0
        self.taken = [3]  # what was there at the first look has been reached, what came by the second has not
        self.time += 2
        assert self.lag.seconds(0) == 2.0
        self.taken = [4]
        await self.lag.look()
        assert value("tavolata_lag_lines", consumer="test", partition="0") == 0
        assert value("tavolata_lag_seconds", consumer="test", partition="0") == 0.0

    async def test_a_consumer_is_ready_when_it_has_reached_the_end_and_until_it_is_far_behind(self) -> None:
        assert not self.lag.is_small(), "nobody has looked"
        await self.append(1, 2)
        await self.lag.look()
        assert not self.lag.is_small(), "it has not read what was there before it"
        self.taken = [2]
        assert self.lag.is_small()
        await self.append(3, 3)
        await self.lag.look()
        self.time += READY_S
        assert self.lag.is_small()
        self.time += 0.1
        assert not self.lag.is_small()
        self.taken = [3]
        assert self.lag.is_small()

    async def test_a_log_that_does_not_answer_is_told_of_and_ends_nothing(self) -> None:
        await self.lag.look()
        assert value("tavolata_log_answers", consumer="test") == 1
        self.log.away = True
        await self.lag.look()
        assert value("tavolata_log_answers", consumer="test") == 0
        assert self.lag.is_small()


async def test_moves_refusals_and_open_calls_are_counted(tmp_path: Path) -> None:
    async with small_house(MemoryLog(), tmp_path) as house, person(house) as one:
        moves, commits = value("tavolata_moves_total", game=GAME), value("tavolata_commits_total", game=GAME)
        refused = value("tavolata_refusals_total", code="malformed_command")
        await house.host.open("m-1", seats=2)
        watching = one.spectator.facts("m-1", Spectator())
        await anext(watching)
        assert value("tavolata_calls_open", service="spectator", method="WatchMany") == 1
        assert value("tavolata_watches_open") == 1
        await watching.aclose()
        await until(
            lambda: value("tavolata_calls_open", service="spectator", method="WatchMany") == 0, "the call has ended"
        )
        assert value("tavolata_watches_open") == 0
        with pytest.raises(Refusal):
            await one.rules.act("m-1", "x", 0, "{")
        assert value("tavolata_refusals_total", code="malformed_command") == refused + 1
        seat, text = await next_move(house.log, "m-1")
        await one.rules.act("m-1", "c", seat, text)
        await one.rules.act("m-1", "c", seat, text)  # a repeat is no second move
        assert value("tavolata_moves_total", game=GAME) == moves + 1
        assert value("tavolata_commits_total", game=GAME) == commits + len(await house.log.read("m-1", after=0))


async def test_a_lost_connection_to_the_log_shows_until_it_is_back(own_nats: NatsServer) -> None:
    down, back = value("tavolata_log_connections_down"), value("tavolata_log_reconnects_total")
    async with await JetStreamLog.connect(own_nats.url, create=True) as log:
        appends = value("tavolata_append_seconds_count", log="match")
        await log.append(GAME, "m-1", LINES[0], expected=0)
        assert value("tavolata_append_seconds_count", log="match") == appends + 1
        bounds = await log.bounds(0)
        assert bounds.last == 1
        assert value("tavolata_log_bytes", stream="MATCHES_00") > len(LINES[0])
        assert value("tavolata_log_replicas", stream="MATCHES_00", state="current") == 1
        await own_nats.kill()
        await until(lambda: value("tavolata_log_connections_down") == down + 1, "the loss is seen")
        await own_nats.start()
        await until(lambda: value("tavolata_log_connections_down") == down, "the line is back")
        assert value("tavolata_log_reconnects_total") == back + 1


def test_replicas_are_counted_as_the_leader_sees_them() -> None:
    said = {
        "created": "",
        "config": {"max_bytes": 1_000},
        "state": {"last_seq": 5, "messages": 5, "bytes": 640},
        "cluster": {"leader": "n1", "replicas": [{"current": False, "offline": True}, {"current": True, "lag": 0}]},
    }
    _tell(Stream(MATCHES, 7), msgspec.convert(said, StreamInfo))
    found = {state: value("tavolata_log_replicas", stream="MATCHES_07", state=state) for state in STATES}
    assert found == {"current": 2, "behind": 0, "offline": 1}
    assert value("tavolata_log_bytes", stream="MATCHES_07") == 640
    assert value("tavolata_log_bytes_max", stream="MATCHES_07") == 1_000
    behind = said | {"cluster": {"replicas": [{"current": False}, {"current": True}]}}
    _tell(Stream(MATCHES, 7), msgspec.convert(behind, StreamInfo))
    found = {state: value("tavolata_log_replicas", stream="MATCHES_07", state=state) for state in STATES}
    assert found == {"current": 2, "behind": 1, "offline": 0}


STATES = ("current", "behind", "offline")


class Leaky(Match[Any, Any, Any, Any]):
    """Shows every seat everything, on one of the two ways out."""

    def __init__(self, way_out: str) -> None:
        super().__init__(find_game(GAME))
        self.way_out = way_out

    def view(self, state: Any, viewer: Any) -> Any:
        return state if self.way_out == "view" else super().view(state, viewer)

    def redact(self, event: Any, viewer: Any) -> Any:
        if self.way_out == "crash":
            raise KeyError(viewer)
        return event if self.way_out == "facts" else super().redact(event, viewer)


@pytest.mark.parametrize(("way_out", "check"), [("view", "differs"), ("facts", "differs"), ("crash", "error")])
def test_the_tripwire_notices_what_one_way_out_shows_and_the_other_hides(way_out: str, check: str) -> None:
    def failures(match: Match[Any, Any, Any, Any]) -> float:
        before = value("tavolata_redaction_failures_total", game=GAME, check=check)
        for seed in range(1, 4):  # by turns everybody is looked at, so some matches are needed
            table = play(find_game(GAME), 2, {}, seed)
            states = [None, *table.states]
            for index, commit in enumerate(table.commits):
                check_shown(match, states[index], commit, table.states[index])
        return value("tavolata_redaction_failures_total", game=GAME, check=check) - before

    assert failures(Match(find_game(GAME))) == 0
    assert failures(Leaky(way_out)) > 0


async def test_rounds_and_tables_are_counted_by_state(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        await published(host)
        await played(world, host, 1)
        await published(host)
        await all_open(host, 2)
        count(host.ledgers)
        rounds = {phase.value: value("tavolata_rounds", state=phase.value) for phase in RoundPhase}
        assert rounds == {"published": 0, "running": 1, "closed": 1, "cancelled": 0}
        tables = {phase.value: value("tavolata_tables", state=phase.value) for phase in TablePhase}
        assert tables == {"waiting": 0, "open": 2, "done": 0, "void": 0}, "those of the closed round are not counted"
