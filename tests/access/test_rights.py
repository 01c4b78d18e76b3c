"""Every call of every service, asked by everybody there is: what each may is written down here once more, by hand.

The calls come from the descriptors, so a new one that nobody has thought about fails here and is done for nobody.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass
from tavolata.deck.v1 import deck_pb2
from tavolata.house.v1 import house_pb2
from tavolata.match.v1 import match_pb2
from tavolata.scoring.v1 import scoring_pb2
from tavolata.spectator.v1 import spectator_pb2
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Referee, SeatView, Spectator
from services.kit.access.carried import Own, carry, carrying
from services.kit.access.grants import (
    ALL,
    CasterGrant,
    Grant,
    OrganiserGrant,
    PlayerGrant,
    RefereeGrant,
    SeatGrant,
    ServiceGrant,
)
from services.kit.access.making import revoke
from services.kit.access.rights import RULES, event_of
from services.kit.access.signing import SigningKey
from services.kit.access.tokens import issue
from services.kit.access.trust import Trust
from services.kit.lifecycle import start_server
from services.kit.memory_log import MemoryLog
from services.kit.wire.channel import open_channel, stream, unary
from services.kit.wire.clients import MatchClient, SpectatorClient
from services.kit.wire.tournament import TournamentClient
from services.tournament.servicer import register
from tests.access.keys import Keys
from tests.services.small_house import GAME, small_house
from tests.services.tournaments import CONFIG, World

EVENT: Final = "cup"
MATCH: Final = "cup-r1-t1"
"""Of the event; its seats are p-ana's, p-bo's and a bot's."""
PLAYERS: Final = ("p-ana", "p-bo", "bot:random")
OTHER: Final = "other-r1-t1"

MODULES: Final = (deck_pb2, house_pb2, match_pb2, scoring_pb2, spectator_pb2, pb)
METHODS: Final[dict[str, MethodDescriptor]] = {
    f"/{service.full_name}/{method.name}": method
    for module in MODULES
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}

GRANTS: Final[dict[str, Grant]] = {
    "seat": SeatGrant(MATCH, 0),
    "wrong seat": SeatGrant(MATCH, 1),
    "seat of a bot": SeatGrant(MATCH, 2),
    "seat of no match": SeatGrant("nowhere", 0),
    "wrong match": SeatGrant(OTHER, 0),
    "player": PlayerGrant("p-ana"),
    "player in the event": PlayerGrant("p-ana", EVENT),
    "player in another event": PlayerGrant("p-ana", "other"),
    "other player": PlayerGrant("p-bo"),
    "unseated player": PlayerGrant("p-nobody"),
    "organiser": OrganiserGrant(EVENT),
    "other organiser": OrganiserGrant("other"),
    "organiser of all": OrganiserGrant(ALL),
    "referee": RefereeGrant(event=EVENT),
    "referee of the match": RefereeGrant(match=MATCH),
    "other referee": RefereeGrant(event="other"),
    "referee of another match": RefereeGrant(match=OTHER),
    "referee of all": RefereeGrant(event=ALL),
    "caster": CasterGrant(event=EVENT),
    "other caster": CasterGrant(match=OTHER),
    "rules": ServiceGrant("rules-just4fun"),
    "bots": ServiceGrant("bots"),
    "tournament": ServiceGrant("tournament"),
    "gateway": ServiceGrant("gateway"),
}
WORTHLESS: Final = ("none", "expired", "revoked", "wrong signer", "tampered", "alg none", "words")

ANYBODY: Final = frozenset({*GRANTS, *WORTHLESS})
ORGANISERS: Final = frozenset({"organiser", "organiser of all"})
OF_SEAT_0: Final = frozenset({"seat", "player", "player in the event"})
RULES_SERVICES: Final = frozenset({"rules"})

