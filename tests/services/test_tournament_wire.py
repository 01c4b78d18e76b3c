"""The whole of it over the wire: an event is organised with a client, and its matches are played by a rules service."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.deal import Deal
from engine.kernel.official import Leave
from engine.kernel.refusal import Refusal
from engine.tournament.aggregate import tournament_ledger
from engine.tournament.config import config_of
from engine.tournament.director import OpenTable
from services.kit.lifecycle import start_server
from services.kit.memory_log import MemoryLog
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import MatchClient
from services.kit.wire.tournament import TournamentClient
from services.tournament.servicer import register
from services.tournament.venue import RulesServices
from tests.kit.nats import until
from tests.services.hosts import leave
from tests.services.small_house import GAME, SmallHouse, small_house
from tests.services.tournaments import CONFIG, ORGANISER, T, World

PAIRS = CONFIG.replace("smallest = 4\ntarget = 4\nlargest = 4", "smallest = 2\ntarget = 2\nlargest = 2").replace(
    "[registration]",
    '[scoring]\nscheme = {kind = "places", places = [["7", "0"]]}\norder = ["TP", "SOS", "LOT"]\n\n[registration]',
)


@asynccontextmanager
async def desk(folder: Path) -> AsyncIterator[tuple[SmallHouse, TournamentClient, MatchClient]]:
    """A house with a tournament service, and clients of both."""
    matches = MemoryLog()
    async with small_house(matches, folder) as house, AsyncExitStack() as stack:
        rules = MatchClient(await stack.enter_async_context(open_channel(house.addresses["rules"])))
        world = World(folder, matches=matches)
        host = await stack.enter_async_context(world.host(venue=RulesServices({GAME: rules})))
        server = await start_server("tournament", "127.0.0.1:0", lambda server: register(server, host))
        stack.push_async_callback(server.stop, 0)
        channel = await stack.enter_async_context(open_channel(f"127.0.0.1:{server.port}"))
        yield house, TournamentClient(channel), rules


async def ask(client: TournamentClient, command: str, **data: object) -> pb.CommandResponse:
    written = msgspec.json.encode({"type": f"tournament.{command}", "data": data}).decode()
    return await client.command(T, command, ORGANISER, written)


async def test_an_event_is_played_over_the_wire(tmp_path: Path) -> None:
    async with desk(tmp_path) as (_, client, rules):
        created = await client.create(T, PAIRS, "ana")
        assert (created.duplicate, created.revision) == (False, 1)
        await ask(client, "open_registration")
        people = [pb.Person(name=name) for name in ("Ana", "Bo", "Cy", "Di")]
        entered = await client.register(T, "people", ORGANISER, people)
        assert [(each.entry, each.name) for each in entered.entrants] == [(1, "Ana"), (2, "Bo"), (3, "Cy"), (4, "Di")]
        await ask(client, "close_registration")
        drafted = await client.draft_round(T, "draft-1", ORGANISER)
        assert drafted.round == 1
        assert (await client.round(T, draft=True)).phase == "draft"
        with pytest.raises(Refusal, match="unknown_round"):
            await client.round(T)
        await ask(client, "publish_round")
        await ask(client, "start_round")

        async def are_open() -> bool:
            return (await client.status(T)).open == 2

        await until(are_open, "both matches are open")
        tables = (await client.round(T)).tables
        assert [table.match_id for table in tables] == [f"{T}-r1-t1", f"{T}-r1-t2"]
        for table in tables:  # whoever sits in seat 1 gives up
            await rules.act(table.match_id, "gives-up", 1, leave(1))

        async def is_closed() -> bool:
            return (await client.tournament(T)).tournament.round_phase == "closed"

        await until(is_closed, "the round is closed")
        played = await client.round(T)
        assert [[(seat.place, seat.points) for seat in table.places] for table in played.tables] == [
            [(1, "7"), (2, "0")],
            [(1, "7"), (2, "0")],
        ]
        winners = {table.places[0].entry for table in played.tables}
        shown = await client.standings(T)
        assert list(shown.keys) == ["TP", "SOS", "LOT"]
        assert {line.entry for line in shown.lines[:2]} == winners
        assert [line.values[0] for line in shown.lines] == ["7", "7", "0", "0"]
        assert "7" in await client.explain_standing(T, shown.lines[0].entry)
        assert msgspec.json.decode(await client.explain_pairing(T, shown.lines[0].entry))["entry"]
        supposed = pb.SupposedResult(round=1, table=1, scores=[1, 2])
        outcome = await client.what_if(T, [supposed])
        upset = played.tables[0].places[1].entry
        assert upset in {line.entry for line in outcome.standings.lines[:2]}
        assert ("TP", "0", "7") in {(each.what, each.before, each.after) for each in outcome.changes}
        assert [each.games for each in await rated(client)] == [1] * 4
        ledger = tournament_ledger(T)
        for position, line in enumerate(await client.export(T), 1):
            ledger.accept(line, position)
        assert ledger.revision == (await client.tournament(T)).tournament.revision


async def rated(client: TournamentClient) -> list[pb.Rating]:
    async def are_rated() -> bool:
        return len((await client.ratings(GAME)).ratings) == 4

    await until(are_rated, "four people are rated")
    return list((await client.ratings(GAME)).ratings)


async def test_a_configuration_is_checked_and_warned_of(tmp_path: Path) -> None:
    async with desk(tmp_path) as (_, client, _):
        checked = await client.check(PAIRS.replace("rounds = 2", "rounds = 9"), entrants=4)
        assert [warning.code for warning in checked.warnings] == ["repeats_certain"]
        assert msgspec.json.decode(checked.config_json)["stages"][0]["repeat_points"] == 10
        with pytest.raises(Refusal, match="bad_config") as refused:
            await client.check(PAIRS.replace("rounds = 2", "rounds = 0"))
        assert "stages[0].rounds" in refused.value.sentence


async def test_whoever_watches_hears_of_every_event(tmp_path: Path) -> None:
    async with desk(tmp_path) as (_, client, _), aclosing(client.watch()) as news:
        await client.create(T, PAIRS, "ana")
        assert (await anext(news)).phase == "created"
        await ask(client, "open_registration")
        heard = await anext(news)
        assert (heard.tournament_id, heard.phase, heard.revision) == (T, "registration", 2)
        assert [each.tournament_id async for each in client.tournaments()] == [T]


class Recording:
    """A client of a rules service that only notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[tuple[object, ...], dict[str, object]]] = []

    async def open(self, *fields: object, **more: object) -> None:
        self.asked.append((fields, more))

    async def direct(self, *fields: object) -> None:
        self.asked.append((fields, {}))


