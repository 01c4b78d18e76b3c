"""What a caller of the real servers is told: codes and sentences, and never what went on inside."""

import asyncio
import urllib.request
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status
from structlog.testing import capture_logs
from tavolata.scoring.v1 import scoring_pb2, scoring_pb2_grpc

from engine.kernel.history import BrokenLog, Duplicate
from engine.kernel.ports import Conflict, Failed, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Spectator
from services.kit.admin import Readiness, admin_endpoint
from services.kit.lifecycle import Server, start_server
from services.kit.memory_log import MemoryLog
from services.kit.sockets import free_ports, is_free
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import Accepted, MatchClient, ScoringClient, SpectatorClient
from services.kit.wire.errors import error_of
from services.kit.wire.limits import MESSAGE_BYTES_MAX
from tests.kit.nats import DEADLINE_S, until
from tests.services.hosts import M, folded, next_move
from tests.services.small_house import GAME, SmallHouse, person, small_house

SECRET = "what happened inside"
STATUS = {
    Kind.INVALID: grpc.StatusCode.INVALID_ARGUMENT,
    Kind.ILLEGAL: grpc.StatusCode.FAILED_PRECONDITION,
    Kind.MISSING: grpc.StatusCode.NOT_FOUND,
    Kind.DENIED: grpc.StatusCode.PERMISSION_DENIED,
    Kind.UNAUTHENTICATED: grpc.StatusCode.UNAUTHENTICATED,
    Kind.STALE: grpc.StatusCode.ABORTED,
    Kind.EXISTS: grpc.StatusCode.ALREADY_EXISTS,
}


