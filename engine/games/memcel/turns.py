"""Whose turn it is: the complication round, the rounds of the hunt, lost and extra turns, and when it is all over.

Turn order is the order of the seats, and a round begins with the seat that won the start roll, in every phase. A seat
that has left is passed over and stays where it was in the count, so the others' rounds do not shift.
"""

from engine.games.memcel.course import Course
from engine.games.memcel.events import LostTurnsCut, TurnBegan, TurnLost
from engine.games.memcel.model import State
from engine.games.memcel.rings import all_open
from engine.kernel.seats import first_from
from engine.kernel.value import Seat

TURNS_MAX = 400
"""Turns played in one hunt; then the open tiles are counted: a guard of ours beside M-37, for ``max_rounds = 0``.

A hundred rounds of four. Forgetful bots that play to ``on_miss = "keep"`` need 18 rounds nine times in ten.
"""


def following(state: State, seat: Seat) -> Seat:
    """The next seat at the table, clockwise, whether it loses turns or not (M-35)."""
    return first_from(seat + 1, len(state.supplies), lambda one: one not in state.left)


def _wraps(state: State, seat: Seat) -> bool:
    """Whether a new round begins when the turn goes on from the active seat to ``seat``."""
    count = len(state.supplies)
    return (seat - state.first) % count <= (state.active - state.first) % count


# -- complication round ------------------------------------------------------------------------------------------------


def begin_complications(course: Course) -> None:
    """M-09: each seat in turn order rolls one complication when all tiles are placed."""
    _complication(course, following(course.state, course.state.first - 1))


def next_complication(course: Course) -> None:
    seat = following(course.state, course.state.active)
    if _wraps(course.state, seat):
        begin_hunt(course)
    else:
        _complication(course, seat)


def _complication(course: Course, seat: Seat) -> None:
    course.add(TurnBegan(seat, "complication", 0))
    course.wait_for("complication", seat)


# -- hunt --------------------------------------------------------------------------------------------------------------


def begin_hunt(course: Course) -> None:
    _begin_turn(course, following(course.state, course.state.first - 1), 1)


def go_on(course: Course) -> None:
    """What comes after a movement or a card: the next roller, the closing card, or the end of the turn (M-25)."""
    if course.state.stage == "complication":
        next_complication(course)
    elif course.state.cards:
        course.wait_for("card", course.state.active)
    else:
        end_turn(course)


def end_turn(course: Course) -> None:
    """An extra turn is taken now, unless it is given up for a turn to lose (M-36)."""
    state = course.state
    seat = state.active
    if given_up := min(state.extra, state.lost[seat]):
        course.add(LostTurnsCut(seat, given_up, "event:extra_turn", given_up))
    if course.state.extra and state.turns < TURNS_MAX:
        course.add(TurnBegan(seat, "hunt", state.round, extra=True))
        course.wait_for("declare", seat)
    else:
        next_turn(course)


def next_turn(course: Course) -> None:
    state = course.state
    seat = following(state, state.active)
    _begin_turn(course, seat, state.round + _wraps(state, seat))


def _begin_turn(course: Course, seat: Seat, number: int) -> None:
    """The first seat from ``seat`` on that has no turn to lose; play may be over before (M-23, M-28, M-37).

    Ours: a seat whose tiles all lie open wins as its turn begins, also if that turn is one to lose.
    """
    while True:
        state = course.state
        limit = state.options.max_rounds
        if (limit and number > limit) or state.turns >= TURNS_MAX:
            course.end("max_rounds")
            return
        course.add(TurnBegan(seat, "hunt", number))
        if is_complete(course.state, seat):
            course.end("all_own_face_up", seat)
            return
        if not state.lost[seat]:
            course.wait_for("declare", seat)
            return
        course.add(TurnLost(seat, state.lost[seat] - 1, state.options.lost_turn_lifts_defence_ban))
        seat = following(course.state, seat)
        number += _wraps(course.state, seat)


def is_complete(state: State, seat: Seat) -> bool:
    """Whether all tiles of the seat's colour lie open; the colour of a seat that has left is neutral (M-38)."""
    return seat not in state.left and all_open(state.board, state.colour(seat))
