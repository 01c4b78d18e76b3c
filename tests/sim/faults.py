"""What goes wrong between the processes: on the way to the log and back, on a call and its answer, on a read model.

Each port here has the contract of the real one and no more. A request may be lost, done without anybody hearing of it,
done late, done again by a copy of itself; a read may leave out a line that nobody has been told of. What is sent is on
its way whether its sender lives or not, so it is the wire that carries it, not the sender.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

import msgspec
from sqlmodel import Session, SQLModel

from engine.kernel.commit import BadLine, decode_line
from engine.kernel.official import MatchEnded
from engine.kernel.ports import Appended, Bounds, Conflict, Position, Stored, Unavailable, Whole
from engine.kernel.refusal import Refusal
from engine.kernel.value import Instant, Revision
from services.kit.beats import Bookmark, MemoryBeats
from services.kit.memory_log import MemoryLog
from services.kit.partition import partition_of
from services.kit.read_model import ReadModel
from tests.sim.plan import Plan
from tests.sim.process import Process
from tests.sim.records import Beat, Record
from tests.sim.trace import Trace

T = TypeVar("T")

BEAT_TAKES_S = 1.0
"""How long a beat may be under way."""


class Weather:
    """Draws what goes wrong, as long as the storm lasts. Every draw is named by the seed and the order of the house."""

    def __init__(self, plan: Plan, time: Callable[[], float]) -> None:
        self._plan = plan
        self._time = time
        self._dice = random.Random(f"weather {plan.seed}")

    @property
    def calm(self) -> bool:
        return self._time() >= self._plan.storm_s

    @property
    def dark(self) -> bool:
        """Whether nobody reaches the log."""
        begins_s, ends_s = self._plan.dark_s
        return begins_s <= self._time() < ends_s

    def strikes(self, fault: str) -> bool:
        rate: float = getattr(self._plan.rates, fault)
        return rate > 0 and not self.calm and self._dice.random() < rate

    def latency_s(self) -> float:
        """How long one message is under way."""
        if self.strikes("slow"):
            return self._dice.uniform(0.05, 3.0)
        return self._dice.choice((0.0, 0.0, 0.001, 0.004))

    def some_s(self, most: float) -> float:
        return self._dice.uniform(0, most)

    def pick(self, count: int) -> int:
        return self._dice.randrange(count)


class LogServer:
    """The log itself, which outlives everybody, and when each line was stored."""

    def __init__(self, memory: MemoryLog, wire: Process, weather: Weather, trace: Trace, time: Callable[[], float]):
        self.memory = memory
        self.stored_at: dict[tuple[int, Position], float] = {}
        self._ended: dict[str, None] = {}
        self._heard: dict[str, Position] = {}
        self._lines: dict[str, list[bytes]] = {}
        self._revisions: dict[tuple[str, str, str], Revision] = {}
        self._wire = wire
        self._weather = weather
        self._trace = trace
        self._time = time

    def send(self, game: str, match: str, line: bytes, expected: Position, delay_s: float) -> "asyncio.Task[Any]":
        """An append that is on its way now. The task's result is what the log answers, an error included."""
        return self._wire.spawn(self._arrive(game, match, line, expected, delay_s))

    async def _arrive(self, game: str, match: str, line: bytes, expected: Position, delay_s: float) -> Any:
        await asyncio.sleep(delay_s)
        try:
            appended = await self.memory.append(game, match, line, expected=expected)
        except (Conflict, Refusal, BadLine, Unavailable) as error:
            self._trace.add("log", f"{match} behind {expected}: {type(error).__name__}")
            return error
        if not appended.repeated:
            self._write_down(match, line, appended.position)
        self._trace.add(
            "log", f"{match} behind {expected}: {'again' if appended.repeated else 'at'} {appended.position}"
        )
        return appended

    def _write_down(self, match: str, line: bytes, position: Position) -> None:
        commit = decode_line(line)
        self.stored_at[partition_of(match, self.memory.partitions), position] = self._time()
        self._lines.setdefault(match, []).append(line)
        self._revisions.setdefault((match, commit.actor, commit.id), commit.revision)
        if any(event.type == MatchEnded.name for event in commit.events):
            self._ended[match] = None

    def revision_of(self, match: str, actor: str, command_id: str) -> Revision:
        """Where a command stands in the log now; 0 if it does not."""
        return self._revisions.get((match, actor, command_id), 0)

    def has_ended(self, match: str) -> bool:
        return match in self._ended

    def lines(self) -> dict[str, list[bytes]]:
        """Every line by match, in the order stored."""
        return {match: list(lines) for match, lines in self._lines.items()}

    async def read(self, match: str, after: Position, limit: int, *, stale: bool) -> tuple[Stored, ...]:
        """The lines behind a position; ``stale``: without those that nobody has been told of yet."""
        lines = await self.memory.read(match, after=after, limit=limit)
        if stale:
            heard = self._heard.get(match, 0)
            lines = tuple(stored for stored in lines if stored.position <= heard)
        elif lines:
            self.hear(match, lines[-1].position)
        return lines

    async def last(self, match: str, *, stale: bool) -> Stored | None:
        """The newest line; ``stale``: the newest that somebody has been told of."""
        lines = await self.read(match, 0, 0, stale=stale)
        return lines[-1] if lines else None

    def hear(self, match: str, position: Position) -> None:
        """Somebody has been told of a line: from now on it is in every answer."""
        self._heard[match] = max(position, self._heard.get(match, 0))


