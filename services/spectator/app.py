"""Watching: rooms for the matches that somebody looks at, and the public feed of them all.

One ordered pass over the log serves both. A room reads its match's history when the first reader comes and is told of
each new line after that; ``Room.offer`` closes any gap between the two, so readers go from history to live unawares.

A match that is kept behind the curtain has two rooms: one for its seats and the referee, and one before the curtain,
where a caster (``casts``) sees what the referee sees, as late as everybody there.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import TypeVar

from sqlmodel import Session

from engine.kernel.commit import BadLine, decode_line
from engine.kernel.facts import Fact
from engine.kernel.history import BrokenLog
from engine.kernel.official import SeedRevealed
from engine.kernel.ports import Clock, Log, Position, Stored
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, Seat, SeatView, Viewer, check_id
from services.kit.consumer import consume
from services.kit.curtain import Curtain, is_kept_behind, scene_of, veil_of
from services.kit.following import match_of_rules, rules_of
from services.kit.held import Held
from services.kit.line_head import head_of
from services.kit.locks import Locks
from services.kit.read_model import ReadModel
from services.kit.telemetry import WATCHERS
from services.spectator.feed import Feed
from services.spectator.front import FrontRoom
from services.spectator.room import Room
from services.spectator.snapshot import Snapshot
from services.spectator.tables import FeedBehind

ROOMS_KEPT = 500
"""Rooms without readers that are kept for the next one."""

EXPORT_BYTES = 256 * 1024
"""Of lines in one message of an export, unless a single line is larger."""

FEED_VERSION = 1


class Gallery:
    """The use cases. ``run`` beside them brings the news."""

    def __init__(self, log: Log, feed: Feed, checkpoint: ReadModel, clock: Clock) -> None:
        self._log = log
        self._feed = feed
        self._checkpoint = checkpoint
        self._curtain = Curtain(clock)
        self._held = Held(self._curtain)
        self._turn = asyncio.Lock()
        """A line of one partition may release lines of another: one batch after the other."""
        self._rooms: OrderedDict[str, Room] = OrderedDict()
        self._fronts: OrderedDict[str, FrontRoom] = OrderedDict()
        """The rooms before the curtain, of matches that are kept behind it."""
        self._loading = Locks()
        self._positions: list[Position] = []
        self._horizons: list[Position] = []

    async def prepare(self) -> None:
        """Before ``run``: find where the feed has come to. Raises ``Refusal`` if that is in another log."""
        bounds = [await self._log.bounds(partition) for partition in range(self._log.partitions)]
        self._positions = await self._checkpoint.prepare(bounds)
        self._horizons = [bound.last for bound in bounds]
        behind = await self._checkpoint.behind(FeedBehind)
        await self._show(await self._held.restore(self._log, behind, self._positions), self._checkpoint.write)

    async def run(self) -> None:
        """Follow the whole log for ever, from where the feed has come to."""
        await consume("spectator", self._log, self._positions, self._take, self._lift)

    @property
    def taken(self) -> Sequence[Position]:
        """How far the log has been taken in, by partition."""
        return self._positions

    async def facts(
        self, match_id: str, viewer: Viewer, after: Revision, language: str = "en", *, casts: bool = False
    ) -> AsyncGenerator[Fact, None]:
        """Every revision behind ``after``; ends when the match is complete. Raises ``Refusal``."""
        WATCHERS.labels("facts").inc()
        async with self._room(match_id, viewer, casts) as room:
            if after > room.history.revision:
                raise Refusal("no_such_revision", f"The match is at revision {room.history.revision}, before {after}.")
            async with aclosing(room.facts(viewer, after, language)) as facts:
                async for fact in facts:
                    yield fact

    async def positions(
        self, match_id: str, viewer: Viewer, language: str = "en", *, casts: bool = False
    ) -> AsyncGenerator[Snapshot, None]:
        """The newest position, again and again; ends when the match is complete. Raises ``Refusal``."""
        WATCHERS.labels("positions").inc()
        async with self._room(match_id, viewer, casts) as room, aclosing(room.positions(viewer, language)) as shown:
            async for position in shown:
                yield position

    async def snapshot(
        self, match_id: str, viewer: Viewer, revision: Revision, language: str = "en", *, casts: bool = False
    ) -> Snapshot:
        """The match at a revision; 0 is now. Raises ``Refusal``."""
        async with self._room(match_id, viewer, casts) as room:
            return room.snapshot(viewer, revision, language)

    async def export(self, match_id: str) -> AsyncIterator[tuple[bytes, ...]]:
        """The lines of a complete match, byte for byte. Raises ``Refusal`` while it is running: they hold secrets."""
        check_id("match id", match_id)
        stored = await self._log.read(match_id, after=0)
        if not stored:
            raise _unknown(match_id)
        if not _closes(match_id, stored[-1], len(stored)):
            veil = veil_of(match_id, stored[0])
            if veil is not None and not self._curtain.shows(veil, scene_of(stored[0], revision=1)):
                raise _unknown(match_id)
            raise Refusal("match_running", "A match can be exported when it is complete.", Kind.DENIED)
        batch: list[bytes] = []
        size = 0
        for line in (each.line for each in stored):
            if batch and size + len(line) > EXPORT_BYTES:
                yield tuple(batch)
                batch, size = [], 0
            batch.append(line)
            size += len(line)
        yield tuple(batch)

    async def player_at(self, match_id: str, seat: Seat) -> str:
        """Whom the opening put in a seat; empty if nobody knows. Raises ``Refusal`` for an id that is none."""
        try:
            async with self._room(match_id, SeatView(seat)) as room:
                players = room.history.state.opened.players
        except Refusal as refusal:
            if refusal.code not in ("unknown_match", "unknown_seat"):
                raise
            return ""
        return players[seat] if seat < len(players) else ""

    @asynccontextmanager
    async def _room(self, match_id: str, viewer: Viewer, casts: bool = False) -> AsyncIterator[Room]:
        """The room of a match, caught up, with one more reader."""
        check_id("match id", match_id)
        behind = is_kept_behind(viewer, casts=casts)
        async with self._loading.of(match_id):
            room = self._find(match_id, behind)
            if room is None:
                room = await self._enter(match_id, behind)
            elif not room.complete:
                await room.catch_up()
        room.readers += 1
        try:
            if not room.history.revision:
                raise _unknown(match_id)
            room.check_viewer(viewer)
            yield room
        finally:
            room.readers -= 1
            self._close_idle_rooms()

    def _find(self, match_id: str, behind: bool) -> Room | None:
        if not behind:
            return self._rooms.get(match_id)
        front, room = self._fronts.get(match_id), self._rooms.get(match_id)
        return front or (room if room is not None and room.is_open else None)

    async def _enter(self, match_id: str, behind: bool) -> Room:
        first = await self._log.read(match_id, after=0, limit=1)
        if not first:
            raise _unknown(match_id)
        match = match_of_rules(rules_of(match_id, first[0]))
        veil = veil_of(match_id, first[0])
        # From now on the room is told of news, which it takes up behind the history.
        if veil is not None and behind:
            room: Room = self._fronts.setdefault(match_id, FrontRoom(match, match_id, self._log, veil, self._curtain))
        else:
            room = self._rooms.setdefault(
                match_id, Room(match, match_id, self._log, self._curtain.clock, is_open=veil is None)
            )
        try:
            await room.catch_up()
        except BrokenLog:
            (self._fronts if isinstance(room, FrontRoom) else self._rooms).pop(match_id)
            raise
        return room

    async def _take(self, partition: int, batch: Sequence[Stored]) -> None:
        async with self._turn:
            shown: list[Stored] = []
            for stored in batch:
                match_id = _match_of(stored)
                for room in (self._rooms.get(match_id), self._fronts.get(match_id)):
                    if room is not None:
                        await room.offer(stored)
                shown.extend(self._held.take(stored))
            await self._show(shown, lambda write: self._checkpoint.apply(partition, batch[-1].position, write))

    async def _lift(self) -> None:
        """Show what the time releases, for ever."""
        while True:
            await self._held.due()
            async with self._turn:
                await self._show(self._held.lift(), self._checkpoint.write)

    async def _show(
        self, shown: list[Stored], transact: Callable[[Callable[[Session], None]], Awaitable[None]]
    ) -> None:
        for match_id in {_match_of(stored): None for stored in shown if self._fronts}:
            front = self._fronts.get(match_id)
            if front is not None:
                front.lift()
        if shown:
            await self._feed.publish(shown, late_until=self._horizons, shown=self._held.shown)
        changes = self._held.changes()
        await transact(lambda session: self._checkpoint.note_behind(session, FeedBehind, changes))

    def _close_idle_rooms(self) -> None:
        _close_idle(self._rooms)
        _close_idle(self._fronts)


R = TypeVar("R", bound=Room)


def _close_idle(rooms: OrderedDict[str, R]) -> None:
    idle = [match_id for match_id, room in rooms.items() if not room.readers]
    for match_id in idle[: max(0, len(idle) - ROOMS_KEPT)]:
        del rooms[match_id]


def _unknown(match_id: str) -> Refusal:
    return Refusal("unknown_match", f"There is no match {match_id}.", Kind.MISSING)


def _closes(match_id: str, last: Stored, revision: Revision) -> bool:
    try:
        return any(event.type == SeedRevealed.name for event in decode_line(last.line).events)
    except BadLine as error:
        raise BrokenLog(match_id, revision, str(error)) from error


def _match_of(stored: Stored) -> str:
    """Empty for a line that is no commit; the feed says so."""
    head = head_of(stored.line)
    return "" if head is None else head.match
