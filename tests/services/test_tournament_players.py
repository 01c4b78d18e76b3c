"""Who is found, and where: by anybody who types a name, and never more than is public."""

from pathlib import Path

import pytest

from engine.kernel.refusal import Refusal
from engine.tournament.commands import OpenRegistration, PublishRound
from services.kit.wire.tournament import TournamentClient
from services.tournament.desk import Applicant
from services.tournament.names import bot_name
from services.tournament.people import FOUND_MAX
from tests.services.test_tournament_secrets import ALIAS, CONTACT, NAME, TRACES, service
from tests.services.tournaments import CONFIG, ORGANISER, T, World, all_open, ask, entered, played, published, state

DUPLICATE = CONFIG.replace("rounds = 2", "rounds = 2\nduplicate = true")


async def found(client: TournamentClient, text: str) -> list[str]:
    return [each.name for each in (await client.find_players(text)).players]


async def test_a_player_is_found_with_the_table_that_they_sit_at(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with service(world) as (host, client):
        await entered(host)
        await host.desk.draft_round(T, "draft-1", ORGANISER, "")
        [player] = (await client.find_players("person 3")).players
        [event] = player.entered
        assert (event.tournament_id, event.name, event.entry, event.standing) == (T, "Cup of the house", 3, "in")
        assert not event.HasField("now")  # a draft is nobody's business
        await ask(host, PublishRound())
        await all_open(host, 1)
        table = next(each for each in state(host).rounds[0].tables if 3 in each.entries)
        [player] = (await client.find_players("PERSÓN 3")).players
        now = player.entered[0].now
        assert (now.round, now.table, now.seat) == (1, table.number, table.entries.index(3))
        assert (now.match_id, now.phase) == (f"{T}-r1-t{table.index}", "open")
        await played(world, host, 1)
        assert not (await client.find_players("person 3")).players[0].entered[0].HasField("now")


async def test_a_finished_table_of_a_duplicate_round_looks_as_in_the_round(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with service(world) as (host, client):
        await entered(host, config=DUPLICATE)
        await published(host)
        await all_open(host, 1)
        told: dict[tuple[int, str, str], set[tuple[int, str]]] = {}
        for player in (await client.find_players("person")).players:
            now = player.entered[0].now
            told.setdefault((now.table, now.match_id, now.phase), set()).add((now.seat, player.player))
        assert told == {
            (table.number, table.match_id, table.phase): {(seat, each.player) for seat, each in enumerate(table.places)}
            for table in (await client.round(T)).tables
        }


async def test_all_events_of_a_player_are_told_the_newest_first(tmp_path: Path) -> None:
    async with service(World(tmp_path)) as (host, client):
        await entered(host, 4)
        ana = state(host).entrants[0].player
        await entered(host, on="second", players=["bot:greedy:3", ana])
        [player] = (await client.find_players("person 1")).players
        assert [(each.tournament_id, each.entry) for each in player.entered] == [("second", 2), (T, 1)]


async def test_nothing_but_the_public_name_leaves_the_list_of_people(tmp_path: Path) -> None:
    async with service(World(tmp_path)) as (host, client):
        await host.desk.create(T, CONFIG, "ana")
        await ask(host, OpenRegistration())
        people = [
            Applicant(name=NAME, contact=CONTACT, alias=ALIAS),
            Applicant(name="Bo", contact="bo@quastel.example"),
        ]
        await host.desk.register(T, "people", ORGANISER, people, ranked=True, reason="")
        players = [each.player for each in state(host).entrants]
        answers = [await client.find_players(text) for text in ("zebra", "bo", "z", "e", "o", "a")]
        assert [each.name for each in answers[0].players] == [ALIAS]
        assert await client.name_players(players) == {players[0]: ALIAS, players[1]: "Bo"}
        told = (
            b"".join(each.SerializeToString() for each in answers) + repr(await client.name_players(players)).encode()
        )
        assert ALIAS.encode() in told
        assert [trace for trace in (*TRACES[:2], b"example") if trace in told] == []
        for hidden in (NAME, "zenobia", "quastel", CONTACT, "@", "example"):
            assert await found(client, hidden) == []


async def test_erased_people_and_people_of_no_event_are_not_found(tmp_path: Path) -> None:
    async with service(World(tmp_path)) as (host, client):
        await entered(host, 4)
        await host.people.add("Person of no event")
        assert await found(client, "person") == [f"Person {number}" for number in range(1, 5)]
        await client.erase(state(host).entrants[1].player)
        assert await found(client, "person") == ["Person 1", "Person 3", "Person 4"]
        assert await found(client, "erased") == await found(client, "") == await found(client, " ") == []


async def test_an_answer_has_an_end(tmp_path: Path) -> None:
    async with service(World(tmp_path)) as (host, client):
        await entered(host, 24)
        assert len(await found(client, "person")) == FOUND_MAX == 20
        assert len((await client.find_players("person", page_size=2**32 - 1)).players) == FOUND_MAX
        assert len((await client.find_players("person", page_size=3)).players) == 3
        with pytest.raises(Refusal, match="too_many_at_once"):
            await client.name_players(["p"] * 501)


async def test_players_are_named_in_the_order_asked(tmp_path: Path) -> None:
    async with service(World(tmp_path)) as (host, client):
        await entered(host, 4)
        first, second, *_ = (each.player for each in state(host).entrants)
        await client.erase(second)
        asked = [second, "bot:greedy:3", "p0000000000000000", first, "bot:random"]
        names = ["erased player", "Bot 3 (greedy)", "", "Person 1", "Bot (random)"]
        assert list((await client.name_players(asked)).items()) == list(zip(asked, names, strict=True))


def test_only_bots_have_the_name_of_a_bot() -> None:
    assert [bot_name(player) for player in ("p17", "", "robot:1", "bot:" + "a" * 9_000)] == [""] * 4
