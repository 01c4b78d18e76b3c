"""Whatever dies or is away, an event goes on: each table is opened once, each result counts once, nothing is lost."""

import asyncio
from pathlib import Path

import pytest

from engine.kernel.ledger import BrokenLog
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.tournament.commands import Comment, Drop
from engine.tournament.state import TablePhase
from services.kit.family import TOURNAMENTS
from services.kit.jetstream import JetStreamLog
from services.kit.memory_log import MemoryLog
from services.local.nats_server import NatsServer
from services.tournament.ledgers import KIND
from tests.kit.nats import until
from tests.services.tournaments import (
    CONFIG,
    Deaf,
    Failing,
    T,
    World,
    all_open,
    ask,
    closed,
    commits,
    entered,
    events_of,
    log_of,
    published,
    state,
)

TABLES = {f"{T}-r1-t1", f"{T}-r1-t2"}


async def ended(world: World) -> None:
    for match in sorted(TABLES):
        await world.hall.end(match, (4, 3, 2, 1))


async def test_a_host_that_dies_over_the_openings_leaves_the_rest_to_the_next(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.hall.open_at_most = 1
    async with world.host() as host:
        await entered(host)
        await published(host)
        await until(lambda: len(world.hall.opened) == 1, "one table is open")
    world.hall.open_at_most = 2
    async with world.host() as host:
        await all_open(host, 1)
        assert set(world.hall.opened) == TABLES
        assert len(world.hall.opened) == 2


async def test_tables_that_were_opened_and_not_told_of_are_told_of_by_the_next_host(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host(log=Failing(world.log, lambda line: b"tell_opened" in line)) as host:
        await entered(host)
        await published(host)
        await until(lambda: len(world.hall.opened) == 2, "both matches are open")
    assert "tournament.tables_opened" not in events_of(await log_of(world))
    async with world.host() as host:
        await all_open(host, 1)
        assert len(world.hall.opened) == 2
        assert events_of(await log_of(world)).count("tournament.tables_opened") == 1  # one commit for both


@pytest.mark.parametrize("told", range(4))
async def test_a_crash_between_any_two_commits_of_the_house_is_mended(tmp_path: Path, told: int) -> None:
    world = World(tmp_path)
    heard = 0

    def is_too_late(line: bytes) -> bool:
        nonlocal heard
        if b'"actor":"house"' not in line:
            return False
        heard += 1
        return heard > told

    async with world.host(log=Failing(world.log, is_too_late)) as host:
        await entered(host)
        await published(host)
        await until(lambda: len(world.hall.opened) == 2, "both matches are open")
        await ended(world)
        await until(lambda: heard > told or told == 3, "the house has got stuck")
    async with world.host() as host:
        await closed(host, 1)
    events = events_of(await log_of(world))
    assert events.count("tournament.result_reported") == 2
    assert events.count("tournament.round_closed") == 1
    assert len(world.hall.opened) == 2


async def test_results_that_came_while_nobody_was_there_are_taken_in_at_the_start(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        await published(host)
        await all_open(host, 1)
    await ended(world)
    async with world.host() as host:
        await closed(host, 1)
    async with world.host() as host:
        assert state(host).rounds[0].tables[0].phase is TablePhase.DONE
        assert events_of(await log_of(world)).count("tournament.result_reported") == 2


async def test_two_hosts_serve_one_event_and_every_fact_is_there_once(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as one, world.host() as two:
        await entered(one)
        await asyncio.gather(
            *(ask((one, two)[number % 2], Comment(f"note {number}"), command_id=f"c-{number}") for number in range(12))
        )
        repeats = await asyncio.gather(*(ask(two, Comment("note 0"), command_id="c-0") for _ in range(3)))
        assert all(done.receipt.duplicate for done in repeats)
        await published(two)
        await all_open(one, 1)
        await ended(world)
        await closed(one, 1)
        await closed(two, 1)
        assert state(one) == state(two)
    lines = await log_of(world)
    ids = [commit.id for commit in commits(lines)]
    assert sorted(each for each in ids if each.startswith("c-")) == sorted(f"c-{number}" for number in range(12))
    assert events_of(lines).count("tournament.result_reported") == 2
    assert len(world.hall.opened) == 2


async def test_a_refusal_is_given_on_what_the_log_has_and_not_on_what_a_host_remembers(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host(log=Deaf(world.log)) as one, world.host() as two:
        with pytest.raises(Refusal, match="unknown_tournament"):
            await one.ledgers.fresh(T)
        await entered(two)
        await ask(one, Comment("hello"))
        await published(two)
        await ask(one, Drop(1))  # as this host knows it, no round has been published
        with pytest.raises(Refusal, match="stale_revision"):
            await one.desk.command(T, "x", "organiser:ana", '{"type": "tournament.finish"}', expected=1)
        assert (await one.ledgers.fresh(T)).state == (await two.ledgers.fresh(T)).state


async def test_an_answer_that_was_lost_is_given_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
    lossy = Failing(world.log, lambda line: b"tournament.comment" in line, after=True)
    async with world.host(log=lossy) as host:
        with pytest.raises(Unavailable, match="log_unavailable"):
            await ask(host, Comment("was it stored?"), command_id="once")
        done = await ask(host, Comment("was it stored?"), command_id="once")
        assert done.receipt.duplicate
        with pytest.raises(Refusal, match="id_reused"):
            await ask(host, Comment("something else"), command_id="once")
    assert [commit.id for commit in commits(await log_of(world))].count("once") == 1


async def test_a_game_that_cannot_be_played_stops_its_own_tables_and_no_others(tmp_path: Path) -> None:
    world = World(tmp_path)
    other = "other"
    world.hall.away.add("qwixx")
    async with world.host() as host:
        await entered(host)
        await entered(host, config=CONFIG.replace("just4fun", "qwixx"), on=other)
        await published(host, on=other)
        await published(host)
        await all_open(host, 1)
        await until(lambda: host.runner.trouble(other) is not None, "it is told what is in the way")
        trouble = host.runner.trouble(other)
        assert trouble is not None
        assert (trouble.code, trouble.sentence) == ("service_unavailable", "The service did not answer.")
        assert host.runner.trouble(T) is None
        world.hall.away.clear()
        await all_open(host, 1, on=other)
        assert host.runner.trouble(other) is None


async def test_a_game_that_nobody_plays_is_told_of(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.hall.unknown.add("just4fun")
    async with world.host() as host:
        await entered(host)
        await published(host)
        await until(lambda: host.runner.trouble(T) is not None, "it is told what is in the way")
        trouble = host.runner.trouble(T)
        assert trouble is not None
        assert trouble.code == "unknown_game"


async def test_a_damaged_event_is_told_and_stops_no_other(tmp_path: Path) -> None:
    world = World(tmp_path)
    other = "other"
    async with world.host() as host:
        await entered(host)
        await entered(host, on=other)
    [*_, last] = await world.log.read(T, after=0)
    damaged = last.line.replace(b'"revision":', b'"revision":1')  # a revision that does not follow
    await world.log.append(KIND, T, damaged, expected=last.position)
    async with world.host() as host:
        with pytest.raises(BrokenLog):
            await host.ledgers.fresh(T)
        with pytest.raises(BrokenLog):
            await ask(host, Comment("on sand"))
        await published(host, on=other)
        await all_open(host, 1, on=other)
        assert [kept.id for kept in host.ledgers.all()] == [other]


async def test_an_event_lives_on_the_real_log(tmp_path: Path) -> None:
    async with (
        NatsServer(tmp_path / "nats", durability="fast") as server,
        await JetStreamLog.connect(server.url, family=TOURNAMENTS, create=True) as log,
        await JetStreamLog.connect(server.url, create=True) as matches,
    ):
        world = World(tmp_path, log, matches)
        async with world.host() as host:
            await entered(host)
            await published(host)
            await all_open(host, 1)
            await ended(world)
            await closed(host, 1)
            lines = await host.export(T)
        async with world.host() as host:
            assert await host.export(T) == lines
            assert len(state(host).rounds) == 1


async def test_partitions_lie_side_by_side(tmp_path: Path) -> None:
    world = World(tmp_path, MemoryLog(3, family=TOURNAMENTS), MemoryLog(2))
    names = ["a", "b", "c", "d"]
    async with world.host() as host:
        for name in names:
            await entered(host, 4, on=name)
            await published(host, on=name)
            await all_open(host, 1, on=name)
            await world.hall.end(f"{name}-r1-t1", (4, 3, 2, 1))
        for name in names:
            await closed(host, 1, on=name)
        first, token = host.page(3, "")
        rest, end = host.page(3, token)
        assert [kept.id for kept in (*first, *rest)] == ["d", "c", "b", "a"]
        assert end == ""
