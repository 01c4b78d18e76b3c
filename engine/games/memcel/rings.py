"""The board in its fixed frame: positions, turning rings, changing places (M-01 to M-03, M-11, M-12, M-14).

Clockwise by k moves the tile at sector s to (s + k) modulo the sectors of its ring, anticlockwise to (s - k). Nothing
is added to a tile or taken from it: whatever lies there, face up or down, comes along as it lies.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from engine.games.memcel.model import At, Board, Sector, State
from engine.games.memcel.printed import OWN_TILES, Direction, Face
from engine.kernel.value import Seat

BOARDS_REMEMBERED = 1 << 8


def empty_board(rings: tuple[int, int, int]) -> Board:
    outer, middle, inner = rings
    return (None,) * outer, (None,) * middle, (None,) * inner


@lru_cache(BOARDS_REMEMBERED)
def places(*rings: int) -> tuple[At, ...]:
    """Every position of a board with rings of so many sectors, from the outer ring in, each ring clockwise from the
    north mark.
    """
    return tuple(At(ring, sector) for ring, sectors in enumerate(rings) for sector in range(sectors))


def everywhere(board: Board) -> tuple[At, ...]:
    """Every position, in the order of ``places``."""
    return places(*map(len, board))


def positions(board: Board) -> Iterator[tuple[At, Sector]]:
    """Every position with what lies there."""
    return zip(everywhere(board), chain.from_iterable(board), strict=True)


def empties(board: Board) -> tuple[At, ...]:
    return tuple([at for at, tile in positions(board) if tile is None])


def covered(board: Board) -> tuple[At, ...]:
    """Where a tile lies face down."""
    return tuple([at for at, tile in positions(board) if tile is not None and not tile.up])


def open_tiles(board: Board, face: Face) -> tuple[At, ...]:
    """Where a tile of this face lies face up."""
    return tuple([at for at, tile in positions(board) if tile is not None and tile.up and tile.face == face])


def all_open(board: Board, face: Face) -> bool:
    """Whether all tiles of a colour lie open; the first that lies face down settles it."""
    count = 0
    for sectors in board:
        for tile in sectors:
            if tile is not None and tile.face == face:
                if not tile.up:
                    return False
                count += 1
    return count == OWN_TILES


def open_own(state: State, seat: Seat) -> tuple[At, ...]:
    return open_tiles(state.board, state.colour(seat))


def face_down_own(state: State, seat: Seat) -> int:
    """How many tiles of a seat lie face down: public, as all of them lie on the board during the hunt (M-17)."""
    return OWN_TILES - len(open_own(state, seat))


def is_position(board: Board, at: At) -> bool:
    return 0 <= at.ring < len(board) and 0 <= at.sector < len(board[at.ring])


def put(board: Board, tiles: Iterable[tuple[At, Sector]]) -> Board:
    """``board`` with these sectors as given."""
    rings: list[Any] = list(board)
    for at, tile in tiles:
        ring = at.ring
        if rings[ring] is board[ring]:
            rings[ring] = list(board[ring])
        rings[ring][at.sector] = tile
    return _board(rings)


def rotated(board: Board, rings: Iterable[int], direction: Direction, steps: int) -> Board:
    """``board`` after these rings have turned; eight steps of sixteen are half a turn like any other (M-14)."""
    turned = list(board)
    for ring in rings:
        sectors = board[ring]
        first = len(sectors) - (steps if direction == "cw" else -steps) % len(sectors)
        turned[ring] = sectors[first:] + sectors[:first]
    return _board(turned)


def moved(at: At, rings: tuple[int, ...], sectors: int, direction: Direction, steps: int) -> At:
    """Where the tile at ``at``, on a ring of ``sectors``, lies after these rings have turned."""
    if at.ring not in rings:
        return at
    return At(at.ring, (at.sector + (steps if direction == "cw" else -steps)) % sectors)


def swapped(board: Board, one: At, other: At) -> Board:
    """``board`` after two tiles have changed places, each as it lies (M-12)."""
    here, there = board[one.ring][one.sector], board[other.ring][other.sector]
    return put(board, ((one, there), (other, here)))


def _board(rings: Iterable[Sequence[Sector]]) -> Board:
    """A ring that is a tuple already stays the one that it is."""
    outer, middle, inner = map(tuple, rings)
    return outer, middle, inner
