"""One match's log, folded: the ledger of a match, and the only mutable thing of the kernel.

What holds for every log, ``engine/kernel/ledger.py`` keeps; here stands what a match adds.
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeAlias

from msgspec.structs import replace

from engine.kernel import timing
from engine.kernel.codec import Recorded, Undecodable
from engine.kernel.game import C, E, O, Pending, S
from engine.kernel.ledger import BrokenLog, Duplicate, Ledger, Proposal
from engine.kernel.limits import COMMITS_MAX
from engine.kernel.match import Decision, Match, MatchState, Request, draw_of
from engine.kernel.official import ClockStarted, LuckResolved, MatchOpened
from engine.kernel.refusal import Kind, Refusal

__all__ = ["AnyHistory", "BrokenLog", "Duplicate", "History", "Matches", "Proposal"]


class Matches(Generic[S]):
    """The ``Aggregate`` of the matches of one game."""

    noun = "match"

    def __init__(self, match: Match[Any, S, Any, Any]) -> None:
        self._match = match
        self.command_of = match.command_of
        self.record_command = match.record_command
        self.rules = match.game.rules
        self.read = match.lines.read

    @property
    def commits_max(self) -> int:
        return COMMITS_MAX

    def decide(self, state: MatchState[S] | None, request: Request) -> Decision[S]:
        return self._match.decide(state, request)

    def fold(self, state: MatchState[S] | None, events: tuple[Recorded, ...]) -> MatchState[S]:
        return self.evolve(state, [self._match.event_of(recorded) for recorded in events])

    def evolve(self, state: MatchState[S] | None, events: Sequence[Any]) -> MatchState[S]:
        """The state after the events of one commit or of many, as ``Match.evolve`` folds them one by one.

        What nobody sees in between is not made: of the game's own events the match around them, and of clocks that are
        started again before they are read all but the last. Raises ``Undecodable`` for events that open no match, or
        open it again.
        """
        match = self._match
        if state is None:
            if not events or type(events[0]) is not MatchOpened:
                raise Undecodable("the first commit opens no match")
            state = match.evolve(None, events[0])
            events = events[1:]
        game, folds = state.game, match.folds
        draws: dict[str, int] | None = None
        clock: ClockStarted | None = None
        for event in events:
            kind = type(event)
            fold = folds.get(kind)
            if fold is not None:
                game = fold(game, event)
            elif kind is ClockStarted:
                clock = event
            elif kind is LuckResolved:
                draws = dict(state.draws) if draws is None else draws
                label, number = draw_of(event)
                draws[label] = number
            elif kind is MatchOpened:
                raise Undecodable("a match is opened once, by its first event")
            else:
                state = match.evolve(_with(state, game, draws, clock), event)
                draws = clock = None
        return _with(state, game, draws, clock)

    def unknown(self, identity: str) -> Refusal:
        return Refusal("unknown_match", f"There is no match {identity}.", Kind.MISSING)

    def too_long(self) -> Refusal:
        return Refusal("match_too_long", f"A match has at most {COMMITS_MAX} commits.")


class History(Ledger[MatchState[S]], Generic[O, S, C, E]):
    """The folded match at one revision. ``position`` is that of its last line: the next append's ``expected``."""

    def __init__(self, match: Match[O, S, C, E], match_id: str, *, proposes: bool = True) -> None:
        super().__init__(Matches(match), match_id, proposes=proposes)
        self.match = match
        self.match_id = match_id

    @property
    def pending(self) -> Pending:
        return self.match.pending(self.state)


AnyHistory: TypeAlias = History[Any, Any, Any, Any]


def _with(state: MatchState[S], game: S, draws: dict[str, int] | None, clock: ClockStarted | None) -> MatchState[S]:
    """What ``Matches.evolve`` has put off."""
    return replace(
        state,
        game=game,
        draws=state.draws if draws is None else tuple(draws.items()),
        timing=state.timing if clock is None else timing.evolve(state.timing, clock),
    )