class Scripted(scoring_pb2_grpc.ScoringServiceServicer):
    """Answers with whatever it is told to raise; streams for ever otherwise."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.pause_s = 0.0
        self.calls = 0
        self.streaming = 0

    async def ListMatches(self, request: Any, context: Any) -> scoring_pb2.ListMatchesResponse:
        raise AssertionError("nobody asks")

    async def GetMatch(self, request: Any, context: Any) -> scoring_pb2.GetMatchResponse:
        self.calls += 1
        await asyncio.sleep(self.pause_s)
        if self.error is not None:
            raise self.error
        return scoring_pb2.GetMatchResponse(match=scoring_pb2.Match(match_id=request.match_id))

    async def WatchMatches(self, request: Any, context: Any) -> AsyncIterator[scoring_pb2.WatchMatchesResponse]:
        self.streaming += 1
        try:
            yield scoring_pb2.WatchMatchesResponse()
            if self.error is not None:
                raise self.error
            await asyncio.Event().wait()
        finally:
            self.streaming -= 1


@asynccontextmanager
async def served(scripted: Scripted) -> AsyncIterator[tuple[Server, grpc.aio.Channel]]:
    def register(server: grpc.aio.Server) -> list[str]:
        scoring_pb2_grpc.add_ScoringServiceServicer_to_server(scripted, server)
        return [scoring_pb2.DESCRIPTOR.services_by_name["ScoringService"].full_name]

    server = await start_server("scripted", "127.0.0.1:0", register)
    async with open_channel(f"127.0.0.1:{server.port}") as channel:
        yield server, channel
    await server.stop(0)


def reason(error: grpc.aio.AioRpcError) -> str:
    status = rpc_status.from_call(error)
    assert status is not None
    assert status.message == error.details()
    [detail] = status.details
    info = ErrorInfo()
    assert detail.Unpack(info)
    assert info.domain == "tavolata"
    return str(info.reason)


async def failure(scripted: Scripted, *, streaming: bool = False) -> grpc.aio.AioRpcError:
    async with served(scripted) as (_, channel):
        stub = scoring_pb2_grpc.ScoringServiceStub(channel)
        try:
            if streaming:
                async for _ in stub.WatchMatches(scoring_pb2.WatchMatchesRequest()):
                    pass
            else:
                await stub.GetMatch(scoring_pb2.GetMatchRequest(match_id=M))
        except grpc.aio.AioRpcError as error:
            return error
    raise AssertionError("it should have failed")


@pytest.mark.parametrize("streaming", [False, True], ids=["call", "stream"])
class TestErrors:
    @pytest.mark.parametrize("kind", Kind)
    async def test_a_refusal_arrives_with_its_code_and_sentence(self, kind: Kind, streaming: bool) -> None:
        scripted = Scripted()
        scripted.error = Refusal("no_such_thing", "There is no such thing.", kind)
        error = await failure(scripted, streaming=streaming)
        assert error.code() is STATUS[kind]
        assert (reason(error), error.details()) == ("no_such_thing", "There is no such thing.")

    @pytest.mark.parametrize(
        ("thrown", "code", "status"),
        [
            (Unavailable("log_full", "The log is full."), "log_full", grpc.StatusCode.UNAVAILABLE),
            (Conflict(SECRET), "conflict", grpc.StatusCode.UNAVAILABLE),
            (BrokenLog(M, 7, SECRET), "broken_log", grpc.StatusCode.DATA_LOSS),
        ],
        ids=["unavailable", "conflict", "broken log"],
    )
    async def test_what_the_world_does_wrong_is_said(
        self, thrown: Exception, code: str, status: grpc.StatusCode, streaming: bool
    ) -> None:
        scripted = Scripted()
        scripted.error = thrown
        error = await failure(scripted, streaming=streaming)
        assert (reason(error), error.code()) == (code, status)
        assert SECRET not in str(error)

    async def test_a_fault_of_ours_tells_an_id_and_nothing_else(self, streaming: bool) -> None:
        scripted = Scripted()
        scripted.error = ZeroDivisionError(SECRET)
        with capture_logs() as said:
            error = await failure(scripted, streaming=streaming)
        assert error.code() is grpc.StatusCode.INTERNAL
        assert reason(error) == "internal_error"
        told = (error.details() or "") + repr(error.trailing_metadata()) + (error.debug_error_string() or "")
        assert SECRET not in told
        assert "ZeroDivision" not in told
        [line] = [line for line in said if line["event"] == "internal_error"]
        assert line["error_id"] in (error.details() or "")


class TestClients:
    @pytest.mark.parametrize(
        ("thrown", "meant"),
        [
            (Refusal("not_your_turn", "Wait."), Refusal),
            (Unavailable("log_full", "The log is full."), Unavailable),
            (Conflict(), Unavailable),
            (BrokenLog(M, 7, ""), Failed),
            (ZeroDivisionError(), Failed),
            (Failed("broken_log", "Damaged."), Failed),
        ],
        ids=lambda error: type(error).__name__,
    )
    async def test_only_what_may_mend_itself_is_worth_asking_again(
        self, thrown: Exception, meant: type[Exception]
    ) -> None:
        scripted = Scripted()
        scripted.error = thrown
        assert type(error_of(await failure(scripted, streaming=False))) is meant

    async def test_a_call_that_is_not_answered_in_time_is_unavailable(self) -> None:
        scripted = Scripted()
        scripted.pause_s = 30.0
        async with served(scripted) as (_, channel):
            stub = scoring_pb2_grpc.ScoringServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stub.GetMatch(scoring_pb2.GetMatchRequest(), timeout=0.05)
            assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED

    async def test_a_service_that_is_not_there_is_unavailable(self) -> None:
        async with open_channel("127.0.0.1:1") as channel:
            with pytest.raises(Unavailable, match="service_unavailable"):
                await ScoringClient(channel).match(M)

    async def test_a_message_that_is_too_large_is_refused(self, tmp_path: Path) -> None:
        async with small_house(MemoryLog(), tmp_path) as house, person(house) as one:
            await one.rules.open(M, GAME, 2)
            with pytest.raises(Refusal, match="message_too_large"):
                await one.rules.act(M, "large", 0, "x" * (MESSAGE_BYTES_MAX + 1))
            with pytest.raises(Refusal, match="command_too_large"):
                await one.rules.act(M, "large", 0, "x" * (MESSAGE_BYTES_MAX // 2))

    async def test_a_stream_that_is_left_ends_at_the_server(self) -> None:
        scripted = Scripted()
        async with served(scripted) as (_, channel):
            async with aclosing(ScoringClient(channel).watch()) as watching:
                await anext(watching)
                assert scripted.streaming == 1
            await until(lambda: scripted.streaming == 0, "the server has noticed")

    async def test_a_match_with_a_clock_is_opened_and_directed(self, tmp_path: Path) -> None:
        pause = '{"type":"tavolata.pause","data":{"reason":"a question"}}'
        async with small_house(MemoryLog(), tmp_path) as house, person(house) as one:
            clock = {"turn_ms": 30_000, "bank_ms": 600_000, "increment_ms": 5_000}
            await one.rules.open(M, GAME, 2, **clock, on_timeout="forfeit")  # type: ignore[arg-type]  # fields by name
            opened = (await folded(house.log)).state.opened
            assert {field: getattr(opened, field) for field in clock} == clock
            assert opened.on_timeout == "forfeit"
            first = await one.rules.direct(M, "p-1", pause)
            assert await one.rules.direct(M, "p-1", pause) == Duplicate(first.revision)
            with pytest.raises(Refusal, match="match_paused"):
                await _move(house, one.rules, expected_revision=0)
            await one.rules.direct(M, "r-1", '{"type":"tavolata.resume"}')
            assert isinstance(await _move(house, one.rules, expected_revision=0), Accepted)
            with pytest.raises(Refusal, match="not_yours_to_do"):
                await one.rules.direct(M, "d-1", '{"type":"tavolata.expire","data":{"turn":1}}')

    async def test_refusals_of_the_services_come_through_as_they_are(self, tmp_path: Path) -> None:
        async with small_house(MemoryLog(), tmp_path) as house, person(house) as one:
            await one.rules.open(M, GAME, 2)
            for code, kind, call in (
                ("unknown_match", Kind.MISSING, one.scoring.match("nowhere")),
                ("unknown_match", Kind.MISSING, one.spectator.snapshot("nowhere", Spectator())),
                ("other_game", Kind.INVALID, one.rules.open("m2", "chess", 2)),
                ("match_exists", Kind.EXISTS, one.rules.open(M, GAME, 3)),
                ("stale_revision", Kind.STALE, _move(house, one.rules, expected_revision=1)),
                ("match_running", Kind.DENIED, one.spectator.export(M)),
                ("malformed_command", Kind.INVALID, one.rules.act(M, "x", 0, "{")),
            ):
                with pytest.raises(Refusal) as refused:
                    await call
                assert (refused.value.code, refused.value.kind) == (code, kind)


async def _move(house: SmallHouse, rules: MatchClient, *, expected_revision: int) -> object:
    return await rules.act(M, "move", *await next_move(house.log), expected_revision=expected_revision)


class TestServers:
    async def test_they_are_healthy_and_describe_themselves(self, tmp_path: Path) -> None:
        async with small_house(MemoryLog(), tmp_path) as house:
            for name, service in (
                ("deck", "tavolata.deck.v1.DeckService"),
                ("rules", "tavolata.match.v1.MatchService"),
                ("scoring", "tavolata.scoring.v1.ScoringService"),
                ("spectator", "tavolata.spectator.v1.SpectatorService"),
            ):
                async with open_channel(house.addresses[name]) as channel:
                    for asked in ("", service):
                        answer = await health_pb2_grpc.HealthStub(channel).Check(
                            health_pb2.HealthCheckRequest(service=asked)
                        )
                        assert answer.status == health_pb2.HealthCheckResponse.SERVING
                    assert service in await _reflected(channel)

    async def test_stopping_ends_streams_at_once_and_lets_calls_finish(self) -> None:
        scripted = Scripted()
        scripted.pause_s = 0.3
        async with served(scripted) as (server, channel):
            stub = scoring_pb2_grpc.ScoringServiceStub(channel)
            health = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
            assert (await health.read()).status == health_pb2.HealthCheckResponse.SERVING
            watching = stub.WatchMatches(scoring_pb2.WatchMatchesRequest())
            await watching.read()
            calling = asyncio.ensure_future(stub.GetMatch(scoring_pb2.GetMatchRequest(match_id=M)))
            async with asyncio.timeout(DEADLINE_S):
                await until(lambda: scripted.streaming == scripted.calls == 1, "both have arrived")
                stopping = asyncio.create_task(server.stop(DEADLINE_S))
                with pytest.raises(grpc.aio.AioRpcError) as ended:
                    await watching.read()
                assert (ended.value.code(), reason(ended.value)) == (grpc.StatusCode.UNAVAILABLE, "service_stopping")
                assert (await calling).match.match_id == M
                health.cancel()
                await stopping

    async def test_watchers_of_a_match_are_told_to_come_again_when_the_service_stops(self, tmp_path: Path) -> None:
        async with small_house(MemoryLog(), tmp_path) as house:
            await house.host.open(M, seats=2)
            async with open_channel(house.addresses["spectator"]) as channel:
                watching = SpectatorClient(channel).facts(M, Spectator())
                await anext(watching)
                stopping = asyncio.create_task(house.servers["spectator"].stop(DEADLINE_S))
                with pytest.raises(Unavailable, match="service_stopping"):
                    await asyncio.wait_for(_read_on(watching), DEADLINE_S / 2)
                await stopping

    async def test_a_port_in_use_is_said(self) -> None:
        async with served(Scripted()) as (server, _):
            assert not is_free("127.0.0.1", server.port)
            with pytest.raises(Refusal, match=f"port_in_use.*{server.port}"):
                await start_server("second", f"127.0.0.1:{server.port}", lambda _: [])

    async def test_metrics_are_prometheus_text_without_a_word_of_any_match(self, tmp_path: Path) -> None:
        [port] = free_ports(1)
        async with (
            admin_endpoint("127.0.0.1", port, Readiness()),
            small_house(MemoryLog(), tmp_path) as house,
            person(house) as one,
        ):
            await one.rules.open("m-metrics", GAME, 2, nonces=["c0ffee"], players=["ann"])
            with pytest.raises(Refusal):
                await one.rules.act("m-metrics", "x", 0, "{")
            text = await asyncio.to_thread(_scraped, port)
        assert 'tavolata_calls_total{method="OpenMatch",outcome="ok",service="rules"}' in text
        assert 'outcome="malformed_command"' in text
        assert "tavolata_commits_total" in text
        for word in ("m-metrics", "c0ffee", "ann"):
            assert f'"{word}' not in text


async def _read_on(stream: AsyncIterator[object]) -> None:
    async for _ in stream:
        pass


async def _reflected(channel: grpc.aio.Channel) -> set[str]:
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    call = stub.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")]))
    async with asyncio.timeout(DEADLINE_S):
        async for answer in call:
            return {service.name for service in answer.list_services_response.service}
    raise AssertionError("no answer")


def _scraped(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=DEADLINE_S) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain")
        return str(answer.read().decode())
