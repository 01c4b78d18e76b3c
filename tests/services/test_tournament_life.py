"""The life of an event: from its creation to the final order, with everything that follows from a result."""

from pathlib import Path

import msgspec
import pytest

from engine.kernel.ledger import Ledger
from engine.kernel.refusal import Refusal
from engine.luck.seed_chain import commitment, follows
from engine.tournament.aggregate import tournament_ledger
from engine.tournament.commands import (
    CorrectResult,
    DiscardDraft,
    Drop,
    Finish,
    MarkNoShow,
    OpenRegistration,
    PublishRound,
    Register,
    StartRound,
    VoidTable,
)
from engine.tournament.played import Seated
from engine.tournament.state import Phase, TablePhase, Tournament
from services.kit.key import KeyRing, MasterKey
from services.tournament.app import Tournaments
from services.tournament.desk import Applicant
from services.tournament.rounds import round_shown
from services.tournament.standings import Standings
from services.tournament.status import status_of, waits_for
from services.tournament.why import why_pairing, why_standing
from tests.kit.nats import until
from tests.services.tournaments import (
    CONFIG,
    KEYS,
    ORGANISER,
    T,
    World,
    all_open,
    ask,
    closed,
    entered,
    events_of,
    log_of,
    played,
    published,
    state,
)


async def standings(host: Tournaments, stage: int | None = None, after_round: int = 0) -> Standings:
    return await host.rankings.standings(await host.ledgers.fresh(T), stage, after_round)


