"""Matches and events whose lines are here already, decided again: all that a process of an audit does.

It loads as little as it can, since each of them has to start first.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

from engine.games import game_of_rules
from engine.kernel.ports import Position
from engine.kernel.value import Revision, Value
from engine.luck.verifier import VerificationFailed, verify
from services.kit.family import TOURNAMENTS, Family

UNFINISHED: Final = "unfinished"
"""The code of a match whose lines all hold, and whose seed is not revealed yet."""


class Finding(Value, frozen=True, omit_defaults=True):
    """Something that is not as it must be. ``thing`` is the id of a match or an event."""

    code: str
    sentence: str
    stream: str = ""
    node: str = ""
    position: Position = 0
    thing: str = ""
    revision: Revision = 0


class Decided(Value, frozen=True):
    """What came of some matches or events."""

    complete: int = 0
    running: int = 0
    commits: int = 0
    draws: int = 0
    findings: tuple[Finding, ...] = ()

    def __add__(self, other: "Decided") -> "Decided":
        return Decided(
            self.complete + other.complete,
            self.running + other.running,
            self.commits + other.commits,
            self.draws + other.draws,
            self.findings + other.findings,
        )


Lines: TypeAlias = tuple[Family, list[tuple[str, list[bytes]]]]
"""Some matches or events, by id."""


def check_some(lines: Lines) -> list[Decided | None]:
    """What came of each; ``None`` for one that does not hold as it was read. Runs in a process of its own."""
    family, things = lines
    return [holds(family, each) for _, each in things]


def holds(family: Family, lines: Sequence[bytes]) -> Decided | None:
    """``None`` if it does not."""
    try:
        return check(family, lines)
    except VerificationFailed:
        return None


def check(family: Family, lines: Sequence[bytes]) -> Decided:
    """What came of one match or event. Raises ``VerificationFailed``."""
    if family == TOURNAMENTS:
        from cli.tournament.audit import verify_tournament

        event = verify_tournament(lines)
        return Decided(int(event.finished), int(not event.finished), event.commits, event.drafts)
    try:
        match = verify(lines, game_of_rules)
    except VerificationFailed as failure:
        if failure.code != UNFINISHED:
            raise
        return Decided(running=1, commits=len(lines))
    return Decided(complete=1, commits=match.commits, draws=match.draws)
