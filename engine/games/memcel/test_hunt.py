"""Attack and defence in a player's words: the agreed cases B7 and the rulings M-15 to M-33.

Red is seat 0 and attacks. ``face_down`` lies on the outer ring from the north mark, so the n-th tile turned up is on
sector n.
"""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.games.memcel import GAME
from engine.games.memcel.commands import (
    AnnounceCount,
    ChooseDefence,
    CoverTiles,
    DeclareAttack,
    DeclareDefence,
    PeekTile,
    RevealTile,
    SwapTiles,
)
from engine.games.memcel.events import (
    AttackEnded,
    Event,
    PlayEnded,
    StepBegan,
    TileRevealed,
    TilesCovered,
    TurnsLostAdded,
)
from engine.games.memcel.model import HIDDEN, State
from engine.games.memcel.printed import EVENT_TILE, Face
from engine.games.memcel.rings import open_own, open_tiles
from engine.games.memcel.testing import do, hunt, luck, outer
from engine.kernel.chance import Chance, Roll
from engine.kernel.game import Over, Seats
from engine.kernel.refusal import Refusal

RED, GREEN, BLUE, ORANGE = 0, 1, 2, 3
OWN: Face = "tile:red"
THEIRS: Face = "tile:blue"


def announced(state: State, number: int, x: int) -> State:
    """The seat attacks, rolls ``number`` and announces ``x``."""
    state, _ = do(state, DeclareAttack())
    state, _ = luck(state, number)
    state, _ = do(state, AnnounceCount(x))
    return state


def attack(
    number: int, x: int, reveals: list[Face], up: dict[Face, int] | None = None, **given: Any
) -> tuple[State, list[Event]]:
    """Turn up these tiles one after the other; the last one ends the attack."""
    state = announced(hunt(face_down=reveals, up=up, **given), number, x)
    seen: list[Event] = []
    for sector in range(len(reveals)):
        state, events = do(state, RevealTile(outer(sector)))
        seen += events
    return state, seen


def cards_due(state: State) -> int:
    """How many event cards are still to be drawn."""
    return state.cards


# -- the agreed cases --------------------------------------------------------------------------------------------------


def test_b7_1_all_found_they_stay_up_and_one_card_follows() -> None:
    """M-19, M-26."""
    state, seen = attack(7, 6, [OWN] * 6)
    assert len(open_own(state, RED)) == 6
    assert state.lost == (0, 0, 0, 0)
    assert AttackEnded(RED, 6, 6, HIDDEN, 1) in seen
    assert (cards_due(state), state.step) == (1, "card")


def test_b7_2_one_missed_costs_no_turn() -> None:
    """M-20, M-21, M-22: own tiles down, the strange one stays."""
    state, seen = attack(7, 6, [OWN] * 5 + [THEIRS])
    assert open_own(state, RED) == ()
    assert len(open_tiles(state.board, THEIRS)) == 1
    assert state.lost[RED] == 0
    assert AttackEnded(RED, 6, 5, THEIRS, 1) in seen


def test_b7_3_two_missed_cost_two_turns() -> None:
    """M-18, M-23: the one not attempted is missed too."""
    state, seen = attack(7, 6, [OWN] * 4 + [THEIRS])
    assert open_own(state, RED) == ()
    assert len(open_tiles(state.board, THEIRS)) == 1
    assert TurnsLostAdded(RED, 2, "miss") in seen
    assert (state.lost[RED], cards_due(state)) == (2, 1)


def test_b7_4_the_first_one_wrong_costs_all_six() -> None:
    state, seen = attack(7, 6, [THEIRS])
    assert (state.lost[RED], cards_due(state)) == (6, 1)
    assert not any(isinstance(event, TilesCovered) for event in seen), "nothing of one's own lay open"


def test_b7_5_one_announced_and_missed_costs_no_turn() -> None:
    """M-21."""
    state, _ = attack(5, 1, [THEIRS])
    assert (state.lost[RED], cards_due(state)) == (0, 1)


def test_b7_6_an_event_tile_goes_down_again_and_costs_a_card_more() -> None:
    """M-24, M-25."""
    state, seen = attack(5, 3, [OWN, EVENT_TILE])
    assert open_tiles(state.board, EVENT_TILE) == ()
    assert TilesCovered(RED, (outer(1),), "imprevisto", (EVENT_TILE,)) in seen
    assert (state.lost[RED], cards_due(state)) == (2, 2)


def test_b7_7_an_event_tile_as_the_last_one_costs_no_turn() -> None:
    state, _ = attack(5, 2, [OWN, EVENT_TILE])
    assert open_tiles(state.board, EVENT_TILE) == ()
    assert (state.lost[RED], cards_due(state)) == (0, 2)


