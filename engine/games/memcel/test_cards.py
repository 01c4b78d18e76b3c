"""Complications and event cards: what each does, to whom, and when it does nothing (M-10 to M-14, M-34 to M-36)."""

from typing import Any

import msgspec
import pytest

from engine.games.memcel import GAME
from engine.games.memcel.commands import ChooseDefence, CoverTiles, DeclareDefence, PeekTile, SwapTiles
from engine.games.memcel.events import (
    BoardRotated,
    CardDrawn,
    DeckReshuffled,
    Event,
    ExtraTurnGranted,
    IconRolled,
    LostTurnsCut,
    NumberRolled,
    RingRotated,
    TilePeeked,
    TilesCovered,
    TilesSwapped,
    TurnBegan,
    TurnsLostAdded,
)
from engine.games.memcel.model import At, State
from engine.games.memcel.moves import pile
from engine.games.memcel.printed import STANDARD_DECK
from engine.games.memcel.rings import open_own, rotated
from engine.games.memcel.testing import do, hunt, luck, outer
from engine.kernel.chance import Chance, Draw, Roll
from engine.kernel.game import Seats
from engine.kernel.refusal import Refusal
from engine.kernel.value import SeatView

RED, GREEN, BLUE, ORANGE = 0, 1, 2, 3
NUMBER_OF: dict[str, int] = {copies.card.kind: number for number, copies in enumerate(STANDARD_DECK)}
"""A card of each kind, by its place in the deck; of ring_step the last, which is blue, clockwise by six."""
BLACK, GREY, WHITE = 1, 2, 3
"""Faces of the icon die, all with other rings and ways: red clockwise, red anticlockwise, green clockwise."""


def drawn(kind: str, cards: int = 1, **given: Any) -> tuple[State, tuple[Event, ...]]:
    """Red draws a card of this kind in the hunt."""
    changes = {"cards": cards} | given.pop("changes", {})
    return luck(hunt(step="card", changes=changes, **given), NUMBER_OF[kind])


def complication(**given: Any) -> State:
    state, _ = do(hunt(**given), DeclareDefence())
    state, _ = do(state, ChooseDefence("complication"))
    assert GAME.pending(state) == Chance("icon", Roll(6, 1))
    return state


# -- complications -----------------------------------------------------------------------------------------------------


def test_m11_black_turns_the_whole_board_the_way_of_its_face() -> None:
    before = complication()
    state, events = luck(before, BLACK)
    assert events[0] == IconRolled(RED, 1, 0, "cw", "black")
    assert GAME.pending(state) == Chance("number", Roll(8, 1))
    state, events = luck(state, 7)
    assert events[:2] == (NumberRolled(RED, 7), BoardRotated("cw", 7, "complication:black"))
    assert state.board == rotated(before.board, (0, 1, 2), "cw", 7)
    assert (state.by, state.icon, state.number) == (GREEN, 0, 0)


def test_m12_grey_lets_the_roller_swap_any_two_tiles_open_or_not() -> None:
    """M-33 too: an open one may be swapped."""
    before = complication(up={"tile:blue": 1})
    state, _ = luck(before, GREY)
    assert (GAME.pending(state), state.step) == (Seats((RED,)), "swap")
    swap = SwapTiles((At(2, 15), outer(0)))
    assert swap.at == (outer(0), At(2, 15)), "the order of the two is no matter"
    state, events = do(state, swap)
    assert events[0] == TilesSwapped(RED, (outer(0), At(2, 15)), "complication:grey")
    assert (state.at(outer(0)), state.at(At(2, 15))) == (before.at(At(2, 15)), before.at(outer(0)))


@pytest.mark.parametrize(
    ("at", "code"), [((At(0, 3), At(0, 3)), "same_position"), ((At(0, 3), At(1, 16)), "no_such_position")]
)
def test_m12_two_different_positions(at: tuple[At, At], code: str) -> None:
    state, _ = luck(complication(), GREY)
    with pytest.raises(Refusal) as refused:
        do(state, SwapTiles(at))
    assert refused.value.code == code
    assert len(list(GAME.legal(state, RED))) == 48 * 47 // 2


def test_m13_white_rolls_again_for_ring_and_way_and_its_circle_is_ignored() -> None:
    before = complication()
    state, _ = luck(before, WHITE)
    assert (GAME.pending(state), state.step) == (Chance("icon", Roll(6, 1)), "ring_icon")
    state, _ = luck(state, WHITE)  # white again: no chain
    assert GAME.pending(state) == Chance("number", Roll(8, 1))
    state, events = luck(state, 8)
    assert events[1] == RingRotated(1, "cw", 8, "complication:white")  # M-14: half a turn, carried out
    assert state.board == rotated(before.board, (1,), "cw", 8)
    assert state.by == GREEN


