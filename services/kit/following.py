"""Many matches folded side by side, as their lines come by in the order of the log.

What every reader of the whole log needs: a match that is met in the middle is loaded from its beginning, a complete one
is let go, and a damaged one is reported once and passed over, so that it cannot stop the others.
"""

from functools import cache

import structlog

from engine.games import game_of_rules
from engine.kernel.commit import BadLine, Commit
from engine.kernel.history import AnyHistory, BrokenLog, History
from engine.kernel.match import AnyMatch, Match
from engine.kernel.ports import Log, Stored
from engine.kernel.refusal import Refusal
from services.kit.line_head import commit_of
from services.kit.telemetry import DAMAGED

logger = structlog.get_logger()


class Following:
    """Histories of the matches that are not complete, as far as their lines have come by."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._histories: dict[str, AnyHistory] = {}
        self._damaged: set[str] = set()

    async def take(self, stored: Stored) -> tuple[AnyHistory, Commit] | None:
        """Fold one line; ``None`` if its match is damaged or has been folded further already."""
        try:
            commit = commit_of(stored.line)
        except BadLine as error:
            logger.error("bad_line", position=stored.position, reason=str(error))
            return None
        if commit.match in self._damaged:
            return None
        try:
            history = self._history(commit)
            if commit.revision <= history.revision:
                return None
            if commit.revision > history.revision + 1:
                for earlier in await self._log.read(commit.match, after=history.position):
                    if earlier.position < stored.position:
                        history.accept(earlier.line, earlier.position)
            accepted = history.accept(stored.line, stored.position, decoded=commit)
        except (BrokenLog, Refusal) as error:
            DAMAGED.labels("match").inc()
            logger.error("damaged_match", match=commit.match, revision=commit.revision, reason=str(error))
            self._damaged.add(commit.match)
            self._histories.pop(commit.match, None)
            return None
        if history.state.seed:
            self._histories.pop(commit.match, None)
        return history, accepted

    def _history(self, commit: Commit) -> AnyHistory:
        history = self._histories.get(commit.match)
        if history is None:
            history = History(match_of_rules(commit.rules), commit.match)
            self._histories[commit.match] = history
        return history


@cache
def match_of_rules(rules: str) -> AnyMatch:
    """The decider of ``just4fun/1``. Raises ``Refusal`` for rules that are not here."""
    return Match(game_of_rules(rules))


def rules_of(match_id: str, first: Stored) -> str:
    """What a match is played by, from its first line. Raises ``BrokenLog`` if that is none."""
    try:
        return commit_of(first.line).rules
    except BadLine as error:
        raise BrokenLog(match_id, 1, str(error)) from error