async def test_a_match_is_opened_with_all_that_its_event_says() -> None:
    client = Recording()
    venue = RulesServices({GAME: client})  # type: ignore[dict-item]  # it has what is asked of one
    clocks = 'turn = "30s"\nbank = "5m"\nincrement = "2s"\non_timeout = "forfeit"'
    config = config_of(CONFIG + f'\n[clocks]\n{clocks}\n\n[spectators]\ndelay = "10m"\n')
    await venue.open(OpenTable(1, 7, 1, f"{T}-r1-t3", GAME, {"tour": 1}, ("p1", "p2"), f"{T}-r1", 4), config)
    await venue.direct(GAME, f"{T}-r1-t3", "vacate-1", Leave(1, "gone"))
    [(opened, more), (directed, _)] = client.asked
    assert opened == (f"{T}-r1-t3", GAME, 2)
    assert more == {
        "options_json": '{"tour":1}',
        "players": ("p1", "p2"),
        "turn_ms": 30_000,
        "bank_ms": 300_000,
        "increment_ms": 2_000,
        "on_timeout": "forfeit",
        "deal": Deal(f"{T}-r1", 4),
        "delay_ms": 600_000,
    }
    written = '{"type":"tavolata.leave","v":1,"data":{"seat":1,"reason":"gone"}}'
    assert directed == (f"{T}-r1-t3", "vacate-1", written)
    with pytest.raises(Refusal, match="unknown_game"):
        await venue.direct("chess", "m", "vacate-1", Leave(1))
