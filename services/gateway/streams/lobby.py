"""The lobby: what is being played in the house and which events there are, told to everybody who looks in.

There is one upstream of matches, however many readers there are, and none while nobody reads; events are read off the
noticeboard. The lobby keeps the latest of every match and event; a reader is a cursor on the changes, so one that is
slow skips what is outdated.

A reader is never told more than ``TOLD_MAX`` of a kind at a time, the newest changes of all. So whoever keeps the
``TOLD_MAX`` it was told of last has no match that has ended unheard: as many others have moved since.
"""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from itertools import islice
from typing import Any, Final

import msgspec
import structlog
from tavolata.scoring.v1 import scoring_pb2
from tavolata.tournament.v1 import tournament_pb2

from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from services.gateway.streams.audience import AWAY, HEARTBEAT_SECONDS, RETRY_SECONDS
from services.gateway.streams.frames import HEARTBEAT, Frame, farewell, frame
from services.gateway.streams.hub import IDLE_SECONDS
from services.gateway.streams.noticeboard import Noticeboard
from services.kit.access.carried import nobodys_context
from services.kit.pulse import Latest, Pulse
from services.kit.telemetry import WATCHERS
from services.kit.wire.clients import ScoringClient

TOLD_MAX: Final = 200
"""Matches, and events, that a reader is told of at a time; far more than a page shows."""

OVER_KEPT: Final = 1_000
"""Matches and events that are kept before those that are over are forgotten: a reader on its way is still told."""

BEAT_SECONDS: Final = 0.25
"""Readers are woken no more often: what changes several times meanwhile is told once."""

BEGIN: Final = frame("begin", 0, {})
"""A reader begins: until ``HERE`` it is told of everything that is going on, whatever it may have heard before."""

HERE: Final = frame("here", 0, {})
"""Everything that is going on has been told, and the house is there; also when it is there again."""

Upstream = Callable[[], Awaitable[None]]

logger = structlog.get_logger()


class Notice(msgspec.Struct, frozen=True):
    """The short form of a match or of an event, and whether it is over."""

    over: bool
    frame: Frame


