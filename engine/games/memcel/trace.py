"""What has just happened, for a picture that stands still: the dice, and what the last commit moved or turned up.

It is public knowledge by position, and it is gone with the next commit: a rotation carries no mark along, a tile that
is turned down loses its mark, and nothing tells of any tile that it was seen before (M-39).
"""

from msgspec.structs import replace

from engine.games.memcel.events import (
    BoardRotated,
    Event,
    IconRolled,
    NumberRolled,
    RingRotated,
    TilePeeked,
    TileRevealed,
    TilesCovered,
    TilesPlaced,
    TilesSwapped,
)
from engine.games.memcel.model import NOWHERE, At, Trace
from engine.kernel.codec import Named


def closed(trace: Trace) -> Trace:
    """The trace after the step that is waited for now: it closes a commit."""
    return trace if trace.closed else replace(trace, closed=True)


MARKING: frozenset[type[Event]] = frozenset(
    {
        IconRolled,
        NumberRolled,
        RingRotated,
        BoardRotated,
        TilesPlaced,
        TilesSwapped,
        TileRevealed,
        TilePeeked,
        TilesCovered,
    }
)
"""The events that the picture shows."""


def traced(trace: Trace, event: Named) -> Trace:
    """The trace after ``event``; the same for the state and for every view, whatever is a hole in the event."""
    if trace.closed:
        trace = Trace(icon=trace.icon, number=trace.number)
    if type(event) not in MARKING:
        return trace
    match event:
        case IconRolled(_, face):
            return replace(trace, icon=face)
        case NumberRolled(_, number):
            return replace(trace, number=number)
        case RingRotated(ring, direction, steps):
            turned = [0, 0, 0]
            turned[ring] = steps if direction == "cw" else -steps
            return replace(trace, what="turned", places=(), turned=tuple(turned))
        case BoardRotated(direction, steps):
            by = steps if direction == "cw" else -steps
            return replace(trace, what="turned", places=(), turned=(by, by, by))
        case TilesPlaced(_, at):
            return replace(trace, what="placed", places=at)
        case TilesSwapped(_, at):
            return replace(trace, what="swapped", places=at)
        case TileRevealed(_, at):
            return replace(trace, what="revealed", places=_told(at))
        case TilePeeked(_, at):
            return replace(trace, what="peeked", places=_told(at))
        case TilesCovered(_, at):
            return replace(trace, places=tuple(place for place in trace.places if place not in at))
        case _:
            return trace


def _told(at: At) -> tuple[At, ...]:
    return () if at == NOWHERE else (at,)
