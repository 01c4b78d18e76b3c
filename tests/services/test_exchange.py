"""Questions and answers on one long call: each gets its own, and a call that breaks takes nothing with it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import grpc
import pytest
from tavolata.deck.v1 import deck_pb2, deck_pb2_grpc

from engine.kernel.chance import Roll
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from services.kit.lifecycle import start_server
from services.kit.wire import clients, exchange
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import DeckClient
from services.kit.wire.errors import Context
from services.kit.wire.exchange import Tell, exchanged

DEADLINE_S = 20.0
ASKED = Roll(6, 1)

Requests = AsyncIterator[deck_pb2.DrawManyRequest]
Responses = AsyncIterator[deck_pb2.DrawManyResponse]


class Scripted(deck_pb2_grpc.DeckServiceServicer):
    """One script a call, the last one for all that follow."""

    def __init__(self, *scripts: Callable[[Requests], Responses]) -> None:
        self.scripts = list(scripts)
        self.calls = 0

    async def GetCommitment(self, request: object, context: Context) -> deck_pb2.GetCommitmentResponse:
        raise AssertionError("nobody asks")

    async def RevealSeed(self, request: object, context: Context) -> deck_pb2.RevealSeedResponse:
        raise AssertionError("nobody asks")

    async def DrawMany(self, request_iterator: Requests, context: Context) -> Responses:
        script = self.scripts[min(self.calls, len(self.scripts) - 1)]
        self.calls += 1
        async for response in script(request_iterator):
            yield response


@asynccontextmanager
async def talking_to(scripted: Scripted) -> AsyncIterator[DeckClient]:
    def register(server: grpc.aio.Server) -> list[str]:
        deck_pb2_grpc.add_DeckServiceServicer_to_server(scripted, server)
        return []

    server = await start_server("deck", "127.0.0.1:0", register)
    async with asyncio.timeout(DEADLINE_S), open_channel(f"127.0.0.1:{server.port}") as channel:
        yield DeckClient(channel)
    await server.stop(0)


def drawn(draw: deck_pb2.Draw) -> deck_pb2.Drawn:
    """Says which draw it answers."""
    return deck_pb2.Drawn(tag=draw.tag, outcome=[int(draw.draw_id.rpartition("/")[2])])


async def answering(requests: Requests) -> Responses:
    async for request in requests:
        yield deck_pb2.DrawManyResponse(drawn=map(drawn, request.draws))


async def silent(requests: Requests) -> Responses:
    async for request in requests:
        if not request.draws:
            yield deck_pb2.DrawManyResponse()


async def breaking(requests: Requests) -> Responses:
    async for response in ended(requests, Unavailable("service_stopping", "Not now.")):
        yield response


async def refusing(requests: Requests) -> Responses:
    async for response in ended(requests, Refusal("token_expired", "It is over.")):
        yield response


async def ended(requests: Requests, error: Exception | None) -> Responses:
    """With an error, where the first answer should come."""
    async for _ in requests:
        if error is not None:
            raise error
        yield deck_pb2.DrawManyResponse()


async def backwards(requests: Requests) -> Responses:
    """Waits for twenty, and answers the last one first."""
    asked: list[deck_pb2.Draw] = []
    while len(asked) < 20:
        asked.extend((await anext(requests)).draws)
    for draw in reversed(asked):
        yield deck_pb2.DrawManyResponse(drawn=[drawn(draw)])


class TestAsking:
    async def test_each_question_gets_its_own_answer_in_whatever_order_they_come(self) -> None:
        async with talking_to(Scripted(backwards)) as deck:
            answers = await asyncio.gather(*(deck.draw("m", f"d/{number}", ASKED) for number in range(20)))
            assert answers == [(number,) for number in range(20)]

    async def test_questions_share_one_call(self) -> None:
        scripted = Scripted(answering)
        async with talking_to(scripted) as deck:
            for number in range(3):
                assert await deck.draw("m", f"d/{number}", ASKED) == (number,)
            assert scripted.calls == 1

    async def test_a_call_that_breaks_takes_nothing_with_it(self) -> None:
        scripted = Scripted(breaking, answering)
        async with talking_to(scripted) as deck:
            answers = await asyncio.gather(*(deck.draw("m", f"d/{number}", ASKED) for number in range(5)))
            assert answers == [(number,) for number in range(5)]
            assert scripted.calls == 2

    @pytest.mark.parametrize(
        ("script", "error", "code"), [(breaking, Unavailable, "service_stopping"), (refusing, Refusal, "token_expired")]
    )
    async def test_what_breaks_again_is_told(
        self, script: Callable[[Requests], Responses], error: type[Exception], code: str
    ) -> None:
        scripted = Scripted(script, script, answering)
        async with talking_to(scripted) as deck:
            with pytest.raises(error, match=code):
                await deck.draw("m", "d/1", ASKED)
            assert await deck.draw("m", "d/2", ASKED) == (2,), "the next question is a new start"

    async def test_who_does_not_answer_is_left(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(clients, "DECK_SECONDS", 0.2)
        scripted = Scripted(silent, answering)
        async with talking_to(scripted) as deck:
            with pytest.raises(Unavailable, match="deadline_exceeded"):
                await deck.draw("m", "d/1", ASKED)
            assert await deck.draw("m", "d/2", ASKED) == (2,)
            assert scripted.calls == 2

    async def test_a_call_is_renewed_and_the_old_one_answers_what_it_was_asked(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(exchange, "RENEW_S", 0.0)
        scripted = Scripted(answering)
        async with talking_to(scripted) as deck:
            answers = await asyncio.gather(*(deck.draw("m", f"d/{number}", ASKED) for number in range(4)))
            assert answers == [(number,) for number in range(4)]
            assert scripted.calls == 4

    async def test_nobody_there_is_told_at_once(self) -> None:
        async with asyncio.timeout(DEADLINE_S), open_channel("127.0.0.1:9") as channel:
            with pytest.raises(Unavailable, match="service_unavailable"):
                await DeckClient(channel).draw("m", "d/1", ASKED)

    async def test_a_channel_that_is_closed_keeps_nobody_waiting(self) -> None:
        async with talking_to(Scripted(silent)) as deck:
            waiting = asyncio.create_task(deck.draw("m", "d/1", ASKED))
            await asyncio.sleep(0.2)
        with pytest.raises(Unavailable):
            await waiting

    async def test_who_hangs_up_leaves_the_call_to_the_others(self) -> None:
        scripted = Scripted(backwards)
        async with talking_to(scripted) as deck:
            draws = [asyncio.create_task(deck.draw("m", f"d/{number}", ASKED)) for number in range(20)]
            await asyncio.sleep(0)
            draws[3].cancel()
            answers = await asyncio.gather(*draws, return_exceptions=True)
            assert isinstance(answers.pop(3), asyncio.CancelledError)
            assert answers == [(number,) for number in range(20) if number != 3]


class TestAnswering:
    """``begin`` is handed numbers, and doubles them when it is let."""

    async def asked(self, *numbers: int) -> AsyncIterator[int]:
        for number in numbers:
            self.read.append(number)
            yield number

    def setup_method(self) -> None:
        self.read: list[int] = []
        self.begun: dict[int, Tell[int]] = {}

    async def begin(self, number: int, tell: Tell[int]) -> int:
        self.begun[number] = tell
        return 1

    async def test_no_more_is_begun_than_may_be_under_way(self) -> None:
        answers = exchanged(self.asked(*range(10)), self.begin, under_way_max=3)
        first = asyncio.ensure_future(_next(answers))
        await _turns()
        assert (self.read, sorted(self.begun)) == ([0, 1, 2], [0, 1, 2])
        for number in (2, 0):
            self.begun[number](2 * number)
        assert await first == [4, 0], "what is ready together comes together, in the order in which it was"
        second = asyncio.ensure_future(_next(answers))
        await _turns()
        assert self.read == [0, 1, 2, 3, 4]
        second.cancel()

    async def test_it_ends_behind_the_last_answer(self) -> None:
        answers = exchanged(self.asked(1, 2), self.begin, under_way_max=10)
        first = asyncio.ensure_future(_next(answers))
        await _turns()
        self.begun[2](4)
        assert await first == [4]
        last = asyncio.ensure_future(_next(answers))
        await _turns()
        assert not last.done()
        self.begun[1](2)
        assert await last == [2]
        assert await anext(answers, None) is None

    async def test_a_fault_of_whoever_begins_ends_it(self) -> None:
        async def begin(number: int, tell: Tell[int]) -> int:
            raise RuntimeError("ours")

        with pytest.raises(RuntimeError, match="ours"):
            await anext(exchanged(self.asked(1), begin, under_way_max=10))


def _next(answers: AsyncIterator[list[int]]) -> Awaitable[list[int]]:
    return anext(answers)


async def _turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)
