"""Bots remember what their seat was sent, forget at their rate, and finish their matches (B6)."""

import random

import pytest

from engine.games.memcel import GAME
from engine.games.memcel.brains import FORGET
from engine.games.memcel.events import (
    BoardRotated,
    RingRotated,
    TilePeeked,
    TileRevealed,
    TilesCovered,
    TilesPlaced,
    TilesSwapped,
)
from engine.games.memcel.memory import Memory
from engine.games.memcel.model import HIDDEN, NOWHERE, At
from engine.games.memcel.testing import after, all_of, hunt, outer, play_with
from engine.kernel.value import SeatView

ME = SeatView(0)


def never(sides: int) -> int:
    """The lot of somebody who never forgets."""
    return sides - 1


def always(sides: int) -> int:
    """The lot of somebody who loses sight of everything."""
    return 0


def remembering(forget: int = 10) -> Memory:
    """Red was placed on sector 3 of the outer ring."""
    memory = Memory(forget)
    view = GAME.view(hunt(), ME)
    memory.see(TilesPlaced(0, (outer(3), At(2, 5)), ("tile:red", "tile:blue"), (HIDDEN, HIDDEN)), view, never)
    return memory


@pytest.mark.parametrize(
    ("event", "to"),
    [
        (RingRotated(0, "cw", 5, ""), outer(8)),
        (RingRotated(0, "ccw", 5, ""), outer(14)),
        (RingRotated(1, "cw", 5, ""), outer(3)),
        (BoardRotated("cw", 15, ""), outer(2)),
        (TilesSwapped(1, (outer(3), At(2, 5)), ""), At(2, 5)),
        (TilesSwapped(1, (At(1, 1), outer(3)), ""), At(1, 1)),
        (TilesSwapped(1, (At(1, 1), At(1, 2)), ""), outer(3)),
    ],
)
def test_a_tile_is_followed_through_a_movement(event: RingRotated | BoardRotated | TilesSwapped, to: At) -> None:
    view = GAME.view(hunt(), ME)
    memory = remembering()
    memory.see(event, view, never)
    assert memory.believed(view, "tile:red") == (to,)
    lost = remembering()
    lost.see(event, view, always)
    assert lost.believed(view, "tile:red") == (outer(3),), "not followed, it is believed where it was"


def test_a_hole_teaches_nothing() -> None:
    """So whoever comes late, and is told the past with holes, has nothing to remember."""
    view = GAME.view(hunt(), ME)
    memory = Memory(0)
    memory.see(TilesPlaced(1, (outer(3), outer(4)), (HIDDEN, HIDDEN), (HIDDEN, HIDDEN)), view, never)
    memory.see(TilePeeked(1, outer(5), HIDDEN), view, never)
    memory.see(TileRevealed(1, NOWHERE, HIDDEN, 0), view, never)
    assert not any(memory.knows(at) for at in (outer(3), outer(4), outer(5), NOWHERE))


def test_what_is_covered_again_is_remembered_and_what_lies_open_is_not_forgotten() -> None:
    memory = Memory(100)
    state = hunt(face_down=["tile:red"], step="reveal", changes={"x": 1, "number": 1})
    for event in (
        TileRevealed(0, outer(0), "tile:red", 1),
        RingRotated(0, "cw", 2, ""),
        TilesCovered(0, (outer(2),), "miss", ("tile:red",)),
    ):
        state = after(state, (event,))
        memory.see(GAME.redact(event, ME), GAME.view(state, ME), always)
    assert outer(2) in memory.believed(GAME.view(state, ME), "tile:red")


@pytest.mark.parametrize("level", FORGET)
def test_the_rate_of_forgetting_is_that_of_the_level(level: str) -> None:
    """In so many of a hundred movements; 1,000 tries, and three standard deviations of room."""
    dice = random.Random(level)
    view = GAME.view(hunt(), ME)
    lost = 0
    for _ in range(1_000):
        memory = remembering(FORGET[level])
        memory.see(RingRotated(0, "cw", 1, ""), view, dice.randrange)
        lost += memory.believed(view, "tile:red") == (outer(3),)
    expected = 10 * FORGET[level]
    assert (lost - expected) ** 2 <= 9 * expected


@pytest.mark.parametrize("number", range(5))
def test_four_hard_bots_finish_the_friendly_game_long_before_its_last_round(number: int) -> None:
    state, commits = play_with(all_of("hard", 4), random.Random(number), on_miss="keep")
    assert state.reason == "all_own_face_up"
    assert state.round <= 20
    assert commits < GAME.turns_max // 10


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "greedy"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_level_plays_whole_matches_by_the_rules(level: str, seats: int) -> None:
    for on_miss in ("keep", "reset"):
        state, commits = play_with(all_of(level, seats), random.Random(seats), on_miss=on_miss)
        assert state.reason
        assert commits <= GAME.turns_max


def test_the_same_lots_make_the_same_match() -> None:
    one, other = (play_with(all_of("medium", 3), random.Random(7), on_miss="keep") for _ in range(2))
    assert one == other
