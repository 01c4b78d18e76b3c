"""The rules: whom the game waits for, what a command or luck makes happen, what happens when a seat leaves.

``state.step`` says what is waited for; every decision ends by beginning the next one. A command ends at the move, and
dice and cards are asked of luck afterwards, each kind under its own label.
"""

from itertools import chain
from typing import assert_never

from engine.games.memcel import dealing, hunt, moves, turns
from engine.games.memcel.commands import (
    AnnounceCount,
    ChooseDefence,
    Command,
    CoverTiles,
    DeclareAttack,
    DeclareDefence,
    PeekTile,
    PlaceByLot,
    PlaceTiles,
    RevealTile,
    SwapTiles,
)
from engine.games.memcel.course import Course
from engine.games.memcel.events import Event, SeatGone
from engine.games.memcel.model import NOBODY, Options, State, Step
from engine.games.memcel.printed import ICONS, NUMBER_SIDES
from engine.games.memcel.rings import empty_board
from engine.kernel.chance import Chance, Draw, Drawn, Outcome, Roll, Rolled
from engine.kernel.game import Over, Pending, Seats, Setup
from engine.kernel.refusal import Refusal
from engine.kernel.seats import at_table
from engine.kernel.value import Seat

NUMBER = "number"
ICON = "icon"
DECK = "deck"
DEAL = "deal"
SCATTER = "scatter"

ASKS: dict[type[Command], tuple[Step, ...]] = {
    PlaceTiles: ("place",),
    PlaceByLot: ("place",),
    DeclareAttack: ("declare",),
    DeclareDefence: ("declare",),
    AnnounceCount: ("announce",),
    RevealTile: ("reveal",),
    ChooseDefence: ("defence",),
    SwapTiles: ("swap",),
    PeekTile: ("peek",),
    CoverTiles: ("cover_own", "cover_rival"),
}
"""The steps that each command answers."""
ASKED: frozenset[Step] = frozenset(chain.from_iterable(ASKS.values()))
"""The steps that wait for a seat."""

NUMBER_ROLL = Chance(NUMBER, Roll(NUMBER_SIDES, 1))
ICON_ROLL = Chance(ICON, Roll(len(ICONS), 1))


def initial(setup: Setup[Options]) -> State:
    """An empty board; everybody rolls for the start."""
    seats = setup.seats
    return State(
        options=setup.options,
        board=empty_board(setup.options.rings),
        supplies=((),) * seats,
        lost=(0,) * seats,
        defended=(False,) * seats,
        contenders=tuple(range(seats)),
    )


def pending(state: State) -> Pending:
    """The supply of a seat that has left goes first, before anything turns (M-38); then the step that has begun."""
    if state.reason:
        return Over(state.ranks, state.reason)
    leaver = dealing.owes_scattering(state)
    if leaver != NOBODY:
        return Chance(SCATTER, dealing.scatter_draw(state, leaver))
    match state.step:
        case "place" | "declare" | "announce" | "reveal" | "defence" | "swap" | "peek" | "cover_own" | "cover_rival":
            return Seats((state.by,))
        case "start":
            return Chance(NUMBER, Roll(NUMBER_SIDES, len(state.contenders)))
        case "deal":
            return Chance(DEAL, dealing.deal_draw(state))
        case "lot":
            return Chance(SCATTER, dealing.scatter_draw(state, state.by))
        case "complication" | "board_icon" | "ring_icon":
            return ICON_ROLL
        case "attack_number" | "board_number" | "ring_number":
            return NUMBER_ROLL
        case "card":
            return Chance(DECK, Draw(moves.pile(state), 1))
        case _:
            assert_never(state.step)


def is_turn_of(state: State, seat: Seat) -> bool:
    """Whether ``pending`` waits for this seat."""
    return (
        state.by == seat
        and state.step in ASKED
        and not state.reason
        and (not state.left or dealing.owes_scattering(state) == NOBODY)
    )


