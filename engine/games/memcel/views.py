"""What a viewer may know while it happens: every face that lies up, one's own supply, and nothing that lies face down.

The game is memory, so the placer of a tile is told no more of it than anybody else once it lies, and so is whoever saw
it open or peeked at it (M-39). Two faces pass by one seat alone and are kept nowhere: of the tile it is placing, and of
the tile it peeks at.
"""

from typing import assert_never

from msgspec.structs import replace

from engine.games.memcel.events import (
    AttackAnnounced,
    AttackDeclared,
    AttackEnded,
    BoardRotated,
    CardDrawn,
    DeckReshuffled,
    DefenceChosen,
    DefenceDeclared,
    Event,
    ExtraTurnGranted,
    FirstChosen,
    IconRolled,
    LostTurnsCut,
    NumberRolled,
    PlayEnded,
    RingRotated,
    SeatGone,
    StartRolled,
    StepBegan,
    SupplyDealt,
    SupplyScattered,
    TilePeeked,
    TileRevealed,
    TilesCovered,
    TilesPlaced,
    TilesSwapped,
    TurnBegan,
    TurnLost,
    TurnsLostAdded,
)
from engine.games.memcel.model import HIDDEN, Faces, Sector, State, Tile
from engine.kernel.value import Referee, Viewer, speaks_for

BACK = Tile(HIDDEN)
"""A tile that lies face down, in every view: no face, no owner, no number, no difference."""


def holes(faces: Faces) -> Faces:
    return (HIDDEN,) * len(faces)


def redact(event: Event, viewer: Viewer) -> Event:
    """The event as ``viewer`` may know it as it happens. No catch-all: a new event must not leak by default."""
    if isinstance(viewer, Referee):
        return event
    match event:
        case SupplyDealt(seat, faces):
            return event if speaks_for(viewer, seat) else replace(event, faces=holes(faces))
        case TilesPlaced(seat, _, faces, beneath):
            shown = faces if speaks_for(viewer, seat) else holes(faces)
            return replace(event, faces=shown, beneath=holes(beneath))
        case SupplyScattered(_, _, beneath):
            return replace(event, beneath=holes(beneath))
        case TilesCovered(_, _, _, beneath):
            return replace(event, beneath=holes(beneath))
        case TileRevealed():
            return replace(event, opening=0)
        case TilePeeked(seat):
            return event if speaks_for(viewer, seat) else replace(event, face=HIDDEN)
        case (
            StartRolled()
            | FirstChosen()
            | TurnBegan()
            | StepBegan()
            | IconRolled()
            | NumberRolled()
            | RingRotated()
            | BoardRotated()
            | TilesSwapped()
            | AttackDeclared()
            | AttackAnnounced()
            | AttackEnded()
            | TurnsLostAdded()
            | LostTurnsCut()
            | TurnLost()
            | DefenceDeclared()
            | DefenceChosen()
            | CardDrawn()
            | DeckReshuffled()
            | ExtraTurnGranted()
            | SeatGone()
            | PlayEnded()
        ):
            return event
        case _:
            assert_never(event)


def is_told_once(event: Event) -> bool:
    """A peeked face: the drawer sees it once, in one window."""
    return isinstance(event, TilePeeked)


def view(state: State, viewer: Viewer) -> State:
    """The state as ``viewer`` may know it; when play is over, all of it."""
    if isinstance(viewer, Referee):
        return state
    outer, middle, inner = (tuple(_seen(tile, bool(state.reason)) for tile in sectors) for sectors in state.board)
    supplies = tuple(
        supply if state.reason or speaks_for(viewer, seat) else holes(supply)
        for seat, supply in enumerate(state.supplies)
    )
    return replace(state, board=(outer, middle, inner), supplies=supplies, openings=0)


def _seen(tile: Sector, over: bool) -> Sector:
    if tile is None:
        return None
    if tile.up or over:
        return Tile(tile.face, tile.up)
    return BACK
