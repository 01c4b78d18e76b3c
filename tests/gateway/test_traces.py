"""One move is one trace, from the request to the delivery; a process that sends no traces loads no library for it."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as pb
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from services.kit.config import Settings
from services.kit.jetstream import JetStreamLog
from services.kit.sockets import free_ports
from services.kit.tracing import request_span, span, start_tracing, stop_tracing, trace_fields, traceparent
from services.local.nats_server import NatsServer
from tests.gateway.front import Front, front
from tests.kit.nats import until
from tests.services.small_house import GAME

STRANGER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Keeps every span that is sent to it."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.services: set[str] = set()

    async def Export(self, request: pb.ExportTraceServiceRequest, context: Any) -> pb.ExportTraceServiceResponse:
        for resource in request.resource_spans:
            self.services |= {a.value.string_value for a in resource.resource.attributes if a.key == "service.name"}
            self.spans.extend(span for scope in resource.scope_spans for span in scope.spans)
        return pb.ExportTraceServiceResponse()

    def named(self, name: str, trace: bytes | None = None) -> list[Span]:
        return [each for each in self.spans if each.name == name and trace in (None, each.trace_id)]


@asynccontextmanager
async def collected() -> AsyncIterator[Collector]:
    """Within the block spans are made; behind it the collector has all of them."""
    collector = Collector()
    server = grpc.aio.server()
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)  # type: ignore[no-untyped-call]  # generated
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    start_tracing("house", Settings(otlp_endpoint=f"http://127.0.0.1:{port}"))
    try:
        yield collector
    finally:
        await stop_tracing()
        await server.stop(0)


@asynccontextmanager
async def traced_house(nats: NatsServer, folder: Path) -> AsyncIterator[Front]:
    async with (
        await JetStreamLog.connect(nats.url, create=True, traceparent=traceparent) as log,
        front(folder, log=log) as house,
    ):
        yield house


class Tree:
    """The spans of one trace by name; ``path`` leads from the root to one of them."""

    def __init__(self, spans: list[Span]) -> None:
        self._spans = {each.span_id: each for each in spans}

    def path(self, span: Span) -> list[str]:
        names = [span.name]
        while span.parent_span_id:
            span = self._spans[span.parent_span_id]
            names.insert(0, span.name)
        return names

    def paths(self) -> set[tuple[str, ...]]:
        return {tuple(self.path(each)) for each in self._spans.values()}


POST = "POST /api/matches/{match}/commands"
ACT = "tavolata.match.v1.MatchService/Act"
DRAW = "draw"


async def test_a_move_is_one_trace_from_the_request_to_those_who_take_it_in(
    nats_server: NatsServer, tmp_path: Path
) -> None:
    async with collected() as collector, traced_house(nats_server, tmp_path) as house:
        await house.open("m-1")
        async with house.lines("/api/stream", match="m-1") as frames:
            await anext(frames)
            opening = await _draws(house)
            while await _draws(house) == opening:
                await house.move("m-1")
            await _all_is_taken(house)
    drawn = collector.named(DRAW)[-1]
    trace = [each for each in collector.spans if each.trace_id == drawn.trace_id]
    called = (POST, ACT, ACT)  # the client's span and the server's
    assert called in Tree(trace).paths()
    for path in (
        (*called, DRAW),
        (*called, "append"),
        (*called, "append", "spectator takes"),
        (*called, "append", "scoring takes"),
    ):
        assert path in Tree(trace).paths(), path
    appends = [each for each in trace if each.name == "append"]
    assert len(appends) >= 2, "the move, and the luck that follows from it"
    taken = [each.parent_span_id for each in trace if each.name == "spectator takes"]
    assert sorted(taken) == sorted(each.span_id for each in appends), "each line is taken in once"
    assert not [each for each in collector.spans if "Watch" in each.name], "streams have no spans"
    assert collector.services == {"house"}


async def test_spans_hold_names_codes_games_and_revisions_and_nothing_else(
    nats_server: NatsServer, tmp_path: Path
) -> None:
    async with collected() as collector, traced_house(nats_server, tmp_path) as house:
        await house.open("m-secret", nonces=["c0ffee", "c0ffee"])
        await house.move("m-secret")
        refused = await house.post(
            "/api/matches/m-secret/commands", {"seat": 0, "command": {"type": "x", "v": 1, "data": {}}}
        )
        assert refused.status_code >= 400
    keys = {attribute.key for each in collector.spans for attribute in each.attributes}
    assert keys == {"http.response.status_code", "rpc.system", "rpc.grpc.status_code", "game", "revision", "code"}
    codes = {a.value.string_value for each in collector.spans for a in each.attributes if a.key == "code"}
    assert codes == {msgspec.json.decode(refused.content)["code"]}
    everything = b"".join(each.SerializeToString() for each in collector.spans)
    for word in (b"m-secret", b"c0ffee", b"place_token", b"seat:"):
        assert word not in everything
    assert not any(each.events for each in collector.spans), "no exception is written down with its text"


async def test_a_stranger_s_trace_is_not_gone_on_with(nats_server: NatsServer, tmp_path: Path) -> None:
    async with collected() as collector, traced_house(nats_server, tmp_path) as house:
        await house.post("/api/matches", {"match": "m-1", "game": GAME, "seats": 2}, traceparent=STRANGER)
    [asked] = collector.named("POST /api/matches")
    assert not asked.parent_span_id
    assert asked.trace_id.hex() not in STRANGER


async def test_a_replay_is_a_trace_of_its_own_that_points_back(nats_server: NatsServer, tmp_path: Path) -> None:
    async with collected() as collector:
        (tmp_path / "first").mkdir()
        async with traced_house(nats_server, tmp_path / "first") as house:
            await house.open("m-1")
        (tmp_path / "second").mkdir()
        async with traced_house(nats_server, tmp_path / "second") as house:
            await house.get("/api/matches/m-1")
            await _all_is_taken(house)
    appended = {each.span_id for each in collector.named("append")}
    replays = collector.named("scoring takes again")
    assert {link.span_id for each in replays for link in each.links} == appended
    assert not any(each.parent_span_id for each in replays)


async def test_a_line_of_the_log_says_in_which_trace_it_was_written() -> None:
    async with collected() as collector:
        assert trace_fields(None, "info", {"event": "x"}) == {"event": "x"}
        with request_span("GET"), span("append", game=GAME):
            fields = trace_fields(None, "info", {"event": "x"})
            context = traceparent()
    [asked] = collector.named("GET")
    assert fields == {"event": "x", "trace_id": asked.trace_id.hex()}
    [append] = collector.named("append")
    assert context is not None
    assert context.startswith(f"00-{append.trace_id.hex()}-{append.span_id.hex()}-")
    assert append.parent_span_id == asked.span_id


async def test_what_goes_on_after_a_request_is_no_part_of_it() -> None:
    async with collected() as collector:
        with request_span("GET"):
            later = asyncio.create_task(_part_after_a_while())
        assert await later is None
    assert [each.name for each in collector.spans] == ["GET"]


@pytest.mark.timeout(20)
async def test_a_collector_that_is_away_keeps_nobody_waiting() -> None:
    [port] = free_ports(1)
    start_tracing("house", Settings(otlp_endpoint=f"http://127.0.0.1:{port}"))
    with request_span("GET"):
        pass
    async with asyncio.timeout(10):
        await stop_tracing()


def test_without_an_endpoint_nothing_of_it_is_loaded() -> None:
    """FastAPI looks whether there is an API of it, which is small; what makes and sends spans is not."""
    program = (
        "import asyncio, sys\n"
        "from services.kit.config import Settings\n"
        "from services.kit import tracing\n"
        "import services.gateway.main, services.rules.main, services.spectator.main\n"
        "tracing.start_tracing('x', Settings())\n"
        "with tracing.request_span('GET'), tracing.span('append', game='x'): tracing.note(code='x')\n"
        "assert tracing.traceparent() is None and not tracing.is_tracing()\n"
        "asyncio.run(tracing.stop_tracing())\n"
        "sys.exit(any(name.startswith(('opentelemetry.sdk', 'opentelemetry.exporter')) for name in sys.modules))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


async def _part_after_a_while() -> str | None:
    await asyncio.sleep(0)
    with span("append"):
        return traceparent()


async def _all_is_taken(house: Front) -> None:
    end = (await house.house.log.bounds(0)).last
    consumers = house.house.scoring, house.house.gallery
    await until(lambda: all(each.taken[0] >= end for each in consumers), "all lines have been taken in")


async def _draws(house: Front) -> int:
    return sum(b'"luck.resolve"' in stored.line for stored in await house.house.log.read("m-1", after=0))
