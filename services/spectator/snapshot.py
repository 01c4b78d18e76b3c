"""A match at one revision as one viewer may know it: everything that a page shows of it.

The clocks are read apart from the rest, which stays the same however often it is looked at. They are made of public
facts and an instant alone, so a reading tells what its revision tells. Decided in docs/decisions/0024-clocks.md.
"""

from typing import Any

import msgspec

from engine.kernel.commit import Commit
from engine.kernel.facts import fact_of
from engine.kernel.game import Pending, Seats, SeatScore
from engine.kernel.match import AnyMatch, MatchState
from engine.kernel.timing import US
from engine.kernel.value import Instant, Revision, Seat, Value, Viewer, instant_of, instant_text


class Reading(Value, frozen=True):
    """The clocks of a match at the instant ``now``."""

    has_clock: bool
    """Whether the match was opened with a turn time or a bank; time may be called without."""
    paused: bool
    called: bool
    deadline: str
    """When the first of the pending seats is late; empty if no clock runs."""
    left_ms: tuple[int, ...]
    """By seat, rounded down; of a seat that is not pending in a turn that would begin now. Empty without any clock."""
    now: str


class Snapshot(Value, frozen=True):
    """A match at one revision, for one viewer."""

    match_id: str
    game: str
    revision: Revision
    newest: Revision
    """That this viewer may know of."""
    at: str
    pending: Pending
    view: bytes
    """The game's state with holes, as JSON."""
    svg: str
    scores: tuple[SeatScore, ...]
    words: tuple[str, ...]
    players: tuple[str, ...]
    left: tuple[Seat, ...]
    complete: bool
    """Nothing follows the newest revision: the seed is revealed."""
    past_is_open: bool
    """Whether the revisions before the newest may be looked at now."""
    clock: Reading


def snapshot_of(
    match: AnyMatch,
    state: MatchState[Any],
    commit: Commit,
    viewer: Viewer,
    language: str,
    *,
    newest: Revision,
    present: MatchState[Any],
    now: Instant,
) -> Snapshot:
    """``state`` is the one after ``commit``, ``present`` the one after the newest revision; the clocks are read at
    ``now``. Whether the past may be looked at is the caller's to ask.
    """
    view = match.view(state, viewer)
    pending = match.pending(view)
    complete = bool(present.seed)
    return Snapshot(
        match_id=commit.match,
        game=match.game.key,
        revision=commit.revision,
        newest=newest,
        at=commit.at,
        pending=pending,
        view=_encode(view.game),
        svg=match.game.board(view.game, viewer, language),
        scores=match.game.scores(view.game, language),
        words=fact_of(match, commit, viewer, language, now=present).words,
        players=state.opened.players,
        left=state.left,
        complete=complete,
        past_is_open=complete or match.game.past_is_open,
        clock=read_clock(state, pending, commit, now),
    )


def read_clock(state: MatchState[Any], pending: Pending, commit: Commit, now: Instant) -> Reading:
    """The clocks after ``commit``. Time never goes back: before the commit they are read as at it."""
    timing = state.timing
    read_at = max(now, instant_of(commit.at))
    asked = pending.seats if isinstance(pending, Seats) else ()
    runs = bool(asked and timing.deadline and not timing.paused)
    limited = timing.has_clock or timing.called
    return Reading(
        has_clock=timing.has_clock,
        paused=bool(timing.paused),
        called=timing.called,
        deadline=instant_text(timing.deadline) if runs else "",
        left_ms=tuple(timing.left_us(seat, read_at, pending=seat in asked) // US for seat in range(state.opened.seats))
        if limited
        else (),
        now=instant_text(read_at),
    )


_encode = msgspec.json.Encoder().encode
