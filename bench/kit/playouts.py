"""Random playouts of one game in a process of its own: ``python -m bench.kit.playouts GAME SEATS SECONDS``, a program.

An action is a command of a seat or an outcome of luck, as in OpenSpiel, where chance is a player. It is drawn at random
from what is legal (``pick``), decided with all its checks (``decide``, ``resolve``), and its events are folded one by
one (``evolve``): all through ``Game``, as a service and a bot call it. What the rules do by themselves (``proceed``) is
done and not counted. The same again through ``History`` adds what a service adds to it: authority, clocks, the written
line and its hash.
"""

import random
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec

from engine.games import find_game
from engine.kernel.chance import Chance, Draw, Roll, commitment, outcome_of, spec_of
from engine.kernel.commit import HOST, HOUSE, LUCK, seat_actor
from engine.kernel.game import AnyGame, Automatic, Over, Seats, Setup
from engine.kernel.history import AnyHistory, Duplicate, History
from engine.kernel.match import Match, Request
from engine.kernel.official import Command, OpenMatch, Proceed, ResolveLuck

BEGUN: Final = 1_764_449_289_000_000
TURN_MS: Final = 60_000
COPIES: Final = 200


class Figures(msgspec.Struct, frozen=True):
    """Of the processor's clock, which other work on the machine disturbs least; ``per_second`` is of the wall's."""

    per_second: float
    per_cpu_second: float
    moves_per_cpu_second: float
    """Commands of seats alone, with luck in their time."""
    kernel_per_cpu_second: float
    copy_us: float
    """A copy of a state. States are values, so nobody makes one: ``evolve`` leaves the old state as it is."""


class Counted(msgspec.Struct):
    moves: int = 0
    draws: int = 0
    copies_ns: list[int] = []


def main(game: AnyGame, seats: int, seconds: float) -> Figures:
    dice = random.Random(1)
    _until(time.perf_counter() + seconds / 10, lambda: playout(game, seats, dice, Counted()))
    counted = Counted()
    began, used = time.perf_counter(), time.process_time()
    _until(began + seconds, lambda: playout(game, seats, dice, counted))
    passed, used = time.perf_counter() - began, time.process_time() - used
    actions = counted.moves + counted.draws
    recorded = Counted()
    spent = time.process_time()
    _until(time.perf_counter() + seconds / 2, lambda: recorded_playout(game, seats, dice, recorded))
    spent = time.process_time() - spent
    return Figures(
        per_second=actions / passed,
        per_cpu_second=actions / used,
        moves_per_cpu_second=counted.moves / used,
        kernel_per_cpu_second=(recorded.moves + recorded.draws) / spent,
        copy_us=min(counted.copies_ns) / COPIES / 1000,
    )


def playout(game: AnyGame, seats: int, dice: random.Random, counted: Counted) -> None:
    """One play to its end."""
    lot = _lot(dice)
    state = game.initial(Setup(seats, game.options()))
    while not isinstance(pending := game.pending(state), Over):
        if isinstance(pending, Seats):
            seat = pending.seats[0]
            events = game.decide(game.pick(state, seat, lot), state, seat)
            counted.moves += 1
        elif isinstance(pending, Chance):
            events = game.resolve(outcome_of(pending, _drawn(pending.spec, dice)), state)
            counted.draws += 1
        else:
            events = game.proceed(state)
        for event in events:
            state = game.evolve(state, event)
    began = time.perf_counter_ns()
    for _ in range(COPIES):
        msgspec.structs.replace(state)
    counted.copies_ns.append(time.perf_counter_ns() - began)


def recorded_playout(game: AnyGame, seats: int, dice: random.Random, counted: Counted) -> None:
    """One play to its end, as a match with a clock."""
    history: AnyHistory = History(Match(game), "playout")
    lot = _lot(dice)
    opening = OpenMatch(seats, {}, (), (), turn_ms=TURN_MS, commitment=commitment(b"playout").hex())
    _add(history, HOST, opening)
    while not isinstance(pending := history.pending, Over):
        if isinstance(pending, Seats):
            seat = pending.seats[0]
            _add(history, seat_actor(seat), game.pick(history.state.game, seat, lot))
            counted.moves += 1
        elif isinstance(pending, Chance):
            draw = history.state.next_draw_id(pending.label)
            _add(history, LUCK, ResolveLuck(draw, spec_of(pending.spec), _drawn(pending.spec, dice)))
            counted.draws += 1
        else:
            assert isinstance(pending, Automatic)
            _add(history, HOUSE, Proceed())


def _add(history: AnyHistory, actor: str, command: Command | Any) -> None:
    number = history.revision + 1
    recorded = history.match.record_command(command)
    proposal = history.propose(Request(f"c{number}", actor, BEGUN + 1_000_000 * number, recorded))
    assert not isinstance(proposal, Duplicate), "every id is new"
    history.accept(proposal.line, number, proposal)


def _lot(dice: random.Random) -> Callable[[int], int]:
    return lambda count: int(dice.random() * count)


def _drawn(spec: Roll | Draw, dice: random.Random) -> tuple[int, ...]:
    if isinstance(spec, Roll):
        return tuple(1 + int(dice.random() * spec.sides) for _ in range(spec.count))
    cards = list(spec.cards)
    return tuple([cards.pop(int(dice.random() * len(cards))) for _ in range(spec.count)])


def _until(end: float, work: Callable[[], None]) -> None:
    while time.perf_counter() < end:
        work()


if __name__ == "__main__":
    _, name, at_table, lasting = sys.argv
    sys.stdout.buffer.write(msgspec.json.encode(main(find_game(name), int(at_table), float(lasting))))
