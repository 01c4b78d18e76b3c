"""Rules hosts on either log for the tests of this folder, and the questions these ask of the log."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest

from engine.games import game_of_rules
from engine.kernel.chance import Draw, Roll
from engine.kernel.codec import Named
from engine.kernel.commit import Commit, decode_line
from engine.kernel.deal import Deal
from engine.kernel.game import AnyGame, Seats
from engine.kernel.history import AnyHistory, History
from engine.kernel.match import Match
from engine.kernel.official import Leave
from engine.kernel.ports import Clock, Log, Luck, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Instant
from services.deck.app import Deck
from services.kit.beats import Beats
from services.kit.clock import SystemClock
from services.kit.jetstream import JetStreamLog
from services.kit.key import KeyRing
from services.kit.memory_log import MemoryLog
from services.local.nats_server import NatsServer
from services.rules.app import MatchHost
from tests.kit.given import NOON
from tests.services.small_house import GAME, KEY

Rules: TypeAlias = Callable[..., MatchHost]
M = "m-1"


@pytest.fixture(params=["memory", "jetstream"])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Log]:
    """A server of its own for each test: a stream that is made again under its old name may still show old lines."""
    if request.param == "memory":
        yield MemoryLog()
        return
    async with (
        NatsServer(tmp_path / "nats", durability="fast") as server,
        await JetStreamLog.connect(server.url, create=True) as made,
    ):
        yield made


@pytest.fixture
async def rules(log: Log) -> AsyncIterator[Rules]:
    """Makes hosts on the log; each is a process of its own as far as the log can tell."""
    made: list[MatchHost] = []

    def make(
        *, luck: Luck | None = None, clock: Clock | None = None, on: Log = log, beats: Beats | None = None
    ) -> MatchHost:
        host = MatchHost(game(), on, luck or Deck(KeyRing(KEY), log), clock or SystemClock(), beats)
        made.append(host)
        return host

    yield make
    for host in made:
        await host.close()


def game() -> AnyGame:
    return game_of_rules(f"{GAME}/1")


@asynccontextmanager
async def running(host: MatchHost) -> AsyncIterator[None]:
    task = asyncio.create_task(host.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def commits(log: Log, match: str = M) -> list[Commit]:
    return [decode_line(stored.line) for stored in await log.read(match, after=0)]


async def folded(log: Log, match: str = M) -> AnyHistory:
    history: AnyHistory = History(Match(game()), match)
    for stored in await log.read(match, after=0):
        history.accept(stored.line, stored.position)
    return history


async def next_move(log: Log, match: str = M) -> tuple[int, str]:
    """A seat that may move, and a legal command of it."""
    history = await folded(log, match)
    pending = history.pending
    assert isinstance(pending, Seats)
    seat = pending.seats[0]
    return seat, written(next(game().legal(history.state.game, seat)))


def written(command: Named | dict[str, Any]) -> str:
    recorded = command if isinstance(command, dict) else game().commands.encode(command)
    return msgspec.json.encode(recorded).decode()


async def play_out(log: Log, host: MatchHost, match: str = M) -> list[Commit]:
    """Whoever is asked makes the first legal move, to the end; and then the seed is there."""
    number = 0
    while isinstance((await folded(log, match)).pending, Seats):
        number += 1
        await host.act(match, f"move-{number}", *await next_move(log, match))
    return await commits(log, match)


@asynccontextmanager
async def refused(log: Log, code: str, kind: Kind) -> AsyncIterator[None]:
    """What is done inside is refused with this code, and the log is what it was."""
    before = await log.read(M, after=0)
    with pytest.raises(Refusal) as caught:
        yield
    assert (caught.value.code, caught.value.kind) == (code, kind)
    assert await log.read(M, after=0) == before


class Alarm:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = NOON
        self._rings = asyncio.Event()

    def now(self) -> Instant:
        return self.time

    async def sleep_until(self, at: Instant) -> None:
        while self.time < at:
            self._rings.clear()
            await self._rings.wait()

    def set(self, time: Instant) -> None:
        self.time = time
        self._rings.set()


class FailingDeck:
    """A deck that is away from time to time."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.away = False
        self.asked: list[str] = []

    async def commitment(self, match: str, deal: Deal | None = None) -> str:
        self._answer("commitment")
        return await self.deck.commitment(match, deal)

    async def draw(self, match: str, draw_id: str, asked: Roll | Draw) -> tuple[int, ...]:
        self._answer(draw_id)
        return await self.deck.draw(match, draw_id, asked)

    async def reveal(self, match: str) -> str:
        self._answer("seed")
        return await self.deck.reveal(match)

    def _answer(self, what: str) -> None:
        self.asked.append(what)
        if self.away:
            raise Unavailable("deck_unavailable", "The deck cannot be reached.")


def leave(seat: int) -> str:
    return written({"type": Leave.name, "data": {"seat": seat}})


async def is_after(log: Log, revision: int) -> bool:
    return len(await log.read(M, after=0)) > revision


async def has(log: Log, event: str) -> bool:
    return any(recorded.type == event for commit in await commits(log) for recorded in commit.events)


async def is_turn_of(log: Log, seat: int) -> bool:
    return (await folded(log)).pending == Seats((seat,))


async def is_turn(log: Log, turn: int) -> bool:
    return bool((await folded(log)).state.turn == turn)
