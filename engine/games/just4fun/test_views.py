"""What each viewer knows, offers and sees (J-22, J-23), over positions of random play."""

import random
from collections import Counter
from itertools import chain, pairwise
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.just4fun import GAME
from engine.games.just4fun.layouts import DECK
from engine.games.just4fun.model import (
    DiscardReshuffled,
    ExchangeHand,
    FieldLocked,
    FirstPlayerChosen,
    HandDiscarded,
    HandDrawn,
    HandExchanged,
    LayoutDealt,
    LineCompleted,
    PlaceToken,
    PlayEnded,
    State,
    TokenPlaced,
    TurnBegan,
)
from engine.games.just4fun.rules import pile
from engine.games.just4fun.testing import after, opened, position, step
from engine.kernel.codec import Recorded
from engine.kernel.game import Menu, Over, Seats
from engine.kernel.refusal import Refusal
from engine.kernel.value import Referee, SeatView, Spectator, Viewer

SETTINGS = [
    {},
    {"layout": "random", "first_player": 1},
    {"reshuffle": "when_needed"},
    {"owner_may_add_to_locked": True, "removed_tokens_return": True},
]
few = settings(max_examples=8, deadline=None, derandomize=True)


def viewers(seats: int) -> list[Viewer]:
    return [Spectator(), Referee(), *map(SeatView, range(seats))]


@few
@given(number=st.integers(0, 999), seats=st.integers(2, 4), given_options=st.sampled_from(SETTINGS))
def test_a_random_play_keeps_what_must_be_kept(number: int, seats: int, given_options: dict[str, object]) -> None:
    """Cards are conserved, scores do not leak, views fold like states, offers are what is legal, and it ends."""
    dice = random.Random(number)
    state = opened(seats, **given_options)
    commits = 1
    while events := step(state, dice):
        for event in events:
            following = GAME.evolve(state, event)
            for viewer in viewers(seats):
                seen = GAME.evolve(GAME.view(state, viewer), GAME.redact(event, viewer))
                assert seen == GAME.view(following, viewer)
            state = following
        assert Counter(chain(pile(state), state.discard, *state.hands)) == Counter(DECK)
        assert all(GAME.scores(GAME.view(state, viewer)) == GAME.scores(state) for viewer in (Spectator(), SeatView(1)))
        commits += 1
        now = GAME.pending(state)
        if isinstance(now, Seats):
            seat = now.seats[0]
            legal = list(GAME.legal(state, seat))
            assert legal == list(GAME.legal(GAME.view(state, SeatView(seat)), seat))
            assert GAME.default(state, seat) in legal
            assert sorted(offered(state, seat)) == sorted(map(repr, legal))
    assert isinstance(GAME.pending(state), Over)
    assert commits < GAME.turns_max
    assert sorted(state.ranks)[0] == 1


def offered(state: State, seat: int, path: tuple[str, ...] = ()) -> list[str]:
    """Every command that the menus lead to."""
    menu = GAME.choices(state, seat, path)
    if menu.command is not None:
        return [repr(command_of(menu))]
    return [found for choice in menu.choices for found in offered(state, seat, (*path, choice.key))]


def command_of(menu: Menu) -> PlaceToken | ExchangeHand:
    assert menu.command is not None
    return GAME.commands.decode(msgspec.json.decode(menu.command, type=Recorded))


# -- views -------------------------------------------------------------------------------------------------------------


def test_others_see_how_many_cards_are_drawn() -> None:
    """J-22 and J-23."""
    drawn = HandDrawn(1, (4, 7, 12))
    hidden = HandDrawn(1, (0, 0, 0))
    shown = [GAME.redact(drawn, viewer) for viewer in viewers(2)]
    assert shown == [hidden, drawn, hidden, drawn]


def test_a_hand_that_is_laid_off_is_public() -> None:
    """J-22: face up on the discard pile."""
    for event in (HandExchanged(1, (1, 2, 3, 4)), HandDiscarded(1, (1, 2, 3, 4)), TokenPlaced(1, 3, (1, 2))):
        assert all(GAME.redact(event, viewer) == event for viewer in viewers(2))


