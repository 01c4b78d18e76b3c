"""The picture: what a menu points at is there, what is hidden is not, and no position is too odd to be drawn."""

from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from engine.games.welcome_to import GAME
from engine.games.welcome_to.model import NOWHERE, Options, Sheet, State, Turn
from engine.games.welcome_to.printed import HOUSES, STREETS
from engine.kernel.game import Setup
from engine.kernel.value import Referee, SeatView, Spectator, Viewer

OWN = {f"s{street}h{house}" for street in STREETS for house in range(HOUSES[street])}
SLOTS = {f"s{street}f{slot}" for street in STREETS for slot in range(HOUSES[street] - 1)}


def position(seats: int, *, expert: bool = False, advanced: bool = False) -> State:
    """A first turn: the first cards of the deck lie there, or are held."""
    state = GAME.initial(Setup(seats, Options(expert=expert, advanced=advanced)))
    state = replace(state, plans=(0, 6, 12), round=1, open=True)
    if expert:
        return replace(state, hands=tuple((3 * seat, 3 * seat + 1, 3 * seat + 2) for seat in range(seats)))
    return replace(state, numbers=(10, 20, 30), effects=() if seats == 1 else (40, 50, 60))


def drawn(state: State, viewer: Viewer) -> set[str]:
    """The ids of a picture, each of them once."""
    root = ET.fromstring(GAME.board(GAME.view(state, viewer), viewer))
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    return set(ids)


@pytest.mark.parametrize("seats", [1, 2, 4, 5, 13, 100])
def test_a_seat_sees_its_own_sheet_with_all_that_a_menu_can_point_at(seats: int) -> None:
    ids = drawn(position(seats), SeatView(seats - 1))
    assert ids >= OWN | SLOTS | {f"estate{size}" for size in range(1, 7)} | {f"plan{plan}" for plan in range(3)}
    assert ids >= {f"{'card' if seats == 1 else 'combo'}{at}" for at in range(3)}
    assert ids >= {f"seat-{seat}" for seat in range(seats)}


@pytest.mark.parametrize(("seats", "large", "sheets"), [(1, True, 0), (4, False, 4), (12, False, 12), (13, False, 0)])
def test_bystanders_see_sheets_while_they_can_be_read_and_numbers_beyond(seats: int, large: bool, sheets: int) -> None:
    ids = drawn(position(seats), Spectator())
    assert (ids >= OWN) == large
    assert sum(f"p{seat}-s0h0" in ids for seat in range(seats)) == sheets


def test_a_hand_is_drawn_for_its_seat_and_for_the_referee_alone() -> None:
    state = position(3, expert=True)
    assert drawn(state, SeatView(1)) >= {"card0", "card1", "card2"}
    assert not drawn(state, SeatView(1)) & {"hand-0", "hand-2"}
    assert not drawn(state, Spectator()) & {"card0", "hand-0", "hand-1", "hand-2"}
    assert drawn(state, Referee()) >= {"hand-0", "hand-1", "hand-2"}


def test_a_decided_turn_is_drawn_for_its_seat_alone() -> None:
    state = replace(position(2), turns=(Turn(10, 40, 1, 3), None), ready=(True, False))
    own, others = (GAME.board(GAME.view(state, viewer), viewer) for viewer in (SeatView(0), Spectator()))
    undecided = replace(state, turns=(None, None))
    assert own != GAME.board(GAME.view(undecided, SeatView(0)), SeatView(0))
    assert others == GAME.board(GAME.view(undecided, Spectator()), Spectator())


def test_a_deck_that_has_just_been_shuffled_is_drawn() -> None:
    """UNKNOWN-4: the three number cards stay, and nothing lies beside them yet."""
    state = replace(position(2), effects=(), open=False)
    assert "combo0" not in drawn(state, SeatView(0))


def test_full_tracks_are_drawn() -> None:
    full = Sheet(
        numbers=tuple(tuple(range(houses)) for houses in HOUSES),
        bis=((0, 1, 2, 3), (0, 1, 2), (0, 1, 2)),
        pools=((2, 6, 7), (0, 3, 7), (1, 6, 10)),
        used=NOWHERE,
        parks=(3, 4, 5),
        promotions=(1, 2, 3, 4, 4, 4),
        temps=11,
        refusals=3,
        plans=(8, 11, 12),
    )
    state = replace(position(2), sheets=(full, full))
    assert drawn(state, SeatView(0)) >= OWN
    assert drawn(state, Spectator()) >= {"p1-s2h11", "p1-estate6"}
