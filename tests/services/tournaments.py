"""A tournament service for the tests of this folder, on logs in memory and at a venue that plays what a test says.

The venue writes matches into their log as a rules service does, so results are read from there like any other.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from engine.kernel.codec import Named
from engine.kernel.commit import GENESIS, HOST, LUCK, Commit, decode_line, encode_line, line_hash
from engine.kernel.official import (
    COMMANDS,
    EVENTS,
    Directing,
    MatchEnded,
    OpenMatch,
    Proceed,
    RevealSeed,
    SeedRevealed,
)
from engine.kernel.ports import Appended, Clock, Log, Stored, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import instant_text
from engine.tournament.commands import COMMANDS as OF_EVENTS
from engine.tournament.commands import CloseRegistration, OpenRegistration, PublishRound, StartRound
from engine.tournament.config import Config
from engine.tournament.director import OpenTable
from engine.tournament.state import RoundPhase, Tournament
from services.kit.clock import SystemClock
from services.kit.family import TOURNAMENTS
from services.kit.key import KeyRing, MasterKey
from services.kit.memory_log import MemoryLog
from services.tournament.app import Tournaments
from services.tournament.desk import Applicant, Done
from services.tournament.people import People
from services.tournament.rated import Rated
from services.tournament.venue import Venue
from tests.kit.databases import Store
from tests.kit.nats import until

T = "cup"
ORGANISER = "organiser:ana"
KEYS = KeyRing(MasterKey("test", "c0de" * 16))

CONFIG = """
name = "Cup of the house"

[registration]
check_in = false

[[stages]]
name = "main"
format = "swiss"
games = ["just4fun"]
rounds = 2
smallest = 4
target = 4
largest = 4
"""


class Hall:
    """The ``Venue``. ``opened`` tells every match that was really opened, ``directed`` all that was asked of one."""

    def __init__(self, matches: Log) -> None:
        self.matches = matches
        self.opened: list[str] = []
        self.directed: list[tuple[str, str, str]] = []
        self.away: set[str] = set()
        """Games whose rules service cannot be reached."""
        self.unknown: set[str] = set()
        """Games that nobody plays."""
        self.open_at_most = 10_000
        self.players: dict[str, tuple[str, ...]] = {}
        self.played_elsewhere: set[str] = set()
        """Matches that a rules service has opened already."""

    async def open(self, table: OpenTable, config: Config) -> None:
        self._answer(table.game)
        if table.match in self.played_elsewhere:
            return
        if table.match in self.players:
            if self.players[table.match] != table.players:
                raise Refusal("match_exists", "It has been opened before, with other fields.", Kind.EXISTS)
            return
        if len(self.players) >= self.open_at_most:
            await asyncio.Event().wait()  # the host dies over this one
        self.players[table.match] = table.players
        opening = OpenMatch(len(table.players), table.options, (), table.players, config.clocks.turn_ms, "00" * 32)
        await self._append(table.match, "open", HOST, opening)
        self.opened.append(table.match)  # not before: whoever waits for it goes on to end it

    async def direct(self, game: str, match: str, command_id: str, command: Directing) -> None:
        self._answer(game)
        self.directed.append((match, command_id, command.name))
        if match not in self.opened:
            raise Refusal("unknown_match", "There is no such match.", Kind.MISSING)

    async def end(self, match: str, totals: Sequence[int], reason: str = "line") -> None:
        """The match is played to its end, and its seed revealed."""
        ranks = tuple(1 + sum(other > total for other in totals) for total in totals)
        await self._append(match, "last", "house", Proceed(), MatchEnded(ranks, tuple(totals), reason))
        await self._append(match, "seed", LUCK, RevealSeed("5e" * 32), SeedRevealed("5e" * 32))

    def _answer(self, game: str) -> None:
        if game in self.away:
            raise Unavailable("service_unavailable", "The service did not answer.")
        if game in self.unknown:
            raise Refusal("unknown_game", f"No rules service of {game} is known here.", Kind.MISSING)

    async def _append(self, match: str, command_id: str, actor: str, command: Named, *events: Named) -> None:
        before = await self.matches.read(match, after=0)
        commit = Commit(
            match=match,
            revision=len(before) + 1,
            id=command_id,
            actor=actor,
            at=instant_text(1_764_000_000_000_000 + len(before)),
            rules="just4fun/1",
            command=COMMANDS.encode(command),  # type: ignore[arg-type]  # the union is the codec's
            events=tuple(EVENTS.encode(event) for event in events),  # type: ignore[arg-type]  # the union is the codec's
            prev=line_hash(before[-1].line) if before else GENESIS,
        )
        position = before[-1].position if before else 0
        await self.matches.append("just4fun", match, encode_line(commit), expected=position)


class World:
    """The logs and the venue, which outlive a host; people do in the test that asks for it, and ratings by name."""

    def __init__(self, folder: Path, log: Log | None = None, matches: Log | None = None) -> None:
        self.folder = folder
        self.log = log or MemoryLog(family=TOURNAMENTS)
        self.matches = matches or MemoryLog()
        self.hall = Hall(self.matches)
        self.people_url = "sqlite://"  # in memory: on a disk every name is told to it
        self.store: Store | None = None
        """Where people and ratings are kept instead."""

    @asynccontextmanager
    async def host(
        self,
        *,
        venue: Venue | None = None,
        clock: Clock | None = None,
        log: Log | None = None,
        ratings: str = "",
        keys: KeyRing = KEYS,
    ) -> AsyncIterator[Tournaments]:
        """A process of its own as far as the logs can tell; it runs until the end of the block."""
        here = clock or SystemClock()
        if self.store is not None:
            people = await People.open(self.store.url, here, password_file=self.store.password_file)
            model = Rated.model(self.store.url, password_file=self.store.password_file)
        else:
            people = await People.open(self.people_url, here)
            model = Rated.model(f"sqlite:///{self.folder / ratings}.sqlite" if ratings else "sqlite://")
        host = Tournaments(
            log or self.log, self.matches, venue or self.hall, people, model, keys, here, retry_s=(0.01,)
        )
        await host.prepare()
        running = asyncio.create_task(host.run())
        try:
            yield host
            assert not running.done(), running.exception()
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            await host.close()
            await model.close()
            await people.close()


class Wound:
    """A clock that stands still until somebody sets it."""

    def __init__(self) -> None:
        self.at = SystemClock().now()
        self._moved = asyncio.Event()

    def now(self) -> int:
        return self.at

    def forward(self, ms: int) -> None:
        self.at += ms * 1000
        self._moved.set()
        self._moved = asyncio.Event()

    async def sleep_until(self, at: int) -> None:
        while at > self.at:
            await self._moved.wait()


class Deaf:
    """A log whose news never come: who has it must ask."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    async def follow(
        self, partition: int, *, after: int, game: str | None = None
    ) -> AsyncGenerator[Sequence[Stored], None]:
        await asyncio.Event().wait()
        yield ()


