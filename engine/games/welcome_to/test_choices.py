"""What a seat is offered: all that is allowed, nothing else, step by step."""

import random

import msgspec
import pytest

from engine.games.welcome_to import GAME
from engine.games.welcome_to.choices import answered
from engine.games.welcome_to.model import (
    Bis,
    Claim,
    Fence,
    NoUse,
    Park,
    Pool,
    Promotion,
    State,
    TakeTurn,
    Temp,
    Turn,
    Use,
)
from engine.games.welcome_to.testing import after, build, dealt, opened, position, step, town
from engine.games.welcome_to.turns import cards_of
from engine.kernel.codec import Recorded
from engine.kernel.game import Menu, Over, Seats
from engine.kernel.refusal import Refusal

FOURS_BUILT = town("1 2 3 4 | 5 6 7 8 | . .", "1 2 3 4 |")
PLANS = (3, 10, 14)


def keys(menu: Menu) -> list[str]:
    return [choice.key for choice in menu.choices]


def command_of(menu: Menu) -> TakeTurn:
    assert menu.command is not None
    return GAME.commands.decode(msgspec.json.decode(menu.command, type=Recorded))


def menu(state: State, *path: str) -> Menu:
    return GAME.choices(state, 0, path)


# -- step by step ------------------------------------------------------------------------------------------------------


def test_a_whole_turn() -> None:
    """Combination, house, effect; then it is complete."""
    state = position(town(), town())
    assert keys(menu(state)) == ["combo0", "combo1", "combo2"]
    assert len(keys(menu(state, "combo0"))) == 33
    assert keys(menu(state, "combo0", "s1h4"))[:3] == ["none", "s0f0", "s0f1"]
    done = menu(state, "combo0", "s1h4", "s2f3")
    assert command_of(done).turn == build(state, 0, 1, 4, Fence(2, 3))
    assert done.choices == ()


def test_places_are_ids_of_the_board() -> None:
    state = position(town(), town())
    assert [choice.place for choice in menu(state).choices] == ["combo0", "combo1", "combo2"]
    assert menu(state, "combo0").choices[12].place == "s1h2"
    assert menu(state, "combo0", "s1h2").choices[1].place == "s0f0"
    assert [choice.place for choice in menu(state, "combo2", "s1h2").choices][1:] == [f"estate{n}" for n in range(1, 7)]


def test_an_effect_that_can_do_nothing_is_not_asked_about() -> None:
    state = position(town(), town(), shown=((6, "pool"), (8, "landscaper"), (11, "real_estate")))
    assert keys(menu(state, "combo0", "s0h2")) == ["none", "pool"]
    assert command_of(menu(state, "combo0", "s0h3")).turn == build(state, 0, 0, 3)


def test_a_temp_asks_for_the_number() -> None:
    state = position(town("5 . 8"), town(), shown=((6, "temp"), (8, "landscaper"), (11, "real_estate")))
    assert keys(menu(state, "combo0", "s0h1")) == ["none", "temp", "temp+1"]


def test_a_bis_names_the_number_it_doubles() -> None:
    state = position(town("5 . 8"), town(), shown=((7, "bis"), (8, "landscaper"), (11, "real_estate")))
    offered = keys(menu(state, "combo0", "s1h0"))
    assert {"s0h1:5", "s0h1:8", "s1h1:7"} <= set(offered)


def test_two_cards_are_chosen_in_solo() -> None:
    state = position(town())
    assert keys(menu(state)) == ["card0", "card1", "card2"]
    assert keys(menu(state, "card1")) == ["card0", "card2"]
    assert command_of(menu(state, "card1", "card2", "s0h0", "none")).turn.number == state.numbers[1]


def test_a_roundabout_first_or_last() -> None:
    """4.8: two ways to the same turn."""
    state = position(town(), town(), advanced=True)
    first = menu(state, "roundabout", "s1h4", "combo1", "s0h5", "park")
    last = menu(state, "combo1", "s0h5", "park", "roundabout", "s1h4")
    assert command_of(first) == command_of(last)
    assert "roundabout" not in keys(first)


def test_a_complete_turn_may_be_confirmed_or_added_to() -> None:
    """Plans in any order, their estates one by one, then the wish for a new shuffle."""
    state = position(FOURS_BUILT, town(), plans=PLANS)
    base = ("combo0", "s2h4", "none")
    assert keys(menu(state, *base)) == ["plan0"]
    assert command_of(menu(state, *base)).turn.claims == ()
    assert keys(menu(state, *base, "plan0")) == ["s0h0-3", "s0h4-7"]
    assert keys(menu(state, *base, "plan0", "s0h0-3")) == ["s0h4-7", "s1h0-3"]
    claimed = menu(state, *base, "plan0", "s0h4-7")
    assert command_of(claimed).turn.claims == (Claim(0, ((0, 4, 7), (1, 0, 3))),)
    assert keys(claimed) == ["reshuffle"]
    assert command_of(menu(state, *base, "plan0", "s0h4-7", "reshuffle")).turn.reshuffle


