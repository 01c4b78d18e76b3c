"""An organiser who knows no doubt: takes an event from its creation to its end, step by step, by the same calls as
anybody's.

What to do next is read from the event each time, so the organiser may be stopped anywhere and asked again: command ids
follow from the event and what is done, and a step that was done already is the same fact.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TypeVar

from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.tournament.asking import actor_of, send
from cli.tournament.people import enter
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.tournament import commands as c
from services.kit.wire.house import HouseClients

T = TypeVar("T")
Tell = Callable[[pb.Tournament], None]

LOOK_S = 2.0
"""After which the event is looked at even though nothing was heard of it: a watch may break."""
RETRIES = 60
RETRY_S = 0.25


class Organiser:
    """Runs one event. ``tell`` hears of every state that was seen."""

    def __init__(self, clients: HouseClients, event: str, by: str, tell: Tell = lambda _: None) -> None:
        self._clients = clients
        self._event = event
        self._by = by
        self._tell = tell

    async def open(self, config_toml: str, people: Sequence[pb.Person]) -> None:
        """Created, everybody entered and there, registration closed: ready for the first round. Raises ``Refusal``."""
        client = self._clients.tournament
        await patiently(lambda: client.create(self._event, config_toml, self._by))
        await self._do("open", c.OpenRegistration())
        await patiently(lambda: enter(self._clients, self._event, list(people), self._by, "enter"))
        await self._do("open-check-in", c.OpenCheckIn())
        await self._do("check-in", c.CheckIn())
        await self._do("close", c.CloseRegistration())

    async def run(self) -> None:
        """Rounds, cuts and the end, each as soon as it can be. Returns when the event is finished. Raises ``Refusal``
        where a person has to decide, as in a draw that a referee must settle.
        """
        while True:
            event = (await patiently(lambda: self._clients.tournament.tournament(self._event))).tournament
            self._tell(event)
            if event.phase == "finished":
                return
            if event.drafted:
                await self._do(f"publish-{event.round + 1}", c.PublishRound())
            elif event.round_phase == "published":
                await self._do(f"start-{event.round}", c.StartRound())
            elif event.round_phase == "running":
                await self._wait(event.revision)
            else:
                await self._go_on(event)

    async def _go_on(self, event: pb.Tournament) -> None:
        """The next round of the stage, or the next stage, or the end."""
        try:
            await patiently(
                lambda: self._clients.tournament.draft_round(
                    self._event, f"draft-{event.round + 1}", actor_of(self._by)
                )
            )
            return
        except Refusal as refusal:
            if refusal.code != "stage_over":
                raise
        try:
            await self._do(f"cut-{event.stage + 1}", c.MakeCut())
        except Refusal as refusal:
            if refusal.code != "last_stage":
                raise
            await self._do("finish", c.Finish())

    async def _wait(self, revision: int) -> None:
        """Until the event is past ``revision``, or for a while."""
        try:
            async with asyncio.timeout(LOOK_S), aclosing(self._clients.tournament.watch(self._event)) as changes:
                async for event in changes:
                    self._tell(event)
                    if event.revision > revision and event.round_phase != "running":
                        return
        except (TimeoutError, Unavailable):
            await asyncio.sleep(0)

    async def _do(self, command_id: str, command: c.Command) -> pb.CommandResponse:
        return await patiently(lambda: send(self._clients, self._event, command, self._by, command_id))


async def patiently(call: Callable[[], Awaitable[T]]) -> T:
    """Again while a service is being started anew."""
    for _ in range(RETRIES):
        try:
            return await call()
        except Unavailable:
            await asyncio.sleep(RETRY_S)
    return await call()
