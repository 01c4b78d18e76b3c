"""The public feed: every match's facts as a bystander knows them, on ``feed.match.<game>.<match id>``.

It is core NATS: whoever subscribes hears what is published from then on. Revisions are contiguous, so a subscriber sees
a gap and asks the spectator service for it. The position is written after the publication, so that after a crash some
facts come twice and none is left out.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import msgspec
import structlog

from engine.kernel.codec import Undecodable
from engine.kernel.commit import BadLine, decode_line
from engine.kernel.facts import fact_of
from engine.kernel.history import AnyHistory, BrokenLog, History
from engine.kernel.match import AnyMatch, MatchState
from engine.kernel.ports import Log, Position, Stored, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, Spectator
from services.kit.following import match_of_rules
from services.kit.partition import partition_of

FEED = "feed.match"
RETRY_S = 0.2

logger = structlog.get_logger()


Shown: TypeAlias = Callable[[str], Revision | None]
"""How far a match has been shown to bystanders; ``None`` if nothing keeps it behind."""


class Publisher(Protocol):
    """Core NATS: fire and forget."""

    async def publish(self, subject: str, payload: bytes) -> None: ...

    async def flush(self) -> None:
        """Returns when the server has taken what was published."""
        ...


class Feed:
    """From stored lines to the public feed."""

    def __init__(self, publisher: Publisher, log: Log) -> None:
        self._publisher = publisher
        self._log = log
        self._encoder = msgspec.json.Encoder()

    async def publish(self, batch: Sequence[Stored], *, late_until: Sequence[Position], shown: Shown) -> None:
        """All of it, however long NATS is away: then some facts may come twice.

        Lines up to ``late_until`` (by partition) happened while nobody published; where a game's past is closed they
        are recalled, as they may be known at the revision that ``shown`` says of the match.
        """
        while True:
            try:
                await self._publish(batch, late_until, shown)
                return
            except Unavailable as error:
                logger.warning("feed_waits", reason=error.code)
                await asyncio.sleep(RETRY_S)

    async def _publish(self, batch: Sequence[Stored], late_until: Sequence[Position], shown: Shown) -> None:
        for stored in batch:
            try:
                commit = decode_line(stored.line)
                match = match_of_rules(commit.rules)
                horizon = late_until[partition_of(commit.match, self._log.partitions)]
                late = stored.position <= horizon and not match.game.past_is_open
                now = await self._now(match, commit.match, shown(commit.match)) if late else None
                fact = fact_of(match, commit, Spectator(), now=now)
            except (BadLine, BrokenLog, Refusal, Undecodable) as error:
                logger.error("bad_line", position=stored.position, reason=str(error))
                continue
            await self._publisher.publish(f"{FEED}.{match.game.key}.{commit.match}", self._encoder.encode(fact))
        await self._publisher.flush()

    async def _now(self, match: AnyMatch, match_id: str, shown: Revision | None) -> MatchState[Any]:
        history: AnyHistory = History(match, match_id)
        for stored in (await self._log.read(match_id, after=0))[:shown]:
            history.accept(stored.line, stored.position)
        return history.state
