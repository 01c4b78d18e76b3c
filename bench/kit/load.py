"""Bots that say what their scripts say, and a spectator at each table: ``python -m bench.kit.load``, a program.

Each of ``tables`` places plays one match after the other. A match is opened, watched, and played, the next command
when the last one is a fact. All tables share one long call for commands, ``Play``, and one for facts, ``WatchMany``,
as in the client of a hall. ``rate`` paces all of them together, from when each has its spectator; then commands are
sent when their time has come, and a delay counts from when it was sent, or from when it was due if no table was free
by then. What is due at the very beginning does not count: a house settles.

What is asked comes as JSON on stdin, what was measured goes as JSON to stdout.
"""

import asyncio
import gc
import resource
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import grpc
import msgspec
import uvloop
from tavolata.match.v1 import match_pb2, match_pb2_grpc
from tavolata.spectator.v1 import spectator_pb2

from bench.kit.figures import quantile
from bench.kit.scripts import Said, Script
from engine.kernel.value import Revision
from services.kit.wire.channel import open_channel
from services.kit.wire.exchange import Exchange
from services.kit.wire.house import HouseClients, connect
from services.kit.wire.watches import Watched, Watches

ANSWER_S = 10.0
"""For the answer to a command."""

TOGETHER = 64
"""Commands in one message."""

SETTLE_S = 0.3
"""Of a paced load, whose delays are not measured."""

SEEN_S = 30.0
"""Within which every spectator must have seen the last move."""


class Asked(msgspec.Struct, frozen=True):
    """``url`` is the front door; ``rate`` moves a second of all tables together, 0 for as many as go."""

    url: str
    rules: str
    game: str
    seats: int
    scripts: list[Script]
    tables: int
    rate: float = 0.0
    watched: bool = True
    opened: bool = False
    """Whether the matches are open already."""


class Measured(msgspec.Struct, frozen=True):
    """Times in milliseconds: to the answer, and from the command to the spectator."""

    moves: int
    seconds: float
    """Until the last spectator had seen the last move."""
    cpu_seconds: float
    ack_ms: list[float]
    seen_ms: list[float]

    @property
    def per_second(self) -> float:
        return self.moves / self.seconds

    def seen(self, share: float) -> float:
        return quantile(self.seen_ms, share)


class _Load:
    def __init__(self, asked: Asked, clients: HouseClients, channel: grpc.aio.Channel) -> None:
        self._asked = asked
        self._clients = clients
        self._plays: Exchange[match_pb2.PlayCommand, match_pb2.PlayAnswer] = Exchange(
            match_pb2_grpc.MatchServiceStub(channel).Play, _request, _answers, group=TOGETHER, seconds=ANSWER_S
        )
        self._scripts = iter(asked.scripts)
        self._sent: dict[str, deque[float]] = {}
        """From when the delays count of the commands in each match that its spectator has not seen."""
        self._watchers: list[asyncio.Future[None]] = []
        self._due = 0.0
        self._counts = 0.0
        """From when delays are measured."""
        self._ready = asyncio.Barrier(min(asked.tables, len(asked.scripts)))
        self.moves = 0
        self.ack_ms: list[float] = []
        self.seen_ms: list[float] = []

    async def run(self) -> None:
        await asyncio.gather(*(self._table() for _ in range(self._asked.tables)))
        async with asyncio.timeout(SEEN_S):
            await asyncio.gather(*self._watchers)

    async def _table(self) -> None:
        has_begun = False
        for match_id, said in self._scripts:
            if not self._asked.opened:
                await self._clients.rules(self._asked.game).open(match_id, self._asked.game, self._asked.seats)
            if self._asked.watched:
                watcher = _Watcher(
                    self._sent.setdefault(match_id, deque()), len(said), partial(self._note, self.seen_ms)
                )
                self._watchers.append(watcher.done)
                watcher.begin(self._clients.spectator.watches, match_id)
                await watcher.begun
            if self._asked.rate and not has_begun:
                await self._begin()
                has_begun = True
            await self._play(match_id, said)

    async def _begin(self) -> None:
        """Together with all other tables."""
        await self._ready.wait()
        if not self._due:
            self._due = time.perf_counter()
            self._counts = self._due + SETTLE_S

    async def _play(self, match_id: str, said: list[Said]) -> None:
        for command_id, seat, command in said:
            since = await self._pace()
            act = match_pb2.ActRequest(match_id=match_id, command_id=command_id, seat=seat, command_json=command)
            self._sent.setdefault(match_id, deque()).append(since)
            answer = await self._plays.ask(partial(_command, act))
            if not answer.HasField("accepted"):
                raise SystemExit(f"{match_id} command {command_id}: {answer}")
            self._note(self.ack_ms, since)
            self.moves += 1

    def _note(self, delays: list[float], since: float) -> None:
        if since >= self._counts:
            delays.append(1000 * (time.perf_counter() - since))

    async def _pace(self) -> float:
        """Returns when the next command is due; all tables take from one row of times. From when its delay counts."""
        if not self._asked.rate:
            return time.perf_counter()
        due = self._due = self._due + 1 / self._asked.rate
        wait = due - time.perf_counter()
        if wait <= 0:
            return due
        await asyncio.sleep(wait)
        return time.perf_counter()