class Lobby:
    """``join`` lets one reader in; ``follow`` is what it is told; ``close`` sends all of them away."""

    def __init__(self, scoring: ScoringClient, notices: Noticeboard) -> None:
        self._scoring = scoring
        self._notices = notices
        self._matches: Latest[str, Notice] = Latest()
        self._events: Latest[str, Notice] = Latest()
        self._running: set[str] = set()
        """Matches that have not ended, as far as is known."""
        self._away: set[Upstream] = set()
        """Upstreams that cannot be reached, or have not told yet what there is."""
        self._broken = False
        """Whether one of them was tried in vain."""
        self._pulse = Pulse()
        self._beat: asyncio.TimerHandle | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._readers = 0
        self._stopped = False

    @asynccontextmanager
    async def join(self) -> AsyncGenerator["Lobby", None]:
        """Raises ``Unavailable`` once the gateway is being stopped."""
        if self._stopped:
            raise Unavailable("service_stopping", "The service is being stopped; ask again in a moment.")
        if not self._tasks:
            upstreams: tuple[Upstream, ...] = (self._take_matches, self._take_events)
            self._away = set(upstreams)
            self._tasks = [
                asyncio.create_task(self._persist(upstream), context=nobodys_context()) for upstream in upstreams
            ]
        self._readers += 1
        WATCHERS.labels("lobby").inc()
        try:
            yield self
        finally:
            self._readers -= 1
            if not self._readers:
                asyncio.get_running_loop().call_later(IDLE_SECONDS, self._retire)

    async def close(self) -> None:
        """Every reader is told to come again, and the upstreams are ended."""
        self._stopped = True
        self._pulse.beat()
        await asyncio.sleep(0)  # the readers say goodbye first
        self._retire()

    def _retire(self) -> None:
        if self._stopped or not self._readers:
            for task in self._tasks:
                task.cancel()
            self._tasks = []

    # -- upstream --------------------------------------------------------------------------------------------------

    async def _persist(self, upstream: Upstream) -> None:
        """For ever: whatever breaks is taken up again, from what there is then."""
        tries = 0
        while True:
            try:
                await upstream()
            except Unavailable:
                pass
            except (Refusal, Failed) as error:
                logger.error("lobby_failed", reason=error.code)
            except Exception as error:  # a fault of ours is tried again, too: readers wait, and would for ever
                logger.error("internal_error", error_id=uuid.uuid4().hex[:12], exc_info=error)
            tries = 0 if upstream not in self._away else tries + 1
            self._away.add(upstream)
            self._broken = True
            self._wake()
            await asyncio.sleep(RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)])

    async def _take_matches(self) -> None:
        running = {match.match_id: match async for match in self._scoring.matches(status=scoring_pb2.STATUS_RUNNING)}
        for match in sorted(running.values(), key=lambda match: match.changed_at):
            self._note_match(match)
        for missed in self._running - running.keys():
            await self._note_missed(missed)
        self._tell_here(self._take_matches)
        async with aclosing(self._scoring.watch()) as changes:
            async for match in changes:
                self._note_match(match)

    async def _note_missed(self, match: str) -> None:
        """How a match has ended that was running; one that the house knows no more is told to nobody else."""
        try:
            self._note_match(await self._scoring.match(match))
        except Refusal:
            self._running.discard(match)
            known = self._matches.get(match)
            if known is not None:
                self._note(self._matches, match, Notice(True, known.frame))

    async def _take_events(self) -> None:
        async with aclosing(self._notices.all()) as told:
            async for events in told:
                for event in events:
                    self._note_event(event)
                self._tell_here(self._take_events)

    def _note_match(self, match: scoring_pb2.Match) -> None:
        over = match.status == scoring_pb2.STATUS_ENDED
        if over and match.match_id not in self._running:
            return  # one that was over before anybody could have been told of it
        (self._running.discard if over else self._running.add)(match.match_id)
        self._note(self._matches, match.match_id, Notice(over, frame("match", match.revision, match_body(match))))

    def _note_event(self, event: tournament_pb2.Tournament) -> None:
        notice = Notice(event.phase == "finished", frame("tournament", event.revision, event_body(event)))
        self._note(self._events, event.tournament_id, notice)

    def _note(self, latest: Latest[str, Notice], key: str, notice: Notice) -> None:
        if latest.get(key) == notice:
            return  # told anew after a broken line
        latest.put(key, notice)
        if notice.over:
            latest.prune(lambda each: each.over, OVER_KEPT)
        self._wake()

    def _tell_here(self, upstream: Upstream) -> None:
        if upstream not in self._away:
            return
        self._away.discard(upstream)
        self._broken = self._broken and bool(self._away)
        self._wake()

    def _wake(self) -> None:
        if self._beat is None:
            self._beat = asyncio.get_running_loop().call_later(BEAT_SECONDS, self._beat_now)

    def _beat_now(self) -> None:
        self._beat = None
        self._pulse.beat()

    # -- readers ---------------------------------------------------------------------------------------------------

    async def follow(self) -> AsyncGenerator[Frame, None]:
        """``BEGIN``, what is running and what events there are, ``HERE``, then each change as it stands by then."""
        yield BEGIN
        matches = events = 0
        told: Frame | None = None
        while True:
            match_news, matches = _news(self._matches, matches, with_over=matches > 0)
            event_news, events = _news(self._events, events, with_over=True)
            state = HERE if not self._away else AWAY if self._broken else told
            if match_news or event_news:
                for each in (*event_news, *match_news):
                    yield each
            elif state is not told and state is not None:
                told = state
                yield state
            elif self._stopped:
                yield farewell()
                return
            elif not await self._woken():
                yield HEARTBEAT

    async def _woken(self) -> bool:
        """False if nothing came in all the time until a heartbeat is due."""
        try:
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                await self._pulse.wait()
        except TimeoutError:
            return False
        return True


def _news(latest: Latest[str, Notice], seen: int, *, with_over: bool) -> tuple[list[Frame], int]:
    """The newest changes behind ``seen``, oldest first, and the change that the reader has then seen."""
    newest = next((change for change, _ in latest.since(seen)), seen)
    told = (notice.frame for _, notice in latest.since(seen) if with_over or not notice.over)
    return list(islice(told, TOLD_MAX))[::-1], newest


STATUS: Final = {scoring_pb2.STATUS_RUNNING: "running", scoring_pb2.STATUS_ENDED: "ended"}


def match_body(match: scoring_pb2.Match) -> dict[str, Any]:
    """The short form: who plays what and how it stands, without the lines of the breakdown."""
    return {
        "match": match.match_id,
        "game": match.game,
        "status": STATUS[match.status],
        "revision": match.revision,
        "opened_at": match.opened_at,
        "changed_at": match.changed_at,
        "reason": match.reason,
        "seats": [
            {"seat": seat.seat, "player": seat.player, "total": seat.total, "rank": seat.rank, "left": seat.left}
            for seat in match.seats
        ],
    }


def event_body(event: tournament_pb2.Tournament) -> dict[str, Any]:
    return {
        "tournament": event.tournament_id,
        "name": event.name,
        "phase": event.phase,
        "revision": event.revision,
        "created_at": event.created_at,
        "entrants": event.entrants,
        "round": event.round,
        "round_phase": event.round_phase,
        "stage": event.stage,
        "stage_name": event.stage_name,
    }
