"""One match with people looking at it: its commits, and what each kind of viewer may know of them.

Readers hold a cursor each and share the lists, so a fact is redacted once for a viewer however many look, a slow
reader costs nothing, and none has a queue that could overflow. The newest position is drawn once for a viewer and a
language, too; only its clocks are read anew for whoever asks.

Where the past of a game is closed while it runs, what happened before a reader came is recalled: told as it may be
known now. What is told once goes to the newest reader of a seat and to no other, so two windows do not learn it twice,
and one that is dead keeps nothing from the one that took its place.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from engine.kernel.catalogue import LANGUAGES
from engine.kernel.commit import BadLine, Commit
from engine.kernel.facts import Fact, fact_of
from engine.kernel.history import AnyHistory, BrokenLog, History
from engine.kernel.match import AnyMatch, MatchState
from engine.kernel.official import MatchOpened
from engine.kernel.ports import Clock, Log, Position, Stored
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Instant, Revision, SeatView, Spectator, Viewer, instant_of
from services.kit.line_head import commit_of
from services.kit.pulse import Pulse
from services.spectator.ends import Ended
from services.spectator.feed import Told
from services.spectator.past import Past
from services.spectator.snapshot import Snapshot, read_clock, snapshot_of
from services.spectator.tripwire import check_shown, counted

BYSTANDER: Final = Spectator()

SEVERAL_MAX: Final = 64
SEVERAL_BYTES: Final = 128 * 1024
"""Of facts that are told at once: their data, unless a single one has more."""


class Shown:
    """A fact, and how it is sent once somebody has been sent it: made once for all who are shown the same."""

    __slots__ = ("fact", "wire")

    def __init__(self, fact: Fact) -> None:
        self.fact = fact
        self.wire = b""


class Room:
    """A match from its beginning to now. ``offer`` brings news; readers are woken by the pulse."""

    def __init__(self, match: AnyMatch, match_id: str, log: Log, clock: Clock, *, is_open: bool) -> None:
        self.is_open = is_open
        """Whether bystanders may be here, too."""
        self._log = log
        self._clock = clock
        self._match = match
        self._history: AnyHistory = History(match, match_id)
        self._past = Past(match)
        self._positions: list[Position] = []
        """Of each commit."""
        self._facts: dict[tuple[Viewer, str], dict[int, Shown]] = {}
        self._readers: dict[Viewer, list[Reader]] = {}
        """Of each viewer those that are here, the one that came last at the end."""
        self._drawn: dict[tuple[Viewer, str], Snapshot] = {}
        """The newest position that has been drawn for each viewer and language."""
        self.pulse = Pulse()
        self._broken: BrokenLog | None = None
        self.readers = 0

    @property
    def match_id(self) -> str:
        return self._history.match_id

    @property
    def revision(self) -> Revision:
        """The newest that is shown here; 0 if there is none."""
        return self._history.revision

    @property
    def state(self) -> MatchState[Any]:
        """After the newest revision. Raises ``Refusal`` if there is none."""
        return self._history.state

    @property
    def opened(self) -> MatchOpened:
        """What the match was opened with. Raises ``Refusal`` if nothing is shown here."""
        return self.state.opened

    @property
    def complete(self) -> bool:
        """Nothing will follow: the seed is revealed."""
        return bool(self._history.revision and self._history.state.seed)

    def ended(self) -> Ended:
        """What has been folded here, where it is complete."""
        return Ended(self._match, self._history.head, self._history.state)

    async def catch_up(self) -> None:
        """Read what the log has and this room has not. Raises ``BrokenLog``."""
        self.read(await self._log.read(self._history.match_id, after=self._history.position))

    def read(self, lines: Sequence[Stored]) -> None:
        """The next lines of the log; those that are known here are passed over. Raises ``BrokenLog``."""
        for stored in lines:
            self._accept(stored)

    async def offer(self, stored: Stored) -> None:
        """A line that has just been stored; if some before it are missing, they are read."""
        if stored.position <= self._history.position or self._broken is not None:
            return
        try:
            self._accept(stored)
        except BrokenLog:
            try:
                await self.catch_up()
            except BrokenLog as error:
                self._break(error)

    def check_viewer(self, viewer: Viewer) -> None:
        """Raises ``Refusal`` for a seat that the match does not have."""
        seats = self.opened.seats
        if isinstance(viewer, SeatView) and viewer.seat >= seats:
            raise Refusal("unknown_seat", f"This match has no seat {viewer.seat}.", Kind.INVALID)

    @contextmanager
    def reader(self, viewer: Viewer, after: Revision, language: str) -> "Iterator[Reader]":
        """One more reader of every revision behind ``after``."""
        reader = Reader(self, viewer, after, language)
        readers = self._readers.setdefault(viewer, [])
        readers.append(reader)
        try:
            yield reader
        finally:
            reader.tell_of_news(None)
            readers.remove(reader)  # who was there before is the newest again

    def _ready(self, reader: "Reader", count: int, size: int) -> list[Shown]:
        """What comes next for a reader, up to ``count`` facts or ``size`` bytes of their data. Raises ``BrokenLog``
        when all that holds has been told.
        """
        ready: list[Shown] = []
        newest = self.revision
        while reader.cursor < newest and len(ready) < count and size > 0:
            shown = self._shown(reader)
            ready.append(shown)
            size -= sum(len(event.data) for event in shown.fact.events)
            reader.cursor += 1
        if not ready and self._broken is not None and reader.cursor >= newest:
            raise self._broken
        return ready

    def _shown(self, reader: "Reader") -> Shown:
        index, viewer, language = reader.cursor, reader.viewer, reader.language
        match, commit = self._match, self._commit(index)
        if not match.game.past_is_open and not self.complete:
            if index < reader.came:
                with counted(match, commit):
                    return Shown(fact_of(match, commit, viewer, language, now=self.state))
            if self._readers[viewer][-1] is not reader:
                with counted(match, commit):
                    return Shown(fact_of(match, commit, viewer, language, once=False))
        made = self._facts.setdefault((viewer, language), {})
        shown = made.get(index)
        if shown is None:
            with counted(match, commit):
                shown = made[index] = Shown(fact_of(match, commit, viewer, language))
        return shown

    def note(self, told: Told) -> None:
        """What the feed has made of a line: where bystanders read here, it is not made again."""
        index = told.fact.revision - 1
        if self._readers.get(BYSTANDER) and self._positions[index : index + 1] == [told.position]:
            made = self._facts.setdefault((BYSTANDER, LANGUAGES[0]), {})
            if index not in made:
                made[index] = Shown(told.fact)

    async def positions(self, viewer: Viewer, language: str) -> AsyncGenerator[Snapshot, None]:
        """The position now and after each change; whatever is outdated when the reader comes back is skipped."""
        sent = 0
        while True:
            if self.revision > sent:
                sent = self.revision
                yield self.snapshot(viewer, 0, language)
                continue
            if self.complete:
                return
            await self._wait()

    def snapshot(self, viewer: Viewer, revision: Revision, language: str) -> Snapshot:
        """The position at a revision; 0 is the newest. Raises ``Refusal``."""
        newest = self.revision
        if revision > newest:
            raise Refusal("no_such_revision", f"The match is at revision {newest}; there is no {revision} yet.")
        if revision in (0, newest):
            return self._present(viewer, language)
        if not self._match.game.past_is_open and not self.complete:
            raise Refusal(
                "past_is_closed", "This game is one of memory: until it ends, only the present is shown.", Kind.DENIED
            )
        commit = self._commit(revision - 1)
        return self._draw(self._state_at(revision), commit, viewer, language, now=instant_of(commit.at))

    def now(self) -> Instant:
        """The instant at which the clocks of the newest revision are read here."""
        return self._clock.now()

    def _present(self, viewer: Viewer, language: str) -> Snapshot:
        state, commit = self.state, self._commit(self.revision - 1)
        drawn = self._drawn.get((viewer, language))
        if drawn is None or drawn.revision != commit.revision:
            drawn = self._drawn[viewer, language] = self._draw(state, commit, viewer, language, now=self.now())
            return drawn
        return msgspec.structs.replace(drawn, clock=read_clock(state, drawn.pending, commit, self.now()))

    def _draw(self, state: MatchState[Any], commit: Commit, viewer: Viewer, language: str, *, now: Instant) -> Snapshot:
        with counted(self._match, commit):
            return snapshot_of(
                self._match, state, commit, viewer, language, newest=self.revision, present=self.state, now=now
            )

    def _commit(self, index: int) -> Commit:
        return self._past.commits[index]

    def _state_at(self, revision: Revision) -> MatchState[Any]:
        return self._past.state_at(revision)

    def _break(self, error: BrokenLog) -> None:
        """Whoever reads here is told, and nobody is shown any more."""
        self._broken = error
        self.pulse.beat()

    async def _wait(self) -> None:
        if self._broken is None:
            await self.pulse.wait()
        if self._broken is not None:
            raise self._broken

    def _accept(self, stored: Stored) -> None:
        if stored.position <= self._history.position:
            return
        before = self._history.state if self._history.revision else None
        commit = self._history.accept(stored.line, stored.position, decoded=_commit_of(stored.line))
        self._past.add(commit, self._history.state)
        self._positions.append(stored.position)
        check_shown(self._match, before, commit, self._history.state)
        self.pulse.beat()


class Reader:
    """A place in a room, from which one reader is told every revision from history to live, without gap or overlap.

    ``next`` again and again; in between ``news``, or whoever was named to ``tell_of_news`` is called.
    """

    def __init__(self, room: Room, viewer: Viewer, after: Revision, language: str) -> None:
        self._room = room
        self._listener: Callable[[], object] | None = None
        self.viewer = viewer
        self.language = language
        self.cursor: Revision = after
        """The revision of the last fact that was told."""
        self.came: Revision = room.revision
        """What was before it is the past."""

    def next(self, count: int = SEVERAL_MAX, size: int = SEVERAL_BYTES) -> list[Shown]:
        """As many as stand ready, up to ``count`` of them or ``size`` bytes. Raises ``BrokenLog``."""
        return self._room._ready(self, count, size)

    @property
    def has_more(self) -> bool:
        return self.cursor < self._room.revision

    @property
    def is_over(self) -> bool:
        """The match is complete, and all of it has been told."""
        return self._room.complete and not self.has_more

    async def news(self) -> None:
        """Look first, then wait, with nothing awaited in between."""
        if self._room._broken is None:
            await self._room.pulse.wait()

    def tell_of_news(self, listener: Callable[[], object] | None) -> None:
        """Who is called from now on whenever there may be more; it must not wait, or raise."""
        if self._listener is not None:
            self._room.pulse.listeners.pop(self._listener, None)
        self._listener = listener
        if listener is not None:
            self._room.pulse.listeners[listener] = None


def _commit_of(line: bytes) -> Commit | None:
    """``None`` for a line that is none; the history says what is wrong with it."""
    try:
        return commit_of(line)
    except BadLine:
        return None