class SimLog:
    """The ``Log`` port of one process."""

    def __init__(self, process: Process, server: LogServer, weather: Weather) -> None:
        self._process = process
        self._server = server
        self._weather = weather

    @property
    def partitions(self) -> int:
        return self._server.memory.partitions

    async def whole(self, match: str) -> Whole:
        lines = await self.read(match, after=0)
        return Whole(tuple(stored.line for stored in lines), lines[-1].position if lines else 0)

    async def read(self, match: str, *, after: Position, limit: int = 0) -> tuple[Stored, ...]:
        weather = self._weather
        self._process.step(f"reads {match} behind {after}" + (f" ({limit})" if limit else ""))
        await asyncio.sleep(weather.latency_s())
        if weather.dark or weather.strikes("lost"):
            raise _no_log()
        lines = await self._server.read(match, after, limit, stale=weather.strikes("stale"))
        await asyncio.sleep(weather.latency_s())
        self._process.step(f"has {len(lines)} lines of {match}")
        return lines

    async def last(self, match: str) -> Stored | None:
        weather = self._weather
        self._process.step(f"asks for the last line of {match}")
        await asyncio.sleep(weather.latency_s())
        if weather.dark or weather.strikes("lost"):
            raise _no_log()
        stored = await self._server.last(match, stale=weather.strikes("stale"))
        await asyncio.sleep(weather.latency_s())
        self._process.step(f"has {'no line' if stored is None else stored.position} of {match}")
        return stored

    async def append(self, game: str, match: str, line: bytes, *, expected: Position) -> Appended:
        weather = self._weather
        self._process.step(f"appends to {match} behind {expected}")
        if weather.dark or weather.strikes("lost"):
            await asyncio.sleep(weather.latency_s())
            raise _no_log()
        sent = self._server.send(game, match, line, expected, weather.latency_s())
        if weather.strikes("ghost"):
            self._server.send(game, match, line, expected, weather.some_s(10.0))
        if weather.strikes("answer_lost"):
            await asyncio.sleep(weather.latency_s())
            raise _no_log()
        await asyncio.wait({sent})
        await asyncio.sleep(weather.latency_s())
        self._process.step(f"hears of its append to {match}")
        answer = sent.result()
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, Appended)
        self._server.hear(match, answer.position)
        return answer

    async def follow(
        self, partition: int, *, after: Position, game: str | None = None
    ) -> AsyncGenerator[Sequence[Stored], None]:
        async with aclosing(self._server.memory.follow(partition, after=after, game=game)) as lines:
            async for batch in lines:
                for stored in batch:  # one by one: anything may happen between two
                    if self._weather.strikes("hiccup"):
                        await asyncio.sleep(self._weather.some_s(2.0))
                    self._process.step(f"is told of {stored.position}")
                    self._server.hear(_match_of(stored), stored.position)
                    yield (stored,)

    async def bounds(self, partition: int, *, game: str | None = None) -> Bounds:
        self._process.step("asks for bounds")
        await asyncio.sleep(self._weather.latency_s())
        return await self._server.memory.bounds(partition, game=game)