class Failing:
    """A log that fails on what ``fails`` says of a line: before it is stored, or after."""

    def __init__(self, log: Log, fails: Callable[[bytes], bool], *, after: bool = False) -> None:
        self._log = log
        self._fails = fails
        self._after = after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    async def append(self, game: str, match: str, line: bytes, *, expected: int) -> Appended:
        fails = self._fails(line)
        if not fails or self._after:
            appended = await self._log.append(game, match, line, expected=expected)
        if fails:
            raise Unavailable("log_unavailable", "The log did not answer.")
        return appended


class Everybody:
    """All players there may be."""

    def __contains__(self, player: object) -> bool:
        return True


async def ask(host: Tournaments, command: Named, *, actor: str = ORGANISER, command_id: str = "", on: str = T) -> Done:
    """One command, as an organiser writes it."""
    written = msgspec.json.encode(OF_EVENTS.encode(command)).decode()  # type: ignore[arg-type]  # the union is the codec's
    return await host.desk.command(on, command_id or secrets.token_hex(8), actor, written)


async def entered(
    host: Tournaments, count: int = 8, *, config: str = CONFIG, on: str = T, players: Sequence[str] = ()
) -> None:
    """An event with so many people, or with these players, ready for its first round."""
    await host.desk.create(on, config, "ana")
    await ask(host, OpenRegistration(), on=on)
    strangers = [Applicant(name=f"Person {number}") for number in range(1, count + 1)]
    people = [Applicant(player=player) for player in players] or strangers
    await host.desk.register(on, "people", ORGANISER, people, ranked=True, reason="")
    await ask(host, CloseRegistration(), on=on)


async def published(host: Tournaments, *, on: str = T) -> int:
    """The next round, drafted and published; its number."""
    _, number = await host.desk.draft_round(on, secrets.token_hex(8), ORGANISER, "")
    await ask(host, PublishRound(), on=on)
    await ask(host, StartRound(), on=on)
    return number


def state(host: Tournaments, on: str = T) -> Tournament:
    return host.ledgers.known(on).state


async def all_open(host: Tournaments, number: int, *, on: str = T) -> None:
    def are_open() -> bool:
        return all(table.phase.value == "open" for table in state(host, on).rounds[number - 1].tables)

    await until(are_open, f"the tables of round {number} are open")


async def closed(host: Tournaments, number: int, *, on: str = T) -> None:
    await until(lambda: state(host, on).rounds[number - 1].phase is RoundPhase.CLOSED, f"round {number} is closed")


async def played(world: World, host: Tournaments, number: int, *, on: str = T) -> None:
    """Every table of a round ends: the first seat wins, and so on."""
    await all_open(host, number, on=on)
    for index in range(1, len(state(host, on).rounds[number - 1].tables) + 1):
        await world.hall.end(f"{on}-r{number}-t{index}", (40, 30, 20, 10))
    await closed(host, number, on=on)


def commits(lines: Sequence[bytes]) -> list[Commit]:
    return [decode_line(line) for line in lines]


def events_of(lines: Sequence[bytes]) -> list[str]:
    """The types of all events, in order."""
    return [event.type for commit in commits(lines) for event in commit.events]


async def log_of(world: World, on: str = T) -> list[bytes]:
    return [stored.line for stored in await world.log.read(on, after=0)]