def test_a_hidden_hand_offers_nothing() -> None:
    state = GAME.view(position(), Spectator())
    assert list(GAME.legal(state, 0)) == []
    with pytest.raises(Refusal, match="hand_hidden"):
        GAME.choices(state, 0, ())


# -- choices -----------------------------------------------------------------------------------------------------------

HAND = (1, 4, 5, 19)


def test_the_first_step_is_a_field() -> None:
    menu = GAME.choices(position(hands=[HAND]), 0, ())
    assert [(choice.key, choice.label, choice.place) for choice in menu.choices][:3] == [
        ("field:1", "field 1 (1)", "f1"),
        ("field:4", "field 4 (4)", "f4"),
        ("field:5", "field 5 (2 ways)", "f5"),
    ]


def test_the_second_step_is_the_cards_where_there_are_two_ways() -> None:
    """J-04."""
    state = position(hands=[HAND])
    assert [choice.key for choice in GAME.choices(state, 0, ("field:5",)).choices] == ["cards:1+4", "cards:5"]
    assert command_of(GAME.choices(state, 0, ("field:5", "cards:1+4"))) == PlaceToken(5, (1, 4))
    assert command_of(GAME.choices(state, 0, ("field:4",))) == PlaceToken(4, (4,))


@pytest.mark.parametrize(
    "path", [("field:36",), ("exchange",), ("field:5", "cards:2+3"), ("field:4", "cards:4"), ("x",) * 3]
)
def test_a_path_that_is_none_is_refused(path: tuple[str, ...]) -> None:
    with pytest.raises(Refusal, match="no_such_choice"):
        GAME.choices(position(hands=[HAND]), 0, path)


def test_choices_are_for_the_active_seat() -> None:
    with pytest.raises(Refusal, match="not_your_turn"):
        GAME.choices(position(), 1, ())
    assert list(GAME.legal(position(), 1)) == []


def test_the_exchange_is_the_only_choice_of_a_stuck_hand() -> None:
    """J-13."""
    state = position(hands=[(1, 2, 3, 4)], stacks=dict.fromkeys(range(1, 11), (0, 2)))
    assert [choice.key for choice in GAME.choices(state, 0, ()).choices] == ["exchange"]
    assert command_of(GAME.choices(state, 0, ("exchange",))) == ExchangeHand()
    assert GAME.default(state, 0) == ExchangeHand()


def test_the_default_is_the_highest_field_with_the_fewest_cards() -> None:
    assert GAME.default(position(hands=[(1, 4, 5, 10)]), 0) == PlaceToken(20, (1, 4, 5, 10))
    assert GAME.default(position(hands=[(1, 1, 2, 19)], stacks={23: (0, 2), 22: (0, 2)}), 0) == PlaceToken(21, (2, 19))


# -- the picture and the words -----------------------------------------------------------------------------------------


def test_every_picture_of_a_play_is_well_formed_and_still() -> None:
    dice = random.Random(5)
    state = opened(4, layout="random")
    while events := step(state, dice):
        state = after(state, events)
        svg = GAME.board(GAME.view(state, Spectator()), Spectator())
        assert svg == GAME.board(GAME.view(state, Spectator()), Spectator())
    ids = [element.get("id") for element in ElementTree.fromstring(svg).iter() if element.get("id")]
    assert {f"f{number}" for number in range(1, 37)} <= set(ids)
    assert len(ids) == len(set(ids))


def test_each_seat_has_its_own_corner_and_a_locked_stack_the_middle() -> None:
    """J-21: where a token stands says nothing but whose it is, and that the field is locked."""
    svg = GAME.board(position(stacks={1: (1, 1), 8: (3, 0)}), Spectator())
    assert "<title>Field 1: seat 0 has 1, seat 1 has 1</title>" in svg
    assert "<title>Field 8: seat 0 has 3, locked by seat 0</title>" in svg
    first, locked = (next(g for g in ElementTree.fromstring(svg).iter() if g.get("id") == id) for id in ("f1", "f8"))
    discs = [(int(disc.get("cx", 0)), int(disc.get("cy", 0))) for disc in first.iter() if disc.tag.endswith("circle")]
    assert all(x < 30 + 48 < y for x, y in discs), "seat 0 stands in the lower left of the field at (30, 30)"
    middle = next(disc for disc in locked.iter() if disc.tag.endswith("circle"))
    assert (middle.get("cx"), middle.get("cy")) == (str(30 + 5 * 102 + 48), str(30 + 48))


