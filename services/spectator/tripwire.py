"""A sample of what is shown, checked while people watch: do the facts and the position tell a viewer the same?

The law of every game, ``view(evolve(s, e), v) == evolve(view(s, v), redact(e, v))``, is broken by a view that shows
what the facts hide, and by a fact that tells what the view hides. So a hole in either is found by the other, without
knowing what is secret in a game. A hole in both alike is not found here; the conformance tests look for those with
twins. Nothing is stopped: what was found is counted, logged without a word of it, and is a reason to stop the game.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import structlog

from engine.kernel.commit import Commit
from engine.kernel.match import AnyMatch, MatchState
from engine.kernel.value import SeatView, Spectator, Viewer
from services.kit.telemetry import REDACTION_FAILURES

EVERY: Final = 16
"""Revisions from one that is checked to the next; each time for another viewer."""

logger = structlog.get_logger()


def check_shown(match: AnyMatch, before: MatchState[Any] | None, commit: Commit, after: MatchState[Any]) -> None:
    """One commit, if it is its turn."""
    number, rest = divmod(commit.revision, EVERY)
    if rest:
        return
    viewers: list[Viewer] = [Spectator(), *map(SeatView, range(after.opened.seats))]
    viewer = viewers[number % len(viewers)]
    try:
        view = None if before is None else match.view(before, viewer)
        for recorded in commit.events:
            view = match.evolve(view, match.redact(match.event_of(recorded), viewer))
        if match.view(after, viewer) != view:
            _tell(match, commit, "differs")
    except Exception:  # whoever is to be shown it meets the same, and is told; the others watch on
        _tell(match, commit, "error")


@contextmanager
def counted(match: AnyMatch, commit: Commit) -> Iterator[None]:
    """Counts what keeps a view or a fact from being made; it comes out as it is, and nothing is shown."""
    try:
        yield
    except Exception:
        _tell(match, commit, "error")
        raise


def _tell(match: AnyMatch, commit: Commit, check: str) -> None:
    REDACTION_FAILURES.labels(match.game.key, check).inc()
    logger.error("redaction_failure", match=commit.match, revision=commit.revision, check=check)
