"""The bots of this game, played from their own views."""

import random

import pytest
from msgspec.structs import replace

from engine.games.welcome_to import GAME
from engine.games.welcome_to.choices import talk_of
from engine.games.welcome_to.model import State
from engine.games.welcome_to.picking import talked
from engine.games.welcome_to.testing import BRAINS, after, dealt, opened, position, step, town
from engine.kernel.game import Over, Seats
from engine.kernel.value import SeatView

MATCHES = 100


def played(levels: tuple[str, ...], number: int, **given: bool) -> State:
    dice = random.Random(number)
    brains = [BRAINS[level](seat) for seat, level in enumerate(levels)]
    state = opened(len(levels), **given)
    while not isinstance(pending := GAME.pending(state), Over):
        if isinstance(pending, Seats):
            seat = pending.seats[0]
            command = brains[seat].choose(GAME.view(state, SeatView(seat)), dice.randrange)
            state = after(state, GAME.decide(command, state, seat))
        else:
            state = after(state, step(state, dice))
    return state


def test_greedy_beats_random() -> None:
    """In 99 of 100 matches, seats in turn; at least 90 are asked of it."""
    won = 0
    for number in range(MATCHES):
        levels = ("greedy", "random") if number % 2 else ("random", "greedy")
        ranks = played(levels, number).ranks
        won += ranks[levels.index("greedy")] == 1 and max(ranks) == 2
    assert won == 99


@pytest.mark.parametrize("given", [{"expert": True}, {"advanced": True}, {"expert": True, "advanced": True}], ids=str)
@pytest.mark.parametrize("level", ["random", "greedy"])
def test_every_level_plays_every_variant(level: str, given: dict[str, bool]) -> None:
    for seats in (1, 3) if "expert" not in given else (2, 3):
        assert played((level,) * seats, 1, **given).reason


def test_a_bot_answers_the_same_to_the_same_lot() -> None:
    state = dealt(opened(2), random.Random(4))
    for level in ("random", "greedy"):
        answers = {BRAINS[level](0).choose(state, random.Random(1).randrange) for _ in range(3)}
        assert len(answers) == 1


@pytest.mark.parametrize("number", range(5))
def test_a_pick_is_what_the_questions_lead_to_with_the_same_lot(number: int) -> None:
    """It answers most of them without being asked, and draws as many lots."""
    dice = random.Random(number)
    state = opened(3)
    while not isinstance(pending := GAME.pending(state), Over):
        if isinstance(pending, Seats):
            seat, seed = pending.seats[0], dice.random()
            short, long = random.Random(seed), random.Random(seed)
            command = GAME.pick(state, seat, short.randrange)
            assert command == talked(talk_of(state, seat), long.randrange)
            assert short.random() == long.random()
            state = after(state, GAME.decide(command, state, seat))
        else:
            state = after(state, step(state, dice))


def test_a_pick_adds_a_plan_that_is_met() -> None:
    sheet = town("1 2 3 4 | 5 6 7 8 | . .")
    state = replace(position(sheet, town(), plans=(3, 10, 14)))
    assert {bool(GAME.pick(state, 0, random.Random(seed).randrange).turn.claims) for seed in range(20)} == {True, False}


def test_greedy_claims_a_plan() -> None:
    sheet = town("1 2 3 4 | 5 6 7 8 | . .")
    state = replace(position(sheet, town(), plans=(3, 10, 14)))
    command = BRAINS["greedy"](0).choose(state, lambda n: 0)
    assert command.turn.claims
