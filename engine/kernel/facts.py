"""What leaves the house: a commit as one viewer may know it.

A fact holds the redacted events and a sentence for each, and nothing else of the commit: the command stays inside,
because a command may say more than its events (a draw's command lists the cards that remain).
"""

from typing import Any

from engine.kernel.codec import Recorded
from engine.kernel.commit import Commit
from engine.kernel.match import Match, MatchState
from engine.kernel.value import Revision, Spectator, Value, Viewer


class Fact(Value, frozen=True):
    """One revision for one viewer; ``words`` holds the sentences of its events that have one."""

    match: str
    revision: Revision
    at: str
    actor: str
    events: tuple[Recorded, ...]
    words: tuple[str, ...]


def fact_of(
    match: Match[Any, Any, Any, Any],
    commit: Commit,
    viewer: Viewer,
    language: str = "en",
    *,
    now: MatchState[Any] | None = None,
    once: bool = True,
) -> Fact:
    """The only way from a commit to a viewer: as it happens, or looked back at from the position ``now``.

    Who is not to be told ``once`` gets of what is told once as much as a bystander.
    """
    events = [match.event_of(recorded) for recorded in commit.events]
    if now is None:
        shown = [
            match.redact(event, viewer if once or not match.is_told_once(event) else Spectator()) for event in events
        ]
    else:
        shown = [match.recall(event, viewer, now) for event in events]
    sentences = (match.words(event, language) for event in shown)
    return Fact(
        match=commit.match,
        revision=commit.revision,
        at=commit.at,
        actor=commit.actor,
        events=tuple(match.record_event(event) for event in shown),
        words=tuple(sentence for sentence in sentences if sentence),
    )
