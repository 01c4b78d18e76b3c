"""What has just happened, for a picture that stands still: the dice, and what the last commit moved or turned up.

It is public knowledge by position, and it is gone with the next commit: a rotation carries no mark along, a tile that
is turned down loses its mark, and nothing tells of any tile that it was seen before (M-39).
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from engine.games.memcel.events import (
    BoardRotated,
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


def closed(trace: Trace) -> Trace:
    """The trace after the step that is waited for now: it closes a commit."""
    return trace if trace.closed else replace(trace, closed=True)


def opened(trace: Trace) -> Trace:
    """The trace that the next event goes on with: behind a commit a new one, in which the dice lie where they lay."""
    return Trace(icon=trace.icon, number=trace.number) if trace.closed else trace


def _ring_rotated(trace: Trace, event: RingRotated) -> Trace:
    turned = [0, 0, 0]
    turned[event.ring] = _clockwise(event)
    return replace(trace, what="turned", places=(), turned=tuple(turned))


def _board_rotated(trace: Trace, event: BoardRotated) -> Trace:
    by = _clockwise(event)
    return replace(trace, what="turned", places=(), turned=(by, by, by))


def _tiles_covered(trace: Trace, event: TilesCovered) -> Trace:
    return replace(trace, places=tuple([place for place in trace.places if place not in event.at]))


MARKS: dict[type[Any], Callable[[Trace, Any], Trace]] = {
    IconRolled: lambda trace, event: replace(trace, icon=event.face),
    NumberRolled: lambda trace, event: replace(trace, number=event.number),
    RingRotated: _ring_rotated,
    BoardRotated: _board_rotated,
    TilesPlaced: lambda trace, event: replace(trace, what="placed", places=event.at),
    TilesSwapped: lambda trace, event: replace(trace, what="swapped", places=event.at),
    TileRevealed: lambda trace, event: replace(trace, what="revealed", places=_told(event.at)),
    TilePeeked: lambda trace, event: replace(trace, what="peeked", places=_told(event.at)),
    TilesCovered: _tiles_covered,
}
"""The events that the picture shows, and the mark of each; the same for the state and for every view, whatever is a
hole in the event.
"""


def _clockwise(event: RingRotated | BoardRotated) -> int:
    return event.steps if event.direction == "cw" else -event.steps


def _told(at: At) -> tuple[At, ...]:
    return () if at == NOWHERE else (at,)