ALLOWED: Final[dict[str, frozenset[str]]] = {
    "DeckService/GetCommitment": RULES_SERVICES,
    "DeckService/Draw": RULES_SERVICES,
    "DeckService/RevealSeed": RULES_SERVICES,
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

DENIED: Final = {
    "not_your_seat", "not_your_match", "not_your_event", "not_an_organiser", "not_your_service", "not_allowed",
    "token_missing", "token_invalid", "token_expired", "token_revoked",
}  # fmt: skip


def request_of(method: MethodDescriptor) -> Any:
    """A request that speaks of the match, of seat 0 and of the event, where it has a word for them."""
    fields: dict[str, Any] = {
        "match_id": MATCH,
        "viewer": "seat:0",
        "tournament_id": EVENT,
        "command_id": "c1",
        "command_json": "{}",
        "game": GAME,
        "actor": "organiser:ana",
        "player": "p-gone",
        "draw_id": "d1",
        "seats": 3,
        "config_toml": CONFIG,
        "organiser": "ana",
        "text": "Ana",
    }
    known = method.input_type.fields_by_name
    request = GetMessageClass(method.input_type)(**{name: value for name, value in fields.items() if name in known})
    if isinstance(request, match_pb2.PlayRequest):
        request.act.CopyFrom(match_pb2.ActRequest(match_id=MATCH, seat=0, command_id="c1", command_json="{}"))
    return request


class Desk:
    """A secured house with every service but the front door, and everybody's tokens."""

    def __init__(self, channels: dict[str, grpc.aio.Channel], tokens: dict[str, str]) -> None:
        self.channels = channels
        self.tokens = tokens

    async def code(self, method: MethodDescriptor, request: Any, who: str) -> str:
        """What somebody is answered: the code of a refusal, or "done"."""
        service = method.containing_service
        channel = self.channels[service.full_name.split(".")[1]]
        make = {
            (False, False): channel.unary_unary,
            (False, True): channel.unary_stream,
            (True, True): channel.stream_stream,
        }[method.client_streaming, method.server_streaming]
        call: Any = make(
            f"/{service.full_name}/{method.name}",
            request_serializer=GetMessageClass(method.input_type).SerializeToString,
            response_deserializer=GetMessageClass(method.output_type).FromString,
        )
        asked = _one(request) if method.client_streaming else request
        with carrying(self.tokens[who]):
            try:
                if not method.server_streaming:
                    await unary(call, asked)
                    return "done"
                answers = stream(call, asked)
                try:
                    answer = await asyncio.wait_for(anext(answers, None), 2)
                finally:
                    await answers.aclose()
            except (Refusal, Unavailable) as error:
                return error.code
        refused = getattr(answer, "refused", None)
        return refused.code if refused is not None and refused.code else "done"


async def _one(request: Any) -> AsyncIterator[Any]:
    yield request


@asynccontextmanager
async def secured(folder: Path, keys: Keys) -> AsyncIterator[Desk]:
    async with AsyncExitStack() as stack:
        carry(Own(keys.key("rules-just4fun")))
        trust = keys.trust
        house = await stack.enter_async_context(small_house(MemoryLog(), folder, trust=trust))
        world = World(folder, matches=house.log)
        host = await stack.enter_async_context(world.host())
        server = await start_server(
            "tournament", "127.0.0.1:0", lambda made: register(made, host, keys.key("tournament")), trust
        )
        stack.push_async_callback(server.stop, 0)
        addresses = {**house.addresses, "match": house.addresses["rules"], "tournament": f"127.0.0.1:{server.port}"}
        channels = {name: await stack.enter_async_context(open_channel(each)) for name, each in addresses.items()}
        desk = Desk(channels, tokens_of(keys))
        with carrying(desk.tokens["tournament"]):
            rules = MatchClient(channels["match"])
            await rules.open(MATCH, GAME, 3, players=PLAYERS)
            await rules.open(OTHER, GAME, 3, players=("p-ana", "p-bo", "p-cy"), delay_ms=600_000)
        with carrying(desk.tokens["organiser of all"]):
            await TournamentClient(channels["tournament"]).create(EVENT, CONFIG, "ana")
        yield desk


def tokens_of(keys: Keys) -> dict[str, str]:
    """Everybody's; the worthless ones are of a seat, so that a service which believes one lets it in."""
    good = keys.token(GRANTS["seat"])
    head, payload, signature = good.split(".")
    thief = keys.key("gateway")
    lost = SigningKey("lost-1", keys.key("bots").d, ("seat", "organiser"))
    none_head = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0"
    return {name: keys.token(grant) for name, grant in GRANTS.items()} | {
        "none": "",
        "expired": issue(keys.key(), GRANTS["seat"], 60, lambda: 1_700_000_000),
        "revoked": issue(lost, GRANTS["seat"], 60),
        "wrong signer": issue(SigningKey(thief.kid, thief.d, ("seat",)), GRANTS["seat"], 60),
        "tampered": f"{head}.{payload[:-2]}{'A' if payload[-2] != 'A' else 'B'}{payload[-1]}.{signature}",
        "alg none": f"{none_head}.{payload}.",
        "words": "let-me-in",
    }


def with_lost_key(keys: Keys) -> Keys:
    """The same house, where one more key was trusted once."""
    import json

    document = json.loads(keys.trust_file.read_text())
    bots = next(each for each in document["keys"] if each["service"] == "bots")
    document["keys"].append(bots | {"kid": "lost-1", "signs": ["seat", "organiser"], "service": ""})
    keys.trust_file.write_text(json.dumps(document))
    revoke(keys.trust_file, "lost-1")
    return keys


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
        for name in ("WatchFacts", "WatchPositions", "GetSnapshot"):
            method = METHODS[f"/tavolata.spectator.v1.SpectatorService/{name}"]
            for viewer, allowed in LOOKS.items():
                for who in (*GRANTS, *WORTHLESS):
                    request = GetMessageClass(method.input_type)(match_id=MATCH, viewer=viewer)
                    told = await desk.code(method, request, who)
                    if (told == "done") != (who in allowed) or told not in {"done", *DENIED}:
                        wrong.append(f"{name} as {viewer!r} by {who}: {told}")
    assert not wrong


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
            shown = await unary(
                client._stub.GetSnapshot, spectator_pb2.GetSnapshotRequest(match_id=MATCH, viewer="caster")
            )
        with carrying(desk.tokens["referee"]):
            referee = await client.snapshot(MATCH, Referee())
        with carrying(""):
            spectator = await client.snapshot(MATCH, Spectator())
        assert shown.position.view_json == referee.view_json
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
        (MATCH, PLAYERS): {"organiser", "organiser of all", "tournament"},
    }
    async with secured(tmp_path, with_lost_key(own_keys)) as desk:
        for (match, players), allowed in tables.items():
            request = match_pb2.OpenMatchRequest(match_id=match, game=GAME, seats=3, players=players)
            done = {who for who in desk.tokens if await desk.code(opening, request, who) == "done"}
            assert done == allowed, match


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
