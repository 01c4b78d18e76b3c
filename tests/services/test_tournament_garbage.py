"""Whatever is sent to the tournament service, it answers with a code and a sentence, and never with a fault of ours.

Each field of each rpc is filled with what does not belong there, beside fields that are right. An rpc or a field that
is new is asked with the others: requests are made from the descriptors.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from copy import copy
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from tavolata.tournament.v1 import tournament_pb2 as pb
from tavolata.tournament.v1 import tournament_pb2_grpc

from engine.kernel.codec import Recorded
from engine.kernel.commit import HOUSE
from engine.kernel.match import Request
from engine.kernel.refusal import Refusal
from engine.tournament.commands import COMMANDS
from services.kit.lifecycle import start_server
from services.kit.wire.channel import open_channel
from services.kit.wire.errors import error_of
from services.tournament.app import Tournaments
from services.tournament.servicer import register
from tests.services.tournaments import CONFIG, ORGANISER, T, World, entered, played, published

METHODS: dict[str, MethodDescriptor] = dict(pb.DESCRIPTOR.services_by_name["TournamentService"].methods_by_name)

TEXTS = (
    "",
    " ",
    "x" * 70_000,
    "../people",
    "\x00",
    "\u202e",
    "NaN",
    "-1",
    "nan|p1",
    "|",
    "player:\u00b2",
    "organiser:\n",
    "[" * 5_000,
    "{" * 5_000,
    '{"a":' * 5_000,
    "[]",
    "{}",
    "a = nan",
    "stages = 7",
    "[[stages]]\n[[stages]]",
    '{"stages": []}',
    '{"stages": null}',
    '{"scoring": {"order": ["NaN"]}}',
    '{"scoring": {"scheme": {"kind": "places", "places": []}}}',
    '{"type": "tournament.finish", "v": 1e400}',
    '{"type": "tournament.drop", "data": {"entry": 1e999}}',
)
UNSIGNED = (0, 1, 7, 2**31, 2**32 - 1)
TOO_MANY = 2_001
"""One more than a command may name."""

SIGNED = (0, -1, -(2**63), 2**63 - 1)


def right(method: str) -> dict[str, Any]:
    """The fields of a request that is in order."""
    command = '{"type": "tournament.comment", "data": {"reason": "hello"}}'
    acting = {"command_id": "garbage", "actor": ORGANISER}
    fields: dict[str, dict[str, Any]] = {
        "CreateTournament": {"tournament_id": "other", "config_toml": CONFIG, "organiser": "ana"},
        "CheckConfiguration": {"config_toml": CONFIG},
        "Command": {"tournament_id": T, "command_json": command, **acting},
        "DraftRound": {"tournament_id": T, **acting},
        "RegisterPeople": {"tournament_id": T, "people": [pb.Person(name="Late")], **acting},
        "ErasePerson": {"player": "p1"},
        "ListTournaments": {},
        "ListRatings": {"game": "just4fun"},
        "FindPlayers": {"text": "person"},
        "NamePlayers": {"players": ["p1"]},
        "GetEntrant": {"tournament_id": T, "entry": 1},
        "ExplainStanding": {"tournament_id": T, "entry": 1},
        "ExplainPairing": {"tournament_id": T, "entry": 1},
        "WhatIf": {"tournament_id": T, "results": [pb.SupposedResult(table=1, scores=[1, 2, 3, 4])]},
    }
    return fields.get(method, {"tournament_id": T})


def garbage(field: FieldDescriptor) -> Iterator[Any]:
    """Values of a field that do not belong there."""
    values: Iterator[Any]
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING:
            values = iter(TEXTS)
        case FieldDescriptor.CPPTYPE_BOOL:
            values = iter((False, True))
        case FieldDescriptor.CPPTYPE_INT64 | FieldDescriptor.CPPTYPE_INT32:
            values = iter(SIGNED)
        case FieldDescriptor.CPPTYPE_UINT32:
            values = iter(UNSIGNED)
        case FieldDescriptor.CPPTYPE_UINT64:
            values = iter((*UNSIGNED, 2**64 - 1))
        case FieldDescriptor.CPPTYPE_MESSAGE:
            values = inside(field)
        case other:
            raise AssertionError(f"nobody has thought of garbage of type {other} yet")
    if field.is_repeated:
        yield []
        for value in values:
            yield [value]
        yield [value] * TOO_MANY
    else:
        yield from values


def inside(field: FieldDescriptor) -> Iterator[Message]:
    assert field.message_type is not None
    made = GetMessageClass(field.message_type)
    yield made()
    for inner in field.message_type.fields:
        for value in garbage(inner):
            yield made(**{inner.name: value})


def requests(method: MethodDescriptor) -> Iterator[Message]:
    """Nothing at all, and each field in turn."""
    made = GetMessageClass(method.input_type)
    yield made()
    for field in method.input_type.fields:
        for value in garbage(field):
            yield made(**{**right(method.name), field.name: value})


@asynccontextmanager
async def service(folder: Path) -> AsyncIterator[tuple[Tournaments, tournament_pb2_grpc.TournamentServiceStub]]:
    """One round is played, the next one is drafted."""
    world = World(folder)
    async with world.host() as host, AsyncExitStack() as stack:
        await entered(host)
        await published(host)
        await played(world, host, 1)
        await host.desk.draft_round(T, "draft-2", ORGANISER, "")
        server = await start_server("tournament", "127.0.0.1:0", lambda server: register(server, host))
        stack.push_async_callback(server.stop, 0)
        channel = await stack.enter_async_context(open_channel(f"127.0.0.1:{server.port}"))
        yield host, tournament_pb2_grpc.TournamentServiceStub(channel)


async def complaint(stub: Any, method: MethodDescriptor, request: Message) -> str:
    """What is wrong with the answer; empty if it is one of the service's."""
    call = getattr(stub, method.name)(request, timeout=20)
    try:
        if method.server_streaming:
            async for _ in call:
                break  # a watch has no end
        else:
            await call
    except grpc.aio.AioRpcError as error:
        told = error_of(error)
        if not isinstance(told, Refusal):
            return f"{method.name}({str(request)[:200]}): {type(told).__name__} {told}"
        if not told.code or not told.sentence.endswith(".") or len(told.sentence) > 1_000:
            return f"{method.name}({str(request)[:200]}): {told.code!r} {told.sentence[:300]!r}"
    finally:
        call.cancel()
    return ""


