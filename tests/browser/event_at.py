"""An event in the house of the browser tests, and its organiser."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

import msgspec
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.tournament.commands import (
    COMMANDS,
    CloseRegistration,
    Command,
    OpenRegistration,
    PublishRound,
    ReportResult,
    StartRound,
)
from engine.tournament.played import Seated
from services.kit.wire.house import connect
from services.kit.wire.tournament import TournamentClient
from tests.kit.nats import until

T = TypeVar("T")

BY: Final = "organiser:ana"
NAMES: Final = ("Ana Rossi", "Bo Lindqvist", "Cyrille Étienne", "Łukasz Nowak", "김민준", "<b>Eve</b>", "Zoë", "Øyvind")
CONFIG: Final = """
name = "Spring cup"
[registration]
check_in = false
[clocks]
round = "50m"
[scoring]
scheme = "5-3-2-1"
[awards]
bye = "average"
[[stages]]
name = "Swiss"
format = "swiss"
games = ["just4fun"]
rounds = 2
smallest = 4
target = 4
largest = 4
[[stages]]
name = "Final"
format = "elimination"
games = ["just4fun"]
entrants = 4
final = 4
"""


class EventAt:
    """One event. Every method is done when it returns; the pages hear of it a moment later."""

    def __init__(self, server: str, event: str) -> None:
        self.server = server
        self.event = event
        self._sent = 0

    def create(self, names: Sequence[str] = NAMES) -> None:
        """The people are in, and the registration is closed."""

        async def work(client: TournamentClient) -> None:
            await client.create(self.event, CONFIG, "ana")
            await self._send(client, OpenRegistration())
            await client.register(self.event, "people", BY, [pb.Person(name=name) for name in names])
            await self._send(client, CloseRegistration())

        self._do(work)

    def publish(self) -> None:
        """The next round is drafted, published and started."""

        async def work(client: TournamentClient) -> None:
            self._sent += 1
            await client.draft_round(self.event, f"draft-{self._sent}", BY)
            await self._send(client, PublishRound())
            await self._send(client, StartRound())

            async def are_open() -> bool:
                return not (await client.status(self.event)).waiting

            await until(are_open, "all matches are open")

        self._do(work)

    def report(self, table: int) -> None:
        """Seat 0 wins, seat 1 is second, and so on."""

        async def work(client: TournamentClient) -> None:
            found = await client.round(self.event)
            entries = [place.entry for each in found.tables if each.number == table for place in each.places]
            seated = tuple(Seated(entry, place, 100 - place) for place, entry in enumerate(entries, 1))
            await self._send(client, ReportResult(found.round, table, seated))

        self._do(work)

    def seat_of(self, name: str) -> tuple[int, int]:
        """Table and seat in the newest round."""

        async def work(client: TournamentClient) -> tuple[int, int]:
            found = await client.round(self.event)
            return next(
                (table.number, seat)
                for table in found.tables
                for seat, place in enumerate(table.places)
                if place.name == name
            )

        return self._do(work)

    async def _send(self, client: TournamentClient, command: Command) -> None:
        self._sent += 1
        text = msgspec.json.encode(COMMANDS.encode(command)).decode()
        await client.command(self.event, f"c{self._sent}", BY, text)

    def _do(self, use: Callable[[TournamentClient], Awaitable[T]]) -> T:
        """In a thread of its own: this one belongs to the loop of the browser."""

        async def run() -> T:
            async with connect(self.server) as clients:
                return await use(clients.tournament)

        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, run()).result()
