"""What time brings about: round clocks, pauses, no-shows and arenas, on a clock that moves when the test says so."""

import asyncio
from pathlib import Path

from engine.tournament.commands import ExtendClock, PauseClock, ResumeClock
from engine.tournament.state import RoundPhase
from services.deck.app import Deck
from services.kit.key import KeyRing, MasterKey
from services.rules.app import MatchHost
from services.tournament.app import Tournaments
from tests.kit.nats import until
from tests.services.hosts import game, next_move
from tests.services.tournaments import CONFIG, T, World, Wound, all_open, ask, closed, entered, published, state

MATCH = f"{T}-r1-t1"
CLOCKED = CONFIG + '\n[clocks]\nround = "30m"\non_round_end = "call"\n'
ARENA = """
name = "Arena of the house"

[registration]
check_in = false

[[stages]]
name = "main"
format = "arena"
games = ["just4fun"]
horizon = "60m"
typical = "10m"
smallest = 4
target = 4
largest = 4
wait = "2m"
"""
MINUTE_MS = 60_000


def asked(world: World) -> list[tuple[str, str]]:
    """What was asked of matches, in order."""
    return [(command_id, name) for _, command_id, name in world.hall.directed]


def time_is_called(host: Tournaments) -> bool:
    return all(table.time_called for table in state(host).rounds[0].tables)


def count(host: Tournaments, phase: str) -> int:
    """Tables of the arena in this phase."""
    return sum(table.phase.value == phase for table in state(host).rounds[0].tables)


async def test_time_is_called_when_the_clock_has_run_out_and_the_matches_hurry(tmp_path: Path) -> None:
    world, clock = World(tmp_path), Wound()
    async with world.host(clock=clock) as host:
        await entered(host, 4, config=CLOCKED)
        await published(host)
        await all_open(host, 1)
        clock.forward(29 * MINUTE_MS)
        await ask(host, ExtendClock(5 * MINUTE_MS))
        clock.forward(2 * MINUTE_MS)
        await asyncio.sleep(0.05)
        assert not time_is_called(host)
        clock.forward(4 * MINUTE_MS)
        await until(lambda: time_is_called(host), "time is called")
        await until(lambda: asked(world) == [(f"hurry-{5 * MINUTE_MS}", "tavolata.call_time")], "the match is told")


async def test_a_paused_clock_holds_the_matches_until_it_goes_on(tmp_path: Path) -> None:
    world, clock = World(tmp_path), Wound()
    async with world.host(clock=clock) as host:
        await entered(host, 4, config=CLOCKED)
        await published(host)
        await all_open(host, 1)
        await ask(host, PauseClock())
        await until(lambda: asked(world) == [("hold-1", "tavolata.pause")], "the match is held")
        clock.forward(60 * MINUTE_MS)
        await ask(host, ResumeClock())
        await until(lambda: ("go-on-1", "tavolata.resume") in asked(world), "the match goes on")
        assert asked(world)[1:] == [("hold-1", "tavolata.pause"), ("go-on-1", "tavolata.resume")]
        assert not time_is_called(host)


async def test_a_timer_is_found_again_after_a_restart(tmp_path: Path) -> None:
    world, clock = World(tmp_path), Wound()
    async with world.host(clock=clock) as host:
        await entered(host, 4, config=CLOCKED)
        await published(host)
        await all_open(host, 1)
    clock.forward(31 * MINUTE_MS)
    async with world.host(clock=clock) as host:
        await until(lambda: time_is_called(host), "time is called")


async def test_an_arena_seats_who_waits_and_closes_by_its_clock(tmp_path: Path) -> None:
    world, clock = World(tmp_path), Wound()
    async with world.host(clock=clock) as host:
        await entered(host, 8, config=ARENA)
        await published(host)
        await until(lambda: count(host, "open") == 1, "the first table is seated, and four wait for company")
        clock.forward(2 * MINUTE_MS)
        await until(lambda: count(host, "open") == 2, "they have waited long enough")
        clock.forward(10 * MINUTE_MS)
        for index in (1, 2):
            await world.hall.end(f"{T}-r1-t{index}", (4, 3, 2, 1))
        await until(lambda: count(host, "done") == 2, "both results are in")
        clock.forward(2 * MINUTE_MS)
        await until(lambda: count(host, "open") > 0, "who waits is seated again")
        for index in range(3, len(state(host).rounds[0].tables) + 1):
            await world.hall.end(f"{T}-r1-t{index}", (4, 3, 2, 1))
        await until(lambda: count(host, "open") == count(host, "waiting") == 0, "all are done")
        assert state(host).rounds[0].phase is RoundPhase.RUNNING
        clock.forward(60 * MINUTE_MS)
        await closed(host, 1)


async def test_whoever_does_not_move_at_all_is_a_no_show(tmp_path: Path) -> None:
    """On a match of the real rules: one seat moves, and the next lets its table wait."""
    world, clock = World(tmp_path), Wound()
    rules = MatchHost(game(), world.matches, Deck(KeyRing(MasterKey("test", "5eed" * 16)), world.matches), clock)
    try:
        async with world.host(clock=clock) as host:
            await entered(host, 4, config=CONFIG + '\n[clocks]\nno_show = "10m"\n')
            await rules.open(MATCH, seats=4)
            world.hall.played_elsewhere.add(MATCH)
            await published(host)
            await all_open(host, 1)
            mover, move = await next_move(world.matches, MATCH)
            for number in range(3):
                await rules.act(MATCH, f"move-{number}", mover, move)
                awaited, move = await next_move(world.matches, MATCH)
                if awaited != mover:
                    break
            entries = state(host).rounds[0].tables[0].entries
            clock.forward(9 * MINUTE_MS)
            await asyncio.sleep(0.05)
            assert state(host).rounds[0].tables[0].no_shows == ()
            clock.forward(MINUTE_MS)
            await until(lambda: state(host).rounds[0].tables[0].no_shows == (entries[awaited],), "it is marked")
            vacated = (MATCH, f"vacate-{awaited}", "tavolata.leave")
            await until(lambda: vacated in world.hall.directed, "its seat is taken out")
    finally:
        await rules.close()
