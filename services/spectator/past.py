"""What has happened in one match, and how it stood at any revision.

The state is kept at every ``STRIDE``-th revision. Any other is folded from the last one kept before it, so a step
through a long match costs less than ``STRIDE`` folds, wherever one is. States are immutable and share what has not
changed, and there are at most ``COMMITS_MAX`` / ``STRIDE``.
"""

from typing import Any

from engine.kernel.commit import Commit
from engine.kernel.history import Matches
from engine.kernel.match import AnyMatch, MatchState
from engine.kernel.value import Revision

STRIDE = 32
"""Revisions from one state that is kept to the next."""


class Past:
    """The commits of a match from its first, each checked already by the history that took it."""

    def __init__(self, match: AnyMatch) -> None:
        self._matches: Matches[Any] = Matches(match)
        self._states: list[MatchState[Any]] = []
        """At the revisions ``STRIDE``, 2 ``STRIDE`` ..."""
        self.commits: list[Commit] = []

    def add(self, commit: Commit, state: MatchState[Any]) -> None:
        """The next commit, and the state after it."""
        self.commits.append(commit)
        if commit.revision % STRIDE == 0:
            self._states.append(state)

    def state_at(self, revision: Revision) -> MatchState[Any]:
        """The state after a revision from 1 to the newest."""
        kept = revision // STRIDE
        state = self._states[kept - 1] if kept else None
        for commit in self.commits[kept * STRIDE : revision]:
            state = self._matches.fold(state, commit.events)
        assert state is not None, "there is no revision 0"
        return state
