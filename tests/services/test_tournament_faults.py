"""What goes wrong in one event, one table or one request stays there; what was owed is done once it can be."""

import asyncio
from pathlib import Path

import pytest

from engine.kernel.commit import HOUSE, Commit, encode_line, line_hash
from engine.kernel.ledger import BrokenLog
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import instant_text
from engine.tournament.commands import (
    COMMANDS,
    Adjudicate,
    CancelRound,
    Comment,
    OpenRegistration,
    TellOpened,
    VoidTable,
)
from engine.tournament.config import Config
from engine.tournament.decider import RULES
from engine.tournament.director import OpenTable
from engine.tournament.events import EVENTS, TablesOpened
from engine.tournament.played import Seated
from services.kit.family import TOURNAMENTS
from services.kit.jetstream import JetStreamLog
from services.local.nats_server import NatsServer
from services.tournament import runner
from services.tournament.desk import Applicant
from services.tournament.ledgers import KIND
from tests.kit.nats import until
from tests.services.tournaments import (
    CONFIG,
    ORGANISER,
    Everybody,
    Failing,
    Hall,
    T,
    World,
    Wound,
    all_open,
    ask,
    closed,
    entered,
    events_of,
    log_of,
    published,
    state,
)

CLOCKED = CONFIG + '\n[clocks]\nround = "30m"\non_round_end = "call"\n'


async def append_what_cannot_be_folded(world: World) -> None:
    """The chain holds, the commit is well formed, and it tells of a round that there is not."""
    [*_, last] = lines = await world.log.read(T, after=0)
    command = TellOpened(7, (1,))
    commit = Commit(
        match=T,
        revision=len(lines) + 1,
        id="from-another-time",
        actor=HOUSE,
        at=instant_text(1_900_000_000_000_000),
        rules=RULES,
        command=COMMANDS.encode(command),
        events=(EVENTS.encode(TablesOpened(7, (1,), 1, instant_text(1_900_000_000_000_000))),),
        prev=line_hash(last.line),
    )
    await world.log.append(KIND, T, encode_line(commit), expected=last.position)


async def test_a_line_that_cannot_be_folded_stops_its_own_event_alone(tmp_path: Path) -> None:
    world, other = World(tmp_path), "other"
    async with world.host() as host:
        await entered(host)
        await entered(host, on=other)
        await append_what_cannot_be_folded(world)
        await until(lambda: [kept.id for kept in host.ledgers.all()] == [other], "the damage is known")
        await published(host, on=other)
        await all_open(host, 1, on=other)
    async with world.host() as host:  # nor does it keep the service from starting
        with pytest.raises(BrokenLog, match="cannot be folded"):
            await ask(host, Comment("on sand"))
        assert state(host, other).rounds
        await ask(host, Comment("on rock"), on=other)


class Faulty(Hall):
    """A venue with a fault of ours in it."""

    faults = 1

    async def open(self, table: OpenTable, config: Config) -> None:
        if self.faults:
            self.faults -= 1
            raise RuntimeError("nobody has thought of this")
        await super().open(table, config)


async def test_a_step_that_meets_a_fault_of_ours_is_told_of_and_taken_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "REFUSED_S", 0.2)
    world = World(tmp_path)
    venue = Faulty(world.matches)
    async with world.host(venue=venue) as host:
        await entered(host, 4)
        await published(host)
        await until(lambda: host.runner.trouble(T) is not None, "it is told what is in the way")
        trouble = host.runner.trouble(T)
        assert trouble is not None
        assert trouble.code == "internal_error"
        assert "nobody has thought" not in trouble.sentence
        await all_open(host, 1)
        await until(lambda: host.runner.trouble(T) is None, "nothing is in the way any more")


