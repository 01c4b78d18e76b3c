"""The public feed: every match's facts as a bystander knows them, on ``feed.match.<game>.<match id>``.

It is core NATS: whoever subscribes hears what is published from then on. Revisions are contiguous, so a subscriber sees
a gap and asks the spectator service for it. The position is written after the publication, so that after a crash some
facts come twice and none is left out. ``publish`` does not wait for the server, ``settle`` does: until then what was
published is kept here, and told again if the server may not have taken it.
"""

import asyncio
from collections.abc import Callable, Sequence
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
        self._ends: dict[str, MatchState[Any]] = {}
        """By match id, what nothing will change any more; the one that has been here longest first."""
        self._turn = asyncio.Lock()
        self._settling = asyncio.Lock()

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
        async with self._turn:
            try:
                await self._send(messages)
            except Unavailable as error:
                await self._send_again(error)
        if len(self._unsettled) >= UNSETTLED_MAX:
            await self.settle()
        return live

    async def settle(self) -> None:
        """Returns when the server has taken all that was published before."""
        async with self._settling:
            while True:
                count = len(self._unsettled)
                try:
                    await self._publisher.flush()
                except Unavailable as error:
                    async with self._turn:
                        await self._send_again(error)
                else:
                    del self._unsettled[:count]
                    return

    async def _send(self, messages: list[tuple[str, bytes]]) -> None:
        self._unsettled += messages
        for subject, payload in messages:
            await self._publisher.publish(subject, payload)

    async def _send_again(self, error: Unavailable) -> None:
        """All that is unsettled, in order, before anything newer."""
        while True:
            logger.warning("feed_waits", reason=error.code)
            await asyncio.sleep(RETRY_S)
            messages, self._unsettled = self._unsettled, []
            try:
                return await self._send(messages)
            except Unavailable as again:
                error = again

    async def _now(self, match: AnyMatch, match_id: str, shown: Revision | None) -> MatchState[Any]:
        if match_id in self._ends:
            return self._ends[match_id]
        history: AnyHistory = History(match, match_id)
        whole = await self._log.whole(match_id)
        for line in whole.lines[:shown]:
            history.accept(line, whole.position)
        if history.state.seed:
            self._ends[match_id] = history.state
            if len(self._ends) > ENDS_KEPT:
                del self._ends[next(iter(self._ends))]
        return history.state
