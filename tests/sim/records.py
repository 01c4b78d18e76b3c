"""What the simulation has seen with its own eyes, for the checkers to compare with the log.

Everything is written down where it crosses a border: an answer where the client gets it, a seed where it leaves the
deck, a fact where the viewer reads it.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from engine.kernel.chance import Draw, Roll
from engine.kernel.facts import Fact
from engine.kernel.value import Instant, Revision
from services.scoring.scoreboard import Standing
from services.spectator.snapshot import Snapshot


class Answer(msgspec.Struct, frozen=True):
    """What a caller was told about one command. ``said``: ``accepted``, ``duplicate`` or a refusal's code."""

    match: str
    actor: str
    command_id: str
    said: str
    revision: Revision
    """Of the commit; 0 with a refusal."""
    in_log: Revision
    """Where the command stood in the log when the call was made; 0 if it did not, or another goes under its id."""


class Sight(msgspec.Struct):
    """One viewer of one match, over all its streams: ``facts`` in the order read."""

    who: str
    match: str
    viewer: str
    facts: list[Fact] = msgspec.field(default_factory=list)


class Deal(msgspec.Struct, frozen=True):
    match: str
    draw_id: str
    asked: Roll | Draw
    values: tuple[int, ...]


class SeedGiven(msgspec.Struct, frozen=True):
    match: str
    seed: str
    ended: bool
    """Whether the log held the match's end at that moment."""


class Shown(msgspec.Struct, frozen=True):
    viewer: str
    snapshot: Snapshot


class Beat(msgspec.Struct, frozen=True):
    """A host of the game said that it was there at ``at``; it was taken down at ``taken``."""

    game: str
    at: Instant
    taken: Instant


class Record(msgspec.Struct):
    """``has_ended`` asks the log as it is now."""

    has_ended: Callable[[str], bool]
    answers: list[Answer] = msgspec.field(default_factory=list)
    sights: list[Sight] = msgspec.field(default_factory=list)
    feed: list[tuple[str, bytes]] = msgspec.field(default_factory=list)
    deals: list[Deal] = msgspec.field(default_factory=list)
    seeds: list[SeedGiven] = msgspec.field(default_factory=list)
    shown: list[Shown] = msgspec.field(default_factory=list)
    exports: dict[str, list[bytes]] = msgspec.field(default_factory=dict)
    standings: list[Standing] = msgspec.field(default_factory=list)
    beats: list[Beat] = msgspec.field(default_factory=list)
    leftovers: list[str] = msgspec.field(default_factory=list)
    failures: list[str] = msgspec.field(default_factory=list)
    """Errors that no service should make, as they were logged or raised."""


class Evidence(msgspec.Struct):
    """A run that is over: the log as it stands, by match, and the record."""

    planned: Any
    lines: dict[str, list[bytes]]
    record: Record
    at_rest: bool
    """Whether the run came to its end, so that whatever follows the log has had the time to."""
