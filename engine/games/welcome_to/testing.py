"""Positions for the tests of this folder, and play from them. The game itself imports nothing from here.

A street is written as it looks: ``1 2 | 3 . 5 5b R``, a dot for an empty house, a bar for a fence, R for a roundabout
(which brings its fences), ``5b`` for a bis, ``*`` behind a house that a plan has used, ``~`` behind one with a pool.
What is missing on the right is empty.
"""

import random
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from engine.games.welcome_to import GAME
from engine.games.welcome_to.model import (
    EMPTY,
    ROUNDABOUT,
    Card,
    Cards,
    Command,
    Event,
    NoUse,
    Options,
    Sheet,
    State,
    TakeTurn,
    Turn,
    Use,
)
from engine.games.welcome_to.printed import CARDS, HOUSES, Effect
from engine.games.welcome_to.writing import build_roundabout
from engine.kernel.brain import Brain, Lot
from engine.kernel.chance import Chance, Roll, outcome_of
from engine.kernel.game import Automatic, Over, Seats, Setup
from engine.kernel.value import Seat


class Wanderer(Brain[State, Command, Event]):
    """Any command that the game picks, as the general bot ``random`` plays."""

    def choose(self, view: State, lot: Lot) -> Command:
        return GAME.pick(view, self.seat, lot)


BRAINS = {"random": Wanderer, **GAME.brains}

PLAN_SIXES = 0
"""Plan 1: six estates of 1."""
SOME_PLANS = (3, 10, 14)
"""4 and 4; 4 and 5; 3 and 4."""


def options(**given: Any) -> Options:
    return msgspec.convert(given, Options)


def opened(seats: int, **given: Any) -> State:
    return GAME.initial(Setup(seats, options(**given)))


# -- sheets ------------------------------------------------------------------------------------------------------------


def town(*streets: str, **more: Any) -> Sheet:
    """A sheet with these streets; ``more`` are its other fields."""
    numbers: list[tuple[int, ...]] = []
    bis: list[tuple[int, ...]] = []
    fences: list[tuple[int, ...]] = []
    used: list[tuple[int, ...]] = []
    pools: list[tuple[int, ...]] = []
    circles: list[tuple[int, int]] = []
    for street, houses in enumerate(HOUSES):
        row: list[int] = []
        marks: dict[str, list[int]] = {"b": [], "*": [], "~": [], "|": []}
        for sign in (streets[street] if street < len(streets) else "").split():
            if sign == "|":
                marks["|"].append(len(row) - 1)
                continue
            for mark in "b*~":
                if mark in sign:
                    marks[mark].append(len(row))
            bare = sign.strip("b*~")
            if bare == "R":
                circles.append((street, len(row)))
            row.append(int(bare) if bare.isdigit() else EMPTY)
        numbers.append(tuple(row + [EMPTY] * (houses - len(row))))
        bis.append(tuple(marks["b"]))
        used.append(tuple(marks["*"]))
        pools.append(tuple(marks["~"]))
        fences.append(tuple(slot for slot in marks["|"] if slot < houses - 1))
    sheet = Sheet(tuple(numbers), tuple(bis), tuple(fences), tuple(pools), tuple(used), **more)
    for spot in circles:
        sheet = build_roundabout(sheet, spot)
    return sheet


def row(sheet: Sheet, street: int) -> str:
    """A street as ``town`` reads it, without fences and marks."""
    signs = {EMPTY: ".", ROUNDABOUT: "R"}
    return " ".join(signs.get(number, str(number)) for number in sheet.numbers[street])


# -- positions ---------------------------------------------------------------------------------------------------------

COMBINATIONS: tuple[tuple[int, Effect], ...] = ((5, "surveyor"), (8, "landscaper"), (11, "real_estate"))


def cards_with(*faces: tuple[int | None, Effect | None]) -> Cards:
    """Different cards with these numbers and effects; ``None`` is any."""
    found: list[Card] = []
    for number, effect in faces:
        found.append(
            next(
                card
                for card, face in enumerate(CARDS)
                if card not in found and number in (None, face.number) and effect in (None, face.effect)
            )
        )
    return tuple(found)


def position(
    *sheets: Sheet,
    shown: tuple[tuple[int, Effect], ...] = COMBINATIONS,
    plans: tuple[int, ...] = SOME_PLANS,
    **given: Any,
) -> State:
    """A round of the standard game with these combinations; of the solo game with a row of cards where one sheet is."""
    state = opened(len(sheets), **given)
    effects: Cards = ()
    if len(sheets) == 1:
        numbers = cards_with(*shown)
    else:
        cards = cards_with(*((number, None) for number, _ in shown), *((None, effect) for _, effect in shown))
        numbers, effects = cards[:3], cards[3:]
    return replace(state, sheets=sheets, plans=plans, numbers=numbers, effects=effects, round=1, open=True)


def experts(*sheets: Sheet, hands: Iterable[Cards], plans: tuple[int, ...] = SOME_PLANS, **given: Any) -> State:
    """A round of the expert game with these hands."""
    state = opened(len(sheets), expert=True, **given)
    return replace(state, sheets=sheets, plans=plans, hands=tuple(hands), round=1, open=True)


def build(state: State, combo: int, street: int, house: int, use: Use | None = None, **more: Any) -> Turn:
    """A turn with one of the combinations shown."""
    return Turn(state.numbers[combo], state.effects[combo], street, house, use or NoUse(), **more)


# -- play --------------------------------------------------------------------------------------------------------------


def after(state: State, events: Iterable[Event]) -> State:
    for event in events:
        state = GAME.evolve(state, event)
    return state


def take(state: State, turn: Turn, seat: Seat = 0) -> State:
    return after(state, GAME.decide(TakeTurn(turn), state, seat))


def reveal(state: State, *turns: Turn) -> tuple[State, tuple[Event, ...]]:
    """All seats in order take these turns, then the house reveals them."""
    waiting = GAME.pending(state)
    assert isinstance(waiting, Seats)
    for seat, turn in zip(waiting.seats, turns, strict=True):
        state = take(state, turn, seat)
    assert GAME.pending(state) == Automatic()
    events = GAME.proceed(state)
    return after(state, events), events


def written(sheet: Sheet, turn_of: Any, **given: Any) -> Sheet:
    """The sheet of seat 0 after its turn; seat 1 does as it can. ``turn_of`` makes the turn from the position."""
    state = position(sheet, town(), **given)
    return reveal(state, turn_of(state), build(state, 0, 0, 0))[0].sheets[0]


def draw(state: State, *values: int) -> tuple[State, tuple[Event, ...]]:
    """Answer the pending chance with these cards."""
    chance = GAME.pending(state)
    assert isinstance(chance, Chance), chance
    events = GAME.resolve(outcome_of(chance, values), state)
    return after(state, events), events


def step(state: State, dice: random.Random) -> tuple[Event, ...]:
    """The next commit of a random play; a turn is one of the first few hundred."""
    match GAME.pending(state):
        case Chance() as chance:
            assert not isinstance(chance.spec, Roll)
            return GAME.resolve(outcome_of(chance, tuple(dice.sample(chance.spec.cards, chance.spec.count))), state)
        case Seats(seats):
            seat = dice.choice(seats)
            return GAME.decide(GAME.pick(state, seat, dice.randrange), state, seat)
        case Automatic():
            return GAME.proceed(state)
        case Over():
            return ()


def dealt(state: State, dice: random.Random) -> State:
    """Let luck answer until people are asked."""
    while isinstance(GAME.pending(state), Chance):
        state = after(state, step(state, dice))
    return state