@pytest.mark.parametrize("name", sorted(METHODS))
async def test_garbage_is_answered_with_a_code_and_a_sentence(tmp_path: Path, name: str) -> None:
    async with service(tmp_path) as (host, stub):
        complaints = [await complaint(stub, METHODS[name], request) for request in requests(METHODS[name])]
        assert not [each for each in complaints if each]
        assert (await host.ledgers.fresh(T)).state.rounds


VALUES: tuple[Any, ...] = (
    *(None, True, 1.5, 0, -1, 7, 2**63, 2**64, 10**400),
    *("", "x", "NaN", "1/0", "-1", "bot:", "\x00", "9" * 400),
    *([], [0], [1, 1], [-1], [1, 2], [2**70], [None], [[1]], [1] * 2_001, ["x", "x"]),
    *({}, {"a": {}}, [{"entry": 1, "place": -1, "score": 2**62}], [{"entry": 0, "place": 1, "score": 0}]),
)
"""Of a field of a command."""

FIELDS: dict[str, Any] = {
    **dict.fromkeys(("round", "table", "entry", "number", "attempt", "beat"), 1),
    "by": 2,
    "tables": [1],
    "tied": [],
    "ms": 1,
    "heats": [1],
    "kind": "points",
    "points": "1",
    "order": [1],
    "seed": "00",
    "reason": "why",
    "players": ["p1"],
    "ended": "",
    "match": "",
    "revision": 0,
    "replay": True,
    "ranked": True,
    "first": 1,
    "last": 0,
    "id": T,
    "config": {},
    "commitment": "00" * 32,
}
"""What is right enough to come to the field that is not."""


def command_fields(name: str) -> dict[str, Any]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(COMMANDS.types[name])}
    known = {**FIELDS, "seated": [], "entries": [1, 2]}
    return {each: known[each] for each in fields}


async def test_a_command_of_garbage_is_decided_or_refused(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        await published(host)
        await played(world, host, 1)
        await published(host)
        ledger = host.ledgers.known(T).ledger
        for name in COMMANDS.types:
            fields = command_fields(name)
            for field in ("", *fields):
                for value in VALUES:
                    data = msgspec.json.encode({**fields, **({field: value} if field else {})})
                    for actor in (ORGANISER, HOUSE, "player:1"):
                        request = Request("garbage", actor, ledger.at, Recorded(name, 1, msgspec.Raw(data)))
                        with suppress(Refusal):
                            copy(ledger).propose(request)
