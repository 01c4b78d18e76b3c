"""A log that has a past: complete matches of the three games, with clocks, under as many ids as are wanted.

Some matches are played at random; the others are the same lines under new ids, chained anew. They hold like those
that were played, since no line but by its id and its ``prev`` says which match it is of. Lines of fifty matches lie
between each other, as in a house where so many are played at a time.
"""

import asyncio
import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import uvloop

from engine.games import all_games
from engine.kernel.commit import GENESIS, decode_line
from engine.kernel.game import AnyGame, Seats
from services.kit.family import MATCHES
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.client import NatsClient, header_block
from services.kit.jetstream.parser import Answer
from services.kit.jetstream.streams import Stream
from services.local.nats_server import NatsServer
from tests.kit.table import SECOND, Table, pick

SEATS: Final = 4
TURN_MS: Final = 60_000
PLAYED: Final = 4
"""Matches of each game."""
AT_ONCE: Final = 50
STREAM: Final = Stream(MATCHES, 0)
ACKED: Final = 500
"""Every so many lines the server is asked whether it has them."""
AHEAD: Final = 8
"""Such questions that may be open."""
LOOK_S: Final = 0.05


class Line(NamedTuple):
    game: str
    match: str
    revision: int
    at: str
    line: bytes


def past(commits: int) -> Iterator[Line]:
    """Whole matches of all games, until there are at least so many commits: ``past-0``, ``past-1`` ..."""
    return past_of([(game, match_of(game, number)) for number in range(PLAYED) for game in all_games()], commits)


def past_of(stock: Sequence[tuple[str, tuple[bytes, ...]]], commits: int) -> Iterator[Line]:
    """The same of these matches, each with its game, again and again."""
    begun, made = count(), 0
    open_now: list[Iterator[Line]] = []
    while open_now or made < commits:
        while len(open_now) < AT_ONCE and made < commits:
            number = next(begun)
            game, lines = stock[number % len(stock)]
            open_now.append(_told(game, f"past-{number}", lines))
            made += len(lines)
        for each in list(open_now):
            line = next(each, None)
            if line is None:
                open_now.remove(each)
            else:
                yield line


@cache
def match_of(game: str, number: int) -> tuple[bytes, ...]:
    """The lines of one match, complete; the same every time."""
    rules: AnyGame = all_games()[game]
    dice = random.Random(f"{game} {number}")
    table = Table(rules, f"played-{number}", dice.randbytes(32)).open(SEATS, turn_ms=TURN_MS).settle()
    while isinstance(pending := table.pending, Seats):
        table.now += dice.randrange(SECOND)
        seat = dice.choice(pending.seats)
        table.move(seat, pick(rules, table.state.game, seat, dice))
        table.settle()
    return tuple(table.close().lines)


def renamed(lines: Sequence[bytes], match_id: str) -> Iterator[bytes]:
    """The same match under another id."""
    head, prev = f'{{"match":"{match_id}"'.encode(), GENESIS.encode()
    for line in lines:
        middle = line[line.index(b',"revision"') : -len(GENESIS) - len(b'"}')]
        yield (line := head + middle + prev + b'"}')
        prev = hashlib.sha256(line).hexdigest().encode()


def _told(game: str, match_id: str, lines: tuple[bytes, ...]) -> Iterator[Line]:
    times = _times(lines)
    for revision, (at, line) in enumerate(zip(times, renamed(lines, match_id), strict=True), 1):
        yield Line(game, match_id, revision, at, line)


@cache
def _times(lines: tuple[bytes, ...]) -> tuple[str, ...]:
    return tuple(decode_line(line).at for line in lines)


class Stocked(NamedTuple):
    """A server that runs, and how many lines its log has."""

    url: str
    lines: int


@contextmanager
def stocked(folder: Path, lines: Iterable[Line]) -> Iterator[Stocked]:
    """A server with these lines in its log. Enter it outside of any event loop."""
    server = NatsServer(folder, durability="fast", dies_with_parent=True)
    asyncio.run(server.start())
    try:
        yield Stocked(server.url, uvloop.run(_fill(server.url, lines)))
    finally:
        asyncio.run(server.stop())


async def _fill(url: str, lines: Iterable[Line]) -> int:
    """Publish them as the house appends them, but without looking at each answer; how many the log has then."""
    async with await JetStreamLog.connect(url, create=True) as log:
        client = NatsClient()
        await client.connect(url, pending_size=0)
        room = asyncio.Semaphore(AHEAD)

        def acked(subject: bytes, answer: Answer) -> None:
            assert b'"error"' not in answer.data, answer.data
            room.release()

        inbox = client.new_inbox()
        await client.listen(inbox, acked)
        published = 0
        for line in lines:
            published += 1
            asks = published % ACKED == 0
            if asks:
                await room.acquire()
            subject = STREAM.subject(line.game, line.match)
            client.put(subject, line.line, reply=inbox if asks else "", headers=_headers(line))
        await client.flush()
        while (last := (await log.bounds(0)).last) < published:  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(LOOK_S)
        await client.close()
        return last


def _headers(line: Line) -> bytes:
    """What a reader with headers is sent beside a line (``services/kit/jetstream/append.py``)."""
    return header_block(
        {
            "Nats-Expected-Stream": STREAM.name,
            "ce-specversion": "1.0",
            "ce-type": "tavolata.commit",
            "ce-source": f"/tavolata/{line.game}",
            "ce-id": f"{line.match}/{line.revision}",
            "ce-time": line.at,
            "ce-subject": line.match,
            "content-type": "application/json",
        }
    )
