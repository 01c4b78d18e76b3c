"""Whole turns of tables at which everybody moves at once: ``python -m bench.kit.turns``, a program.

Each seat has a long call (``Play``) of its own, as a person or a bot has. When a turn begins, all seats of a table send
their commands together; the next one begins when the spectator of the table has seen what came of it. The tables do not
wait for each other.

What is asked comes as JSON on stdin, the seconds from the first command to the last sight of a board go to stdout.
"""

import asyncio
import sys
import time
from contextlib import aclosing
from typing import Any

import grpc
import msgspec
import uvloop
from tavolata.match.v1 import match_pb2, match_pb2_grpc

from bench.kit.scripts import Said
from engine.kernel.value import Spectator
from services.kit.wire.channel import open_channel
from services.kit.wire.house import HouseClients, connect


class Turn(msgspec.Struct, frozen=True):
    """What every seat says, and the revision of the match when the next turn can begin."""

    said: list[Said]
    after: int


class Course(msgspec.Struct, frozen=True):
    """One match: the revision when its first turn can begin, and its turns."""

    match: str
    seats: int
    begins: int
    turns: list[Turn]


class Asked(msgspec.Struct, frozen=True):
    url: str
    rules: str
    game: str
    courses: list[Course]


class _Table:
    def __init__(self, course: Course, clients: HouseClients, stub: Any) -> None:
        self._course = course
        self._clients = clients
        self._seats = [stub.Play() for _ in range(course.seats)]
        self._revision = 0
        self._changed = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None

    async def open(self, game: str) -> None:
        await self._clients.rules(game).open(self._course.match, game, self._course.seats)
        self._watching = asyncio.create_task(self._watch())
        await self._seen(self._course.begins)

    async def play(self) -> None:
        for turn in self._course.turns:
            await asyncio.gather(*(self._act(said) for said in turn.said))
            await self._seen(turn.after)

    async def close(self) -> None:
        for call in self._seats:
            call.cancel()
        if self._watching is not None:
            self._watching.cancel()

    async def _act(self, said: Said) -> None:
        command_id, seat, command = said
        call = self._seats[seat]
        act = match_pb2.ActRequest(match_id=self._course.match, command_id=command_id, seat=seat, command_json=command)
        await call.write(match_pb2.PlayRequest(commands=[match_pb2.PlayCommand(tag=1, act=act)]))
        answer: Any = await call.read()
        if answer is grpc.aio.EOF or not answer.answers[0].HasField("accepted"):
            raise SystemExit(f"{self._course.match} seat {seat}: {answer}")

    async def _watch(self) -> None:
        async with aclosing(self._clients.spectator.facts(self._course.match, Spectator())) as facts:
            async for fact in facts:
                self._revision = fact.revision
                self._changed.set()

    async def _seen(self, revision: int) -> None:
        while self._revision < revision:
            self._changed.clear()
            await self._changed.wait()


async def measure(asked: Asked) -> float:
    async with connect(asked.url) as clients, open_channel(asked.rules) as channel:
        stub = match_pb2_grpc.MatchServiceStub(channel)
        tables = [_Table(course, clients, stub) for course in asked.courses]
        await asyncio.gather(*(table.open(asked.game) for table in tables))
        began = time.perf_counter()
        await asyncio.gather(*(table.play() for table in tables))
        seconds = time.perf_counter() - began
        await asyncio.gather(*(table.close() for table in tables))
        return seconds


if __name__ == "__main__":
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=Asked)
    sys.stdout.buffer.write(msgspec.json.encode(uvloop.run(measure(question))))