def test_a_picture_shows_a_seat_its_own_cards_only() -> None:
    state = position(hands=[(1, 1, 1, 17), (2, 2, 2, 18)])
    hands = {
        viewer: [
            [text.text for text in hand.iter() if text.tag.endswith("}text")]
            for hand in ElementTree.fromstring(GAME.board(GAME.view(state, viewer), viewer)).iter()
            if hand.get("id") in ("hand-0", "hand-1")
        ]
        for viewer in (Spectator(), SeatView(1))
    }
    assert hands == {Spectator(): [[], []], SeatView(1): [[], ["2", "2", "2", "18"]]}


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (LayoutDealt(()), "The fields are shuffled."),
        (FirstPlayerChosen(1), "Seat 1 begins."),
        (HandDrawn(1, (4, 7, 12)), "Seat 1 draws 4, 7 and 12."),
        (HandDrawn(1, (0, 0)), "Seat 1 draws 2 cards."),
        (HandDrawn(1, (0,)), "Seat 1 draws 1 card."),
        (TurnBegan(1), ""),
        (TokenPlaced(1, 29, (5, 11, 13)), "Seat 1 plays 5 + 11 + 13 and places a token on 29."),
        (FieldLocked(0, 8, (0, 0), False), "Seat 0 locks field 8."),
        (FieldLocked(0, 8, (0, 1), False), "Seat 0 locks field 8: 1 token of others goes out of the game."),
        (FieldLocked(0, 8, (0, 2), True), "Seat 0 locks field 8: 2 tokens of others go back to their owners."),
        (LineCompleted(2, (1, 14, 30, 24)), "Seat 2 holds four in a line: 1, 14, 30 and 24."),
        (HandExchanged(0, (1, 2, 3, 4)), "Seat 0 can play nothing, lays off 1, 2, 3 and 4 and draws a new hand."),
        (DiscardReshuffled(45), "The discard pile is shuffled: 45 cards to draw from."),
        (HandDiscarded(0, (1, 2)), "Seat 0 lays off 1 and 2 and plays no more."),
        (HandDiscarded(0, ()), "Seat 0 plays no more."),
        (PlayEnded("line", (2, 1)), "Seat 1 wins by a line."),
        (PlayEnded("points", (2, 1)), "The fields are counted: seat 1 wins."),
        (PlayEnded("points", (1, 1)), "The fields are counted: seats 0 and 1 share the win."),
        (PlayEnded("last_seat", (2, 1)), "Seat 1 is the last one at the table and wins."),
    ],
)
def test_sentences(event: TokenPlaced, sentence: str) -> None:
    assert GAME.words(event, "en") == sentence
    assert GAME.words(event, "xx") == sentence, "an unknown language falls back to English"


def test_a_random_play_is_as_long_as_it_should_be() -> None:
    """Independent simulations of 3,000 random games found 35, 56 and 77 turns on average for 2, 3 and 4 seats."""
    for seats, turns in ((2, 35), (3, 56), (4, 77)):
        total = 0
        for number in range(30):
            dice = random.Random(number)
            state = opened(seats)
            while events := step(state, dice):
                state = after(state, events)
            total += state.turn
        assert abs(total // 30 - turns) <= 6


def test_turns_follow_each_other_clockwise() -> None:
    """J-02: while all have tokens."""
    dice = random.Random(1)
    state = opened(3)
    seats: list[int] = []
    while len(seats) < 12 and (events := step(state, dice)):
        seats += [event.seat for event in events if isinstance(event, TurnBegan)]
        state = after(state, events)
    assert all(following == (seat + 1) % 3 for seat, following in pairwise(seats))
