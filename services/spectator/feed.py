"""The public feed: every match's facts as a bystander knows them, on ``feed.match.<game>.<match id>``.

It is core NATS: whoever subscribes hears what is published from then on. Revisions are contiguous, so a subscriber sees
a gap and asks the spectator service for it. The position is written after the publication, so that after a crash some
facts come twice and none is left out. ``publish`` does not wait for the server, ``settle`` does: until then what was
published is kept here, and told again if the server may not have taken it. What comes close together is sent together.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, TypeAlias

import msgspec
import structlog

from engine.kernel.codec import Undecodable
from engine.kernel.commit import BadLine
from engine.kernel.facts import Fact, fact_of
from engine.kernel.history import AnyHistory, BrokenLog, History
from engine.kernel.match import AnyMatch, MatchState
from engine.kernel.ports import Log, Position, Stored, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, Spectator
from services.kit.following import match_of_rules
from services.kit.line_head import commit_of
from services.kit.partition import partition_of

FEED = "feed.match"
RETRY_S = 0.2

GATHER_S = 0.005
"""What is published within it goes to the server together. Who watches is told at once; the feed is for those who want
all matches, and a write for each fact of theirs costs both sides as much as all the rest.
"""

UNSETTLED_MAX = 5_000
"""Facts that the server may not have taken; with so many it is waited for."""

ENDS_KEPT = 256
"""States of complete matches of closed pasts, so that a feed told again does not read a match for each of its lines."""

logger = structlog.get_logger()


Shown: TypeAlias = Callable[[str], Revision | None]
"""How far a match has been shown to bystanders; ``None`` if nothing keeps it behind."""


class Told(NamedTuple):
    """What bystanders are told of the line at a position."""

    position: Position
    fact: Fact


class Publisher(Protocol):
    """Core NATS: fire and forget."""

    async def publish(self, subject: str, payload: bytes) -> None: ...

    async def flush(self) -> None:
        """Returns when the server has taken all that was published before. Raises ``Unavailable`` if some of what was
        published since the last time may be lost.
        """
        ...


class Feed:
    """From stored lines to the public feed."""

    def __init__(self, publisher: Publisher, log: Log) -> None:
        self._publisher = publisher
        self._log = log
        self._encoder = msgspec.json.Encoder()
        self._unsettled: list[tuple[str, bytes]] = []
        """What the server may not have taken yet, in order."""
        self._sent = 0
        """How much of it has been sent."""
        self._news = asyncio.Event()
        self._ends: dict[str, MatchState[Any]] = {}
        """By match id, what nothing will change any more; the one that has been here longest first."""
        self._turn = asyncio.Lock()
        self._settling = asyncio.Lock()

    async def run(self) -> None:
        """Send what is published, for ever."""
        while True:
            await self._news.wait()
            await asyncio.sleep(GATHER_S)
            self._news.clear()
            with suppress(Unavailable):  # whoever settles sends it again
                await self._send()

    async def publish(self, batch: Sequence[Stored], *, late_until: Sequence[Position], shown: Shown) -> list[Told]:
        """All of it, however long NATS is away: then some facts may come twice. Returns what is told as it happens.

        Lines up to ``late_until`` (by partition) happened while nobody published; where a game's past is closed they
        are recalled, as they may be known at the revision that ``shown`` says of the match.
        """
        live: list[Told] = []
        messages: list[tuple[str, bytes]] = []
        for stored in batch:
            try:
                commit = commit_of(stored.line)
                match = match_of_rules(commit.rules)
                horizon = late_until[partition_of(commit.match, self._log.partitions)]
                late = stored.position <= horizon and not match.game.past_is_open
                now = await self._now(match, commit.match, shown(commit.match)) if late else None
                fact = fact_of(match, commit, Spectator(), now=now)
            except (BadLine, BrokenLog, Refusal, Undecodable) as error:
                logger.error("bad_line", position=stored.position, reason=str(error))
                continue
            messages.append((f"{FEED}.{match.game.key}.{commit.match}", self._encoder.encode(fact)))
            if not late:
                live.append(Told(stored.position, fact))
        self._unsettled += messages
        self._news.set()
        if len(self._unsettled) >= UNSETTLED_MAX:
            await self.settle()
        return live

    async def settle(self) -> None:
        """Returns when the server has taken all that was published before."""
        async with self._settling:
            while True:
                try:
                    count = await self._send()
                    await self._publisher.flush()
                except Unavailable as error:
                    logger.warning("feed_waits", reason=error.code)
                    await asyncio.sleep(RETRY_S)
                    self._sent = 0
                else:
                    async with self._turn:
                        del self._unsettled[:count]
                        self._sent = max(0, self._sent - count)
                    return

    async def _send(self) -> int:
        """What has not been sent, in order; how much that is unsettled has been. Raises ``Unavailable``: then all that
        is unsettled is to be sent again, before anything newer.
        """
        async with self._turn:
            try:
                while self._sent < len(self._unsettled):
                    await self._publisher.publish(*self._unsettled[self._sent])
                    self._sent += 1
            except Unavailable:
                self._sent = 0
                raise
            return self._sent

    async def _now(self, match: AnyMatch, match_id: str, shown: Revision | None) -> MatchState[Any]:
        if match_id in self._ends:
            return self._ends[match_id]
        history: AnyHistory = History(match, match_id)
        whole = await self._log.whole(match_id)
        history.catch_up([Stored(whole.position, line) for line in whole.lines[:shown]])
        if history.state.seed:
            self._ends[match_id] = history.state
            if len(self._ends) > ENDS_KEPT:
                del self._ends[next(iter(self._ends))]
        return history.state
