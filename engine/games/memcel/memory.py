"""What a bot remembers of tiles that lie face down: fed by what its seat is sent, and no better than its forgetting.

A remembered tile is a face believed at a position. When something moves, each remembered tile that moves along is lost
sight of with a chance of ``forget`` in a hundred, and is then believed where it was. What lies open needs no memory:
it is taken from the view.
"""

from collections.abc import Callable
from typing import NamedTuple

from engine.games.memcel.events import (
    BoardRotated,
    Event,
    RingRotated,
    TilePeeked,
    TileRevealed,
    TilesPlaced,
    TilesSwapped,
)
from engine.games.memcel.model import HIDDEN, NOWHERE, At, State
from engine.games.memcel.printed import Face
from engine.games.memcel.rings import moved, positions
from engine.kernel.brain import Lot

PERCENT = 100


class Belief(NamedTuple):
    """``moves`` that it has been followed through: what makes it doubtful."""

    face: Face
    moves: int


class Memory:
    """Where one seat believes which tiles to be."""

    def __init__(self, forget: int) -> None:
        assert 0 <= forget <= PERCENT
        self._forget = forget
        self._beliefs: dict[At, Belief] = {}

    def see(self, event: Event, view: State, lot: Lot) -> None:
        """Take in one event; ``view`` is the position after it. Everything else there is moves and shows no tile."""
        match event:
            case TilesPlaced(_, at, faces):
                for one, face in zip(at, faces, strict=True):
                    self._learn(one, face)
            case TileRevealed(_, at, face) | TilePeeked(_, at, face):
                self._learn(at, face)
            case RingRotated(ring, direction, steps):
                sectors = len(view.board[ring])
                self._follow(lambda at: moved(at, (ring,), sectors, direction, steps), lot)
            case BoardRotated(direction, steps):
                board = view.board
                self._follow(lambda at: moved(at, (0, 1, 2), len(board[at.ring]), direction, steps), lot)
            case TilesSwapped(_, (one, other)):
                self._follow(lambda at: other if at == one else one if at == other else at, lot)
            case _:
                pass
        self._look(view)

    def believed(self, view: State, face: Face) -> tuple[At, ...]:
        """Where a tile of this face is believed face down; first those that were followed through the fewest moves."""
        found = [
            (belief.moves, at)
            for at, belief in self._beliefs.items()
            if belief.face == face and (tile := view.at(at)) is not None and not tile.up
        ]
        return tuple(at for _, at in sorted(found))

    def moves(self, at: At) -> int:
        """How many movements the tile believed there has been followed through; 0 where nothing is believed."""
        belief = self._beliefs.get(at)
        return 0 if belief is None else belief.moves

    def knows(self, at: At) -> bool:
        return at in self._beliefs

    def _learn(self, at: At, face: Face) -> None:
        """A hole teaches nothing, whether it stands for the face or for the place."""
        if face != HIDDEN and at != NOWHERE:
            self._beliefs[at] = Belief(face, 0)

    def _follow(self, move: Callable[[At], At], lot: Lot) -> None:
        """Each belief goes where its tile goes, or is left behind; one that was followed ousts one that was not."""
        stayed: dict[At, Belief] = {}
        followed: dict[At, Belief] = {}
        for at, belief in sorted(self._beliefs.items()):
            to = move(at)
            if to == at or lot(PERCENT) < self._forget:
                stayed[at] = belief
            else:
                followed[to] = Belief(belief.face, belief.moves + 1)
        self._beliefs = stayed | followed

    def _look(self, view: State) -> None:
        """Whatever lies open is seen, so it is believed as it is and is not in doubt."""
        for at, tile in positions(view.board):
            if tile is not None and tile.up:
                self._beliefs[at] = Belief(tile.face, 0)
