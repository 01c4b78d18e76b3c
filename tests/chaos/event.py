"""One event, played by bots from its creation to its end, and watched at every table.

Match ids follow from the event, cards from the keys of the house, and each bot draws its lots by match, seat and move:
the same seed ends in the same standings, whatever happens on the way.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import Final, TypeVar

import grpc

from bots.brains import brain_named
from bots.player import Player
from cli.tournament.organiser import Organiser
from cli.tournament.simulate import bot_people
from engine.games import find_game
from engine.kernel.history import Duplicate
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, Seat, Value
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import Accepted, MatchClient
from services.kit.wire.house import HouseClients, clients_at
from tests.chaos.records import Notes, Told
from tests.chaos.watchers import not_open_yet, watch, watch_page

SEATS: Final = 4
ACT_S: Final = 3.0
"""A player waits so long for an answer, then asks another replica."""
PAGE_EVERY: Final = 8
"""Every so many tables one is watched by a page, too."""
LEVEL: Final = "random"
MOVES_A_TABLE: Final = 70
"""About so many, in the games and with the bots that are played here."""
SLOWER: Final = 6.0
STEADY_S: Final = 90.0
"""How long whoever must not give up asks again: a service that starts on a busy machine takes half a minute."""

T = TypeVar("T")


class Event(Value, frozen=True):
    """``rounds`` rounds of a game at ``tables`` tables of four; a turn may take ``turn_s``.

    Before each move a bot thinks for ``pace_s`` while there are faults to come, and longer when the round would be over
    before the faults are; what it plays does not hang on it.
    """

    seed: int
    game: str
    tables: int
    rounds: int = 1
    turn_s: int = 60
    pace_s: float = 0.0

    @property
    def id(self) -> str:
        return f"chaos-{self.seed}"

    @property
    def players(self) -> int:
        return SEATS * self.tables

    def configuration(self) -> str:
        return f"""
name = "Chaos {self.seed}"

[scoring]
scheme = "5-3-2-1"
order = ["TP", "SOS", "PSB", "RAW", "LOT"]

[clocks]
turn = "{self.turn_s}s"

[[stages]]
name = "Swiss"
format = "swiss"
games = ["{self.game}"]
rounds = {self.rounds}
smallest = {SEATS}
target = {SEATS}
largest = {SEATS}
"""


class Replicas(MatchClient):
    """The replicas of a rules service as one player knows them: no answer here, then asked again there.

    What they acknowledge is written down.
    """

    def __init__(self, channels: Sequence[grpc.aio.Channel], first: int, play: "Play"):
        self._clients = [MatchClient(channel) for channel in channels]
        self._turn = first
        self._play = play

    async def act(
        self,
        match: str,
        command_id: str,
        seat: Seat,
        command_json: str,
        *,
        expected_revision: Revision = 0,
        timeout: float = ACT_S,
    ) -> Accepted | Duplicate:
        await self._play.think()
        client = self._clients[self._turn % len(self._clients)]
        try:
            receipt = await client.act(
                match, command_id, seat, command_json, expected_revision=expected_revision, timeout=timeout
            )
        except Unavailable:
            self._turn += 1
            self._play.notes.retries.append(self._play.now)
            raise
        repeat = isinstance(receipt, Duplicate)
        told = Told(match, f"seat:{seat}", command_id, receipt.revision, repeat, self._play.now)
        self._play.notes.told.append(told)
        return receipt


class Table(Value, frozen=True):
    round: int
    number: int
    match: str


class Play:
    """Of an event in a house whose services are ``named``, and its rules kept at ``rules``."""

    def __init__(self, event: Event, named: dict[str, str], rules: Sequence[str]) -> None:
        self.event = event
        self.notes = Notes()
        self.tables: list[Table] = []
        self._named = named
        self._rules = rules
        self._game = find_game(event.game)
        self.weathered = 0.0
        """The share of the faults that are over."""
        self._began = 0.0
        self._hurry = asyncio.Event()

    @property
    def now(self) -> float:
        """Seconds of the round."""
        return asyncio.get_running_loop().time() - self._began

    def hurry(self) -> None:
        """Nothing more is to come: the bots need not think any longer."""
        self._hurry.set()

    async def think(self) -> None:
        played = len(self.notes.told) / (MOVES_A_TABLE * self.event.tables * self.event.rounds)
        slower = SLOWER if played > self.weathered else 1.0
        with suppress(TimeoutError):
            async with asyncio.timeout(self.event.pace_s * slower):
                await self._hurry.wait()

    async def run(self) -> None:
        """From nothing to the final standings. Raises what a person would have to see to."""
        self._began = asyncio.get_running_loop().time()
        async with AsyncExitStack() as stack:
            channels = [await stack.enter_async_context(open_channel(address)) for address in self._rules]
            clients = await stack.enter_async_context(clients_at(self._named, {self.event.game: self._rules[0]}))
            published: asyncio.Queue[int] = asyncio.Queue()
            organiser = Organiser(clients, self.event.id, "chaos", lambda now: published.put_nowait(now.round))
            async with asyncio.TaskGroup() as group:
                group.create_task(self._usher(clients, channels, published, group))
                people = bot_people(self.event.players, LEVEL)
                await steadily(lambda: organiser.open(self.event.configuration(), people))
                await steadily(organiser.run)  # takes up what it finds, however often it is asked
                published.put_nowait(-1)
        self.notes.seconds = self.now

    async def _usher(
        self,
        clients: HouseClients,
        channels: Sequence[grpc.aio.Channel],
        published: "asyncio.Queue[int]",
        group: asyncio.TaskGroup,
    ) -> None:
        """Seats the bots and a watcher at every table as soon as its round is published."""
        seen = 0
        while (newest := await published.get()) >= 0:
            for number in range(seen + 1, newest + 1):
                for found in (await steadily(partial(clients.tournament.round, self.event.id, number))).tables:
                    table = Table(number, found.number, found.match_id)
                    self.tables.append(table)
                    group.create_task(watch(clients.spectator, table.match, self.notes))
                    if "gateway" in self._named and found.number % PAGE_EVERY == 0:
                        group.create_task(watch_page(self._named["gateway"], table.match, self.notes))
                    for seat in range(len(found.places)):
                        rules = Replicas(channels, found.number + seat, self)
                        group.create_task(self._sit(clients, rules, table, seat))
            seen = max(seen, newest)

    async def _sit(self, clients: HouseClients, rules: MatchClient, table: Table, seat: Seat) -> None:
        brain = brain_named(LEVEL, self._game, seat)
        player = Player(self._game, table.match, seat, brain, f"{table.match}/{seat}", rules, clients.spectator)
        while True:
            try:
                return await player.play()
            except Refusal as refusal:
                await not_open_yet(refusal)


async def steadily(call: Callable[[], Awaitable[T]]) -> T:
    """Again and again while the house cannot be reached. Raises ``Unavailable`` after ``STEADY_S`` of that."""
    loop = asyncio.get_running_loop()
    deadline = 0.0
    while True:
        asked = loop.time()
        try:
            return await call()
        except Unavailable:
            if not deadline or loop.time() - asked > STEADY_S:  # the first time, or it had gone well for long
                deadline = loop.time() + STEADY_S
            if loop.time() > deadline:
                raise
            await asyncio.sleep(0.5)