# -- the deck ----------------------------------------------------------------------------------------------------------


def test_m34_drawn_cards_lie_open_and_cannot_come_again_before_the_shuffle() -> None:
    state = hunt(step="card", changes={"cards": 1})
    pending = GAME.pending(state)
    assert isinstance(pending, Chance)
    assert pending.label == "deck"
    assert isinstance(pending.spec, Draw)
    assert len(pending.spec.cards) == 50
    state, events = luck(state, NUMBER_OF["pardon"])
    assert events[0] == CardDrawn(RED, NUMBER_OF["pardon"], STANDARD_DECK[NUMBER_OF["pardon"]].card)
    assert state.discard == (NUMBER_OF["pardon"],)
    assert len(pile(state)) + len(state.discard) == 50
    assert pile(state).count(NUMBER_OF["pardon"]) == 1


def test_m34_with_the_last_card_the_discard_pile_is_shuffled() -> None:
    whole = pile(hunt())
    state = hunt(step="card", changes={"cards": 1, "discard": whole[:-1]})
    state, events = luck(state, whole[-1])
    assert events[1] == DeckReshuffled(50)
    assert (state.discard, len(pile(state))) == ((), 50)


# -- the cards ---------------------------------------------------------------------------------------------------------


def test_ring_step_turns_the_printed_ring() -> None:
    before = hunt()
    state, events = drawn("ring_step")
    assert events[1] == RingRotated(2, "cw", 6, "event:ring_step")
    assert state.board == rotated(before.board, (2,), "cw", 6)
    assert state.by == GREEN


def test_reroll_is_a_white_complication() -> None:
    state, _ = drawn("reroll")
    assert state.step == "ring_icon"
    state, _ = luck(state, BLACK)
    state, events = luck(state, 2)
    assert events[1] == RingRotated(0, "cw", 2, "event:reroll")


def test_board_spin_takes_way_and_number_from_the_dice() -> None:
    state, _ = drawn("board_spin")
    assert state.step == "board_icon"
    state, _ = luck(state, GREY)
    state, events = luck(state, 4)
    assert events[1] == BoardRotated("ccw", 4, "event:board_spin")


def test_m35_the_drawer_swaps() -> None:
    state, _ = drawn("swap_own_choice")
    assert GAME.pending(state) == Seats((RED,))
    state, events = do(state, SwapTiles((outer(0), outer(1))))
    assert events[0] == TilesSwapped(RED, (outer(0), outer(1)), "event:swap_own_choice")


def test_m35_the_next_player_swaps_lost_turns_or_not_and_the_turn_goes_on() -> None:
    state, _ = drawn("swap_next_choice", cards=2, changes={"lost": (0, 3, 0, 0)})
    assert GAME.pending(state) == Seats((GREEN,))
    state, events = do(state, SwapTiles((outer(0), outer(1))))
    assert events[0] == TilesSwapped(GREEN, (outer(0), outer(1)), "event:swap_next_choice")
    assert (state.step, state.by) == ("card", RED), "the closing card is the drawer's"


def test_the_complication_card_rolls_one() -> None:
    state, _ = drawn("complication")
    assert GAME.pending(state) == Chance("icon", Roll(6, 1))
    state, _ = luck(state, GREY)
    assert state.cause == "complication:grey"


def test_skip_next_costs_the_drawer_a_turn() -> None:
    state, events = drawn("skip_next")
    assert events[1] == TurnsLostAdded(RED, 1, "event:skip_next")
    assert state.lost == (1, 0, 0, 0)


def test_cover_own_two_of_choice() -> None:
    state, _ = drawn("cover_own", up={"tile:red": 3})
    assert len(list(GAME.legal(state, RED))) == 3
    state, events = do(state, CoverTiles((outer(2), outer(0))))
    assert events[0] == TilesCovered(RED, (outer(0), outer(2)), "event:cover_own", ("tile:red", "tile:red"))
    assert open_own(state, RED) == (outer(1),)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_cover_own_all_of_them_if_there_are_no_more(count: int) -> None:
    state, events = drawn("cover_own", up={"tile:red": count})
    assert open_own(state, RED) == ()
    assert any(isinstance(event, TilesCovered) for event in events) == bool(count)
    assert state.by == GREEN


@pytest.mark.parametrize("at", [(), (0,), (0, 0), (0, 1, 2), (0, 9)])
def test_cover_own_takes_exactly_two_own_open_tiles(at: tuple[int, ...]) -> None:
    state, _ = drawn("cover_own", up={"tile:red": 3})
    with pytest.raises(Refusal, match="not_to_cover"):
        do(state, CoverTiles(tuple(map(outer, at))))