class BeatServer:
    """Where beats and bookmarks are kept, which outlives everybody; and every beat that was taken, for the checkers."""

    def __init__(self, record: Record, now: Callable[[], Instant]) -> None:
        self.memory = MemoryBeats()
        self._record = record
        self._now = now

    async def beat(self, game: str, at: Instant) -> None:
        await self.memory.beat(game, at)
        self._record.beats.append(Beat(game, at, self._now()))


class SimBeats:
    """The ``Beats`` port of one process. What is under way for longer than ``BEAT_TAKES_S`` is lost."""

    def __init__(self, process: Process, server: BeatServer, weather: Weather) -> None:
        self._process = process
        self._server = server
        self._weather = weather

    async def last(self, game: str) -> Instant:
        await self._send(f"asks who was there for {game}")
        last = await self._server.memory.last(game)
        await asyncio.sleep(self._weather.latency_s())
        self._process.step(f"hears who was there for {game}")
        return last

    async def beat(self, game: str, at: Instant) -> None:
        await self._send(f"is there for {game}")
        await self._server.beat(game, at)
        if self._weather.strikes("answer_lost"):
            raise _no_log()

    async def bookmark(self, game: str, partition: int) -> Bookmark | None:
        await self._send(f"looks for a bookmark of {game} in {partition}")
        bookmark = await self._server.memory.bookmark(game, partition)
        await asyncio.sleep(self._weather.latency_s())
        self._process.step("has none" if bookmark is None else f"has one at {bookmark.position}")
        return bookmark

    async def leave(self, game: str, partition: int, bookmark: Bookmark) -> None:
        await self._send(f"leaves a bookmark of {game} in {partition} at {bookmark.position}")
        await self._server.memory.leave(game, partition, bookmark)
        if self._weather.strikes("answer_lost"):
            raise _no_log()

    async def _send(self, what: str) -> None:
        self._process.step(what)
        latency_s = self._weather.latency_s()
        await asyncio.sleep(min(latency_s, BEAT_TAKES_S))
        if self._weather.dark or latency_s > BEAT_TAKES_S or self._weather.strikes("lost"):
            raise _no_log()


class SimReadModel(ReadModel):
    """The read model of one process, in a database that outlives it; a crash may come on either side of a commit.

    There is no thread: a transaction is one step, and happens or does not.
    """

    def __init__(
        self,
        process: Process,
        weather: Weather,
        disk: Any,
        consumer: str,
        version: int,
        tables: Sequence[type[SQLModel]],
    ) -> None:
        super().__init__("sqlite://", consumer, version, tables)
        self._database.engine = disk
        self._process = process
        self._weather = weather

    async def run(self, work: Callable[[Session], T]) -> T:
        self._process.step("begins to write")
        await asyncio.sleep(self._weather.latency_s())
        self._process.step("writes")
        answer = self._database.transact(work)
        await asyncio.sleep(self._weather.latency_s())
        self._process.step("has written")
        return answer

    async def close(self) -> None:
        pass


class _Head(msgspec.Struct):
    match: str


_heads = msgspec.json.Decoder(_Head)


def _match_of(stored: Stored) -> str:
    return _heads.decode(stored.line).match


def _no_log() -> Unavailable:
    return Unavailable("log_unavailable", "The log did not answer.")
