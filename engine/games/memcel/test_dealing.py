"""From the start roll to the complication round (M-04 to M-09), and tiles that the lot places (M-38, M-41)."""

import random
from collections import Counter

import pytest

from engine.games.memcel import GAME
from engine.games.memcel.commands import PlaceByLot, PlaceTiles
from engine.games.memcel.dealing import START_ROLLS_MAX
from engine.games.memcel.events import FirstChosen, StartRolled, SupplyDealt, SupplyScattered, TilesPlaced
from engine.games.memcel.model import At, Placement, State
from engine.games.memcel.printed import COLOURS, EVENT_TILE, TILES
from engine.games.memcel.rings import covered, empties, positions
from engine.games.memcel.testing import after, do, luck, opened, step_of
from engine.kernel.chance import Chance, Draw, Roll
from engine.kernel.game import Seats
from engine.kernel.refusal import Refusal

NUMBERS = {2: (5, 3), 3: (2, 7, 7), 4: (1, 8, 2, 3)}


def dealt(seats: int) -> State:
    """Seat 1 begins, or seat 0 of two; the odd tiles have gone in the order they are named."""
    state, _ = luck(opened(seats), *NUMBERS[seats])
    if seats == 3:
        state, _ = luck(state, 8, 1)  # seats 1 and 2 had tied; seat 1 has the higher number now
        chance = GAME.pending(state)
        assert isinstance(chance, Chance)
        assert isinstance(chance.spec, Draw)
        state, _ = luck(state, *chance.spec.cards)
    return state


def placing(seats: int) -> State:
    return dealt(seats)


def test_m04_the_highest_begins() -> None:
    state, events = luck(opened(4), 1, 8, 2, 3)
    assert events[:2] == (StartRolled((0, 1, 2, 3), (1, 8, 2, 3)), FirstChosen(1))
    assert GAME.pending(state) == Seats((1,))


def test_m04_those_who_tie_roll_again_and_nobody_else() -> None:
    state, events = luck(opened(4), 8, 3, 8, 8)
    assert events[0] == StartRolled((0, 1, 2, 3), (8, 3, 8, 8))
    assert GAME.pending(state) == Chance("number", Roll(8, 3))
    state, _ = luck(state, 2, 5, 5)
    state, events = luck(state, 4, 1)
    assert events[:2] == (StartRolled((2, 3), (4, 1)), FirstChosen(2))


def test_m04_a_tie_that_never_ends_is_ended() -> None:
    state = opened(2)
    for _ in range(START_ROLLS_MAX):
        assert state.step == "start"
        state, _ = luck(state, 4, 4)
    assert (state.first, state.step) == (0, "place")


def test_m05_colours_go_by_seat() -> None:
    state = dealt(4)
    for seat, colour in enumerate(("tile:red", "tile:green", "tile:blue", "tile:orange")):
        assert state.colour(seat) == colour
        assert Counter(state.supplies[seat]) == {colour: 10, EVENT_TILE: 2}


def test_m06_two_seats_share_two_neutral_colours_and_four_event_tiles_evenly() -> None:
    state = dealt(2)
    neutral = {"tile:blue": 5, "tile:orange": 5, EVENT_TILE: 4}
    assert Counter(state.supplies[0]) == {"tile:red": 10} | neutral
    assert Counter(state.supplies[1]) == {"tile:green": 10} | neutral


def test_m06_of_three_seats_one_gets_four_neutral_tiles_and_the_lot_says_which() -> None:
    state, _ = luck(opened(3), 1, 2, 3)
    chance = GAME.pending(state)
    assert isinstance(chance, Chance)
    assert chance.label == "deal"
    assert isinstance(chance.spec, Draw)
    event_tile, _, neutral = chance.spec.cards
    for lucky, order in enumerate(
        [(neutral, event_tile, event_tile), (event_tile, neutral, event_tile), (event_tile, event_tile, neutral)]
    ):
        after_deal, events = luck(state, *order)
        assert [event.seat for event in events if isinstance(event, SupplyDealt)] == [0, 1, 2]
        for seat, supply in enumerate(after_deal.supplies):
            counts = Counter(supply)
            assert counts[state.colour(seat)] == 10
            extra = (4, 2) if seat == lucky else (3, 3)
            assert (counts["tile:orange"], counts[EVENT_TILE]) == extra
            assert len(supply) == 16