async def test_time_is_called_again_for_a_table_that_is_replayed_after_it(tmp_path: Path) -> None:
    world, clock = World(tmp_path), Wound()
    async with world.host(clock=clock) as host:
        await entered(host, 8, config=CLOCKED)
        await published(host)
        await all_open(host, 1)
        clock.forward(31 * 60_000)
        await until(lambda: all(table.time_called for table in state(host).rounds[0].tables), "time is called")
        await ask(host, VoidTable(1, 1, replay=True, reason="cards missing"))
        replayed = (f"{T}-r1-t1-x2", "hurry-0", "tavolata.call_time")
        await until(lambda: replayed in world.hall.directed, "the second match is told to hurry, too")
        assert events_of(await log_of(world)).count("tournament.time_called") == 2


class Slow(Hall):
    """Opens a match when it is let to."""

    def __init__(self, world: World) -> None:
        super().__init__(world.matches)
        self.asked = asyncio.Event()
        self.may = asyncio.Event()

    async def open(self, table: OpenTable, config: Config) -> None:
        self.asked.set()
        await self.may.wait()
        await super().open(table, config)


async def test_a_match_that_opens_after_its_table_was_decided_is_left_by_all(tmp_path: Path) -> None:
    world = World(tmp_path)
    venue = Slow(world)
    async with world.host(venue=venue) as host:
        await entered(host, 4)
        await published(host)
        await venue.asked.wait()
        entries = state(host).rounds[0].tables[0].entries
        seated = tuple(Seated(entry, place, 0) for place, entry in enumerate(entries, 1))
        await ask(host, Adjudicate(1, 1, seated, reason="played at the bar"))
        venue.may.set()
        await until(lambda: len(venue.directed) == 4, "all seats leave")
        assert {each[:2] for each in venue.directed} == {(f"{T}-r1-t1", f"vacate-{seat}") for seat in range(4)}
        assert "tournament.tables_opened" not in events_of(await log_of(world))


async def test_a_closing_that_cannot_be_read_yet_is_waited_for(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host, 4)
        await published(host)
        await all_open(host, 1)
        match = f"{T}-r1-t1"
        await until(lambda: match in host._closings._waiting, "its end is waited for")
        for closing in host._closings._waiting[match]:
            closing.set()  # as if the news came from a server that is ahead of the one that is read from
        await asyncio.sleep(0.05)
        await world.hall.end(match, (4, 3, 2, 1))
        await closed(host, 1)


@pytest.mark.parametrize(
    ("people", "ranked", "reason"),
    [
        ([Applicant(name="Ana"), Applicant(name="Cy")], True, ""),
        ([Applicant(name="Ana"), Applicant(name="Bo", contact="bo@home")], True, ""),
        ([Applicant(name="Bo"), Applicant(name="Ana")], True, ""),
        ([Applicant(name="Ana")], True, ""),
        ([Applicant(name="Ana"), Applicant(player="bot:greedy")], True, ""),
        ([Applicant(name="Ana"), Applicant(name="Bo")], False, ""),
        ([Applicant(name="Ana"), Applicant(name="Bo")], True, "late"),
    ],
)
async def test_one_id_does_not_enter_two_lists_of_people(
    tmp_path: Path, people: list[Applicant], ranked: bool, reason: str
) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await host.desk.create(T, CONFIG, "ana")
        await ask(host, OpenRegistration())
        first = [Applicant(name="Ana"), Applicant(name="Bo")]
        await host.desk.register(T, "p-1", ORGANISER, first, ranked=True, reason="")
        with pytest.raises(Refusal, match="id_reused"):
            await host.desk.register(T, "p-1", ORGANISER, people, ranked=ranked, reason=reason)
        again = [Applicant(name=" ana"), Applicant(player=state(host).entrants[1].player)]
        receipt, entries = await host.desk.register(T, "p-1", ORGANISER, again, ranked=True, reason="")
        assert (receipt.duplicate, entries) == (True, (1, 2))
        assert len(state(host).entrants) == 2


