"""Calls from one process to a service: lost, late, cut off, answered by nobody, or by another replica than before.

It says to callers what the wire says (``services/kit/wire/errors``): a refusal stays a refusal, everything else that is
the world's is ``Unavailable``. What is neither is a fault of ours, and ends the run.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

from engine.kernel.chance import Draw, Roll
from engine.kernel.deal import Deal as OfGroup
from engine.kernel.ports import Conflict, Unavailable
from engine.kernel.refusal import Refusal
from tests.sim.faults import Weather
from tests.sim.process import Process, Replica
from tests.sim.records import Deal, Record, SeedGiven

S = TypeVar("S")
T = TypeVar("T")

CALL_S = 10.0
"""The deadline of a call."""


class Network:
    """``on_failure`` hears of an error that no service should make."""

    def __init__(self, weather: Weather, on_failure: Callable[[str, BaseException], None]) -> None:
        self._weather = weather
        self._on_failure = on_failure

    async def call(
        self, caller: Process, replicas: Sequence[Replica[S]], what: str, work: Callable[[S], Awaitable[T]]
    ) -> T:
        """Raises ``Refusal`` or ``Unavailable``."""
        weather = self._weather
        caller.step(f"calls {what}")
        replica, service = self._reach(replicas)
        await asyncio.sleep(weather.latency_s())
        process = replica.process
        if service is None or process is None or not process.alive or weather.strikes("lost"):
            raise Unavailable("service_unavailable", f"{replica.name} did not answer.")
        handling = process.spawn(_handle(work, service))
        try:
            await asyncio.wait({handling}, timeout=CALL_S)
        finally:
            if not handling.done():
                handling.cancel()
        if not handling.done() or handling.cancelled():
            raise Unavailable("service_unavailable", f"{replica.name} went away.")
        await asyncio.sleep(weather.latency_s())
        if weather.strikes("answer_lost"):
            raise Unavailable("deadline_exceeded", f"{replica.name} was not heard.")
        caller.step(f"is answered on {what}")
        answer = handling.result()
        if isinstance(answer, BaseException):
            raise self._translated(process, answer)
        return answer

    async def stream(
        self, caller: Process, replicas: Sequence[Replica[S]], what: str, work: Callable[[S], AsyncIterator[T]]
    ) -> AsyncGenerator[T, None]:
        """A server's stream. Raises ``Refusal``, or ``Unavailable`` where it is cut off."""
        weather = self._weather
        caller.step(f"watches {what}")
        replica, service = self._reach(replicas)
        await asyncio.sleep(weather.latency_s())
        process = replica.process
        if service is None or process is None or not process.alive:
            raise Unavailable("service_unavailable", f"{replica.name} did not answer.")
        wire: asyncio.Queue[Any] = asyncio.Queue()
        sending = process.spawn(_send(work(service), wire))
        sending.add_done_callback(wire.put_nowait)
        try:
            while True:
                item = await wire.get()
                if weather.strikes("lost"):
                    raise Unavailable("service_unavailable", "The stream was cut off.")
                if item is sending:
                    break
                yield item[0]
        finally:
            sending.cancel()
        if sending.cancelled():
            raise Unavailable("service_unavailable", f"{replica.name} went away.")
        error = sending.exception()
        if error is not None:
            raise self._translated(process, error)

    def _reach(self, replicas: Sequence[Replica[S]]) -> tuple[Replica[S], S | None]:
        """A replica that is up, or any if none is; a balancer learns of a death only by and by."""
        up = [replica for replica in replicas if replica.service is not None] or list(replicas)
        replica = up[self._weather.pick(len(up))]
        return replica, replica.service

    def _translated(self, process: Process, error: BaseException) -> BaseException:
        match error:
            case Refusal() | Unavailable():
                return error
            case Conflict():
                return Unavailable("conflict", "Others moved at the same time; send the same command again.")
            case _:
                self._on_failure(process.name, error)
                return Unavailable("internal_error", "Something went wrong on our side.")


class DeckPort:
    """The ``Luck`` port of one process, over the network; what leaves the deck is written down where it leaves."""

    def __init__(self, process: Process, network: Network, decks: Sequence[Replica[Any]], record: Record) -> None:
        self._process = process
        self._network = network
        self._decks = decks
        self._record = record

    async def commitment(self, match: str, deal: OfGroup | None = None) -> str:
        async def ask(deck: Any) -> str:
            return str(await deck.commitment(match, deal))

        return await self._network.call(self._process, self._decks, f"deck commitment {match}", ask)

    async def draw(self, match: str, draw_id: str, asked: Roll | Draw) -> tuple[int, ...]:
        async def ask(deck: Any) -> tuple[int, ...]:
            values: tuple[int, ...] = await deck.draw(match, draw_id, asked)
            self._record.deals.append(Deal(match, draw_id, asked, values))
            return values

        return await self._network.call(self._process, self._decks, f"deck draw {match} {draw_id}", ask)

    async def reveal(self, match: str) -> str:
        async def ask(deck: Any) -> str:
            seed: str = await deck.reveal(match)
            self._record.seeds.append(SeedGiven(match, seed, self._record.has_ended(match)))
            return seed

        return await self._network.call(self._process, self._decks, f"deck reveal {match}", ask)


async def _handle(work: Callable[[S], Awaitable[T]], service: S) -> T | Exception:
    """The error is handed back as a value: nobody may be there any more to look at the task."""
    try:
        return await work(service)
    except Exception as error:
        return error


async def _send(items: Any, wire: "asyncio.Queue[Any]") -> None:
    async with aclosing(items):
        async for item in items:
            await wire.put((item,))
