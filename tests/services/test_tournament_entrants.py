"""What a page needs of one entrant, of a cut and of a bracket, over the wire; never more than the round tells."""

from pathlib import Path

import pytest

from engine.kernel.refusal import Refusal
from engine.tournament.commands import (
    CancelRound,
    Drop,
    Finish,
    MakeCut,
    PublishRound,
    StartRound,
    SwapInDraft,
)
from services.kit.wire.tournament import TournamentClient
from services.tournament import brackets
from tests.services.test_tournament_secrets import service
from tests.services.tournaments import CONFIG, ORGANISER, T, World, all_open, ask, entered, played, published, state

FINAL = """
[[stages]]
name = "final"
format = "elimination"
games = ["just4fun"]
smallest = 4
target = 4
largest = 4
entrants = 4
"""
LADDER = CONFIG.replace('format = "swiss"', 'format = "elimination"').replace("rounds = 2\n", "")


async def told(client: TournamentClient, entry: int) -> list[tuple[int, str, int, str]]:
    """Round, kind, table and points."""
    history = (await client.entrant(T, entry)).history
    return [(each.round, each.kind, each.table.number, each.points) for each in history]


async def test_an_entrant_from_the_check_in_to_the_last_round(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with service(world) as (host, client):
        await entered(host)
        new = await client.entrant(T, 3)
        assert (new.entrant.name, new.entrant.present, new.line.place) == ("Person 3", True, 1)
        assert (new.HasField("seat"), list(new.history)) == (False, [])
        await host.desk.draft_round(T, "draft-1", ORGANISER, "")
        await ask(host, SwapInDraft((3, 1)))
        assert await client.entrant(T, 3) == new
        await ask(host, PublishRound())
        first = (await client.entrant(T, 3)).seat
        [table] = [each for each in (await client.round(T)).tables if 3 in [place.entry for place in each.places]]
        assert (first.round, first.round_phase, first.table, first.match_id) == (
            1,
            "published",
            table.number,
            table.match_id,
        )
        assert table.places[first.seat].entry == 3
        await ask(host, StartRound())
        await all_open(host, 1)
        assert [each.phase for each in (await client.entrant(T, 3)).history] == ["running"]
        await played(world, host, 1)
        [only] = (await client.entrant(T, 3)).history
        [shown] = [each for each in (await client.round(T)).tables if each.number == table.number]
        assert only.table == shown  # the very table of the round
        assert (only.points, only.game, only.kind) == (shown.places[only.seat].points, "just4fun", "table")
        standings = await client.standings(T)
        now = await client.entrant(T, 3)
        assert now.line == next(line for line in standings.lines if line.entry == 3)
        assert (list(now.keys), now.stage) == (list(standings.keys), 0)
        assert now.seat.round_phase == "closed"
        await ask(host, Drop(3))
        assert (await client.entrant(T, 3)).entrant.standing == "dropped"
        for nobody in (0, 9, 2**32 - 1):
            with pytest.raises(Refusal, match="unknown_entrant"):
                await client.entrant(T, nobody)


async def test_rounds_without_a_table_are_told_too(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with service(world) as (host, client):
        await entered(host, 9)
        await published(host)
        [bye] = state(host).rounds[0].drafted.byes
        assert await told(client, bye) == [(1, "bye", 0, "")]
        await played(world, host, 1)
        assert await told(client, bye) == [(1, "bye", 0, "5")]
        await host.desk.command(
            T, "out", ORGANISER, f'{{"type": "tournament.check_out", "data": {{"entries": [{bye}]}}}}'
        )
        await published(host)
        assert (await told(client, bye))[1:] == [(2, "absent", 0, "")]
        await ask(host, CancelRound())
        assert len(await told(client, bye)) == 1


async def test_whoever_misses_the_cut_keeps_the_line_of_their_stage(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with service(world) as (host, client):
        await entered(host, config=CONFIG.replace("rounds = 2", "rounds = 1") + FINAL)
        before = await client.standings(T)
        assert (before.cut, {line.chance for line in before.lines}) == (4, {""})
        await published(host)
        await played(world, host, 1)
        after = await client.standings(T)
        assert (after.cut, [line.chance for line in after.lines]) == (4, ["clinched"] * 4 + ["eliminated"] * 4)
        [planned] = (await client.bracket(T)).rounds
        assert (planned.round, planned.phase, planned.entrants, list(planned.sizes)) == (0, "planned", 4, [4])
        await ask(host, MakeCut())
        await published(host)
        final = (await client.bracket(T)).rounds[0]
        assert (final.round, final.phase, final.tables) == (2, "running", (await client.round(T)).tables)
        out = after.lines[-1].entry
        assert (await client.entrant(T, out)).line.place == after.lines[-1].place
        await played(world, host, 2)
        won = await client.standings(T)
        assert (won.cut, [line.chance for line in won.lines]) == (0, ["clinched"] + ["eliminated"] * 3)
        assert (await client.entrant(T, out)).stage == 0
        await ask(host, Finish())
        finished = await client.standings(T)
        assert (finished.cut, {line.chance for line in finished.lines}) == (0, {""})
        assert (await client.entrant(T, out)).line == finished.lines[-1]


async def test_a_bracket_shows_the_tables_of_its_rounds_and_what_is_to_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    async with service(world) as (host, client):
        await entered(host, 16, config=LADDER)
        await published(host)
        await played(world, host, 1)
        bracket = await client.bracket(T, stage=1)
        first, final = bracket.rounds
        assert (bracket.stage, bracket.name) == (0, "main")
        assert first.tables == (await client.round(T)).tables
        assert (first.phase, first.advance, final.phase, list(final.tables)) == ("closed", 1, "planned", [])
        winners = {place.entry: table.number for table in first.tables for place in table.places if place.place == 1}
        assert {each.entry: each.from_table for each in first.going} == winners
        await host.desk.draft_round(T, "final", ORGANISER, "")
        assert await client.bracket(T) == bracket  # of a draft nothing
        await ask(host, PublishRound())
        first, final = (await client.bracket(T)).rounds
        assert {(each.entry, each.by, each.to_table) for each in first.going} == {
            (each, "place", 1) for each in winners
        }
        assert {place.entry for place in final.tables[0].places} == set(winners)
        monkeypatch.setattr(brackets, "PLACES_MAX", 10)
        first, final = (await client.bracket(T)).rounds
        assert ([len(each.tables) for each in (first, final)], len(first.going)) == ([0, 1], 4)


async def test_what_is_no_elimination_has_no_bracket(tmp_path: Path) -> None:
    async with service(World(tmp_path)) as (host, client):
        await entered(host, 4)
        for stage, code in (
            (0, "not_elimination"),
            (1, "not_elimination"),
            (2, "unknown_stage"),
            (2**32 - 1, "unknown_stage"),
        ):
            with pytest.raises(Refusal, match=code):
                await client.bracket(T, stage=stage)
