"""Rounds, lost turns, the end, and seats that leave (M-09, M-23, M-30, M-37, M-38, M-41)."""

import random
from collections import Counter

import pytest
from msgspec.structs import replace

from engine.games.memcel import GAME
from engine.games.memcel.commands import AnnounceCount, ChooseDefence, DeclareAttack, DeclareDefence, RevealTile
from engine.games.memcel.events import PlayEnded, SeatGone, StepBegan, TurnBegan, TurnLost
from engine.games.memcel.model import State
from engine.games.memcel.printed import COLOURS, EVENT_TILE, TILES
from engine.games.memcel.rings import positions
from engine.games.memcel.testing import after, do, hunt, luck, opened, outer, step_of
from engine.games.memcel.turns import TURNS_MAX
from engine.kernel.game import Over, Seats

RED, GREEN, BLUE, ORANGE = 0, 1, 2, 3


def defended(state: State) -> State:
    state, _ = do(state, DeclareDefence())
    state, _ = do(state, ChooseDefence("skip"))
    return state


def in_complications(seats: int, active: int, first: int) -> State:
    return hunt(
        seats, active=active, step="complication", changes={"stage": "complication", "first": first, "round": 0}
    )


def test_m09_each_seat_rolls_one_complication_and_the_first_begins_the_hunt() -> None:
    state = in_complications(3, active=2, first=2)
    for roller in (2, 0, 1):
        assert (state.by, state.stage) == (roller, "complication")
        state, _ = luck(state, 1)
        state, _ = luck(state, 5)
    assert (state.by, state.stage, state.step, state.round) == (2, "hunt", "declare", 1)


def test_m23_lost_turns_begin_with_the_next_turn_and_are_counted_down() -> None:
    state = hunt(active=RED, changes={"lost": (0, 2, 0, 1)})
    state, _ = do(state, DeclareDefence())
    state, events = do(state, ChooseDefence("skip"))
    assert events[1:] == (
        TurnBegan(GREEN, "hunt", 1),
        TurnLost(GREEN, 1, False),
        TurnBegan(BLUE, "hunt", 1),
        StepBegan("declare", BLUE),
    )
    assert state.lost == (0, 1, 0, 1)


def test_m23_they_add_up() -> None:
    state = hunt(face_down=["tile:blue"], step="reveal", changes={"lost": (1, 0, 0, 0), "x": 3, "number": 3})
    state, _ = do(state, RevealTile(outer(0)))
    assert state.lost[RED] == 4


def test_m23_if_all_lose_turns_they_count_down_round_the_table() -> None:
    state = hunt(active=RED, changes={"lost": (2, 2, 3, 4)})
    state, _ = do(state, DeclareDefence())
    state, events = do(state, ChooseDefence("skip"))
    assert (state.by, state.round, state.lost) == (GREEN, 3, (0, 0, 1, 2))
    assert Counter(type(event) for event in events)[TurnLost] == 8


def test_m37_after_the_last_round_the_open_tiles_are_counted() -> None:
    state = hunt(3, up={"tile:green": 2, "tile:blue": 2}, active=BLUE, max_rounds=1)
    state, _ = do(state, DeclareDefence())
    state, events = do(state, ChooseDefence("skip"))
    assert isinstance(events[-1], PlayEnded)
    assert GAME.pending(state) == Over((3, 1, 1), "max_rounds")


def test_m37_lost_turns_run_into_the_last_round_too() -> None:
    state = hunt(active=ORANGE, max_rounds=2, changes={"lost": (9, 9, 9, 9)})
    state = defended(state)
    assert GAME.pending(state) == Over((1, 1, 1, 1), "max_rounds")
    assert state.round == 2


def test_m37_without_a_limit_the_guard_counts_the_turns_that_were_played() -> None:
    state = hunt(up={"tile:red": 1}, max_rounds=0, changes={"turns": TURNS_MAX - 1, "round": 99})
    state = defended(state)
    assert GAME.pending(state) == Over((1, 2, 2, 2), "max_rounds")


# -- leaving -----------------------------------------------------------------------------------------------------------


def test_m38_the_tiles_stay_and_the_colour_cannot_win() -> None:
    state = hunt(face_down=["tile:blue"], up={"tile:blue": 9}, step="reveal", changes={"x": 1, "number": 1})
    state = after(state, GAME.leave(state, BLUE))
    state, _ = do(state, RevealTile(outer(0)))
    assert state.step == "card", "ten open blue tiles win nothing"
    assert GAME.scores(state)[BLUE].total == 10