def test_m25_the_extra_card_is_a_switch() -> None:
    state, _ = attack(5, 2, [OWN, EVENT_TILE], imprevisto_tile_extra_card=False)
    assert cards_due(state) == 1


def test_b7_8_no_more_may_be_announced_than_lie_face_down() -> None:
    """M-17."""
    state, _ = do(hunt(up={OWN: 8}), DeclareAttack())
    state, _ = luck(state, 8)
    assert list(GAME.legal(state, RED)) == [AnnounceCount(1), AnnounceCount(2)]
    with pytest.raises(Refusal, match="bad_count"):
        do(state, AnnounceCount(3))


def test_b7_9_with_the_tenth_tile_the_game_is_over_at_once() -> None:
    """M-27: no card."""
    state, seen = attack(4, 2, [OWN, OWN], up={OWN: 8})
    assert GAME.pending(state) == Over((1, 2, 2, 2), "all_own_face_up")
    assert [type(event) for event in seen][-2:] == [TileRevealed, PlayEnded]


def test_b7_10_a_rivals_error_opens_the_last_tile() -> None:
    """M-28: the owner wins at once, and no penalty falls."""
    state, seen = attack(4, 2, [THEIRS], up={THEIRS: 9})
    assert GAME.pending(state) == Over((2, 2, 1, 2), "all_own_face_up")
    assert [type(event) for event in seen] == [TileRevealed, PlayEnded]


def test_b7_11_a_miss_turns_down_what_lay_open_before() -> None:
    """M-20 ``reset``."""
    state, _ = attack(3, 2, [THEIRS], up={OWN: 4})
    assert open_own(state, RED) == ()
    assert state.lost[RED] == 2


def test_b7_12_the_friendly_game_keeps_it() -> None:
    """M-20 ``keep``."""
    state, _ = attack(3, 2, [THEIRS], up={OWN: 4}, on_miss="keep")
    assert len(open_own(state, RED)) == 4
    assert state.lost[RED] == 2


def test_m20_keep_turns_down_what_this_attack_has_found() -> None:
    state, seen = attack(3, 3, [OWN, OWN, THEIRS], up={OWN: 4}, on_miss="keep")
    assert len(open_own(state, RED)) == 4
    assert TilesCovered(RED, (outer(0), outer(1)), "miss", (OWN, OWN)) in seen


def test_m20_reset_turns_down_what_others_have_opened_too() -> None:
    """Whoever opened them, all own tiles on the board."""
    state, seen = attack(3, 2, [OWN, THEIRS], up={OWN: 3, "tile:green": 2})
    covered = next(event for event in seen if isinstance(event, TilesCovered))
    assert len(covered.at) == 4
    assert len(open_tiles(state.board, "tile:green")) == 2, "another's tiles stay as they are (M-22)"


def defended(state: State) -> State:
    """The seat defends and does nothing."""
    state, _ = do(state, DeclareDefence())
    state, _ = do(state, ChooseDefence("skip"))
    return state


def after_a_lost_turn(**given: Any) -> State:
    """Red has defended and loses a turn; the others defend, and a round later it is red's turn to play."""
    state = defended(hunt(changes={"lost": (1, 0, 0, 0)}, **given))
    for _ in range(3):
        state = defended(state)
    assert (state.by, state.round, state.lost[RED]) == (GREEN, 2, 0), "red's second turn is lost"
    # The others may not defend twice: let them have attacked.
    state = replace(state, defended=(state.defended[RED], False, False, False))
    for _ in range(3):
        state = defended(state)
    assert (state.by, state.round) == (RED, 3)
    return state


def test_b7_13_a_lost_turn_between_does_not_lift_the_ban() -> None:
    """M-30."""
    state = after_a_lost_turn()
    with pytest.raises(Refusal, match="defended_before"):
        do(state, DeclareDefence())
    assert list(GAME.legal(state, RED)) == [DeclareAttack()]


def test_m30_unless_the_switch_says_so() -> None:
    state = after_a_lost_turn(lost_turn_lifts_defence_ban=True)
    assert DeclareDefence() in list(GAME.legal(state, RED))


def test_b7_14_an_attack_between_lifts_the_ban() -> None:
    """M-30."""
    state, _ = do(hunt(changes={"defended": (True, False, False, False)}), DeclareAttack())
    assert not state.defended[RED]


def test_b7_17_a_roll_of_one_allows_one() -> None:
    """M-16."""
    state, _ = do(hunt(), DeclareAttack())
    state, _ = luck(state, 1)
    assert list(GAME.legal(state, RED)) == [AnnounceCount(1)]


# -- rulings -----------------------------------------------------------------------------------------------------------


def test_m15_attack_is_declared_before_the_die_and_stands() -> None:
    state, events = do(hunt(), DeclareAttack())
    assert GAME.pending(state) == Chance("number", Roll(8, 1))
    assert events[-1] == StepBegan("attack_number", RED)
    state, _ = luck(state, 3)
    with pytest.raises(Refusal, match="not_now"):
        do(state, DeclareDefence())


