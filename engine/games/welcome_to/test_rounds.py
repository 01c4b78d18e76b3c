"""A round of the standard game: in secret, revealed at once, then the deck (4.1); and how play ends (4.9)."""

import random
from itertools import permutations

import msgspec
import pytest
from msgspec.structs import replace

from engine.games.welcome_to import GAME
from engine.games.welcome_to.dealing import pile
from engine.games.welcome_to.model import (
    Claim,
    CombinationsShown,
    DeckReshuffled,
    Park,
    PlayEnded,
    RoundBegan,
    RoundEnded,
    SeatGone,
    State,
    TakeTurn,
    Turn,
    TurnRevealed,
    TurnTaken,
)
from engine.games.welcome_to.testing import after, build, dealt, draw, opened, position, reveal, step, take, town
from engine.kernel.chance import Chance, Draw
from engine.kernel.game import Automatic, Over, Seats, Setup
from engine.kernel.refusal import Refusal
from engine.kernel.value import Referee, SeatView, Spectator

BOTTOM = "1 2 3 4 5 6 7 8 9 10 11 12"
MIDDLE = "1 2 3 4 5 6 7 8 9 10 11"
TOP = "1 2 3 4 5 6 7 8 9 10"


def in_play(seats: int = 2) -> State:
    """A match whose plans and first cards are dealt."""
    return dealt(opened(seats), random.Random(1))


# -- together and in secret --------------------------------------------------------------------------------------------


def test_everybody_decides_at_the_same_time() -> None:
    """4.1."""
    state = position(town(), town(), town())
    assert GAME.pending(state) == Seats((0, 1, 2))
    state = take(state, build(state, 0, 0, 0), seat=1)
    assert GAME.pending(state) == Seats((0, 2))
    with pytest.raises(Refusal, match="not_your_turn"):
        take(state, build(state, 0, 0, 0), seat=1)


def test_until_all_have_decided_others_see_only_that_a_seat_is_ready() -> None:
    state = position(town(), town())
    turn = build(state, 1, 2, 3, Park(2))
    (taken,) = GAME.decide(TakeTurn(turn), state, 0)
    state = after(state, (taken,))
    for viewer in (Spectator(), SeatView(1)):
        assert GAME.redact(taken, viewer) == TurnTaken(0, None)
        seen = GAME.view(state, viewer)
        assert (seen.turns, seen.ready) == ((None, None), (True, False))
        assert seen.sheets == state.sheets == (town(), town())
    for knowing in (SeatView(0), Referee()):
        assert GAME.redact(taken, knowing) == taken
        assert GAME.view(state, knowing).turns[0] == turn


def test_the_reveal_is_the_same_whoever_was_last() -> None:
    """Byte for byte: the house reveals in seat order."""
    state = position(town("1 2 3 4 | 5 6 7 8 |"), town(), town())
    turns = [build(state, 0, 2, 3), build(state, 1, 0, 4, Park(0)), build(state, 2, 1, 5)]
    reveals = set()
    for order in permutations(range(3)):
        ready = state
        for seat in order:
            ready = take(ready, turns[seat], seat)
        assert GAME.pending(ready) == Automatic()
        reveals.add(msgspec.json.encode([GAME.events.encode(event) for event in GAME.proceed(ready)]))
    assert len(reveals) == 1


def test_all_turns_become_public_at_once() -> None:
    state = position(town(), town())
    first, second = build(state, 0, 2, 3), build(state, 1, 0, 4)
    state, events = reveal(state, first, second)
    assert events == (TurnRevealed(0, first), TurnRevealed(1, second), RoundEnded(()))
    assert all(GAME.redact(event, Spectator()) == event for event in events)
    assert (state.sheets[0].numbers[2][3], state.sheets[1].numbers[0][4]) == (5, 8)


def test_several_may_take_the_same_combination() -> None:
    """4.1."""
    state = position(town(), town())
    state, _ = reveal(state, build(state, 0, 0, 0), build(state, 0, 0, 0))
    assert state.sheets[0] == state.sheets[1]


# -- the deck ----------------------------------------------------------------------------------------------------------


def test_the_first_turn_turns_two_cards_of_each_stack_and_later_ones_one() -> None:
    """4.1: the number cards become the effects of the next turn."""
    state = replace(opened(2), plans=(0, 6, 12))
    assert GAME.pending(state) == Chance("deck", Draw(tuple(range(81)), 6))
    state, events = draw(state, 0, 10, 20, 30, 40, 50)
    assert events == (CombinationsShown((0, 10, 20), (30, 40, 50)), RoundBegan(1))
    state, _ = reveal(state, *(next(GAME.legal(state, seat)).turn for seat in (0, 1)))
    chance = GAME.pending(state)
    assert isinstance(chance, Chance)
    assert chance.spec.count == 3
    state, events = draw(state, 1, 11, 21)
    assert events == (CombinationsShown((30, 40, 50), (1, 11, 21)), RoundBegan(2))
    assert state.discard == (0, 10, 20)
    assert len(pile(state)) == 72


