"""A duplicate round behind the curtain: until its last table has ended, nothing tells that another has."""

from pathlib import Path

from google.protobuf.message import Message
from tavolata.tournament.v1 import tournament_pb2 as pb

from tests.kit.nats import until
from tests.services.hosts import leave
from tests.services.test_tournament_wire import PAIRS, ask, desk
from tests.services.tournaments import ORGANISER, T

DUPLICATE = PAIRS + "duplicate = true\n"


async def test_a_table_that_has_ended_is_not_told_of_before_the_others_have(tmp_path: Path) -> None:
    async with desk(tmp_path) as (house, client, rules):
        await client.create(T, DUPLICATE, "ana")
        await ask(client, "open_registration")
        await client.register(T, "people", ORGANISER, [pb.Person(name=name) for name in ("Ana", "Bo", "Cy", "Di")])
        await ask(client, "close_registration")
        await client.draft_round(T, "draft-1", ORGANISER)
        await ask(client, "publish_round")
        await ask(client, "start_round")

        async def are_open() -> bool:
            return (await client.status(T)).open == 2

        await until(are_open, "both matches are open")
        first, second = [table.match_id for table in (await client.round(T)).tables]

        async def told() -> list[Message]:
            """All that could tell of a table."""
            entrants = [await client.entrant(T, entry) for entry in (1, 2, 3, 4)]
            found = await client.find_players("a")
            return [await client.tournament(T), await client.round(T), await client.standings(T), found, *entrants]

        before = await told()
        await rules.act(first, "gives-up", 1, leave(1))

        async def waits() -> bool:
            """The first table has ended: its lines are there, and no seed."""
            lines = [stored.line for stored in await house.log.read(first, after=0)]
            return b"tavolata.match_ended" in b"".join(lines) and b"seed_revealed" not in b"".join(lines)

        await until(waits, "the first table has ended")
        assert await told() == before
        status = await client.status(T)
        assert (status.open, status.done, status.waits_for, status.trouble) == (2, 0, "results", "")
        assert [slow.number for slow in status.slowest] == [1, 2]
        assert list((await client.ratings("just4fun")).ratings) == []
        await rules.act(second, "gives-up", 1, leave(1))

        async def is_closed() -> bool:
            return (await client.tournament(T)).tournament.round_phase == "closed"

        await until(is_closed, "the round is closed")
        assert [table.places[0].place for table in (await client.round(T)).tables] == [1, 1]


async def test_a_table_that_is_void_before_it_opens_does_not_keep_the_round_for_ever(tmp_path: Path) -> None:
    async with desk(tmp_path) as (_, client, rules):
        await client.create(T, DUPLICATE, "ana")
        await ask(client, "open_registration")
        await client.register(T, "people", ORGANISER, [pb.Person(name=name) for name in ("Ana", "Bo", "Cy", "Di")])
        await ask(client, "close_registration")
        await client.draft_round(T, "draft-1", ORGANISER)
        await ask(client, "publish_round")
        await ask(client, "void_table", round=1, table=2, replay=False)

        async def is_open() -> bool:
            return (await client.status(T)).open == 1

        await until(is_open, "the other match is open")
        first = (await client.round(T)).tables[0].match_id
        await rules.act(first, "gives-up", 1, leave(1))

        async def is_closed() -> bool:
            return (await client.tournament(T)).tournament.round_phase == "closed"

        await until(is_closed, "the round is closed")
        assert (await client.round(T)).tables[0].places[0].place == 1
