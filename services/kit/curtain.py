"""What may be shown yet: the one rule for every path on which bystanders are shown matches.

Two things that an opening can say keep a match behind the curtain:

* **a deal** (several tables meet the same cards): a commit that resolves a draw is shown when every table of the deal
  has completed that draw, that is, has had a later one or has ended. A table that is not open has completed nothing.
* **a delay**: a commit is shown when it is so many milliseconds old.

A match is shown up to the first commit that may not be, so revisions stay contiguous and everything that follows from a
hidden card is hidden, too. A match that is complete is shown whole: its seed is revealed, and so all tables have ended.

Who is kept behind is said in ``is_kept_behind``, and nowhere else. Its own seats look behind the curtain, and so does
the referee; the organiser and the director of an event ask as neither: what they are shown of matches is what has been
played to its end, which is shown to everybody.
"""

from typing import assert_never

from engine.kernel.codec import Undecodable
from engine.kernel.commit import BadLine, Commit
from engine.kernel.deal import Deal
from engine.kernel.official import EVENTS, LuckResolved, MatchEnded, MatchOpened, SeedRevealed
from engine.kernel.ports import Clock, Stored
from engine.kernel.refusal import Refusal
from engine.kernel.value import Instant, Referee, Revision, SeatView, Spectator, Value, Viewer, instant_of
from services.kit.line_head import commit_of


def is_kept_behind(viewer: Viewer, *, casts: bool = False) -> bool:
    """Whether the curtain is there for this viewer. Who ``casts`` sees every hand, and tells everybody of it."""
    if casts:
        return True
    match viewer:
        case Spectator():
            return True
        case SeatView() | Referee():
            return False
        case _:
            assert_never(viewer)


class Veil(Value, frozen=True):
    """What keeps one match behind: a deal, of which it is the ``table``-th, or a delay in microseconds, or both."""

    deal: Deal | None
    table: int
    delay: Instant


class Scene(Value, frozen=True):
    """What the curtain looks at of one commit."""

    revision: Revision
    at: Instant = 0
    draw_id: str = ""
    """The draw that it resolves."""
    ends: bool = False
    closes: bool = False


class Curtain:
    """How far every deal has come, from the commits that ``note`` was told of, in the order of each match."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._deals: dict[str, _Progress] = {}

    def note(self, veil: Veil, scene: Scene) -> bool:
        """Take in one more commit of a match. True if tables of its deal may be shown more now."""
        if veil.deal is None:
            return False
        progress = self._deals.get(veil.deal.id)
        if progress is None:
            progress = self._deals[veil.deal.id] = _Progress(veil.deal.tables)
        more = progress.drew(veil.table, scene.draw_id) if scene.draw_id else False
        if scene.closes:
            progress.closed.add(veil.table)
        return progress.has_ended(veil.table) if scene.ends else more

    def shows(self, veil: Veil, scene: Scene) -> bool:
        """Whether a bystander may be shown this commit, if everything before it."""
        return self.is_common(veil, scene) and self.is_old_enough(veil, scene)

    def is_old_enough(self, veil: Veil, scene: Scene) -> bool:
        """Without a delay no clock is asked: it may go slower than the one that stamped the commit."""
        return not veil.delay or scene.at + veil.delay <= self.clock.now()

    def is_common(self, veil: Veil, scene: Scene) -> bool:
        """Whether the luck in this commit is behind all tables of the deal."""
        if veil.deal is None or not scene.draw_id:
            return True
        progress = self._deals.get(veil.deal.id)
        return progress is not None and progress.is_common(scene.draw_id)

    def is_over(self, deal: Deal) -> bool:
        """Whether every table of the deal is complete."""
        progress = self._deals.get(deal.id)
        return progress is not None and len(progress.closed) == deal.tables

    def forget(self, deal: Deal) -> None:
        self._deals.pop(deal.id, None)


class _Progress:
    """One deal. A draw is common when the tables that have ended and those that have completed it are all there are."""

    def __init__(self, tables: int) -> None:
        self._tables = tables
        self._last: dict[int, str] = {}
        """Of each running table the draw that it has not completed."""
        self._completed: dict[int, list[str]] = {}
        """Of each running table."""
        self._count: dict[str, int] = {}
        """By how many running tables a draw has been completed."""
        self._ended: set[int] = set()
        self.closed: set[int] = set()

    def drew(self, table: int, draw_id: str) -> bool:
        before = self._last.get(table)
        self._last[table] = draw_id
        if before is None:
            return False
        self._completed.setdefault(table, []).append(before)
        self._count[before] = self._count.get(before, 0) + 1
        return self.is_common(before)

    def has_ended(self, table: int) -> bool:
        for draw_id in self._completed.pop(table, ()):
            self._count[draw_id] -= 1
        self._last.pop(table, None)
        self._ended.add(table)
        return len(self._ended) == self._tables or any(map(self.is_common, self._count))

    def is_common(self, draw_id: str) -> bool:
        return len(self._ended) + self._count.get(draw_id, 0) == self._tables


def veil_of(match_id: str, first: Stored) -> Veil | None:
    """What the opening commit of a match keeps behind; ``None`` for a match that is shown as it happens."""
    try:
        opened = EVENTS.decode(commit_of(first.line).events[0])
    except (BadLine, Undecodable, IndexError):
        return None  # whoever folds the match says what is wrong with it
    if not isinstance(opened, MatchOpened) or not (opened.deal or opened.delay_ms):
        return None
    try:
        table = 0 if opened.deal is None else opened.deal.table(match_id)
    except Refusal:
        return None  # the deck deals to no such match
    return Veil(opened.deal, table, opened.delay_ms * 1000)


def scene_of(stored: Stored, revision: Revision) -> Scene:
    """A line as the curtain sees it. One that is no commit hides nothing; whoever folds it says what is wrong."""
    try:
        commit = commit_of(stored.line)
        types = {event.type for event in commit.events}
        return Scene(
            revision=revision,
            at=instant_of(commit.at),
            draw_id=_draw_id(commit) if LuckResolved.name in types else "",
            ends=MatchEnded.name in types,
            closes=SeedRevealed.name in types,
        )
    except (BadLine, Undecodable):
        return Scene(revision)


def _draw_id(commit: Commit) -> str:
    drawn = [EVENTS.decode(event) for event in commit.events if event.type == LuckResolved.name]
    return drawn[0].draw_id if isinstance(drawn[0], LuckResolved) else ""