async def test_people_who_were_remembered_and_not_entered_are_entered_by_the_next_try(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.people_url = f"sqlite:///{tmp_path / 'people.sqlite'}"
    people = [Applicant(name=f"Person {number}") for number in range(5)]
    async with world.host(log=Failing(world.log, lambda line: b"tournament.register" in line)) as host:
        await host.desk.create(T, CONFIG, "ana")
        await ask(host, OpenRegistration())
        with pytest.raises(Unavailable):
            await host.desk.register(T, "p-1", ORGANISER, people, ranked=True, reason="")
    async with world.host() as host:
        receipt, entries = await host.desk.register(T, "p-1", ORGANISER, people, ranked=True, reason="")
        assert (receipt.duplicate, entries) == (False, (1, 2, 3, 4, 5))
        known = await host.people.find_by_public_name("Person", Everybody())
        assert sorted(known) == sorted(each.player for each in state(host).entrants)


@pytest.mark.parametrize("told", range(3))
async def test_a_host_that_dies_before_it_hears_that_a_commit_is_stored_is_followed_by_another(
    tmp_path: Path, told: int
) -> None:
    world = World(tmp_path)
    heard = 0

    def is_too_late(line: bytes) -> bool:
        nonlocal heard
        heard += b'"actor":"house"' in line
        return heard > told

    async with world.host(log=Failing(world.log, is_too_late, after=True)) as host:
        await entered(host)
        await published(host)
        await until(lambda: len(world.hall.opened) == 2, "both matches are open")
        for match in (f"{T}-r1-t1", f"{T}-r1-t2"):
            await world.hall.end(match, (4, 3, 2, 1))
        await until(lambda: heard > told, "an answer is lost")
    async with world.host() as host:
        await closed(host, 1)
    events = events_of(await log_of(world))
    assert events.count("tournament.tables_opened") <= 2
    assert events.count("tournament.result_reported") == 2
    assert events.count("tournament.round_closed") == 1
    assert len(world.hall.opened) == 2


async def test_nothing_of_a_host_runs_on_after_its_end(tmp_path: Path) -> None:
    world = World(tmp_path)
    venue = Slow(world)
    async with world.host(venue=venue) as host:
        await entered(host, 4)
        await published(host)
        await venue.asked.wait()
        await ask(host, CancelRound(reason="rain"))  # called off in the middle of a call
        await asyncio.sleep(0.05)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_two_clients_who_enter_the_same_people_at_once_enter_them_once(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await host.desk.create(T, CONFIG, "ana")
        await ask(host, OpenRegistration())
        people = [Applicant(name=f"Person {number}") for number in range(5)]
        answers = await asyncio.gather(
            *(host.desk.register(T, "p-1", ORGANISER, people, ranked=True, reason="") for _ in range(4))
        )
        assert sorted(receipt.duplicate for receipt, _ in answers) == [False, True, True, True]
        assert {entries for _, entries in answers} == {(1, 2, 3, 4, 5)}


async def test_a_client_that_hangs_up_has_entered_its_people(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await host.desk.create(T, CONFIG, "ana")
        await ask(host, OpenRegistration())
        people = [Applicant(name=f"Person {number}") for number in range(5)]
        entering = asyncio.create_task(host.desk.register(T, "p-1", ORGANISER, people, ranked=True, reason=""))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        entering.cancel()
        await until(lambda: len(state(host).entrants) == 5, "they are in all the same")
        receipt, _ = await host.desk.register(T, "p-1", ORGANISER, people, ranked=True, reason="")
        assert receipt.duplicate


async def test_an_event_goes_on_when_the_log_has_been_away(tmp_path: Path) -> None:
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
            await world.hall.end(f"{T}-r1-t1", (4, 3, 2, 1))
            await server.restart()
            await world.hall.end(f"{T}-r1-t2", (4, 3, 2, 1))
            await closed(host, 1)
            await ask(host, Comment("the log is back"))
        lines = await log_of(world)
        assert events_of(lines).count("tournament.result_reported") == 2
        assert events_of(lines).count("tournament.round_closed") == 1
        assert len(world.hall.opened) == 2
