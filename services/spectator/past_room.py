"""The room of a complete match, from its blob: its lines are checked, and none is folded before somebody needs it.

Whoever comes is shown the last position first, which is kept beside the lines (``services/spectator/ends.py``). Facts
need no position at all. Any other position is folded up to when it is asked for, and what has been folded stays.

Nothing follows such a match, so the room waits for nothing. What its viewers may know of it is said where it always
is: in the view of a state and in the redaction of a commit.
"""

from collections.abc import Callable, Sequence
from typing import Any

from engine.kernel.codec import Undecodable
from engine.kernel.commit import BadLine, Commit
from engine.kernel.history import BrokenLog
from engine.kernel.match import AnyMatch, MatchState
from engine.kernel.official import MatchOpened
from engine.kernel.ports import Clock, Log, Stored
from engine.kernel.value import Instant, Revision
from services.kit.curtain import Veil
from services.kit.line_head import commit_of
from services.spectator.complete import Kept, is_closing
from services.spectator.ends import Ended, is_of_this_code, state_of
from services.spectator.room import Room


class PastRoom(Room):
    """``veil`` is what keeps whoever looks behind; ``None`` for those whom nothing does.

    Raises ``BrokenLog`` or ``Damaged`` for lines that are no complete match, or that their own end does not belong to.
    """

    def __init__(
        self, match: AnyMatch, match_id: str, log: Log, clock: Clock, kept: Kept, veil: Veil | None, *, is_open: bool
    ) -> None:
        super().__init__(match, match_id, log, clock, is_open=is_open)
        self.give_up: Callable[[str], None] = lambda reason: None
        """Called with what is wrong, when a line that is needed only now turns out not to hold."""
        self.is_front = veil is not None
        """Whether this is the room before the curtain."""
        self._delay = 0 if veil is None else veil.delay
        self._lines = kept.lines
        self._commits: dict[int, Commit] = {}
        """Those that somebody has asked for."""
        self._end: MatchState[Any] | None = None
        if not is_closing(self._lines[-1].line):
            raise BrokenLog(match_id, self.revision, "the match goes on behind it")
        opening = self._opening()
        self._opened = opening.opened
        game_state = type(opening.game)
        self._end = state_of(kept.end, game_state, kept.root)
        self.is_kept_well = is_of_this_code(kept.end, game_state)
        """Whether there is nothing better to keep of this match."""
        if self._end is None:
            self.check()

    @property
    def revision(self) -> Revision:
        return len(self._lines)

    @property
    def opened(self) -> MatchOpened:
        return self._opened

    @property
    def state(self) -> MatchState[Any]:
        return self._history.state if self._end is None else self._end

    @property
    def complete(self) -> bool:
        return True

    def check(self) -> None:
        """Fold all of it, and compare. Raises ``BrokenLog``."""
        self._fold_to(self.revision)
        if self._end is not None and self._end != self._history.state:
            raise BrokenLog(self.match_id, self.revision, "the end that was kept is another one")

    def ended(self) -> Ended:
        """For whoever keeps it: what the lines have been folded to."""
        self._fold_to(self.revision)
        return super().ended()

    async def catch_up(self) -> None:
        """There is nothing more."""

    def read(self, lines: Sequence[Stored]) -> None:
        """All of them are here."""

    async def offer(self, stored: Stored) -> None:
        """A line of this match that comes by is known here, or it is none of this match's."""

    def lift(self) -> None:
        """Everything is shown."""

    def now(self) -> Instant:
        """As late as everybody here."""
        return super().now() - self._delay

    def _opening(self) -> MatchState[Any]:
        """Raises ``BrokenLog``."""
        try:
            event = self._match.event_of(self._commit(0).events[0])
        except (Undecodable, IndexError) as error:
            raise BrokenLog(self.match_id, 1, str(error)) from error
        if not isinstance(event, MatchOpened):
            raise BrokenLog(self.match_id, 1, "it opens no match")
        return self._match.evolve(None, event)

    def _commit(self, index: int) -> Commit:
        commit = self._commits.get(index)
        if commit is None:
            try:
                commit = self._commits[index] = self._read(self._lines[index].line)
            except (BadLine, Undecodable) as error:
                self.give_up(str(error))
                raise BrokenLog(self.match_id, index + 1, str(error)) from error
        return commit

    def _read(self, line: bytes) -> Commit:
        commit = commit_of(line)
        if commit.rules != self._match.game.rules:
            raise BadLine(f"it was played by {commit.rules}")
        for recorded in commit.events:
            self._match.event_of(recorded)
        return commit

    def _state_at(self, revision: Revision) -> MatchState[Any]:
        self._fold_to(revision)
        return super()._state_at(revision)

    def _fold_to(self, revision: Revision) -> None:
        try:
            for stored in self._lines[self._history.revision : revision]:
                self._accept(stored)
        except BrokenLog as error:
            self.give_up(str(error))
            raise
