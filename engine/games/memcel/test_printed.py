"""The printed matter and what may replace it (M-01, M-02, M-10, M-34)."""

from collections import Counter
from itertools import product
from typing import Any

import pytest

from engine.games.memcel import GAME
from engine.games.memcel.model import Options
from engine.games.memcel.printed import (
    COLOURS,
    ICONS,
    NUMBER_SIDES,
    RINGS,
    SECTORS,
    STANDARD_DECK,
    TILES,
    Card,
    Copies,
)
from engine.kernel.opening import options_of
from engine.kernel.refusal import Refusal


def test_m01_m02_three_rings_of_sixteen_red_outside_blue_inside() -> None:
    assert RINGS == ("red", "green", "blue")
    assert SECTORS == (16, 16, 16)
    assert sum(SECTORS) == TILES == 48


def test_m10_every_ring_and_way_once_every_circle_once_each_way_on_two_rings() -> None:
    ways = ("cw", "ccw")
    assert Counter((icon.ring, icon.direction) for icon in ICONS) == Counter(product(range(3), ways))
    assert Counter((icon.complication, icon.direction) for icon in ICONS) == Counter(
        product(("black", "grey", "white"), ways)
    )
    for circle in ("black", "grey", "white"):
        assert len({icon.ring for icon in ICONS if icon.complication == circle}) == 2
    assert [(icon.ring, icon.direction, icon.complication) for icon in ICONS[:2]] == [
        (0, "cw", "black"),
        (0, "ccw", "grey"),
    ]
    assert NUMBER_SIDES == 8


def test_m34_the_deck_has_fifty_cards_of_thirteen_kinds() -> None:
    kinds: Counter[str] = Counter()
    for copies in STANDARD_DECK:
        kinds[copies.card.kind] += copies.copies
    assert kinds == {
        "ring_step": 9,
        "reroll": 3,
        "board_spin": 2,
        "swap_own_choice": 3,
        "swap_next_choice": 3,
        "complication": 3,
        "skip_next": 4,
        "cover_own": 4,
        "extra_turn": 2,
        "peek": 5,
        "pardon": 2,
        "cover_rival": 2,
        "calm": 8,
    }
    assert kinds.total() == 50
    steps = [(c.card.ring, c.card.direction, c.card.steps) for c in STANDARD_DECK if c.card.kind == "ring_step"]
    assert steps == [
        *((0, "cw", 1), (0, "ccw", 3), (0, "cw", 5)),
        *((1, "ccw", 1), (1, "cw", 3), (1, "ccw", 5)),
        *((2, "cw", 2), (2, "ccw", 4), (2, "cw", 6)),
    ]


def test_the_defaults_are_the_printed_game() -> None:
    options = Options()
    assert (options.on_miss, options.imprevisto_tile_extra_card, options.off_turn_win) == ("reset", True, "immediate")
    assert (options.lost_turn_lifts_defence_ban, options.max_rounds, options.rings) == (False, 40, (16, 16, 16))
    assert options.cards == STANDARD_DECK
    assert len(COLOURS) == GAME.seats[-1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"rings": [16, 16, 15]},
        {"rings": [2, 23, 23]},
        {"max_rounds": -1},
        {"max_rounds": 101},
        {"on_miss": "sometimes"},
        {"deck": []},
        {"deck": [{"card": {"kind": "calm"}, "copies": 0}]},
        {"deck": [{"card": {"kind": "calm"}, "copies": 201}]},
        {"deck": [{"card": {"kind": "calm"}, "copies": 1}, {"card": {"kind": "calm"}, "copies": 1}]},
        {"deck": [{"card": {"kind": "ring_step"}, "copies": 1}]},
        {"deck": [{"card": {"kind": "ring_step", "ring": 3, "direction": "cw", "steps": 1}, "copies": 1}]},
        {"deck": [{"card": {"kind": "calm", "steps": 1}, "copies": 1}]},
        {"deck": [{"card": {"kind": "turn_up"}, "copies": 1}]},
    ],
)
def test_m01_m34_rings_and_decks_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as refused:
        options_of(GAME, wrong)
    assert refused.value.code == "bad_options"


def test_m01_m34_other_rings_and_another_deck_are_options() -> None:
    options = options_of(GAME, {"rings": [8, 16, 24], "deck": [{"card": {"kind": "peek"}, "copies": 3}]})
    assert options.rings == (8, 16, 24)
    assert options.cards == (Copies(Card("peek"), 3),)
