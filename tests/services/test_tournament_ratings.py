"""Ratings follow the rounds as they stand: closed ones, people only, corrections in their old place."""

import asyncio
from pathlib import Path

import pytest
from sqlmodel import Session

from engine.tournament.commands import Adjudicate, CancelRound, CorrectResult, VoidTable
from engine.tournament.played import Seated
from services.tournament import rated as rated_module
from services.tournament.app import Tournaments
from services.tournament.desk import Applicant
from services.tournament.ratings import RatedRound, Ratings, Standing
from tests.kit.nats import until
from tests.services.test_tournament_clocks import ARENA
from tests.services.tournaments import (
    CONFIG,
    ORGANISER,
    T,
    World,
    all_open,
    ask,
    closed,
    entered,
    played,
    published,
    state,
)


async def board(host: Tournaments, game: str = "just4fun") -> list[Standing]:
    return (await host.rated.page(game, 0, ""))[0]


async def rated(host: Tournaments, games: dict[int, int]) -> list[Standing]:
    """The board, once so many players have so many games: games → players."""

    async def is_rated() -> bool:
        found: dict[int, int] = {}
        for each in await board(host):
            found[each.rating.games] = found.get(each.rating.games, 0) + 1
        return found == games

    await until(is_rated, f"ratings tell of {games}")
    return await board(host)


async def test_a_closed_round_is_rated_and_a_rebuild_comes_to_the_same(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host(ratings="live") as host:
        await entered(host)
        await published(host)
        await played(world, host, 1)
        await rated(host, {1: 8})
        await published(host)
        await played(world, host, 2)
        two = await rated(host, {2: 8})
        first = state(host).rounds[0].tables[0]
        assert first.result is not None
        places = zip(first.entries, (4, 3, 2, 1), (1, 2, 3, 4), strict=True)
        await ask(host, CorrectResult(1, 1, tuple(Seated(*each) for each in places), reason="upside down"))

        async def is_corrected() -> bool:
            return await board(host) != two

        await until(is_corrected, "the correction is rated")
        corrected = await board(host)
        assert await board(host, "") == corrected  # one game: all games together are the same
        assert await board(host, "qwixx") == []
    async with world.host(ratings="live") as host:
        assert await board(host) == corrected
    async with world.host(ratings="anew") as host:
        await rated(host, {2: 8})
        await asyncio.sleep(0.05)
        assert await board(host) == corrected


async def test_a_round_is_rated_where_it_was_closed_and_not_where_it_began(tmp_path: Path) -> None:
    """The same people in two events: the order decides, and a rebuild finds it in the log."""
    world = World(tmp_path)
    async with world.host(ratings="live") as host:
        await entered(host)
        await published(host)
        await all_open(host, 1)
        await world.hall.end(f"{T}-r1-t1", (1, 2, 3, 4))
        await until(lambda: state(host).rounds[0].unsettled == 1, "one table has its result")
        await entered(host, on="other", players=[each.player for each in state(host).entrants])
        await published(host, on="other")
        await played(world, host, 1, on="other")
        await rated(host, {1: 8})
        await world.hall.end(f"{T}-r1-t2", (1, 2, 3, 4))
        live = await rated(host, {2: 8})
    async with world.host(ratings="anew") as host:
        assert await rated(host, {2: 8}) == live


async def test_what_says_nothing_about_people_is_not_rated(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        await published(host)
        await all_open(host, 1)
        one, two = state(host).rounds[0].tables
        await ask(host, VoidTable(1, one.number, replay=False))
        seated = tuple(Seated(entry, place, 0) for place, entry in enumerate(two.entries, 1))
        await ask(host, Adjudicate(1, two.number, seated))
        await closed(host, 1)
        await published(host)
        await played(world, host, 2)
        await rated(host, {1: 8})


async def test_tables_with_bots_and_events_that_are_not_rated_leave_no_trace(tmp_path: Path) -> None:
    world = World(tmp_path)
    friendly = 'name = "Friendly"\nrated = false\n' + CONFIG.replace('name = "Cup of the house"', "")
    async with world.host() as host:
        await entered(host, 4, config=friendly, on="friendly")
        await published(host, on="friendly")
        await played(world, host, 1, on="friendly")
        await entered(host, 7, config=CONFIG.replace("check_in = false", "check_in = false\nlate_until = 1"))
        bot = [Applicant(player="bot:greedy")]
        await host.desk.register(T, "bot", ORGANISER, bot, ranked=True, reason="")
        await published(host)
        await played(world, host, 1)
        players = {each.player for each in (await rated(host, {1: 4}))}
        tables = state(host).rounds[0].tables
        [pure] = [table for table in tables if 8 not in table.entries]
        assert players == {state(host).entrants[entry - 1].player for entry in pure.entries}


async def test_a_cancelled_round_is_taken_back(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        await published(host)
        await played(world, host, 1)
        await rated(host, {1: 8})
        await ask(host, CancelRound(reason="the wrong game"))
        await rated(host, {})


async def test_an_arena_that_is_cancelled_over_tables_without_results_is_not_rated(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host, 20, config=ARENA)
        await published(host)
        await until(lambda: len(state(host).rounds[0].tables) > 2, "several tables are seated")
        await all_open(host, 1)
        await world.hall.end(f"{T}-r1-t1", (4, 3, 2, 1))
        await rated(host, {1: 4})
        await ask(host, CancelRound(reason="rain"))
        await rated(host, {})
        await entered(host, 4, on="after")  # which is rated: nothing has stopped
        await published(host, on="after")
        await all_open(host, 1, on="after")
        await world.hall.end("after-r1-t1", (4, 3, 2, 1))
        await rated(host, {1: 4})


async def test_ratings_that_cannot_be_written_stop_no_event_and_come_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rated_module, "STOPPED_S", 0.1)
    put = Ratings.put
    broken = True

    def fail(self: Ratings, session: Session, rated_round: RatedRound) -> None:
        if broken:
            raise ArithmeticError("nobody has thought of this")
        put(self, session, rated_round)

    monkeypatch.setattr(Ratings, "put", fail)
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        await published(host)
        await played(world, host, 1)
        await published(host)
        await all_open(host, 2)
        assert await board(host) == []
        broken = False
        await rated(host, {1: 8})