def decide(command: Command, state: State, seat: Seat) -> tuple[Event, ...]:
    """What ``seat`` makes happen. Raises ``Refusal``."""
    if not is_turn_of(state, seat):
        raise Refusal("not_your_turn", f"It is not the turn of seat {seat}.")
    if state.step not in ASKS[type(command)]:
        raise Refusal("not_now", "The game waits for something else now.")
    course = Course(state)
    match command:
        case PlaceTiles(placements):
            dealing.place(course, seat, placements)
        case PlaceByLot():
            course.wait_for("lot", seat)
        case DeclareAttack():
            hunt.declare_attack(course, seat)
        case DeclareDefence():
            hunt.declare_defence(course, seat)
        case AnnounceCount(x):
            hunt.announce(course, seat, x)
        case RevealTile(at):
            hunt.reveal(course, seat, at)
        case ChooseDefence(way):
            hunt.choose_defence(course, seat, way)
        case SwapTiles(two):
            moves.swap(course, seat, two)
        case PeekTile(at):
            moves.peek(course, seat, at)
        case CoverTiles(tiles):
            moves.cover_chosen(course, seat, tiles)
        case _:
            assert_never(command)
    return tuple(course.events)


def resolve(outcome: Outcome, state: State) -> tuple[Event, ...]:
    """The events of the luck that ``pending`` asked for."""
    course = Course(state)
    match outcome:
        case Rolled(_, faces):
            _rolled(course, faces)
        case Drawn(_, cards):
            _drawn(course, cards)
        case _:
            assert_never(outcome)
    return tuple(course.events)


def _rolled(course: Course, faces: tuple[int, ...]) -> None:
    seat = course.state.by
    match course.state.step:
        case "start":
            dealing.start_rolled(course, faces)
        case "attack_number":
            hunt.number_rolled(course, seat, faces[0])
        case "complication":
            moves.complication_rolled(course, seat, faces[0])
        case "board_icon":
            moves.board_icon_rolled(course, seat, faces[0])
        case "ring_icon":
            moves.ring_icon_rolled(course, seat, faces[0])
        case "board_number":
            moves.board_number_rolled(course, seat, faces[0])
        case "ring_number":
            moves.ring_number_rolled(course, seat, faces[0])
        case other:
            raise AssertionError(f"no die was asked for: {other}")


def _drawn(course: Course, cards: tuple[int, ...]) -> None:
    leaver = dealing.owes_scattering(course.state)
    if leaver != NOBODY:
        dealing.scattered(course, leaver, cards)
        return
    match course.state.step:
        case "deal":
            dealing.deal(course, cards)
        case "lot":
            dealing.placed_by_lot(course, course.state.by, cards)
        case "card":
            moves.card_drawn(course, course.state.by, cards[0])
        case other:
            raise AssertionError(f"no draw was asked for: {other}")


def leave(state: State, seat: Seat) -> tuple[Event, ...]:
    """M-38: the tiles stay, the colour is neutral, the last seat at the table wins.

    Ours: a turn that the leaver has begun ends there, without penalty or card; a swap that the leaver owed to another
    seat's card goes on to the next seat.
    """
    course = Course(state)
    course.add(SeatGone(seat))
    remaining = at_table(len(state.supplies), course.state.left)
    if len(remaining) == 1:
        course.end("last_seat", remaining[0])
    elif state.stage == "opening":
        if state.step == "start" and seat in state.contenders and len(course.state.contenders) == 1:
            dealing.first_chosen(course, course.state.contenders[0])
    elif seat == state.active:
        match state.stage:
            case "placement":
                dealing.next_placement(course, seat)
            case "complication":
                turns.next_complication(course)
            case "hunt":
                turns.next_turn(course)
            case _:
                assert_never(state.stage)
    elif seat == state.by:
        course.wait_for(state.step, turns.following(course.state, state.active), state.cause)
    return tuple(course.events)