def test_cover_rival_one_of_choice_but_of_no_neutral_colour() -> None:
    """Two seats: blue is neutral."""
    state, _ = drawn("cover_rival", seats=2, up={"tile:green": 2, "tile:blue": 2, "tile:red": 1})
    assert list(GAME.legal(state, RED)) == [CoverTiles((outer(0),)), CoverTiles((outer(1),))]
    state, events = do(state, CoverTiles((outer(1),)))
    assert events[0] == TilesCovered(RED, (outer(1),), "event:cover_rival", ("tile:green",))


def test_cover_rival_without_a_target_does_nothing_and_one_target_is_no_choice() -> None:
    state, events = drawn("cover_rival", seats=2, up={"tile:blue": 2, "tile:red": 1})
    assert not any(isinstance(event, TilesCovered) for event in events)
    state, events = drawn("cover_rival", up={"tile:blue": 1})
    assert any(isinstance(event, TilesCovered) for event in events)
    assert state.by == GREEN


def test_m38_the_colour_of_a_leaver_is_no_rival() -> None:
    _, events = drawn("cover_rival", up={"tile:blue": 1}, changes={"left": (BLUE,)})
    assert not any(isinstance(event, TilesCovered) for event in events)


def test_peek_shows_one_tile_and_stores_it_nowhere() -> None:
    before, _ = drawn("peek", face_down=["tile:orange"])
    state, events = do(before, PeekTile(outer(0)))
    assert events[0] == TilePeeked(RED, outer(0), "tile:orange")
    assert state.board == before.board
    assert b"tile:orange" not in msgspec.json.encode(GAME.view(state, SeatView(RED))), "also to the drawer"


def test_pardon_cuts_two_turns_at_most() -> None:
    for lost, cut in ((5, 2), (1, 1)):
        state, events = drawn("pardon", changes={"lost": (lost, 0, 0, 0)})
        assert events[1] == LostTurnsCut(RED, cut, "event:pardon")
        assert state.lost[RED] == lost - cut
    _, events = drawn("pardon")
    assert not any(isinstance(event, LostTurnsCut) for event in events)


def test_calm_does_nothing() -> None:
    state, events = drawn("calm")
    assert [type(event).__name__ for event in events] == ["CardDrawn", "TurnBegan", "StepBegan"]
    assert state.by == GREEN


def test_an_extra_turn_follows_this_one() -> None:
    state, events = drawn("extra_turn")
    assert events[1] == ExtraTurnGranted(RED)
    assert TurnBegan(RED, "hunt", 1, extra=True) in events
    assert (state.by, state.step, state.round, state.extra) == (RED, "declare", 1, 0)


def test_m36_with_turns_to_lose_one_of_them_is_cancelled_instead() -> None:
    state, events = drawn("extra_turn", changes={"lost": (3, 0, 0, 0)})
    assert events[1] == LostTurnsCut(RED, 1, "event:extra_turn")
    assert (state.lost[RED], state.by) == (2, GREEN)


def test_m36_an_extra_turn_is_given_up_for_a_turn_lost_after_it() -> None:
    """Two cards in one turn: an extra turn, then one that costs a turn."""
    state, _ = drawn("extra_turn", cards=2)
    assert state.extra == 1
    state, events = luck(state, NUMBER_OF["skip_next"])
    assert LostTurnsCut(RED, 1, "event:extra_turn", 1) in events
    assert (state.lost[RED], state.extra, state.by) == (0, 0, GREEN)


def test_m36_of_two_extra_turns_one_is_left() -> None:
    state, _ = drawn("extra_turn", cards=2, changes={"extra": 1})
    state, _ = luck(state, NUMBER_OF["skip_next"])
    assert (state.lost[RED], state.extra, state.by, state.active) == (0, 0, RED, RED)


def test_m30_an_extra_turn_counts_as_a_turn() -> None:
    """The ban of a defender holds for it."""
    state, _ = do(hunt(), DeclareDefence())
    state, _ = do(state, ChooseDefence("card"))
    state, _ = luck(state, NUMBER_OF["extra_turn"])
    assert state.by == RED
    assert [type(command).__name__ for command in GAME.legal(state, RED)] == ["DeclareAttack"]


def test_the_card_of_an_event_tile_is_finished_before_the_closing_card() -> None:
    state, _ = drawn("swap_own_choice", cards=2)
    assert state.step == "swap"
    state, _ = do(state, SwapTiles((outer(0), outer(1))))
    assert (state.step, state.cards) == ("card", 1)
    state, _ = luck(state, NUMBER_OF["calm"])
    assert state.by == GREEN