def test_a_path_that_is_none_is_refused() -> None:
    state = position(town(), town())
    for path in (("combo3",), ("combo0", "s0h10"), ("combo0", "s0h0", "none", "none"), ("",)):
        with pytest.raises(Refusal, match="no_such_choice"):
            menu(state, *path)


def test_the_clock_plays_a_number_where_it_leaves_room_and_nothing_else() -> None:
    state = position(town(), town())
    turn = GAME.default(state, 0).turn
    assert (turn.use, turn.claims, turn.roundabout) == (NoUse(), (), ())
    assert TakeTurn(turn) in list(GAME.legal(state, 0))
    full = town("1 2 3 4 5 6 7 8 9 10", "1 2 3 4 5 6 7 8 9 10 11", "1 2 3 4 5 6 7 8 9 10 16 .")
    assert GAME.default(position(full, town()), 0) == TakeTurn(Turn())


# -- all that is allowed, nothing else ---------------------------------------------------------------------------------


def any_use(dice: random.Random) -> Use:
    street, house = dice.randrange(3), dice.randrange(12)
    uses: list[Use] = [
        NoUse(),
        Fence(street, house),
        Pool(street, house),
        Temp(dice.randrange(-3, 4)),
        Bis(street, house, dice.randrange(18)),
        Park(street),
        Promotion(dice.randrange(8)),
    ]
    return dice.choice(uses)


def is_accepted(state: State, turn: Turn) -> bool:
    try:
        GAME.decide(TakeTurn(turn), state, 0)
    except Refusal:
        return False
    return True


def other_turn(state: State, turn: Turn, dice: random.Random) -> Turn:
    """A turn with one or two of its parts exchanged, sensible or not."""
    cards = [*cards_of(state, 0), *state.effects, -1]
    for _ in range(dice.randint(1, 2)):
        match dice.randrange(8):
            case 0:
                turn = msgspec.structs.replace(turn, number=dice.choice(cards))
            case 1:
                turn = msgspec.structs.replace(turn, effect=dice.choice(cards))
            case 2:
                turn = msgspec.structs.replace(turn, street=dice.randrange(-1, 4))
            case 3:
                turn = msgspec.structs.replace(turn, house=dice.randrange(-1, 13))
            case 4 | 5:
                turn = msgspec.structs.replace(turn, use=any_use(dice))
            case 6:
                turn = msgspec.structs.replace(turn, roundabout=(dice.randrange(3), dice.randrange(10)))
            case _:
                estates = tuple((0, house, house) for house in range(dice.randrange(3)))
                turn = msgspec.structs.replace(turn, claims=(Claim(dice.randrange(3), estates),))
    return turn


@pytest.mark.parametrize(
    ("seats", "given"),
    [(2, {}), (2, {"advanced": True}), (2, {"expert": True}), (1, {}), (2, {"voluntary_refusal": True})],
    ids=str,
)
def test_what_is_not_listed_is_refused(seats: int, given: dict[str, bool]) -> None:
    """``legal`` and ``decide`` are two descriptions of the same rules."""
    dice = random.Random(str(given))
    state = dealt(opened(seats, **given), dice)
    tried = accepted = 0
    while not isinstance(GAME.pending(state), Over):
        pending = GAME.pending(state)
        if isinstance(pending, Seats) and 0 in pending.seats and state.round % 3 == 2:
            legal = [command.turn for command in GAME.legal(state, 0)]
            known = set(legal)
            for turn in legal[:: max(1, len(legal) // 50)]:
                GAME.decide(TakeTurn(turn), state, 0)
                other = other_turn(state, turn, dice)
                tried += 1
                assert is_accepted(state, other) == (other in known)
                accepted += other in known
        state = after(state, step(state, dice))
    assert tried > accepted > 0


def test_every_menu_leads_on() -> None:
    """No dead end, on any way, through whole plays."""
    dice = random.Random(3)
    for given in ({"advanced": True}, {"expert": True, "advanced": True}):
        state = dealt(opened(2, **given), dice)
        while not isinstance(GAME.pending(state), Over):
            pending = GAME.pending(state)
            if isinstance(pending, Seats):
                path: tuple[str, ...] = ()
                while (ask := answered(state, pending.seats[0], path)).answers:
                    path = (*path, ask.choice(dice.choice(ask.answers), "en").key)
                assert ask.turn is not None
            state = after(state, step(state, dice))
