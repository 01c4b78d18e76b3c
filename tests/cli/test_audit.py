"""``audit`` finds what is not as it was, and says of which match; what holds, it leaves alone."""

import asyncio
import json
from collections.abc import Sequence
from operator import neg
from pathlib import Path
from typing import Any

import pytest

from cli.audit_checked import Decided, check_some
from cli.audit_decided import Deciding
from cli.audit_replicas import Take, compare_stream
from cli.cores import BATCH, Cores, over_all_cores
from cli.log_place import log_connection
from cli.progress import Progress
from services.kit.config import Settings
from services.kit.family import TOURNAMENTS
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.making import make_log
from services.kit.jetstream.replicas import Placed
from services.local.nats_server import NatsServer
from tests.cli.here import here
from tests.kit.forgery import with_swapped_outcome
from tests.kit.nats import nats_server, own_nats
from tests.kit.stored import flip, match_lines, store
from tests.kit.tournaments import Desk, event, swiss

__all__ = ["nats_server", "own_nats"]


@pytest.fixture
def audited(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The report on the log of a server; exit code and findings agree."""

    async def audit(server: NatsServer) -> Any:
        monkeypatch.setenv("TAVOLATA_NATS_URL", server.url)
        ran = await asyncio.to_thread(here, "audit", "--json")
        report = json.loads(ran.out)
        assert (ran.code == 0) == report["holds"] == (not report["findings"])
        return report

    return audit


async def test_a_log_that_holds(audited: Any, nats_server: NatsServer) -> None:
    desk = Desk(event(swiss()))
    await make_log(nats_server.url)
    async with await JetStreamLog.connect(nats_server.url) as log:
        for number in (1, 2):
            await store(log, match_lines(number))
        await store(log, match_lines(3)[:-5])
    async with await JetStreamLog.connect(nats_server.url, family=TOURNAMENTS) as log:
        await store(log, desk.lines)
    report = await audited(nats_server)
    lines = sum(len(match_lines(number)) for number in (1, 2, 3)) - 5
    assert (report["complete"], report["running"]) == (2, 2)
    assert report["commits"] == lines + len(desk.lines)
    assert [(each["stream"], each["things"], each["lines"]) for each in report["streams"]] == [
        ("TOURNAMENTS_00", 1, len(desk.lines)),
        ("MATCHES_00", 3, lines),
    ]


@pytest.mark.parametrize("index", [10, -1], ids=["in the middle", "the last line of a match"])
async def test_a_line_that_the_disk_has_lost_is_named_by_its_match(
    index: int, audited: Any, own_nats: NatsServer
) -> None:
    await make_log(own_nats.url)
    lines = match_lines(1)
    async with await JetStreamLog.connect(own_nats.url) as log:
        await store(log, match_lines(2))
        positions = await store(log, lines)
        await store(log, match_lines(3))
    await own_nats.stop()
    flip(own_nats.folder, "MATCHES_00", lines[index])
    await own_nats.start()
    report = await audited(own_nats)
    [finding] = report["findings"]
    assert (finding["code"], finding["thing"]) == ("line_lost", "m-1")
    assert (finding["revision"], finding["position"]) == (range(1, len(lines) + 1)[index], positions[index])
    assert finding["node"] == report["streams"][1]["nodes"][0]


async def test_luck_that_the_seed_does_not_give_is_found(audited: Any, nats_server: NatsServer) -> None:
    await make_log(nats_server.url)
    forged = with_swapped_outcome(match_lines(1))
    async with await JetStreamLog.connect(nats_server.url) as log:
        await store(log, forged)
        await store(log, match_lines(2))
    report = await audited(nats_server)
    [finding] = report["findings"]
    assert (finding["code"], finding["thing"], finding["stream"]) == ("luck_differs", "m-1", "MATCHES_00")
    first = next(n for n, pair in enumerate(zip(forged, match_lines(1), strict=True), 1) if pair[0] != pair[1])
    assert finding["revision"] == first
    assert report["complete"] == 1


async def test_what_lies_behind_the_end_of_a_match_is_found(audited: Any, nats_server: NatsServer) -> None:
    await make_log(nats_server.url)
    lines = match_lines(1)
    async with await JetStreamLog.connect(nats_server.url) as log:
        await store(log, [*lines, lines[-1]])
        await store(log, match_lines(2))
    report = await audited(nats_server)
    [finding] = report["findings"]
    assert (finding["thing"], finding["revision"]) == ("m-1", len(lines) + 1)
    assert report["complete"] == 1


async def test_matches_for_which_there_is_no_room_are_read_by_themselves(nats_server: NatsServer) -> None:
    await make_log(nats_server.url)
    async with await JetStreamLog.connect(nats_server.url) as log:
        for number in (1, 2):
            await store(log, match_lines(number))
    here = Settings(nats_url=nats_server.url)
    with Progress() as progress:
        async with log_connection(here) as connection, Cores(check_some) as cores:
            deciding = Deciding("MATCHES_00", cores, held_bytes=sum(map(len, match_lines(2)[:5])))
            compared = await compare_stream(connection, "MATCHES_00", _one_by_one(deciding), progress)
            decided = await deciding.finish(here, compared.things, progress)
    lines = sum(len(match_lines(number)) for number in (1, 2))
    assert decided == Decided(complete=2, commits=lines, draws=decided.draws)


def _one_by_one(deciding: Deciding) -> Take:
    async def take(lines: Sequence[Placed]) -> None:
        for line in lines:
            await deciding.take([line])

    return take


async def test_pieces_that_come_one_by_one_are_answered_in_order() -> None:
    cores: Cores[int, int] = Cores(neg)
    async with cores:
        await cores.give(-1)
        assert await cores.answers() == [1]
        for piece in range(20):
            await cores.give(-piece)
        assert await cores.answers() == list(range(20))
        assert await cores.answers() == []


def test_work_on_all_cores_comes_back_in_order() -> None:
    pieces = list(range(3 * BATCH + 1))
    assert list(over_all_cores(sum, pieces)) == [
        sum(pieces[start : start + BATCH]) for start in range(0, len(pieces), BATCH)
    ]
    assert list(over_all_cores(sum, [])) == []


def test_a_house_that_is_closed_has_no_log(tmp_path: Path) -> None:
    ran = here("audit", "--data", tmp_path)
    assert ran.code == 1
    assert ran.err.startswith("house_closed: ")
