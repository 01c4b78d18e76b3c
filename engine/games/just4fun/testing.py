"""Positions for the tests of this folder, and play from them. The game itself imports nothing from here."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import msgspec
from msgspec.structs import replace

from engine.games.just4fun import GAME
from engine.games.just4fun.fields import locks
from engine.games.just4fun.layouts import DECK, FIELDS
from engine.games.just4fun.model import HAND_SIZE, Cards, Command, Event, Options, State
from engine.kernel.chance import Chance, Draw, Roll, outcome_of
from engine.kernel.game import Automatic, Over, Seats, Setup
from engine.kernel.value import Seat


def options(**given: Any) -> Options:
    return msgspec.convert(given, Options)


def opened(seats: int, **given: Any) -> State:
    return GAME.initial(Setup(seats, options(**given)))


def position(
    seats: int = 2,
    *,
    stacks: Mapping[int, tuple[int, ...]] | None = None,
    hands: Iterable[Cards] = (),
    tokens: tuple[int, ...] | None = None,
    discard: Cards = (),
    active: Seat = 0,
    **given: Any,
) -> State:
    """The turn of ``active``, with these stacks by field; a stack with a lead of two is locked by its leader.

    Hands are filled up to four with the highest cards that are nowhere else, so the deck stays whole.
    """
    board = dict(stacks or {})
    start = opened(seats, **({"first_player": 0} | given))
    known = [tuple(hand) for hand in hands]
    rest = list((Counter(DECK) - Counter(chain(discard, *known))).elements())
    filled = [
        hand + tuple(rest.pop() for _ in range(HAND_SIZE - len(hand))) for hand in known + [()] * (seats - len(known))
    ]
    return replace(
        start,
        active=active,
        turn=1,
        hands=tuple(tuple(sorted(hand)) for hand in filled),
        stacks=tuple(board.get(field, (0,) * seats) for field in range(1, FIELDS + 1)),
        locks=tuple(
            next((seat for seat in range(seats) if locks(board.get(field, (0,) * seats), seat)), -1)
            for field in range(1, FIELDS + 1)
        ),
        tokens=tokens or start.tokens,
        discard=discard,
    )


def holding(seats: int, *held: Iterable[int]) -> State:
    """One token of seat 0 on each field of the first group, of seat 1 on each of the second, and so on."""
    return position(
        seats,
        stacks={
            field: tuple(int(other == seat) for other in range(seats))
            for seat, fields in enumerate(held)
            for field in fields
        },
    )


def checkered(layout: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
    """Every field locked by one of two seats so that neither has a line: pairs of two, shifted from row to row."""
    return {number: ((2, 0), (0, 2))[(cell // 6 + cell % 6 // 2) % 2] for cell, number in enumerate(layout)}


def after(state: State, events: Iterable[Event]) -> State:
    for event in events:
        state = GAME.evolve(state, event)
    return state


def do(state: State, command: Command, seat: Seat = 0) -> tuple[State, tuple[Event, ...]]:
    events = GAME.decide(command, state, seat)
    return after(state, events), events


def draw(state: State, *values: int) -> tuple[State, tuple[Event, ...]]:
    """Answer the pending chance with these cards or faces."""
    chance = GAME.pending(state)
    assert isinstance(chance, Chance)
    events = GAME.resolve(outcome_of(chance, values), state)
    return after(state, events), events


def lot(spec: Roll | Draw, dice: random.Random) -> tuple[int, ...]:
    match spec:
        case Roll(sides, count):
            return tuple(dice.randint(1, sides) for _ in range(count))
        case Draw(cards, count):
            return tuple(dice.sample(cards, count))


def step(state: State, dice: random.Random) -> tuple[Event, ...]:
    """The next commit of a random play."""
    match GAME.pending(state):
        case Chance() as chance:
            return GAME.resolve(outcome_of(chance, lot(chance.spec, dice)), state)
        case Seats((seat, *_)):
            return GAME.decide(dice.choice(list(GAME.legal(state, seat))), state, seat)
        case Over() | Seats() | Automatic():
            return ()
