"""A house with keys, and everybody there is: whose token it is, or is not."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass
from tavolata.deck.v1 import deck_pb2
from tavolata.house.v1 import house_pb2
from tavolata.match.v1 import match_pb2
from tavolata.scoring.v1 import scoring_pb2
from tavolata.spectator.v1 import spectator_pb2
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
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
from services.kit.access.signing import SigningKey
from services.kit.access.tokens import issue
from services.kit.lifecycle import start_server
from services.kit.memory_log import MemoryLog
from services.kit.wire.channel import open_channel, stream, unary
from services.kit.wire.clients import MatchClient
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
    "rules of another game": ServiceGrant("rules-memcel"),
    "bots": ServiceGrant("bots"),
    "tournament": ServiceGrant("tournament"),
    "gateway": ServiceGrant("gateway"),
}
WORTHLESS: Final = ("none", "expired", "revoked", "wrong signer", "tampered", "alg none", "words")

ANYBODY: Final = frozenset({*GRANTS, *WORTHLESS})
ORGANISERS: Final = frozenset({"organiser", "organiser of all"})
OF_SEAT_0: Final = frozenset({"seat", "player", "player in the event"})
RULES_SERVICES: Final = frozenset({"rules", "rules of another game"})

PATIENCE_S: Final = 20.0
"""For an answer on a busy machine."""

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
        request.commands.add(act=match_pb2.ActRequest(match_id=MATCH, seat=0, command_id="c1", command_json="{}"))
    if isinstance(request, deck_pb2.DrawManyRequest):
        request.draws.add(match_id=MATCH, draw_id="d1")
    if isinstance(request, spectator_pb2.WatchManyRequest):
        request.begin.add(match_id=MATCH, viewer="seat:0")
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
                    answer = await asyncio.wait_for(anext(answers, None), PATIENCE_S)
                finally:
                    await answers.aclose()
            except (Refusal, Unavailable) as error:
                return error.code
        if isinstance(answer, deck_pb2.DrawManyResponse):
            answer = answer.drawn[0]
        if isinstance(answer, match_pb2.PlayResponse):
            answer = answer.answers[0]
        if isinstance(answer, spectator_pb2.WatchManyResponse):
            answer = answer.told[0]
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
