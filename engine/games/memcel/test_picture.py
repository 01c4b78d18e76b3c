"""The picture: it names every place, marks what the last commit did, and tells nothing of a tile face down."""

import re
from itertools import cycle, islice
from xml.etree import ElementTree as ET

import pytest

from engine.games.memcel.board import board
from engine.games.memcel.board_circle import point, sine
from engine.games.memcel.events import (
    BoardRotated,
    Event,
    NumberRolled,
    RingRotated,
    StepBegan,
    SupplyScattered,
    TilePeeked,
    TileRevealed,
    TilesCovered,
    TilesSwapped,
    TurnBegan,
)
from engine.games.memcel.fold import FOLD
from engine.games.memcel.model import At, Faces, Options, State
from engine.games.memcel.printed import COLOURS, EVENT_TILE, TILES
from engine.games.memcel.rings import positions
from engine.games.memcel.rules import initial
from engine.games.memcel.views import view
from engine.kernel.game import Setup
from engine.kernel.value import Referee, SeatView, Spectator, Viewer

SIZES = ((16, 16, 16), (24, 16, 8), (20, 16, 12), (4, 4, 40))
GREEN_5 = At(1, 5)
BYSTANDER = Spectator()
ASKED = StepBegan("declare", 0)
SVG = "{http://www.w3.org/2000/svg}"


def hunting(faces: Faces = (*COLOURS, EVENT_TILE), rings: tuple[int, int, int] = (16, 16, 16)) -> State:
    """All sectors covered with these faces in turn, and seat 0 is asked in the hunt."""
    state = initial(Setup(4, Options(rings=rings)))
    at = tuple(at for at, _ in positions(state.board))
    return after(state, SupplyScattered(0, at, tuple(islice(cycle(faces), TILES))), TurnBegan(0, "hunt", 1), ASKED)


def after(state: State, *events: Event) -> State:
    for event in events:
        state = FOLD.evolve(state, event)
    return state


def picture(state: State, viewer: Viewer = BYSTANDER, language: str = "en") -> str:
    return board(view(state, viewer), viewer, language)


def element(svg: str, id: str) -> ET.Element:
    return next(each for each in ET.fromstring(svg).iter(f"{SVG}g") if each.get("id") == id)


def place(svg: str, id: str) -> str:
    return ET.tostring(element(svg, id), "unicode").replace("ns0:", "")


def turned_up(state: State, at: At = GREEN_5) -> TileRevealed:
    tile = state.at(at)
    assert tile is not None
    return TileRevealed(0, at, tile.face, 1)


@pytest.mark.parametrize("rings", SIZES)
def test_every_back_is_the_same_to_the_byte(rings: tuple[int, int, int]) -> None:
    """M-40; only the place differs, and the size of tiles from one ring to another."""
    state = hunting(rings=rings)
    svg = picture(state, SeatView(1))
    for ring, sectors in enumerate(rings):
        backs = {
            re.sub(r'id="r\d+s\d+"|<title>.*?</title>|translate\(\d+ \d+\)|<svg x="\d+" y="\d+"', "", drawing)
            for drawing in (place(svg, f"r{ring}s{sector}") for sector in range(sectors))
        }
        assert len(backs) == 1


@pytest.mark.parametrize("viewer", [BYSTANDER, SeatView(0), SeatView(3)])
def test_other_tiles_face_down_give_the_same_picture(viewer: Viewer) -> None:
    """M-39, not even the owner's picture differs."""
    assert picture(hunting(), viewer) == picture(hunting((EVENT_TILE, *reversed(COLOURS))), viewer)
    assert picture(hunting(), Referee()) != picture(hunting((EVENT_TILE, *reversed(COLOURS))), Referee())


def test_a_tile_turned_down_again_was_never_seen() -> None:
    """M-39: after the next commit nothing is left of it."""
    state = hunting()
    tile = turned_up(state)
    seen = after(state, tile, TilesCovered(0, (GREEN_5,), "imprevisto", (tile.face,)), StepBegan("card", 0))
    assert seen.trace.places == ()
    later = (NumberRolled(0, 3), ASKED)
    assert picture(after(seen, *later)) == picture(after(state, *later))


def test_a_rotation_takes_no_mark_along() -> None:
    """M-39; an arrow runs along the ring that turned, from the north mark, and a sentence says as much."""
    state = after(hunting(), TilePeeked(0, GREEN_5, "hidden"), ASKED)
    assert state.trace.places == (GREEN_5,)
    state = after(state, RingRotated(1, "cw", 3, "event:ring_step"), ASKED)
    assert (state.trace.places, state.trace.turned) == ((), (0, 3, 0))
    assert "green ring, 3 clockwise" in picture(state)
    assert "anello verde, 3 in senso orario" in picture(state, language="it")
    assert [element(picture(state), f"ring{ring}").get("data-turned") for ring in range(3)] == [
        None,
        "3/16 540 540",
        None,
    ]
    state = after(state, BoardRotated("ccw", 8, "complication:black"), ASKED)
    assert state.trace.turned == (-8, -8, -8)
    assert "whole board, 8 anticlockwise" in picture(state)
    assert element(picture(state), "ring2").get("data-turned") == "-8/16 540 540"
    assert element(picture(after(state, NumberRolled(0, 4), ASKED)), "ring2").get("data-turned") is None


def test_marks_belong_to_the_last_commit() -> None:
    """M-12: both places of a swap are public; the next commit marks its own."""
    swapped = after(hunting(), TilesSwapped(0, (At(0, 3), GREEN_5), "complication:grey"), ASKED)
    assert swapped.trace.places == (At(0, 3), GREEN_5)
    assert "swapped: red 3 and green 5" in picture(swapped)
    assert element(picture(swapped), "touched").get("data-mark") == "r0s3 r1s5"
    assert after(swapped, NumberRolled(0, 4)).trace.places == ()
    opened = after(swapped, turned_up(swapped, At(2, 0)), ASKED)
    assert opened.trace.places == (At(2, 0),)


@pytest.mark.parametrize("rings", SIZES)
def test_every_place_has_a_name(rings: tuple[int, int, int]) -> None:
    """M-03: by ring and sector, clockwise from the north mark, whatever lies there."""
    state = hunting(rings=rings)
    state = after(state, turned_up(state, At(0, 0)), RingRotated(2, "ccw", 7, "event:reroll"), ASKED)
    root = ET.fromstring(picture(state))
    titles = {group.get("id"): group.findtext(f"{SVG}title") for group in root.iter(f"{SVG}g")}
    assert titles["r0s0"] == "red 0: a red tile"
    for ring, (colour, sectors) in enumerate(zip(("red", "green", "blue"), rings, strict=True)):
        for sector in range(sectors):
            assert str(titles[f"r{ring}s{sector}"]).startswith(f"{colour} {sector}: ")
            assert (ring, sector) == (0, 0) or titles[f"r{ring}s{sector}"] == f"{colour} {sector}: face down"


def test_points_stand_where_they_should() -> None:
    assert [point(100, quarter, 4) for quarter in range(4)] == [(540, 440), (640, 540), (540, 640), (440, 540)]
    assert sine(1, 12) == pytest.approx(10**12 // 2, abs=10)
    assert all(sine(part, 480) ** 2 + sine(part + 120, 480) ** 2 == pytest.approx(10**24) for part in range(480))
