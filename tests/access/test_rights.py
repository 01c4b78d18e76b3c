"""Every call of every service, asked by everybody there is: what each may is written down here once more, by hand.

The calls come from the descriptors, so a new one that nobody has thought about fails here and is done for nobody.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from tavolata.match.v1 import match_pb2, match_pb2_grpc
from tavolata.spectator.v1 import spectator_pb2
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Referee, SeatView, Spectator
from services.kit.access.carried import carrying
from services.kit.access.grants import (
    PlayerGrant,
)
from services.kit.access.making import revoke
from services.kit.access.rights import RULES, event_of
from services.kit.access.trust import Trust
from services.kit.lookers import Caster
from services.kit.wire.clients import SpectatorClient
from services.kit.wire.tournament import TournamentClient
from tests.access.everybody import (
    ANYBODY,
    DENIED,
    EVENT,
    GRANTS,
    MATCH,
    METHODS,
    OF_SEAT_0,
    ORGANISERS,
    OTHER,
    PATIENCE_S,
    PLAYERS,
    RULES_SERVICES,
    WORTHLESS,
    request_of,
    secured,
    with_lost_key,
)
from tests.access.keys import Keys
from tests.kit.nats import until
from tests.services.followed import Followed, calls
from tests.services.small_house import GAME

ALLOWED: Final[dict[str, frozenset[str]]] = {
    "DeckService/GetCommitment": RULES_SERVICES,
    "DeckService/DrawMany": frozenset({"rules"}),
    "DeckService/RevealSeed": frozenset({"rules"}),
    "HouseService/DescribeHouse": ANYBODY,
    "MatchService/OpenMatch": ORGANISERS | {"tournament"},
    "MatchService/Act": OF_SEAT_0,
    "MatchService/Play": OF_SEAT_0,
    "MatchService/Direct": ORGANISERS | {"tournament", "referee", "referee of the match", "referee of all"},
    "MatchService/GetChoices": OF_SEAT_0,
    "ScoringService/ListMatches": ANYBODY,
    "ScoringService/GetMatch": ANYBODY,
    "ScoringService/WatchMatches": ANYBODY,
    "SpectatorService/WatchFacts": OF_SEAT_0,
    "SpectatorService/WatchMany": OF_SEAT_0,
    "SpectatorService/WatchPositions": OF_SEAT_0,
    "SpectatorService/GetSnapshot": OF_SEAT_0,
    "SpectatorService/ExportMatch": ANYBODY,
    "TournamentService/CreateTournament": ORGANISERS,
    "TournamentService/CheckConfiguration": ORGANISERS | {"other organiser"},
    "TournamentService/Command": ORGANISERS,
    "TournamentService/DraftRound": ORGANISERS,
    "TournamentService/RegisterPeople": ORGANISERS,
    "TournamentService/ErasePerson": frozenset({"organiser of all"}),
    "TournamentService/ListTournaments": ANYBODY,
    "TournamentService/GetTournament": ANYBODY,
    "TournamentService/GetRound": ANYBODY,
    "TournamentService/GetStandings": ANYBODY,
    "TournamentService/GetStatus": ANYBODY,
    "TournamentService/WatchTournament": ANYBODY,
    "TournamentService/ExplainStanding": ANYBODY,
    "TournamentService/ExplainPairing": ANYBODY,
    "TournamentService/WhatIf": ORGANISERS,
    "TournamentService/ExportTournament": ANYBODY,
    "TournamentService/ListRatings": ANYBODY,
    "TournamentService/FindPlayers": ANYBODY,
    "TournamentService/NamePlayers": ANYBODY,
    "TournamentService/GetEntrant": ANYBODY,
    "TournamentService/GetBracket": ANYBODY,
    "TournamentService/ListActions": ORGANISERS,
    "TournamentService/IssueTokens": ORGANISERS,
}

LOOKS: Final[dict[str, frozenset[str]]] = {
    "spectator": ANYBODY,
    "": ANYBODY,
    "seat:1": frozenset({"wrong seat", "other player"}),
    "seat:2": frozenset({"seat of a bot", "bots"}),
    "referee": frozenset({"referee", "referee of the match", "referee of all"}),
    "caster": frozenset({"referee", "referee of the match", "referee of all", "caster"}),
}
"""What the calls of the spectator service are asked for beside seat 0."""


def test_every_call_has_a_rule_and_stands_here() -> None:
    assert {method.rpartition(".")[2] for method in METHODS} == set(ALLOWED)
    assert set(RULES) == set(METHODS)


@pytest.mark.timeout(60)
async def test_everybody_may_what_is_theirs_and_nothing_else(tmp_path: Path, own_keys: Keys) -> None:
    wrong: list[str] = []
    async with secured(tmp_path, with_lost_key(own_keys)) as desk:
        for path, method in METHODS.items():
            name = path.rpartition(".")[2]
            if name == "HouseService/DescribeHouse":
                continue  # its server is the front door's: the rule is checked below
            for who in (*GRANTS, *WORTHLESS):
                told = await desk.code(method, request_of(method), who)
                if (told not in DENIED) != (who in ALLOWED[name]):
                    wrong.append(f"{name} by {who}: {told}")
    assert not wrong


async def test_everybody_looks_as_who_they_are(tmp_path: Path, own_keys: Keys) -> None:
    wrong: list[str] = []
    async with secured(tmp_path, with_lost_key(own_keys)) as desk:
        for name in ("WatchFacts", "WatchMany", "WatchPositions", "GetSnapshot"):
            method = METHODS[f"/tavolata.spectator.v1.SpectatorService/{name}"]
            for viewer, allowed in LOOKS.items():
                for who in (*GRANTS, *WORTHLESS):
                    if name == "WatchMany":
                        watch = spectator_pb2.Watch(match_id=MATCH, viewer=viewer)
                        request: Message = spectator_pb2.WatchManyRequest(begin=[watch])
                    else:
                        request = GetMessageClass(method.input_type)(match_id=MATCH, viewer=viewer)
                    told = await desk.code(method, request, who)
                    if (told == "done") != (who in allowed) or told not in {"done", *DENIED}:
                        wrong.append(f"{name} as {viewer!r} by {who}: {told}")
    assert not wrong


async def test_who_opens_a_line_and_says_nothing_is_told_nothing(tmp_path: Path, own_keys: Keys) -> None:
    """And it is no fault of ours."""

    async def nothing() -> AsyncIterator[match_pb2.PlayRequest]:
        return
        yield

    async with secured(tmp_path, with_lost_key(own_keys)) as desk:
        stub = match_pb2_grpc.MatchServiceStub(desk.channels["match"])
        assert [answer async for answer in stub.Play(nothing())] == []


async def test_a_stranger_is_told_the_same_of_what_is_there_and_what_is_not(tmp_path: Path, own_keys: Keys) -> None:
    """OTHER is behind a delay: nobody but its seats knows that it has begun."""
    looking = METHODS["/tavolata.spectator.v1.SpectatorService/GetSnapshot"]
    acting = METHODS["/tavolata.match.v1.MatchService/Act"]
    choosing = METHODS["/tavolata.match.v1.MatchService/GetChoices"]
    directing = METHODS["/tavolata.match.v1.MatchService/Direct"]
    async with secured(tmp_path, with_lost_key(own_keys)) as desk:
        for who in ("none", "unseated player", "bots", "seat", "organiser", "caster", "player in the event"):
            for method in (looking, acting, choosing, directing):
                seen = set()
                for match, seat in ((OTHER, 0), ("other-r9-t9", 0), (OTHER, 77)):
                    request = request_of(method)
                    request.match_id = match
                    if method is looking:
                        request.viewer = f"seat:{seat}"
                    elif method is not directing:
                        request.seat = seat
                    seen.add(await desk.code(method, request, who))
                assert len(seen) == 1, (who, method.name, seen)
                assert seen <= DENIED
        request = spectator_pb2.GetSnapshotRequest(match_id=OTHER, viewer="spectator")
        assert await desk.code(looking, request, "none") == "unknown_match"
        request = spectator_pb2.GetSnapshotRequest(match_id=OTHER, viewer="seat:0")
        assert await desk.code(looking, request, "player") == "done"


async def test_a_caster_sees_every_hand_but_no_earlier_than_everybody(tmp_path: Path, own_keys: Keys) -> None:
    looking = METHODS["/tavolata.spectator.v1.SpectatorService/GetSnapshot"]
    async with secured(tmp_path, with_lost_key(own_keys)) as desk:
        delayed = spectator_pb2.GetSnapshotRequest(match_id=OTHER, viewer="caster")
        assert await desk.code(looking, delayed, "other caster") == "unknown_match", "it is behind the delay"
        delayed = spectator_pb2.GetSnapshotRequest(match_id=OTHER, viewer="referee")
        assert await desk.code(looking, delayed, "referee of another match") == "done"
        client = SpectatorClient(desk.channels["spectator"])
        with carrying(desk.tokens["caster"]):
            shown = await client.snapshot(MATCH, Caster())
        with carrying(desk.tokens["referee"]):
            referee = await client.snapshot(MATCH, Referee())
        with carrying(""):
            spectator = await client.snapshot(MATCH, Spectator())
        assert shown.view_json == referee.view_json
        assert spectator.view_json != referee.view_json, "or the test shows nothing"


async def test_a_player_opens_a_table_for_themselves_and_bots_only(tmp_path: Path, own_keys: Keys) -> None:
    opening = METHODS["/tavolata.match.v1.MatchService/OpenMatch"]
    tables = {
        ("practice-1", ("p-ana", "bot:random", "bot:random")): {"player", "organiser of all", "tournament"},
        ("practice-2", ("p-ana", "p-bo", "bot:random")): {"organiser of all", "tournament"},
        ("practice-3", ("bot:random", "p-ana", "bot:random")): {"organiser of all", "tournament"},
        ("evening-1", ("p-ana", "bot:random", "bot:random")): {"organiser of all", "tournament"},
        ("exhibition-1", ("bot:random", "bot:random", "bot:random")): {"bots", "organiser of all", "tournament"},
        ("exhibition-2", ("bot:random", "p-bo", "bot:random")): {"organiser of all", "tournament"},
        ("evening-2", ("bot:random", "bot:random", "bot:random")): {"organiser of all", "tournament"},
        ("practice-cup-r1-t1", ("p-ana", "bot:random", "bot:random")): {"organiser of all", "tournament"},
        ("exhibition-cup-r1-t1", ("bot:random", "bot:random", "bot:random")): {"organiser of all", "tournament"},
        (MATCH, PLAYERS): {"organiser", "organiser of all", "tournament"},
    }
    async with secured(tmp_path, with_lost_key(own_keys)) as desk:
        for (match, players), allowed in tables.items():
            request = match_pb2.OpenMatchRequest(match_id=match, game=GAME, seats=3, players=players)
            done = {who for who in desk.tokens if await desk.code(opening, request, who) == "done"}
            assert done == allowed, match
        request = match_pb2.OpenMatchRequest(
            match_id="practice-t1",
            game=GAME,
            seats=3,
            players=("p-ana", "bot:random", "bot:random"),
            deal=match_pb2.Deal(group="practice", tables=2),
        )
        done = {who for who in desk.tokens if await desk.code(opening, request, who) == "done"}
        assert done == {"organiser of all", "tournament"}, "a table of a deal waits for the others"


async def test_an_organiser_makes_tokens_for_the_people_of_their_event(tmp_path: Path, own_keys: Keys) -> None:
    async with secured(tmp_path, with_lost_key(own_keys)) as desk:
        client = TournamentClient(desk.channels["tournament"])
        with carrying(desk.tokens["organiser"]):
            await client.command(EVENT, "c", "organiser:ana", '{"type": "tournament.open_registration", "data": {}}')
            people = [pb.Person(name="Ana"), pb.Person(name="Bo"), pb.Person(player="bot:random:1")]
            await client.register(EVENT, "people", "organiser:ana", people)
            issued = await client.tokens(EVENT)
            assert [each.name for each in issued] == ["Ana", "Bo"], "a bot gets none"
            trust = Trust(own_keys.trust_file)
            from services.kit.access.tokens import read

            assert [read(each.token, trust).grant for each in issued] == [
                PlayerGrant(each.player, EVENT) for each in issued
            ]
            (only,) = await client.tokens(EVENT, [2], life_s=60)
            assert only.name == "Bo"
            with pytest.raises(Refusal) as caught:
                await client.tokens(EVENT, [9])
            assert caught.value.code == "unknown_entrant"


async def test_a_stream_ends_when_its_key_is_revoked(tmp_path: Path, own_keys: Keys) -> None:
    async with secured(tmp_path, with_lost_key(own_keys)) as desk:
        client = SpectatorClient(desk.channels["spectator"])
        with carrying(desk.tokens["seat"]):
            of_seat = client.positions(MATCH, SeatView(0))
            await anext(of_seat)
        with carrying(desk.tokens["seat"]):
            of_all = client.positions(MATCH, Spectator())
            await anext(of_all)
        revoke(own_keys.trust_file, own_keys.key().kid)
        with pytest.raises(Refusal) as caught:
            await asyncio.wait_for(anext(of_seat), 5)
        assert (caught.value.code, caught.value.kind) == ("token_revoked", Kind.UNAUTHENTICATED)
        waiting = asyncio.ensure_future(anext(of_all))
        await asyncio.sleep(0)
        with carrying(desk.tokens["none"]):
            assert (await client.snapshot(MATCH, Spectator())).revision > 0
        assert not waiting.done(), "what anybody may see goes on"
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        for each in (of_seat, of_all):
            await each.aclose()


async def test_each_watch_is_asked_for_itself(tmp_path: Path, own_keys: Keys) -> None:
    async with secured(tmp_path, own_keys) as desk:
        client = SpectatorClient(desk.channels["spectator"])
        with carrying(desk.tokens["seat"]):
            theirs = Followed(client.facts(MATCH, SeatView(0)))
            everybodys = Followed(client.facts(MATCH, Spectator()))
            others = [Followed(client.facts(MATCH, viewer)) for viewer in (SeatView(1), Referee())]
        await until(lambda: bool(theirs.facts and everybodys.facts), "both are told")
        assert calls() == 1, "all of them are on one call"
        for other, code in zip(others, ("not_your_seat", "not_your_match"), strict=True):
            with pytest.raises(Refusal, match=code):
                await asyncio.wait_for(other.task, PATIENCE_S)
        with carrying(""):
            nobodys = Followed(client.facts(MATCH, Spectator()))
            await until(lambda: bool(nobodys.facts), "it is told")
        assert calls() == 2, "who says nothing of who they are shares a call with nobody who does"
        revoke(own_keys.trust_file, own_keys.key().kid)
        with pytest.raises(Refusal) as caught:
            await asyncio.wait_for(theirs.task, PATIENCE_S)
        assert (caught.value.code, caught.value.kind) == ("token_revoked", Kind.UNAUTHENTICATED)
        assert not everybodys.task.done(), "what anybody may see goes on"
        assert calls() == 2
        for each in (everybodys, nobodys):
            await each.leave()


@pytest.mark.parametrize(
    ("match", "event"),
    [
        ("cup-r1-t1", "cup"),
        ("cup-r12-t3-x2", "cup"),
        ("cup-r1-t1-r2-t3", "cup-r1-t1"),
        ("cup", ""),
        ("cup-r1", ""),
        ("-r1-t1", ""),
        ("cup-r1-t1-x", ""),
    ],
)
def test_a_match_belongs_to_the_event_that_its_id_says(match: str, event: str) -> None:
    assert event_of(match) == event


def test_ids_are_those_that_events_make() -> None:
    from engine.tournament.state import match_id

    assert event_of(match_id("a-r1", 3, 7)) == "a-r1"
    assert event_of(match_id("a", 3, 7, attempt=2)) == "a"
