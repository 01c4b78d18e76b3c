"""Positions for the tests of this folder, and play from them. The game itself imports nothing from here."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from engine.games.memcel import GAME
from engine.games.memcel.commands import Command
from engine.games.memcel.events import Event
from engine.games.memcel.model import At, Options, State, Step, Tile
from engine.games.memcel.printed import COLOURS, EVENT_TILE, EVENT_TILES, OWN_TILES, Face
from engine.games.memcel.rings import positions, put
from engine.kernel.brain import Brain
from engine.kernel.chance import Chance, Draw, Roll, outcome_of
from engine.kernel.game import Over, Seats, Setup
from engine.kernel.value import Seat, SeatView

AnyBrain = Brain[State, Command, Event]


def opened(seats: int, **given: Any) -> State:
    return GAME.initial(Setup(seats, msgspec.convert(given, Options)))


def hunt(
    seats: int = 4,
    *,
    face_down: Sequence[Face] = (),
    up: Mapping[Face, int] | None = None,
    active: Seat = 0,
    step: Step = "declare",
    changes: Mapping[str, Any] | None = None,
    **given: Any,
) -> State:
    """The turn of ``active`` in the hunt, all tiles on the board.

    Red, green, blue and orange are seats 0 to 3. The outer ring begins with ``face_down`` in this order; then come so
    many of each colour ``up``; then the rest face down. The tiles that were opened carry the first opening numbers.
    """
    start = opened(seats, **given)
    bag = Counter(dict.fromkeys(COLOURS, OWN_TILES)) + Counter({EVENT_TILE: len(COLOURS) * EVENT_TILES})
    laid = [Tile(face) for face in face_down]
    for face, count in (up or {}).items():
        laid += [Tile(face, True, len(laid) + 1 + at) for at in range(count)]
    bag.subtract(tile.face for tile in laid)
    assert min(bag.values()) >= 0, "more tiles than there are"
    laid += [Tile(face) for face in sorted(bag.elements())]
    board = put(start.board, zip((at for at, _ in positions(start.board)), laid, strict=True))
    state = replace(
        start,
        board=board,
        stage="hunt",
        step=step,
        by=active,
        first=0,
        active=active,
        round=1,
        contenders=(),
        openings=max(tile.opening for tile in laid),
    )
    return replace(state, **(changes or {}))


def outer(sector: int) -> At:
    return At(0, sector)


def after(state: State, events: Iterable[Event]) -> State:
    for event in events:
        state = GAME.evolve(state, event)
    return state


def do(state: State, command: Command, seat: Seat | None = None) -> tuple[State, tuple[Event, ...]]:
    """``seat`` is the one that is asked, unless another is named."""
    events = GAME.decide(command, state, state.by if seat is None else seat)
    return after(state, events), events


def luck(state: State, *values: int) -> tuple[State, tuple[Event, ...]]:
    """Answer the pending chance with these cards or faces."""
    chance = GAME.pending(state)
    assert isinstance(chance, Chance), chance
    events = GAME.resolve(outcome_of(chance, values), state)
    return after(state, events), events


def lot(spec: Roll | Draw, dice: random.Random) -> tuple[int, ...]:
    match spec:
        case Roll(sides, count):
            return tuple(dice.randint(1, sides) for _ in range(count))
        case Draw(cards, count):
            return tuple(dice.sample(cards, count))


def step_of(state: State, dice: random.Random, brains: Sequence[AnyBrain] = ()) -> tuple[Event, ...]:
    """The next commit of a play by these brains, or at random; nothing when it is over."""
    match GAME.pending(state):
        case Chance() as chance:
            return GAME.resolve(outcome_of(chance, lot(chance.spec, dice)), state)
        case Seats((seat, *_)):
            if brains:
                command = brains[seat].choose(GAME.view(state, SeatView(seat)), dice.randrange)
            else:
                command = dice.choice(list(GAME.legal(state, seat)))
            return GAME.decide(command, state, seat)
        case Over():
            return ()
        case other:
            raise AssertionError(f"{other} is not for this game")


def play_with(brains: Sequence[AnyBrain], dice: random.Random, **given: Any) -> tuple[State, int]:
    """A whole match between brains that are shown what their seats are; the last state and the commits it took."""
    state = opened(len(brains), **given)
    commits = 0
    while events := step_of(state, dice, brains):
        commits += 1
        for event in events:
            state = GAME.evolve(state, event)
            for brain in brains:
                viewer = SeatView(brain.seat)
                brain.see(GAME.redact(event, viewer), GAME.view(state, viewer), dice.randrange)
    return state, commits


def all_of(level: str, seats: int) -> list[AnyBrain]:
    maker: Callable[[Seat], AnyBrain] = GAME.brains[level]
    return [maker(seat) for seat in range(seats)]
