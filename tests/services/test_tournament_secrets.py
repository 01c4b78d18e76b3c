"""What is nobody's business yet, or never: names outside the list of people, and a draft before it is published."""

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path

import pytest
from google.protobuf.message import Message
from prometheus_client import generate_latest
from structlog.testing import capture_logs
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.refusal import Refusal
from engine.tournament.commands import PublishRound, SwapInDraft
from services.kit.lifecycle import start_server
from services.kit.wire.channel import open_channel
from services.kit.wire.tournament import TournamentClient
from services.tournament.app import Tournaments
from services.tournament.servicer import register
from tests.services.tournaments import ORGANISER, T, World, ask, entered, log_of, played, published

NAME, CONTACT, ALIAS = "Zenobia Quastel", "zenobia@quastel.example", "Zebra-Quartz"
TRACES = (b"enobia", b"uastel", b"ebra-Quartz")


@asynccontextmanager
async def service(world: World, ratings: str = "") -> AsyncIterator[tuple[Tournaments, TournamentClient]]:
    async with world.host(ratings=ratings) as host, AsyncExitStack() as stack:
        server = await start_server("tournament", "127.0.0.1:0", lambda server: register(server, host))
        stack.push_async_callback(server.stop, 0)
        channel = await stack.enter_async_context(open_channel(f"127.0.0.1:{server.port}"))
        yield host, TournamentClient(channel)


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def holding(texts: dict[str, bytes]) -> list[str]:
    """Where there is a trace of the person."""
    return sorted(name for name, text in texts.items() if any(trace in text for trace in TRACES))


async def test_a_name_is_in_the_list_of_people_and_nowhere_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(tmp_path)
    world.people_url = f"sqlite:///{tmp_path / 'people.sqlite'}"
    caplog.set_level(logging.DEBUG)
    told: list[str] = []
    with capture_logs() as logged:
        async with service(world, ratings="ratings") as (host, client):
            await entered(host, 3)
            person = pb.Person(name=NAME, contact=CONTACT, alias=ALIAS)
            with pytest.raises(Refusal, match="registration_closed") as refused:
                await client.register(T, "late", ORGANISER, [person])
            told.append(refused.value.sentence)
            assert holding(files(tmp_path)) == []  # nobody is remembered for nothing
            await host.desk.command(T, "reopen", ORGANISER, '{"type": "tournament.open_registration"}')
            for bad in (pb.Person(name=NAME * 9), pb.Person(name=NAME, contact=CONTACT * 9), pb.Person(player="p0")):
                with pytest.raises(Refusal) as refused:
                    await client.register(T, "bad", ORGANISER, [person, bad])
                told.append(refused.value.sentence)
            [entrant] = (await client.register(T, "in-time", ORGANISER, [person])).entrants
            assert entrant.name == ALIAS
            with pytest.raises(Refusal, match="id_reused") as refused:
                await client.register(T, "in-time", ORGANISER, [pb.Person(name=NAME)])
            told.append(refused.value.sentence)
            await host.desk.command(T, "close", ORGANISER, '{"type": "tournament.close_registration"}')
            await published(host)
            await played(world, host, 1)
            answers = [await client.round(T), await client.standings(T), await client.tournament(T)]
            answers += [await client.entrant(T, entrant.entry), await client.actions(T, house=True)]
            assert all(NAME.encode() not in each.SerializeToString() for each in answers)  # the alias is public
            assert holding(files(tmp_path)) == ["people.sqlite"]
            assert not await host.desk.erase(entrant.player)
            answers = [await client.round(T), await client.standings(T), await client.tournament(T)]
            answers += [await client.entrant(T, entrant.entry), await client.actions(T, house=True)]
            assert holding({str(place): each.SerializeToString() for place, each in enumerate(answers)}) == []
    assert holding(files(tmp_path)) == []
    lines = [*(await log_of(world)), *(stored.line for stored in await world.matches.read(f"{T}-r1-t1", after=0))]
    places = {"log": b"".join(lines), "logged": repr(logged).encode(), "told": repr(told).encode()}
    places |= {"library": caplog.text.encode(), "metrics": generate_latest()}
    assert holding(places) == []


async def answers_of(client: TournamentClient) -> dict[str, bytes]:
    """All that can be read of an event, but for the draft itself."""
    supposed = [pb.SupposedResult(round=1, table=1, scores=[1, 2, 3, 4])]
    async with aclosing(client.watch(T)) as news:
        messages: dict[str, Message] = {
            "watch": await anext(news),
            "tournament": await client.tournament(T),
            "round": await client.round(T),
            "status": await client.status(T),
            "standings": await client.standings(T),
            "what if": await client.what_if(T, supposed),
            "ratings": await client.ratings("just4fun"),
            "players": await client.find_players("person"),
            "actions": await client.actions(T, house=True),
            "entrant": await client.entrant(T, 1),
        }
    texts = {name: message.SerializeToString() for name, message in messages.items()}
    return texts | {
        "why standing": (await client.explain_standing(T, 1)).encode(),
        "why pairing": (await client.explain_pairing(T, 1)).encode(),
        "export": b"".join(await client.export(T)),
    }


async def test_a_draft_is_in_no_answer_but_its_own(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with service(world) as (host, client):
        await entered(host)
        await published(host)
        await played(world, host, 1)
        before = await answers_of(client)
        await client.draft_round(T, "draft-2", ORGANISER)
        await ask(host, SwapInDraft((1, 8)))
        draft = await client.round(T, draft=True)
        during = await answers_of(client)
        assert [name for name, text in during.items() if draft.seed.encode() in text] == []
        assert {name for name, text in during.items() if text != before[name]} <= {
            "watch",
            "tournament",
            "status",
            "actions",
        }
        assert (await client.what_if(T, [pb.SupposedResult(round=1, table=1, scores=[1, 2, 3, 4])])).rounds == []
        assert await refusal_of(client, draft.round) == "unknown_round"
        with pytest.raises(Refusal, match="not_yours_to_do") as refused:
            await ask(host, SwapInDraft((1, 2)), actor="player:1")
        assert "table" not in refused.value.sentence
        await ask(host, PublishRound())
        assert draft.seed.encode() in (await answers_of(client))["export"]


async def refusal_of(client: TournamentClient, number: int) -> str:
    """Of a pairing of this round that is to be explained."""
    with pytest.raises(Refusal) as refused:
        await client.explain_pairing(T, 1, number=number)
    return refused.value.code