def test_m38_the_last_seat_wins_and_leavers_share_the_last_rank() -> None:
    state = hunt(3, up={"tile:red": 5})
    state = after(state, GAME.leave(state, RED))
    state = after(state, GAME.leave(state, BLUE))
    assert GAME.pending(state) == Over((2, 1, 2), "last_seat")


@pytest.mark.parametrize("step", ["declare", "attack_number", "announce", "reveal", "defence", "card", "swap", "peek"])
def test_m38_the_turn_of_a_leaver_ends_without_penalty_or_card(step: str) -> None:
    changes = {"step": step, "cards": 1, "x": 2, "number": 4, "found": (outer(0),), "extra": 1}
    state = hunt(up={"tile:red": 1}, active=RED, changes=changes)
    events = GAME.leave(state, RED)
    assert events == (SeatGone(RED), TurnBegan(GREEN, "hunt", 1), StepBegan("declare", GREEN))
    state = after(state, events)
    assert (state.cards, state.x, state.number, state.found, state.extra) == (0, 0, 0, (), 0)


def test_m38_in_the_complication_round_the_next_seat_rolls() -> None:
    state = in_complications(3, active=1, first=2)
    state = after(state, GAME.leave(state, 1))
    assert (state.stage, state.by) == ("hunt", 2), "seat 1 would have been the last to roll"


def test_m38_a_swap_that_the_leaver_owed_goes_to_the_next_seat() -> None:
    state = hunt(step="swap", changes={"by": GREEN, "cause": "event:swap_next_choice"})
    state = after(state, GAME.leave(state, GREEN))
    assert (GAME.pending(state), state.cause) == (Seats((BLUE,)), "event:swap_next_choice")


def test_m38_a_bystander_who_leaves_changes_nothing_else() -> None:
    state = hunt()
    assert GAME.leave(state, BLUE) == (SeatGone(BLUE),)


def test_m38_rounds_go_on_when_the_first_seat_has_left() -> None:
    state = hunt(3, active=RED)
    state = after(state, GAME.leave(state, RED))
    assert (state.by, state.round) == (GREEN, 1)
    state = defended(defended(state))
    assert (state.by, state.round) == (GREEN, 2)


# -- slow seats --------------------------------------------------------------------------------------------------------


def test_m41_a_slow_seat_defends_and_does_nothing_or_attacks_one_tile() -> None:
    state = hunt()
    assert GAME.default(state, RED) == DeclareDefence()
    state, _ = do(state, DeclareDefence())
    assert GAME.default(state, RED) == ChooseDefence("skip")
    state = replace(hunt(), defended=(True, False, False, False))
    assert GAME.default(state, RED) == DeclareAttack()
    state, _ = do(state, DeclareAttack())
    state, _ = luck(state, 8)
    assert GAME.default(state, RED) == AnnounceCount(1)


# -- what always holds -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(6))
def test_a_play_keeps_what_must_be_kept(number: int) -> None:
    """48 tiles, ten a colour, eight event tiles; none of those open between actions; nothing below zero; one deck."""
    dice = random.Random(number)
    state = opened(2 + number % 3, on_miss=("reset", "keep")[number % 2], max_rounds=12)
    whole = {**dict.fromkeys(COLOURS, 10), EVENT_TILE: 8}
    while events := step_of(state, dice):
        opened_before = sum(tile is not None and tile.up for _, tile in positions(state.board))
        state = after(state, events)
        tiles = [tile for _, tile in positions(state.board) if tile is not None]
        supplies = [face for supply in state.supplies for face in supply]
        if state.stage != "opening":
            assert Counter([tile.face for tile in tiles] + supplies) == whole
        if state.stage in ("complication", "hunt"):
            assert len(tiles) == TILES
        up = [tile for tile in tiles if tile.up]
        assert len(up) <= opened_before + 1, "M-29: tiles are opened one at a time"
        assert all(tile.face != EVENT_TILE for tile in up), "M-24"
        assert len({tile.opening for tile in up}) == len(up)
        assert all(tile.opening == 0 for tile in tiles if not tile.up)
        assert min(state.lost) >= 0
        assert state.extra >= 0
        assert len(state.discard) < 50
    assert state.reason
