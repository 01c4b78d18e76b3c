"""A seat leaves for good (J-24): whenever it does, the others can play on, and the last one wins."""

from engine.games.just4fun import GAME
from engine.games.just4fun.layouts import LAYOUTS
from engine.games.just4fun.model import FirstPlayerChosen, HandDiscarded, HandDrawn, PlaceToken, PlayEnded, TurnBegan
from engine.games.just4fun.rules import owed
from engine.games.just4fun.testing import after, checkered, do, draw, opened, position
from engine.kernel.chance import Chance, Roll
from engine.kernel.game import Over, Seats
from engine.kernel.value import Spectator

SPECTATOR = Spectator()


def test_tokens_stay_and_the_hand_goes_to_the_discard_pile() -> None:
    state = position(3, stacks={12: (0, 2, 1)}, hands=[(), (1, 2, 3, 4)])
    events = GAME.leave(state, 1)
    assert events == (HandDiscarded(1, (1, 2, 3, 4)),)
    state = after(state, events)
    assert state.stacks[11] == (0, 2, 1)
    assert state.discard == (1, 2, 3, 4)
    assert GAME.pending(state) == Seats((0,))


def test_the_turn_of_a_leaver_goes_to_the_next_seat() -> None:
    state = position(3, active=2)
    assert GAME.leave(state, 2)[-1] == TurnBegan(0)


def test_a_leaver_is_skipped() -> None:
    state = position(3, hands=[(5,)])
    state = after(state, GAME.leave(state, 1))
    state, _ = do(state, PlaceToken(5, (5,)))
    _, events = draw(state, 7)
    assert events[-1] == TurnBegan(2)


def test_a_draw_that_the_leaver_was_owed_is_owed_no_more() -> None:
    state, _ = do(position(3, hands=[(5, 6)]), PlaceToken(11, (5, 6)))
    assert owed(state) == (2, 0, 0)
    state = after(state, GAME.leave(state, 0))
    assert owed(state) == (0, 0, 0)
    assert GAME.pending(state) == Seats((1,))


def test_a_draw_of_another_seat_goes_on() -> None:
    state, _ = do(position(3, hands=[(5, 6)]), PlaceToken(11, (5, 6)))
    state = after(state, GAME.leave(state, 1))
    assert owed(state) == (2, 0, 0)
    _, events = draw(state, 7, 7)
    assert events == (HandDrawn(0, (7, 7)), TurnBegan(2))


def test_the_last_seat_wins_whatever_its_points() -> None:
    state = position(3, stacks={36: (1, 0, 0), 35: (0, 1, 0)})
    state = after(state, GAME.leave(state, 0))
    events = GAME.leave(state, 1)
    assert events[-1] == PlayEnded("last_seat", (2, 2, 1))
    assert GAME.pending(after(state, events)) == Over((2, 2, 1), "last_seat")


def test_leavers_rank_last_when_the_fields_are_counted() -> None:
    state = position(3, stacks={36: (0, 1, 0)}, hands=[(5,)], tokens=(1, 4, 0))
    state = after(state, GAME.leave(state, 1))
    _, events = do(state, PlaceToken(5, (5,)))
    assert events[-1] == PlayEnded("points", (1, 3, 2))


def test_nobody_is_left_who_could_place() -> None:
    """J-16 after a leaving: the only seat that had tokens is gone."""
    state = position(3, tokens=(0, 4, 0), active=1)
    assert GAME.leave(state, 1)[-1] == PlayEnded("points", (1, 3, 1))


def test_leaving_before_the_first_player_is_drawn() -> None:
    state = opened(3)
    state = after(state, GAME.leave(state, 0))
    assert GAME.pending(state) == Chance("first", Roll(2, 1))
    state, events = draw(state, 1)
    assert events == (FirstPlayerChosen(1),)
    state, events = draw(state, 1, 1, 1, 1, 2, 2, 2, 2)
    assert events == (HandDrawn(1, (1, 1, 1, 1)), HandDrawn(2, (2, 2, 2, 2)), TurnBegan(1))


def test_the_first_player_leaves_before_the_deal() -> None:
    state = opened(3, first_player=1)
    state = after(state, GAME.leave(state, 1))
    _, events = draw(state, 1, 1, 1, 1, 2, 2, 2, 2)
    assert events[-1] == TurnBegan(2)


def test_all_but_one_leave_before_the_layout_is_dealt() -> None:
    state = opened(2, layout="random")
    state = after(state, GAME.leave(state, 0))
    assert GAME.pending(state) == Over((2, 1), "last_seat")
    assert GAME.board(state, SPECTATOR)


def test_the_tokens_of_a_leaver_still_bar() -> None:
    stacks = {field: (*stack, 0) for field, stack in checkered(LAYOUTS["original"]).items()}
    state = position(3, stacks=stacks | {36: (0, 1, 1), 35: (0, 0, 2)}, tokens=(3, 3, 3))
    state = after(state, GAME.leave(state, 2))
    assert GAME.pending(state) == Seats((0,))
    assert 35 not in {getattr(command, "field", 0) for command in GAME.legal(state, 0)}
