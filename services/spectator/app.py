"""Watching: rooms for the matches that somebody looks at, and the public feed of them all.

One ordered pass over the log serves both. A room reads its match's history when the first reader comes and is told of
each new line after that; ``Room.offer`` closes any gap between the two, so readers go from history to live unawares.

A match that is kept behind the curtain has two rooms: one for its seats and the referee, and one before the curtain,
where a caster (``casts``) sees what the referee sees, as late as everybody there.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from itertools import count
from types import MappingProxyType
from typing import TypeVar

from sqlmodel import Session

from engine.kernel.commit import BadLine, decode_line
from engine.kernel.facts import Fact
from engine.kernel.history import BrokenLog
from engine.kernel.official import SeedRevealed
from engine.kernel.ports import Clock, Log, Position, Stored, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, Seat, SeatView, Viewer, check_id
from services.kit.consumer import consume
from services.kit.curtain import Curtain, is_kept_behind, scene_of, veil_of
from services.kit.following import match_of_rules, rules_of
from services.kit.held import Changes, Held
from services.kit.later import Later
from services.kit.line_head import head_of
from services.kit.locks import Locks
from services.kit.read_model import ReadModel
from services.kit.telemetry import WATCHERS, WATCHES_OPEN
from services.spectator.complete import CompleteMatches
from services.spectator.ends import Damaged, Ended
from services.spectator.feed import Feed
from services.spectator.front import FrontRoom
from services.spectator.past_room import PastRoom
from services.spectator.room import Reader, Room
from services.spectator.snapshot import Snapshot
from services.spectator.tables import FeedBehind

CHECKED_EVERY = 16
"""Rooms of complete matches from one that is folded whole when it is entered, and compared, to the next."""

ROOMS_KEPT = 500
"""Rooms without readers that are kept for the next one."""

EXPORT_BYTES = 256 * 1024
"""Of lines in one message of an export, unless a single line is larger."""

FEED_VERSION = 2

KEEP_S = 0.25
"""From one writing down of how far the feed has come to the next: after a crash it tells so much twice."""

STOP_S = 1.0
"""For the last writing down, when the service is stopped."""


class Gallery:
    """The use cases. ``run`` beside them brings the news."""

    def __init__(self, log: Log, feed: Feed, checkpoint: ReadModel, clock: Clock) -> None:
        self._log = log
        self._feed = feed
        self._checkpoint = checkpoint
        self._complete = CompleteMatches(log, checkpoint)
        self._curtain = Curtain(clock)
        self._held = Held(self._curtain)
        self._turn = asyncio.Lock()
        """A line of one partition may release lines of another: one batch after the other."""
        self._rooms: OrderedDict[str, Room] = OrderedDict()
        self._fronts: OrderedDict[str, FrontRoom | PastRoom] = OrderedDict()
        """The rooms before the curtain, of matches that are kept behind it."""
        self._loading = Locks()
        self._entered = count(1)
        """Rooms of complete matches, made of blobs."""
        self._entering: dict[str, list[Stored]] = {}
        """Of each match whose history is being read for a room, the lines that have come by meanwhile."""
        self._positions: list[Position] = []
        self._horizons: list[Position] = []
        self._told: dict[int, Position] = {}
        self._changes = Changes({}, [])
        """How far the feed has told, by partition and behind the curtain, where that is not written down yet."""
        self._later = Later(self._keep, KEEP_S)

    async def prepare(self) -> None:
        """Before ``run``: find where the feed has come to. Raises ``Refusal`` if that is in another log."""
        bounds = [await self._log.bounds(partition) for partition in range(self._log.partitions)]
        self._positions = await self._checkpoint.prepare(bounds)
        self._horizons = [bound.last for bound in bounds]
        self._complete.prepare(bounds)
        behind = await self._checkpoint.behind(FeedBehind)
        await self._show(await self._held.restore(self._log, behind, self._positions))

    async def run(self) -> None:
        """Follow the whole log for ever, from where the feed has come to."""
        try:
            beside = (self._lift, self._later.run, self._feed.run)
            await consume("spectator", self._log, list(self._positions), self._take, *beside)
        except asyncio.CancelledError:
            with suppress(TimeoutError, Unavailable):
                async with asyncio.timeout(STOP_S):
                    await self._keep()
            raise

    @property
    def taken(self) -> Sequence[Position]:
        """How far the log has been taken in and told, for ever, by partition."""
        return self._positions

    async def facts(
        self, match_id: str, viewer: Viewer, after: Revision, language: str = "en", *, casts: bool = False
    ) -> AsyncGenerator[Fact, None]:
        """Every revision behind ``after``; ends when the match is complete. Raises ``Refusal``."""
        async with self.reader(match_id, viewer, after, language, casts=casts) as reader:
            while not reader.is_over:
                for shown in reader.next():
                    yield shown.fact
                if not reader.has_more and not reader.is_over:
                    await reader.news()

    @asynccontextmanager
    async def reader(
        self, match_id: str, viewer: Viewer, after: Revision, language: str = "en", *, casts: bool = False
    ) -> AsyncIterator[Reader]:
        """The same for whoever looks at many matches: a place in the room. Raises ``Refusal``."""
        WATCHERS.labels("facts").inc()
        async with self._room(match_id, viewer, casts) as room:
            if after > room.revision:
                raise Refusal("no_such_revision", f"The match is at revision {room.revision}, before {after}.")
            with room.reader(viewer, after, language) as reader, WATCHES_OPEN.track_inprogress():
                yield reader

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
        kept = await self._complete.find(match_id)
        stored = await self._log.read(match_id, after=0) if kept is None else kept.lines
        if not stored:
            raise _unknown(match_id)
        if not _closes(match_id, stored[-1], len(stored)):
            veil = veil_of(match_id, stored[0])
            if veil is not None and not self._curtain.shows(veil, scene_of(stored[0], revision=1)):
                raise _unknown(match_id)
            raise Refusal("match_running", "A match can be exported when it is complete.", Kind.DENIED)
        if kept is None:
            self._mend(match_id, stored)
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
                players = room.opened.players
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
            if not room.revision:
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
        news = self._entering[match_id] = []
        try:
            room: Room | None = await self._entered_by_blob(match_id, behind)
            if room is None:
                lines = await self._log.read(match_id, after=0)
                if not lines:
                    raise _unknown(match_id)
                room = self._made_room(match_id, lines[0], behind)
                room.read(lines)
                if room.complete:
                    self._mend(match_id, lines, room.ended())
            for stored in news:
                await room.offer(stored)
        finally:
            del self._entering[match_id]
        if isinstance(room, FrontRoom) or (isinstance(room, PastRoom) and room.is_front):
            self._fronts[match_id] = room
        else:
            self._rooms[match_id] = room
        return room

    async def _entered_by_blob(self, match_id: str, behind: bool) -> PastRoom | None:
        """The room of a complete match; ``None`` if the log must be read."""
        kept = await self._complete.find(match_id)
        if kept is None:
            return None
        try:
            first = kept.lines[0]
            match, veil = match_of_rules(rules_of(match_id, first)), veil_of(match_id, first)
            room = PastRoom(
                match, match_id, self._log, self._curtain.clock, kept, veil if behind else None,
                is_open=behind or veil is None,
            )  # fmt: skip
            if next(self._entered) % CHECKED_EVERY == 0:
                room.check()
        except (BrokenLog, Damaged, Refusal) as error:
            self._complete.distrust(match_id, str(error))
            return None
        if not room.is_kept_well:
            self._mend(match_id, kept.lines, room.ended())
        room.give_up = lambda reason: self._give_up(match_id, room, reason)
        return room

    def _mend(self, match_id: str, lines: Sequence[Stored], ended: Ended | None = None) -> None:
        self._complete.mend(match_id, lines, ended)
        self._later.ask()

    def _give_up(self, match_id: str, room: PastRoom, reason: str) -> None:
        """A room has turned out to be broken. The next is made of what the log says."""
        for rooms in (self._rooms, self._fronts):
            if rooms.get(match_id) is room:
                del rooms[match_id]
                self._complete.renew(match_id, reason)
                self._later.ask()

    def _made_room(self, match_id: str, first: Stored, behind: bool) -> Room:
        match = match_of_rules(rules_of(match_id, first))
        veil = veil_of(match_id, first)
        if veil is not None and behind:
            return FrontRoom(match, match_id, self._log, veil, self._curtain)
        return Room(match, match_id, self._log, self._curtain.clock, is_open=veil is None)

    async def _take(self, partition: int, batch: Sequence[Stored]) -> None:
        async with self._turn:
            shown: list[Stored] = []
            for stored in batch:
                head = head_of(stored.line)
                match_id = "" if head is None else head.match
                closes = head is not None and self._complete.take(head, stored)
                for room in (self._rooms.get(match_id), self._fronts.get(match_id)):
                    if room is not None:
                        await room.offer(stored)
                        if closes and room.complete:
                            self._complete.note_end(match_id, room.ended())
                if match_id in self._entering:
                    self._entering[match_id].append(stored)
                shown.extend(self._held.take(stored))
            await self._show(shown, {partition: batch[-1].position})
        while self._complete.is_full:
            self._later.ask(at_once=True)
            await self._complete.has_settled()

    async def _lift(self) -> None:
        """Show what the time releases, for ever."""
        while True:
            await self._held.due()
            async with self._turn:
                await self._show(self._held.lift())

    async def _show(self, shown: list[Stored], taken: Mapping[int, Position] = MappingProxyType({})) -> None:
        for match_id in {_match_of(stored): None for stored in shown if self._fronts}:
            front = self._fronts.get(match_id)
            if front is not None:
                front.lift()
        if shown:
            for told in await self._feed.publish(shown, late_until=self._horizons, shown=self._held.shown):
                room = self._find(told.fact.match, behind=True)
                if room is not None:
                    room.note(told)
        behind, over = self._held.changes()
        self._changes.behind.update(behind)
        self._changes.over.extend(over)
        self._told.update(taken)
        self._later.ask()

    async def _keep(self) -> None:
        """Write down how far the feed has come, once it is certain that it was told, what is held and what is whole."""
        told, self._told = self._told, {}
        changes, self._changes = self._changes, Changes({}, [])
        try:
            closed = await self._complete.closed()
            await self._feed.settle()

            def write(session: Session) -> None:
                self._checkpoint.note_behind(session, FeedBehind, changes)
                self._complete.write(session, closed)

            await self._checkpoint.apply_all(told, write)
        except BaseException:  # above all when the service is stopped: the last writing down is still to come
            self._told = told | self._told
            self._changes = Changes(changes.behind | self._changes.behind, changes.over + self._changes.over)
            raise
        self._complete.settled(closed)
        for partition, position in told.items():
            self._positions[partition] = position

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