def test_m16_as_many_as_rolled_may_be_announced() -> None:
    state, _ = do(hunt(), DeclareAttack())
    state, _ = luck(state, 7)
    assert list(GAME.legal(state, RED)) == [AnnounceCount(x) for x in range(1, 8)]
    for wrong in (0, -1, 8):
        with pytest.raises(Refusal, match="bad_count"):
            do(state, AnnounceCount(wrong))


def test_m27_the_win_falls_in_the_middle_of_an_attack() -> None:
    """The tenth tile is the first of two announced only where others lie open by a rival's hand."""
    state = announced(hunt(face_down=[OWN, OWN], up={OWN: 8}), 5, 2)
    state, _ = do(state, RevealTile(outer(0)))
    assert GAME.pending(state) == Seats((RED,))
    state, _ = do(state, RevealTile(outer(1)))
    assert isinstance(GAME.pending(state), Over)


def test_m28_own_turn_the_owner_wins_when_the_next_turn_begins() -> None:
    state, _ = attack(4, 1, [THEIRS], up={THEIRS: 9}, off_turn_win="own_turn")
    assert state.step == "card"
    calm = 20
    state, _ = luck(state, calm)
    assert state.by == GREEN, "not yet"
    state = defended(state)
    assert GAME.pending(state) == Over((2, 2, 1, 2), "all_own_face_up")


def test_m28_own_turn_a_lost_turn_is_a_turn_that_begins() -> None:
    state = hunt(up={THEIRS: 10}, active=GREEN, off_turn_win="own_turn", changes={"lost": (0, 0, 3, 0)})
    state = defended(state)
    assert GAME.pending(state) == Over((2, 2, 1, 2), "all_own_face_up")


def test_m28_also_while_the_owner_loses_turns() -> None:
    state, _ = attack(4, 2, [THEIRS], up={THEIRS: 9}, changes={"lost": (0, 0, 5, 0)})
    assert GAME.pending(state) == Over((2, 2, 1, 2), "all_own_face_up")


def test_m29_no_event_but_a_reveal_opens_a_tile_and_it_opens_one() -> None:
    """So two seats never win at once; the other half of it is ``test_a_play_keeps_what_must_be_kept``."""
    _, seen = attack(4, 2, [OWN, OWN])
    assert [event.at for event in seen if isinstance(event, TileRevealed)] == [outer(0), outer(1)]


def test_m22_a_neutral_colour_stays_open_to_the_end_and_wins_nothing() -> None:
    """With two seats blue and orange are nobody's."""
    state, seen = attack(4, 2, [THEIRS], up={THEIRS: 9}, seats=2)
    assert len(open_tiles(state.board, THEIRS)) == 10
    assert state.step == "card"
    assert AttackEnded(RED, 2, 0, THEIRS, 1) in seen


def test_m31_a_defence_has_no_closing_card() -> None:
    state = defended(hunt())
    assert (state.by, state.step, state.cards) == (GREEN, "declare", 0)


def test_the_three_ways_of_defence() -> None:
    state, _ = do(hunt(), DeclareDefence())
    assert list(GAME.legal(state, RED)) == [ChooseDefence(way) for way in ("card", "complication", "skip")]
    card, _ = do(state, ChooseDefence("card"))
    assert (card.step, card.cards) == ("card", 1)
    complication, _ = do(state, ChooseDefence("complication"))
    assert complication.step == "complication"


def test_m32_whoever_is_asked_has_a_tile_face_down() -> None:
    """All ten open would have ended the game, so an attack is always possible."""
    state, _ = do(hunt(up={OWN: 9}), DeclareAttack())
    state, _ = luck(state, 8)
    assert list(GAME.legal(state, RED)) == [AnnounceCount(1)]


@pytest.mark.parametrize("step", ["reveal", "peek"])
def test_m33_an_open_tile_is_neither_turned_up_nor_peeked_at(step: Any) -> None:
    state = hunt(up={THEIRS: 1}, step=step, changes={"x": 1, "number": 1})
    command = RevealTile(outer(0)) if step == "reveal" else PeekTile(outer(0))
    with pytest.raises(Refusal, match="not_face_down"):
        do(state, command)
    assert command not in list(GAME.legal(state, RED))
    assert len(list(GAME.legal(state, RED))) == 47


def test_what_belongs_to_another_moment_is_refused() -> None:
    state = hunt()
    for command in (AnnounceCount(1), RevealTile(outer(0)), CoverTiles(()), SwapTiles((outer(0), outer(1)))):
        with pytest.raises(Refusal, match="not_now"):
            do(state, command)
    with pytest.raises(Refusal, match="not_your_turn"):
        do(state, DeclareAttack(), GREEN)