@pytest.mark.parametrize(("seats", "turns"), [(2, 12), (3, 8), (4, 6)])
def test_m07_m08_two_tiles_a_turn_until_all_sectors_are_covered_and_nothing_moves_before(
    seats: int, turns: int
) -> None:
    state, dice, placed = dealt(seats), random.Random(seats), Counter[int]()
    while state.stage == "placement":
        seat, before = state.by, state.board
        events = step_of(state, dice)
        placed[seat] += any(isinstance(event, TilesPlaced) for event in events)
        state = after(state, events)
        assert all(state.at(at) == tile for at, tile in positions(before) if tile is not None)
    assert set(placed.values()) == {turns}
    assert len(covered(state.board)) == TILES
    faces = Counter(tile.face for _, tile in positions(state.board) if tile is not None)
    assert faces == {**dict.fromkeys(COLOURS, 10), EVENT_TILE: 8}
    assert (state.stage, state.by) == ("complication", state.first)  # M-09


@pytest.mark.parametrize(
    ("placements", "code"),
    [
        ([((0, 0), "tile:red"), ((0, 0), "tile:red")], "same_position"),
        ([((0, 16), "tile:red"), ((0, 1), "tile:red")], "no_such_position"),
        ([((3, 0), "tile:red"), ((0, 1), "tile:red")], "no_such_position"),
        ([((-1, -1), "tile:red"), ((0, 1), "tile:red")], "no_such_position"),
        ([((0, 0), "tile:green"), ((0, 1), "tile:red")], "tile_not_in_supply"),
        ([((0, 0), "hidden"), ((0, 1), "tile:red")], "tile_not_in_supply"),
    ],
)
def test_m07_what_cannot_be_placed_is_refused(placements: list[tuple[tuple[int, int], str]], code: str) -> None:
    state = placing(2)
    one, other = (Placement(At(*at), face) for at, face in placements)  # type: ignore[arg-type]  # some are no faces: that is tested
    with pytest.raises(Refusal) as refused:
        do(state, PlaceTiles((one, other)))
    assert refused.value.code == code


def test_m07_a_covered_sector_is_taken() -> None:
    state, _ = do(placing(2), PlaceTiles((Placement(At(0, 0), "tile:red"), Placement(At(0, 1), "tile:red"))))
    with pytest.raises(Refusal, match="position_taken"):
        do(state, PlaceTiles((Placement(At(0, 0), "tile:green"), Placement(At(0, 2), "tile:green"))))


def test_m07_the_order_of_the_two_is_no_matter() -> None:
    one, other = Placement(At(2, 3), "tile:red"), Placement(At(0, 5), EVENT_TILE)
    assert PlaceTiles((one, other)) == PlaceTiles((other, one))


def test_m41_the_lot_places_two_tiles_of_the_supply() -> None:
    state, _ = do(placing(2), PlaceByLot())
    chance = GAME.pending(state)
    assert isinstance(chance, Chance)
    assert chance.label == "scatter"
    assert isinstance(chance.spec, Draw)
    assert chance.spec.count == 24
    # The supply is sorted: 5 blue, 4 event, 5 orange, 10 red. The last red is drawn to the first position.
    drawn = [*range(10, 33), 2]
    drawn[0] = 4
    placed, events = luck(state, *drawn)
    assert events[0] == TilesPlaced(0, (At(0, 2), At(0, 4)), ("tile:red", "tile:blue"), ("tile:red", "tile:blue"))
    assert len(placed.supplies[0]) == 22
    assert placed.by == 1


def test_m38_the_supply_of_a_leaver_is_scattered_before_anything_else() -> None:
    state = placing(4)
    state = after(state, GAME.leave(state, 2))
    chance = GAME.pending(state)
    assert isinstance(chance, Chance)
    assert chance == Chance("scatter", Draw(tuple(range(48)), 12))
    state, events = luck(state, *range(40, 28, -1))
    assert isinstance(events[0], SupplyScattered)
    assert events[0].at == tuple(sorted(events[0].at)), "the order of the positions tells no faces"
    assert Counter(events[0].beneath) == {"tile:blue": 10, EVENT_TILE: 2}
    assert state.supplies[2] == ()
    assert GAME.pending(state) == Seats((1,))
    assert len(empties(state.board)) == 36


def test_m38_the_others_fill_the_board_and_the_leaver_is_passed_over() -> None:
    dice = random.Random(4)
    state = placing(4)
    state = after(state, GAME.leave(state, 1))
    while state.stage == "placement":
        assert state.by != 1
        state = after(state, step_of(state, dice))
    assert not empties(state.board)
    assert state.by == 2, "the first of the others begins the complication round"


def test_m38_whoever_leaves_before_the_deal_is_dealt_to_and_scattered() -> None:
    state, _ = luck(opened(3), 3, 3, 1)
    state = after(state, GAME.leave(state, 0))
    assert state.first == 1, "the only one who still rolled begins"
    state, _ = luck(state, 3, 4, 3)
    assert GAME.pending(state) == Chance("scatter", Draw(tuple(range(48)), 16))
    state, _ = luck(state, *range(16))
    assert GAME.pending(state) == Seats((1,))