def test_the_same_cards_come_whatever_the_players_do() -> None:
    """Duplicate play: what is drawn from depends on the draws alone until somebody has the deck reshuffled."""
    asked: list[list[Chance]] = []
    for number in range(3):
        luck, dice, specs = random.Random(7), random.Random(number), list[Chance]()
        state = opened(2, voluntary_refusal=False)
        while not isinstance(GAME.pending(state), Over) and state.round < 12:
            chance = GAME.pending(state)
            if isinstance(chance, Chance):
                specs.append(chance)
                values = luck.sample(chance.spec.cards, chance.spec.count)  # type: ignore[union-attr]  # a draw of cards
                state, _ = draw(state, *values)
            else:
                events = step(state, dice)
                if any(isinstance(event, DeckReshuffled) for event in events):
                    break
                state = after(state, events)
        asked.append(specs)
    shortest = min(map(len, asked))
    assert shortest > 10
    assert all(specs[:shortest] == asked[0][:shortest] for specs in asked)


def test_a_deal_lasts_26_turns_and_then_the_last_numbers_become_effects() -> None:
    """UNKNOWN-4: the other 78 are the deck."""
    state = in_play()
    for turn in range(1, 27):
        assert state.round == turn
        state = replace(state, sheets=(town(), town()))
        turns = [build(state, 0, 0, 4) for _ in (0, 1)]
        last = state.numbers
        state, events = reveal(state, *turns)
        assert (DeckReshuffled((), last) in events) == (turn == 26)
        if turn < 26:
            state = dealt(state, random.Random(turn))
    chance = GAME.pending(state)
    assert isinstance(chance, Chance)
    assert chance.spec == Draw(tuple(card for card in range(81) if card not in last), 3)
    state = dealt(state, random.Random(0))
    assert state.effects == last


# -- the end (4.9) -----------------------------------------------------------------------------------------------------


def test_the_third_refusal_of_anybody_ends_the_play() -> None:
    full = town(TOP, MIDDLE, "1 2 3 4 5 6 7 8 9 10 17 .", refusals=2)
    state = position(full, town())
    state, events = reveal(state, Turn(), build(state, 0, 0, 0))
    assert state.sheets[0].refusals == 3
    assert state.sheets[1].numbers[0][0] == 5
    assert events[-1] == PlayEnded("refusals", state.ranks)
    assert GAME.pending(state) == Over(state.ranks, "refusals")


def test_the_third_plan_of_anybody_ends_the_play() -> None:
    sheet = town("1 2 3 4 | 5 6 7 8 | . .", plans=(0, 9, 7))
    state = position(sheet, town(), plans=(3, 10, 14))
    claim = Claim(0, ((0, 0, 3), (0, 4, 7)))
    state, _ = reveal(state, build(state, 0, 2, 3, claims=(claim,)), build(state, 0, 0, 0))
    assert state.reason == "plans"
    assert state.ranks == (1, 2)


def test_the_33rd_box_of_anybody_ends_the_play() -> None:
    """A bis fills too."""
    state = position(town("1 2 3 4 5 6 7 8 9 .", MIDDLE, BOTTOM), town(), shown=((11, "pool"), (8, "temp"), (9, "bis")))
    state, _ = reveal(state, build(state, 0, 0, 9), build(state, 0, 0, 0))
    assert state.reason == "houses"


def test_the_round_is_finished_before_the_end_counts() -> None:
    """4.9: what the others did in it stands."""
    state = position(town("1 2 3 4 5 6 7 8 9 .", MIDDLE, BOTTOM), town())
    state, events = reveal(state, build(state, 2, 0, 9), build(state, 1, 0, 4, Park(0)))
    assert state.sheets[1].parks == (1, 0, 0)
    assert isinstance(events[-1], PlayEnded)


# -- leaving (ours) ----------------------------------------------------------------------------------------------------


def test_a_turn_in_secret_is_void_when_its_seat_leaves_and_the_sheet_stays() -> None:
    state = position(town("1"), town(), town())
    state = take(state, build(state, 1, 0, 4))
    state = after(state, GAME.leave(state, 0))
    assert GAME.pending(state) == Seats((1, 2))
    state, events = reveal(state, build(state, 0, 0, 0), build(state, 0, 0, 0))
    assert [event.seat for event in events if isinstance(event, TurnRevealed)] == [1, 2]
    assert state.sheets[0] == town("1")


def test_when_all_others_are_ready_leaving_lets_the_rules_go_on() -> None:
    state = position(town(), town(), town())
    for seat in (0, 2):
        state = take(state, build(state, 1, 0, 4), seat)
    state = after(state, GAME.leave(state, 1))
    assert GAME.pending(state) == Automatic()


def test_the_last_one_at_the_table_wins_and_leavers_share_the_last_rank() -> None:
    state = position(town("1 |"), town(), town())
    state = after(state, GAME.leave(state, 0))
    events = GAME.leave(state, 2)
    assert events == (SeatGone(2, ()), PlayEnded("last_seat", (2, 1, 2)))


@pytest.mark.parametrize("draws", range(4))
def test_a_seat_may_leave_while_luck_is_asked(draws: int) -> None:
    state = opened(3)
    dice = random.Random(draws)
    for _ in range(draws):
        state = after(state, step(state, dice))
    state = dealt(after(state, GAME.leave(state, 1)), dice)
    assert GAME.pending(state) == Seats((0, 2))


def test_a_lone_player_who_leaves_ends_the_play() -> None:
    state = position(town())
    assert GAME.leave(state, 0) == (SeatGone(0, ()), PlayEnded("left", (1,)))


def test_a_hundred_seats_can_be_set() -> None:
    state = GAME.initial(Setup(100, opened(2).options))
    assert len(state.sheets) == 100
