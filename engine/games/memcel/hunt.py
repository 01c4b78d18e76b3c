"""Attack and defence: what a seat declares, announces and turns up, and what a miss costs (M-15 to M-33)."""

from engine.games.memcel.course import Course
from engine.games.memcel.dealing import check_position
from engine.games.memcel.events import (
    AttackAnnounced,
    AttackDeclared,
    AttackEnded,
    DefenceChosen,
    DefenceDeclared,
    NumberRolled,
    TileRevealed,
    TilesCovered,
    TurnsLostAdded,
)
from engine.games.memcel.model import HIDDEN, At, Cause, State, Tile, Way
from engine.games.memcel.printed import COLOURS, EVENT_TILE, Face
from engine.games.memcel.rings import face_down_own, open_own
from engine.games.memcel.turns import end_turn, go_on, is_complete
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat

LOSING = 2
"""So many missed tiles cost turns; one alone costs none (M-21, M-23)."""

# -- attack ------------------------------------------------------------------------------------------------------------


def declare_attack(course: Course, seat: Seat) -> None:
    """M-15: first the word, then the die."""
    course.add(AttackDeclared(seat))
    course.wait_for("attack_number", seat)


def number_rolled(course: Course, seat: Seat, number: int) -> None:
    course.add(NumberRolled(seat, number))
    course.wait_for("announce", seat)


def most(state: State, seat: Seat) -> int:
    """The most that may be announced: the number rolled (M-16), and one's tiles face down (M-17).

    Never 0: with none of them face down the game is over (M-32).
    """
    return min(state.number, face_down_own(state, seat))


def announce(course: Course, seat: Seat, x: int) -> None:
    """Raises ``Refusal``."""
    state = course.state
    if not 1 <= x <= most(state, seat):
        raise Refusal("bad_count", f"You may announce 1 to {most(state, seat)} tiles.", Kind.INVALID)
    course.add(AttackAnnounced(seat, state.number, x))
    course.wait_for("reveal", seat)


def face_down_at(state: State, at: At) -> Tile:
    """The tile that lies face down there. Raises ``Refusal`` if none does (M-33)."""
    check_position(state, at)
    tile = state.at(at)
    if tile is None or tile.up:
        raise Refusal("not_face_down", "No tile lies face down there.")
    return tile


def reveal(course: Course, seat: Seat, at: At) -> None:
    """One tile, and what follows at once. Raises ``Refusal``.

    M-27: a win is looked for after every single tile, so all else falls away behind it.
    """
    face = face_down_at(course.state, at).face
    course.add(TileRevealed(seat, at, face, course.state.openings + 1))
    state = course.state
    owner = COLOURS.index(face) if face != EVENT_TILE else -1
    if owner in state.seats and is_complete(state, owner) and (owner == seat or _wins_at_once(state)):
        course.end("all_own_face_up", owner)
    elif face != state.colour(seat):
        _miss(course, seat, at, face)
    elif len(state.found) == state.x:
        _end_attack(course, seat, HIDDEN)
    else:
        course.wait_for("reveal", seat)


def _wins_at_once(state: State) -> bool:
    """M-28: whether a rival's error may end the game out of turn."""
    return state.options.off_turn_win == "immediate"


def _miss(course: Course, seat: Seat, at: At, face: Face) -> None:
    """The attack stops (M-18). Own tiles go down (M-20), an event tile too (M-24); another colour's stays (M-22)."""
    state = course.state
    missed = state.x - len(state.found)
    turned_down = open_own(state, seat) if state.options.on_miss == "reset" else tuple(sorted(state.found))
    cover(course, seat, turned_down, "miss")
    if face == EVENT_TILE:
        cover(course, seat, (at,), "imprevisto")
    if missed >= LOSING:
        course.add(TurnsLostAdded(seat, missed, "miss"))
    _end_attack(course, seat, face)


def cover(course: Course, seat: Seat, at: tuple[At, ...], cause: Cause) -> None:
    """Turn these open tiles down, if there are any."""
    tiles = [tile for one in at if (tile := course.state.at(one)) is not None]
    if tiles:
        course.add(TilesCovered(seat, at, cause, tuple(tile.face for tile in tiles)))


def _end_attack(course: Course, seat: Seat, face: Face) -> None:
    """One closing card after every attack, won or lost (M-26), and one before it for an event tile (M-24, M-25)."""
    state = course.state
    cards = 1 + (face == EVENT_TILE and state.options.imprevisto_tile_extra_card)
    course.add(AttackEnded(seat, state.x, len(state.found), face, cards))
    go_on(course)


# -- defence -----------------------------------------------------------------------------------------------------------


def declare_defence(course: Course, seat: Seat) -> None:
    """Not if the last turn that counts was one (M-30). Raises ``Refusal``."""
    if course.state.defended[seat]:
        raise Refusal("defended_before", "Nobody may defend in two turns running.")
    course.add(DefenceDeclared(seat))
    course.wait_for("defence", seat)


def choose_defence(course: Course, seat: Seat, way: Way) -> None:
    """No closing card belongs to it (M-31)."""
    course.add(DefenceChosen(seat, way))
    match way:
        case "skip":
            end_turn(course)
        case "complication":
            course.wait_for("complication", seat)
        case "card":
            course.wait_for("card", seat)