async def test_an_event_runs_from_its_creation_to_the_final_order(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        assert waits_for(state(host)) == "draft"
        for number in (1, 2):
            assert await published(host) == number
            await played(world, host, number)
        assert world.hall.opened == [f"{T}-r1-t1", f"{T}-r1-t2", f"{T}-r2-t1", f"{T}-r2-t2"]
        assert waits_for(state(host)) == "finish"
        table = await standings(host)
        assert table.keys == ("TP", "SOS", "PSB", "RAW", "LOT")
        assert [line.place for line in table.lines] == list(range(1, 9))  # the lot parts whoever is equal
        assert sum(int(line.values[0]) for line in table.lines) == 4 * (5 + 3 + 2 + 1)
        await ask(host, Finish())
        assert state(host).phase is Phase.FINISHED
        assert (await standings(host)).final
        assert waits_for(state(host)) == ""


async def test_a_result_is_the_matchs_and_names_its_last_commit(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host, 4)
        await published(host)
        await all_open(host, 1)
        await world.hall.end(f"{T}-r1-t1", (7, 9, 9, 3), "exhausted")
        await closed(host, 1)
        [table] = state(host).rounds[0].tables
        assert table.result is not None
        assert [(each.place, each.score) for each in table.result.seated] == [(3, 7), (1, 9), (1, 9), (4, 3)]
        assert (table.match, table.result.reason) == (f"{T}-r1-t1", "exhausted")
        reported = msgspec.json.decode((await log_of(world))[-1])
        assert reported["id"] == f"result:{T}-r1-t1"
        assert reported["actor"] == "house"
        assert reported["command"]["data"]["revision"] == 3
        shown = await round_shown(host.ledgers.known(T), host.rankings, 1, draft=False)
        assert [seat.points for seat in shown.tables[0].seats] == ["2", "4", "4", "1"]


async def test_a_no_show_is_out_of_the_result_and_of_the_match(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host, 4)
        await published(host)
        await all_open(host, 1)
        gone = state(host).rounds[0].tables[0].entries[0]
        await ask(host, MarkNoShow(1, 1, gone))
        vacated = (f"{T}-r1-t1", "vacate-0", "tavolata.leave")
        await until(lambda: vacated in world.hall.directed, "the seat has left the match")
        await world.hall.end(f"{T}-r1-t1", (99, 9, 9, 3))
        await closed(host, 1)
        [table] = state(host).rounds[0].tables
        assert table.result is not None
        assert [(each.entry, each.place) for each in table.result.seated] == list(
            zip(table.entries[1:], (1, 1, 3), strict=True)
        )


async def test_a_dropped_entrant_keeps_the_results_and_is_paired_no_more(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host, 9)
        await published(host)
        await played(world, host, 1)
        [sat_out] = state(host).rounds[0].drafted.byes
        leaver = next(each.entry for each in state(host).entrants if each.entry != sat_out)
        await ask(host, Drop(leaver, "ill"))
        await published(host)
        assert all(leaver not in table.entries for table in state(host).rounds[1].tables)
        line = next(line for line in (await standings(host)).lines if line.entry == leaver)
        assert line.standing == "dropped"
        assert int(line.values[0]) > 0


async def test_a_void_table_is_replayed_in_a_match_of_its_own(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host, 4)
        await published(host)
        await all_open(host, 1)
        await ask(host, VoidTable(1, 1, replay=True, reason="cards missing"))
        await until(lambda: f"{T}-r1-t1-x2" in world.hall.opened, "the table is opened again")
        await all_open(host, 1)
        await until(
            lambda: (
                {each[1] for each in world.hall.directed if each[0] == f"{T}-r1-t1"}
                == {f"vacate-{seat}" for seat in range(4)}
            ),
            "the first match is left by all",
        )
        await world.hall.end(f"{T}-r1-t1", (1, 2, 3, 4))  # nobody waits for it any more
        await world.hall.end(f"{T}-r1-t1-x2", (4, 3, 2, 1))
        await closed(host, 1)
        assert state(host).rounds[0].tables[0].match == f"{T}-r1-t1-x2"
        assert events_of(await log_of(world)).count("tournament.result_reported") == 1


async def test_a_correction_tells_every_published_number_that_changed(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host, 4)
        await published(host)
        await played(world, host, 1)
        entries = state(host).rounds[0].tables[0].entries
        swapped = tuple(
            Seated(entry, place, score)
            for entry, place, score in zip(entries, (2, 1, 3, 4), (30, 40, 20, 10), strict=True)
        )
        correction = CorrectResult(1, 1, swapped, reason="scores were swapped")
        done = await ask(host, correction, command_id="mend")
        places = {(each.entry, each.before, each.after) for each in done.changes if each.what == "place"}
        assert places == {(entries[0], "1", "2"), (entries[1], "2", "1")}
        assert {each.round for each in done.changes} == {1}
        again = await ask(host, correction, command_id="mend")
        assert again.receipt.duplicate
        assert again.changes == done.changes
        as_published = await standings(host, after_round=1)
        assert [line.entry for line in as_published.lines][:2] == [entries[0], entries[1]]
        assert [line.entry for line in (await standings(host)).lines][:2] == [entries[1], entries[0]]


async def test_a_draft_is_public_when_it_is_published_and_not_before(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        before = await host.export(T)
        await host.desk.draft_round(T, "d-1", ORGANISER, "")
        assert await host.export(T) == before
        assert b"round_drafted" not in b"".join(await host.export(T))
        again, number = await host.desk.draft_round(T, "d-1", ORGANISER, "")
        assert (again.duplicate, number) == (True, 1)
        await ask(host, PublishRound())
        lines = await host.export(T)
        assert len(lines) == len(before) + 2
        ledger: Ledger[Tournament] = tournament_ledger(T)
        for position, line in enumerate(lines, 1):
            ledger.accept(line, position)
        assert ledger.state == state(host)


async def test_people_enter_once_under_ids_that_tell_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await host.desk.create(T, CONFIG, "ana")
        await ask(host, OpenRegistration())
        bots = [Applicant(player=f"bot:greedy:{number}") for number in (1, 2)]
        people = [Applicant(name="Ana"), Applicant(name="Bo", contact="b@x"), *bots]
        first, entries = await host.desk.register(T, "p-1", ORGANISER, people, ranked=True, reason="")
        assert (first.duplicate, entries) == (False, (1, 2, 3, 4))
        again, same = await host.desk.register(T, "p-1", ORGANISER, people, ranked=True, reason="")
        assert (again.duplicate, same) == (True, entries)
        players = [each.player for each in state(host).entrants]
        assert list((await host.names(players)).values()) == ["Ana", "Bo", "Bot 1 (greedy)", "Bot 2 (greedy)"]
        assert b"Ana" not in b"".join(await log_of(world))
        with pytest.raises(Refusal, match="unknown_player"):
            await ask(host, Register(("Ana Muster",)))


async def test_an_erased_person_has_no_name_anywhere_and_the_log_still_verifies(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.people_url = f"sqlite:///{tmp_path / 'people.sqlite'}"
    async with world.host() as host:
        await entered(host, 4)
        await published(host)
        await played(world, host, 1)
        before, table = await host.export(T), await standings(host)
        player = state(host).entrants[0].player
        assert not await host.desk.erase(player)
        assert await host.desk.erase(player)
        assert await host.names([player]) == {player: "erased player"}
        assert await host.export(T) == before
        assert await standings(host) == table
        people = [Applicant(name=f"Person {number}") for number in range(1, 5)]
        again, _ = await host.desk.register(T, "people", ORGANISER, people, ranked=True, reason="")
        assert again.duplicate
        assert await host.find_players("Person 1", 0) == []
    async with world.host() as host:
        assert await standings(host) == table


async def test_standings_and_pairings_are_explained(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        await published(host)
        await played(world, host, 1)
        kept = await host.ledgers.fresh(T)
        best = (await standings(host)).lines[0].entry
        told = msgspec.json.decode(await why_standing(host.rankings, kept, best, None))
        assert told["place"] == 1
        points = told["keys"][0]
        assert (points["key"], points["value"], [part["value"] for part in points["parts"]]) == ("TP", "5", ["5"])
        sits = msgspec.json.decode(await why_pairing(kept, 1, best))
        assert sits["entry"] == best
        assert len(sits["meetings"]) == 3
        with pytest.raises(Refusal, match="unknown_round"):
            await why_pairing(kept, 7, best)


async def test_the_status_counts_tables_and_says_when_they_may_end(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        number = await published(host)
        await all_open(host, number)
        await world.hall.end(f"{T}-r1-t1", (4, 3, 2, 1))
        await until(lambda: state(host).rounds[0].tables[0].phase is TablePhase.DONE, "the first table is done")
        now = host.now()
        status = await status_of(state(host), now)
        assert (status.waiting, status.open, status.done, status.disputed) == (0, 1, 1, 0)
        assert [(slow.number, slow.match) for slow in status.slowest] == [(2, f"{T}-r1-t2")]
        assert now < status.earliest_end < status.expected_end < status.latest_end
        assert waits_for(state(host)) == "results"


async def test_a_caller_cannot_speak_for_the_house_or_choose_a_seed(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host, 4)
        for actor in ("house", "organiser:", "host", "player:"):
            with pytest.raises(Refusal, match="bad_actor"):
                await ask(host, StartRound(), actor=actor)
        with pytest.raises(Refusal, match="not_yours_to_do"):
            await host.desk.command(T, "x", ORGANISER, '{"type": "tournament.draft_round", "data": {"seed": "00"}}')
        with pytest.raises(Refusal, match="malformed_command"):
            await host.desk.command(T, "x", ORGANISER, '{"type": "tournament.finish", "datum": {}}')
        with pytest.raises(Refusal, match="tournament_exists"):
            await host.desk.create(T, CONFIG.replace("Cup", "Cap"), "ana")
        repeat, _ = await host.desk.create(T, CONFIG, "ana")
        assert repeat.duplicate
        assert state(host).rounds == ()


async def test_each_draft_reveals_the_next_link_and_a_discarded_one_is_not_drawn_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        await host.desk.draft_round(T, "d-1", ORGANISER, "")
        first = state(host).last_seed
        assert follows(state(host).commitment, first)
        await ask(host, DiscardDraft(reason="two clubs at one table"))
        receipt, number = await host.desk.draft_round(T, "d-2", ORGANISER, "")
        assert (receipt.duplicate, number) == (False, 1)
        assert follows(first, state(host).last_seed)
        assert waits_for(state(host)) == "publish"


async def test_another_master_key_cannot_keep_the_promise_of_an_event(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
    async with world.host(keys=KeyRing(MasterKey("other", "0bad" * 16))) as host:
        with pytest.raises(Refusal, match="other_master_key"):
            await host.desk.draft_round(T, "d-1", ORGANISER, "")
        assert state(host).draft is None


async def test_an_event_keeps_the_key_it_was_created_under(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        first = state(host).commitment
    new = MasterKey("new", "0bad" * 16)
    async with world.host(keys=KeyRing(new, *KEYS.keys)) as host:
        again, _ = await host.desk.create(T, CONFIG, "ana")
        assert again.duplicate
        await host.desk.draft_round(T, "d-1", ORGANISER, "")
        assert follows(first, state(host).last_seed)
        await entered(host, on="next-cup")
        assert state(host, "next-cup").commitment == commitment(new.secret, "next-cup").hex()