class _Watcher:
    """The spectator of one table, who has seen a move when its fact has been read."""

    def __init__(self, sent: deque[float], moves: int, note: Callable[[float], None]) -> None:
        loop = asyncio.get_running_loop()
        self.begun: asyncio.Future[None] = loop.create_future()
        """There is a first fact."""
        self.done: asyncio.Future[None] = loop.create_future()
        """All moves have been seen."""
        self._sent = sent
        self._moves = moves
        self._note = note
        self._seen: Revision = 0
        self._watched: Watched | None = None

    def begin(self, watches: Watches, match_id: str) -> None:
        self._watched = watches.begin(spectator_pb2.Watch(match_id=match_id), self._hear, self._end)

    def _hear(self, facts: Sequence[spectator_pb2.Fact]) -> None:
        assert self._watched is not None, "nothing is told before it has been asked for"
        for fact in facts:
            assert fact.revision == self._seen + 1, f"{fact.match_id}: {fact.revision} behind {self._seen}"
            self._seen = fact.revision
            if fact.actor.startswith("seat:"):
                self._note(self._sent.popleft())
                self._moves -= 1
        self._watched.take(self._seen)
        if not self.begun.done():
            self.begun.set_result(None)
        if not self._moves and not self.done.done():
            self._watched.leave()
            self.done.set_result(None)

    def _end(self, error: Exception | None) -> None:
        for future in (self.begun, self.done):
            if not future.done():
                future.set_exception(error or AssertionError("the match has ended before its last move"))


def _command(act: match_pb2.ActRequest, tag: int) -> match_pb2.PlayCommand:
    return match_pb2.PlayCommand(tag=tag, act=act)


def _request(commands: Sequence[match_pb2.PlayCommand]) -> match_pb2.PlayRequest:
    return match_pb2.PlayRequest(commands=commands)


def _answers(response: match_pb2.PlayResponse) -> Iterable[tuple[int, match_pb2.PlayAnswer]]:
    return ((answer.tag, answer) for answer in response.answers)


async def measure(asked: Asked) -> Measured:
    async with connect(asked.url) as clients, open_channel(asked.rules) as channel:
        load = _Load(asked, clients, channel)
        started, cpu = time.perf_counter(), _cpu()
        await load.run()
        return Measured(load.moves, time.perf_counter() - started, _cpu() - cpu, load.ack_ms, load.seen_ms)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    gc.disable()  # a burst is short, and what is measured is the house
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=Asked)
    sys.stdout.buffer.write(msgspec.json.encode(uvloop.run(measure(question))))
