"""What a rotation and a swap do, on every ring, both ways, by every number (M-01, M-03, M-11, M-12, M-14)."""

import pytest

from engine.games.memcel.model import At, Board, Tile
from engine.games.memcel.printed import COLOURS, Direction
from engine.games.memcel.rings import empty_board, moved, positions, put, rotated, swapped

SIZES = [(16, 16, 16), (24, 16, 8), (8, 16, 24), (12, 16, 20), (4, 22, 22)]
WAYS: tuple[Direction, Direction] = ("cw", "ccw")
every_ring = pytest.mark.parametrize("ring", range(3))
every_size = pytest.mark.parametrize("sizes", SIZES, ids=str)


def numbered(sizes: tuple[int, int, int]) -> Board:
    """A different tile on every position, told apart by the number of its opening."""
    board = empty_board(sizes)
    places = [at for at, _ in positions(board)]
    return put(board, ((at, Tile(COLOURS[0], True, number)) for number, at in enumerate(places, 1)))


def opposite(way: Direction) -> Direction:
    return "ccw" if way == "cw" else "cw"


def test_b7_15_clockwise_by_five_the_tile_of_sector_13_lies_on_sector_2() -> None:
    board = numbered((16, 16, 16))
    assert rotated(board, (0,), "cw", 5)[0][2] == board[0][13]
    assert moved(At(0, 13), (0,), 16, "cw", 5) == At(0, 2)


def test_b7_16_anticlockwise_by_eight_is_half_a_turn_and_is_carried_out() -> None:
    """M-14."""
    board = numbered((16, 16, 16))
    assert rotated(board, (0,), "ccw", 8)[0][11] == board[0][3]
    assert rotated(board, (0,), "ccw", 8) == rotated(board, (0,), "cw", 8)


@every_size
@every_ring
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("steps", range(1, 9))
def test_a_rotation_moves_each_tile_of_its_ring_and_no_other(
    sizes: tuple[int, int, int], ring: int, way: Direction, steps: int
) -> None:
    """M-03: clockwise by k from s to (s + k), anticlockwise to (s - k), modulo the sectors of that ring (M-01)."""
    board = numbered(sizes)
    turned = rotated(board, (ring,), way, steps)
    for at, tile in positions(board):
        to = at
        if at.ring == ring:
            to = At(ring, (at.sector + (steps if way == "cw" else -steps)) % sizes[ring])
        assert turned[to.ring][to.sector] == tile
        assert moved(at, (ring,), sizes[at.ring], way, steps) == to
    assert sorted(map(str, turned[ring])) == sorted(map(str, board[ring])), "a permutation inside one ring"
    assert rotated(turned, (ring,), opposite(way), steps) == board, "equal rotations both ways cancel"


@every_size
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("steps", range(1, 9))
def test_m11_the_whole_board_turns_by_the_same_number_on_all_three_rings(
    sizes: tuple[int, int, int], way: Direction, steps: int
) -> None:
    board = numbered(sizes)
    one_by_one = board
    for ring in range(3):
        one_by_one = rotated(one_by_one, (ring,), way, steps)
    assert rotated(board, (0, 1, 2), way, steps) == one_by_one


def test_m01_the_number_die_and_two_ways_reach_every_other_sector_of_a_ring_of_sixteen() -> None:
    shifts = {(steps if way == "cw" else -steps) % 16 for way in WAYS for steps in range(1, 9)}
    assert shifts == set(range(1, 16))


def test_m12_swapped_tiles_keep_how_they_lie() -> None:
    board = put(numbered((16, 16, 16)), [(At(0, 0), Tile("tile:red")), (At(2, 9), Tile("tile:blue", True, 7))])
    after = swapped(board, At(0, 0), At(2, 9))
    assert (after[0][0], after[2][9]) == (Tile("tile:blue", True, 7), Tile("tile:red"))
    assert swapped(after, At(2, 9), At(0, 0)) == board
