"""What holds for every call between services, whatever it asks: no fault is told in words, and no restart is felt."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from engine.kernel.ports import Unavailable
from engine.kernel.value import SeatView, Spectator
from services.kit import lifecycle
from services.kit.lifecycle import start_server
from services.kit.memory_log import MemoryLog
from services.kit.wire import lasting
from services.kit.wire.channel import open_channel, stream, unary
from services.kit.wire.clients import SpectatorClient
from services.kit.wire.lasting import lasting_facts
from tests.kit.nats import DEADLINE_S, until
from tests.services.hosts import play_out
from tests.services.small_house import person, small_house

SECRET = "what happened inside"
AGE_MS = 200


class Echo(grpc.GenericRpcHandler):
    """Four methods, one of each kind. With ``fails`` they do, behind their first word; ``peers`` are who called."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.peers: list[str] = []

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        return {
            "/test.Echo/UnaryUnary": grpc.unary_unary_rpc_method_handler(self.answer),
            "/test.Echo/StreamUnary": grpc.stream_unary_rpc_method_handler(self.answer),
            "/test.Echo/UnaryStream": grpc.unary_stream_rpc_method_handler(self.answers),
            "/test.Echo/StreamStream": grpc.stream_stream_rpc_method_handler(self.answers),
        }.get(handler_call_details.method)

    async def answer(self, request: Any, context: Any) -> bytes:
        self.peers.append(context.peer())
        if self.fails:
            raise ZeroDivisionError(SECRET)
        return b"yes"

    async def answers(self, request: Any, context: Any) -> AsyncIterator[bytes]:
        self.peers.append(context.peer())
        while True:
            yield b"yes"
            if self.fails:
                raise ZeroDivisionError(SECRET)
            await asyncio.sleep(0.01)

    def register(self, server: grpc.aio.Server) -> list[str]:
        server.add_generic_rpc_handlers((self,))
        return []


@asynccontextmanager
async def served(echo: Echo) -> AsyncIterator[grpc.aio.Channel]:
    server = await start_server("echo", "127.0.0.1:0", echo.register)
    try:
        async with open_channel(f"127.0.0.1:{server.port}") as channel:
            yield channel
    finally:
        await server.stop(0)


async def _one() -> AsyncIterator[bytes]:
    yield b"one"


async def _read(call: Any) -> None:
    async for _ in call:
        pass


CALLS: dict[str, Callable[[Any], Any]] = {
    "unary_unary": lambda channel: channel.unary_unary("/test.Echo/UnaryUnary")(b""),
    "stream_unary": lambda channel: channel.stream_unary("/test.Echo/StreamUnary")(_one()),
    "unary_stream": lambda channel: _read(channel.unary_stream("/test.Echo/UnaryStream")(b"")),
    "stream_stream": lambda channel: _read(channel.stream_stream("/test.Echo/StreamStream")(_one())),
}


@pytest.mark.parametrize("kind", CALLS)
async def test_a_fault_of_ours_is_told_by_an_id_in_every_kind_of_call(kind: str) -> None:
    async with served(Echo(fails=True)) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await asyncio.wait_for(CALLS[kind](channel), DEADLINE_S)
    error = raised.value
    assert error.code() is grpc.StatusCode.INTERNAL
    assert (error.details() or "").startswith("Something went wrong on our side (error ")
    told = (error.details() or "") + repr(error.trailing_metadata()) + (error.debug_error_string() or "")
    assert SECRET not in told
    assert "ZeroDivision" not in told


async def test_a_connection_grows_old_without_a_call_or_a_stream_noticing(monkeypatch: pytest.MonkeyPatch) -> None:
    young = [(name, AGE_MS if name == "grpc.max_connection_age_ms" else value) for name, value in OPTIONS]
    monkeypatch.setattr(lifecycle, "SERVER_OPTIONS", young)
    echo = Echo()
    async with served(echo) as channel:
        watching = stream(channel.unary_stream("/test.Echo/UnaryStream"), b"")
        await anext(watching)
        old = echo.peers[0]

        async def is_reconnected() -> bool:
            await unary(channel.unary_unary("/test.Echo/UnaryUnary"), b"")  # which never fails
            return len(Counter(echo.peers)) >= 3

        await until(is_reconnected, "calls have come on two newer connections")
        assert echo.peers[-1] != old
        for _ in range(100):  # what was in the buffers before is read by then
            assert await anext(watching) == b"yes"
        await watching.aclose()


OPTIONS = tuple(lifecycle.SERVER_OPTIONS)


async def test_facts_go_on_behind_the_last_one_when_the_service_is_started_again(tmp_path: Any) -> None:
    log = MemoryLog()
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    told: list[int] = []
    async with small_house(log, tmp_path / "one") as house:
        await house.host.open("m-1", seats=2)
        spectator = house.servers["spectator"]
        async with open_channel(house.addresses["spectator"]) as channel:

            async def follow() -> None:
                facts = lasting_facts(SpectatorClient(channel), "m-1", Spectator())
                async for fact in facts:
                    told.append(fact.revision)  # noqa: PERF401 - it is looked at meanwhile

            following = asyncio.create_task(follow())
            await until(lambda: len(told) == len(log._matches["m-1"]), "the opening is told")
            await spectator.stop(0)
            await play_out(log, house.host, "m-1")
            again = await start_server("spectator", f"127.0.0.1:{spectator.port}", _registered(house))
            try:
                await asyncio.wait_for(following, DEADLINE_S)
            finally:
                await again.stop(0)
    assert told == list(range(1, len(await log.read("m-1", after=0)) + 1))


async def test_who_waits_for_a_service_that_stays_away_is_told(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lasting, "RETRY_S", 0.01)
    async with small_house(MemoryLog(), tmp_path) as house, person(house) as one:
        await house.servers["spectator"].stop(0)
        with pytest.raises(Unavailable):
            async for _ in lasting_facts(one.spectator, "m-1", SeatView(0), patience_s=0.05):
                pass


def _registered(house: Any) -> Any:
    from services.spectator.servicer import register

    return lambda server: register(server, house.gallery)
