"""A house that keeps its tables on a PostgreSQL that is killed in the middle: nothing is lost, told twice or wrong."""

from pathlib import Path

import pytest

from engine.kernel.ports import Unavailable
from services.kit.memory_log import MemoryLog
from services.kit.read_model import Checkpoint
from tests.kit.databases import postgres_store
from tests.kit.nats import until
from tests.kit.postgres import PostgresDatabase
from tests.services.hosts import M, next_move, play_out
from tests.services.small_house import small_house
from tests.services.test_scoring import known, refolded
from tests.services.test_tournament_ratings import board, rated
from tests.services.tournaments import Everybody, World, all_open, closed, entered, played, published, state


async def test_scores_and_the_feed_go_on_from_where_they_were(postgres: PostgresDatabase, tmp_path: Path) -> None:
    """Both have their position in one table, and neither service ends while the server is away."""
    log = MemoryLog()
    async with small_house(log, tmp_path, store=postgres_store(postgres)) as house:
        await house.host.open(M, seats=2)
        await known(house, len(await log.read(M, after=0)))
        postgres.server.kill()
        for number in range(5):
            await house.host.act(M, f"early-{number}", *await next_move(log))
        with pytest.raises(Unavailable, match="read_model_unavailable"):
            await house.scoring.match(M)
        postgres.server.start()
        assert await known(house, len(await log.read(M, after=0))) == await refolded(log)
        await play_out(log, house.host)
        last = len(await log.read(M, after=0))
        assert await known(house, last) == await refolded(log)
        positions = f"SELECT consumer, position FROM {Checkpoint.__tablename__} ORDER BY consumer"
        await until(lambda: postgres.execute(positions) == [("feed", last), ("scoring", last)], "the feed is told too")
        assert not any(running.done() for running in house.running.values())


async def test_an_event_goes_on_without_its_people_and_ratings_and_has_them_again(
    postgres: PostgresDatabase, tmp_path: Path
) -> None:
    world = World(tmp_path)
    world.store = postgres_store(postgres)
    async with world.host() as host:
        await entered(host)
        await published(host)
        await played(world, host, 1)
        one = await rated(host, {1: 8})
        await published(host)
        await all_open(host, 2)
        postgres.server.kill()
        # Results come in and rounds are closed; only a name or a rating cannot be told.
        for table in (1, 2):
            await world.hall.end(f"{state(host).id}-r2-t{table}", (40, 30, 20, 10))
        await closed(host, 2)
        with pytest.raises(Unavailable, match="read_model_unavailable"):
            await board(host)
        with pytest.raises(Unavailable, match="people_unavailable"):
            await host.people.find_by_public_name("person", Everybody())
        postgres.server.start()
        two = await rated(host, {2: 8})
        assert two != one
        found = await host.people.find_by_public_name("person", Everybody())
        assert sorted(found) == sorted(entrant.player for entrant in state(host).entrants)
    world.store = None
    async with world.host(ratings="anew") as host:
        await rated(host, {2: 8})
        assert await board(host) == two
