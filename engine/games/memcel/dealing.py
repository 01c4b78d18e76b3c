"""From the start roll to the last placed tile: who begins, who gets which tiles, where they lie (M-04 to M-08).

Tiles of absent colours are divided so that all get as many, and no kind differs by more than one between two seats.
What cannot be divided evenly is odd: with three seats one tile of the neutral colour and two event tiles, one for each
seat, and the lot says for whom (M-06).
"""

from typing import get_args

from engine.games.memcel.course import Course
from engine.games.memcel.events import (
    FirstChosen,
    StartRolled,
    SupplyDealt,
    SupplyScattered,
    TilesPlaced,
    TurnBegan,
)
from engine.games.memcel.model import HIDDEN, NOBODY, PLACED_A_TURN, At, Faces, Placement, State
from engine.games.memcel.printed import COLOURS, EVENT_TILE, EVENT_TILES, OWN_TILES, Face
from engine.games.memcel.rings import everywhere, is_position, positions
from engine.games.memcel.turns import begin_complications, following
from engine.kernel.chance import Draw
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat

FACES: Faces = get_args(Face)
"""Every face by the number that stands for it in a draw; sorted."""
START_ROLLS_MAX = 12
"""After so many ties the first of the tied seats begins: a guard of ours, needed once in 10^10 matches of two."""

# -- start and deal ----------------------------------------------------------------------------------------------------


def start_rolled(course: Course, numbers: tuple[int, ...]) -> None:
    """The highest begins; those who tie for it roll again (M-04)."""
    course.add(StartRolled(course.state.contenders, numbers))
    tied = course.state.contenders
    if len(tied) == 1 or course.state.start_rolls >= START_ROLLS_MAX:
        first_chosen(course, tied[0])
    else:
        course.wait_for("start", NOBODY)


def first_chosen(course: Course, seat: Seat) -> None:
    course.add(FirstChosen(seat))
    if odd(course.state):
        course.wait_for("deal", NOBODY)
    else:
        deal(course, ())


def _divided(state: State) -> tuple[tuple[Face, int, int], ...]:
    """Each kind of tile of absent colours: how many everybody gets, and how many are odd (M-06)."""
    seats = len(state.supplies)
    absent = COLOURS[seats:]
    kinds = [*((colour, OWN_TILES) for colour in absent), (EVENT_TILE, EVENT_TILES * len(absent))]
    return tuple((face, *divmod(count, seats)) for face, count in kinds)


def odd(state: State) -> Faces:
    """The tiles that cannot be divided evenly, sorted; as many for each seat."""
    tiles = tuple(sorted(face for face, _, left in _divided(state) for _ in range(left)))
    assert len(tiles) % len(state.supplies) == 0
    return tiles


def deal_draw(state: State) -> Draw:
    tiles = odd(state)
    return Draw(tuple(map(FACES.index, tiles)), len(tiles))


def deal(course: Course, drawn: tuple[int, ...]) -> None:
    """Ten of one's colour, two event tiles, a share of the rest; then the first seat places."""
    state = course.state
    shared = [face for face, each, _ in _divided(state) for _ in range(each)]
    for seat in state.seats:
        own = [state.colour(seat)] * OWN_TILES + [EVENT_TILE] * EVENT_TILES
        lots = [FACES[number] for number in drawn[seat :: len(state.supplies)]]
        course.add(SupplyDealt(seat, tuple(sorted(own + shared + lots))))
    next_placement(course, course.state.first - 1)


# -- placement ---------------------------------------------------------------------------------------------------------


def next_placement(course: Course, after: Seat) -> None:
    """The next seat with tiles; when all are out of tiles, the complication round (M-09)."""
    state = course.state
    seat = after
    for _ in state.seats:
        seat = following(state, seat)
        if state.supplies[seat]:
            course.add(TurnBegan(seat, "placement", 0))
            course.wait_for("place", seat)
            return
    begin_complications(course)


def place(course: Course, seat: Seat, placements: tuple[Placement, ...]) -> None:
    """M-07: exactly two, from the own supply, on two empty positions. Raises ``Refusal``."""
    state = course.state
    at = tuple(placement.at for placement in placements)
    faces = tuple(placement.face for placement in placements)
    for one in at:
        check_position(state, one)
        if state.at(one) is not None:
            raise Refusal("position_taken", "A tile lies there already.")
    if len(set(at)) < PLACED_A_TURN:
        raise Refusal("same_position", "Two tiles need two positions.")
    supply = state.supplies[seat]
    if HIDDEN in faces or any(supply.count(face) < faces.count(face) for face in faces):
        raise Refusal("tile_not_in_supply", f"Seat {seat} does not hold these tiles.")
    _lay(course, seat, at, faces)


def _lay(course: Course, seat: Seat, at: tuple[At, ...], faces: Faces) -> None:
    course.add(TilesPlaced(seat, at, faces, faces))
    next_placement(course, seat)


def check_position(state: State, at: At) -> None:
    """Raises ``Refusal`` for what is no position of this board."""
    if not is_position(state.board, at):
        raise Refusal("no_such_position", "There is no such position on the board.", Kind.INVALID)


# -- the lot -----------------------------------------------------------------------------------------------------------


def scatter_draw(state: State, seat: Seat) -> Draw:
    """An empty position, by its number on the board, for each tile of the supply."""
    empty = tuple(number for number, (_, tile) in enumerate(positions(state.board)) if tile is None)
    return Draw(empty, len(state.supplies[seat]))


def scattered(course: Course, seat: Seat, drawn: tuple[int, ...]) -> None:
    """A seat that has left: each tile lies where it was drawn to (M-38). Sorted, the positions tell no faces."""
    course.add(SupplyScattered(seat, *_drawn_to(course.state, seat, drawn)))


def placed_by_lot(course: Course, seat: Seat, drawn: tuple[int, ...]) -> None:
    """A seat that leaves its turn to the lot: of all its tiles those that were drawn to the first positions (M-41).

    Each tile is as likely as the next to be among them, so the positions tell no faces.
    """
    at, faces = _drawn_to(course.state, seat, drawn)
    _lay(course, seat, at[:PLACED_A_TURN], faces[:PLACED_A_TURN])


def _drawn_to(state: State, seat: Seat, drawn: tuple[int, ...]) -> tuple[tuple[At, ...], Faces]:
    places = everywhere(state.board)
    pairs = sorted(zip((places[number] for number in drawn), state.supplies[seat], strict=True))
    return tuple(at for at, _ in pairs), tuple(face for _, face in pairs)


def owes_scattering(state: State) -> Seat:
    """A seat that has left and whose supply is not on the board yet, or ``NOBODY``."""
    for seat in state.left:
        if state.supplies[seat]:
            return seat
    return NOBODY
