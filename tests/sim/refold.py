"""The log of a run folded again from its lines, without any of the services: what everybody should have seen."""

from functools import cached_property
from typing import Any

from engine.kernel.commit import Commit, decode_line
from engine.kernel.facts import Fact, fact_of
from engine.kernel.history import AnyHistory, History
from engine.kernel.match import AnyMatch, Match, MatchState
from engine.kernel.official import RevealSeed
from engine.kernel.value import Revision, viewer_named
from tests.sim.plan import games
from tests.sim.records import Evidence


class Refold:
    """One match. The history raises ``BrokenLog`` for a line that does not continue it."""

    def __init__(self, match_id: str, lines: list[bytes]) -> None:
        self.match_id = match_id
        self.lines = lines
        self._facts: dict[str, list[Fact]] = {}

    @cached_property
    def commits(self) -> list[Commit]:
        return [decode_line(line) for line in self.lines]

    @cached_property
    def match(self) -> AnyMatch:
        return Match(games()[self.commits[0].rules.partition("/")[0]])

    @cached_property
    def states(self) -> list[MatchState[Any]]:
        """The state at revision *n* is ``states[n - 1]``."""
        history = self._new()
        states = []
        for position, line in enumerate(self.lines, 1):
            history.accept(line, position)
            states.append(history.state)
        return states

    @cached_property
    def history(self) -> AnyHistory:
        history = self._new()
        for position, line in enumerate(self.lines, 1):
            history.accept(line, position)
        return history

    @property
    def complete(self) -> bool:
        return bool(self.lines) and self.commits[-1].command.type == RevealSeed.name

    def facts(self, viewer: str) -> list[Fact]:
        if viewer not in self._facts:
            named = viewer_named(viewer)
            self._facts[viewer] = [fact_of(self.match, commit, named) for commit in self.commits]
        return self._facts[viewer]

    def fact(self, viewer: str, revision: Revision) -> Fact:
        return self.facts(viewer)[revision - 1]

    def could_be_told(self, viewer: str, fact: Fact) -> bool:
        """Whether redaction from scratch makes this fact: as it happened or, where the past is closed, as it could be
        recalled at any later revision, or without what another reader of the seat is told once.
        """
        if fact == self.fact(viewer, fact.revision):
            return True
        if self.match.game.past_is_open:
            return False
        commit, named = self.commits[fact.revision - 1], viewer_named(viewer)
        if fact == fact_of(self.match, commit, named, once=False):
            return True
        later = self.states[fact.revision - 1 :]
        return any(fact == fact_of(self.match, commit, named, now=now) for now in later)

    def _new(self) -> AnyHistory:
        return History(self.match, self.match_id)


def refold(evidence: Evidence) -> dict[str, Refold]:
    return {match_id: Refold(match_id, lines) for match_id, lines in evidence.lines.items()}
