"""One match's log, folded: the ledger of a match, and the only mutable thing of the kernel.

What holds for every log, ``engine/kernel/ledger.py`` keeps; here stands what a match adds.
"""

from typing import Any, Generic, TypeAlias, cast

import msgspec

from engine.kernel.codec import Recorded, Undecodable
from engine.kernel.game import C, E, O, Pending, S
from engine.kernel.ledger import BrokenLog, Duplicate, Ledger, Proposal
from engine.kernel.limits import COMMITS_MAX
from engine.kernel.match import Decision, Match, MatchState, Request, is_official
from engine.kernel.official import MatchOpened
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

    @property
    def commits_max(self) -> int:
        return COMMITS_MAX

    def decide(self, state: MatchState[S] | None, request: Request) -> Decision[S]:
        return self._match.decide(state, request)

    def fold(self, state: MatchState[S] | None, events: tuple[Recorded, ...]) -> MatchState[S]:
        """As ``Match.evolve`` folds one after the other; but what the game makes of several is put in once."""
        match = self._match
        game = None if state is None else state.game
        for recorded in events:
            event = match.event_of(recorded)
            if (state is None) != isinstance(event, MatchOpened):
                raise Undecodable("a match is opened once, by its first event")
            if state is not None and not is_official(event):
                game = match.game.evolve(cast(S, game), event)
                continue
            if state is not None and game is not state.game:
                state = msgspec.structs.replace(state, game=cast(S, game))
            state = match.evolve(state, event)
            game = state.game
        if state is None:
            raise Undecodable("the first commit opens no match")
        return state if game is state.game else msgspec.structs.replace(state, game=cast(S, game))

    def unknown(self, identity: str) -> Refusal:
        return Refusal("unknown_match", f"There is no match {identity}.", Kind.MISSING)

    def too_long(self) -> Refusal:
        return Refusal("match_too_long", f"A match has at most {COMMITS_MAX} commits.")


class History(Ledger[MatchState[S]], Generic[O, S, C, E]):
    """The folded match at one revision. ``position`` is that of its last line: the next append's ``expected``."""

    def __init__(self, match: Match[O, S, C, E], match_id: str) -> None:
        super().__init__(Matches(match), match_id)
        self.match = match
        self.match_id = match_id

    @property
    def pending(self) -> Pending:
        return self.match.pending(self.state)


AnyHistory: TypeAlias = History[Any, Any, Any, Any]
