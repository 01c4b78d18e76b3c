"""Who may know what: whole matches are played, and everything that leaves the house is searched.

Live, past and present: facts, views and what is recalled of the past, decoded and looked at position by position, as
stored bytes and as sentences. A tile that lies face down is nobody's to know, whoever placed it, opened it or peeked.
"""

import random
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from engine.games.memcel import GAME
from engine.games.memcel.events import (
    AttackEnded,
    PlayEnded,
    RingRotated,
    SupplyDealt,
    SupplyScattered,
    TilePeeked,
    TileRevealed,
    TilesCovered,
    TilesPlaced,
)
from engine.games.memcel.model import HIDDEN, NOWHERE, At, State, Tile
from engine.games.memcel.printed import Face
from engine.games.memcel.rings import covered, positions, put
from engine.games.memcel.testing import after, hunt, opened, outer
from engine.games.memcel.views import BACK
from engine.kernel.facts import Fact, fact_of
from engine.kernel.game import Seats
from engine.kernel.refusal import Refusal
from engine.kernel.value import Referee, SeatView, Spectator, Viewer
from tests.kit.table import Played, play, viewers

MATCHES: list[dict[str, Any]] = [
    {"seats": 2, "options": {"on_miss": "keep", "max_rounds": 12}, "number": 1},
    {"seats": 3, "options": {"max_rounds": 8}, "number": 2, "leavers": 1, "sleepers": True},
    {"seats": 4, "options": {"on_miss": "keep", "max_rounds": 6, "rings": (24, 16, 8)}, "number": 3, "leavers": 1},
]
every_match = pytest.mark.parametrize("which", range(len(MATCHES)))


@lru_cache
def match(which: int) -> Played:
    return play(GAME, **MATCHES[which])


def watchers(played: Played) -> tuple[Viewer, ...]:
    """Everybody but the referee."""
    return viewers(played.seats)[:-1]


def is_over(state: State) -> bool:
    return bool(state.reason)


def tiles(state: State) -> Iterator[tuple[At, Tile]]:
    for at, tile in positions(state.board):
        if tile is not None:
            yield at, tile


# -- views -------------------------------------------------------------------------------------------------------------


@every_match
def test_a_view_shows_no_face_that_lies_down_and_no_difference_between_backs(which: int) -> None:
    """B5, M-39, M-40: a back is a back, for the placer, for whoever saw it, for all."""
    played = match(which)
    for folded in played.states:
        state: State = folded.game
        if is_over(state):
            continue
        for viewer in watchers(played):
            view = GAME.view(state, viewer)
            for (at, tile), (same, seen) in zip(tiles(state), tiles(view), strict=True):
                assert at == same
                assert seen == (Tile(tile.face, True) if tile.up else BACK)
            assert view.openings == 0
            for seat, supply in enumerate(view.supplies):
                own = viewer == SeatView(seat)
                assert supply == (state.supplies[seat] if own else (HIDDEN,) * len(state.supplies[seat]))


@every_match
def test_the_bytes_of_a_view_hold_no_more_faces_than_lie_open(which: int) -> None:
    played = match(which)
    for folded in played.states:
        state: State = folded.game
        if is_over(state):
            continue
        for viewer in watchers(played):
            own = len(state.supplies[viewer.seat]) if isinstance(viewer, SeatView) else 0
            up = sum(tile.up for _, tile in tiles(state))
            assert msgspec.json.encode(GAME.view(state, viewer)).count(b'"tile:') == up + own


@every_match
def test_when_play_is_over_all_is_shown(which: int) -> None:
    played = match(which)
    state: State = played.states[-1].game
    for viewer in watchers(played):
        view = GAME.view(state, viewer)
        assert [tile.face for _, tile in tiles(view)] == [tile.face for _, tile in tiles(state)]
        assert view.supplies == state.supplies
        assert HIDDEN not in {tile.face for _, tile in tiles(view)}


# -- facts as they happen ----------------------------------------------------------------------------------------------


def faces_in(fact: Fact) -> int:
    return sum(bytes(event.data).count(b'"tile:') for event in fact.events)


@every_match
def test_live_facts_show_a_face_only_in_the_moment_and_to_whom_it_is_for(which: int) -> None:
    played = match(which)
    for commit in played.commits:
        for viewer in watchers(played):
            fact = fact_of(played.match, commit, viewer)
            for event in map(played.match.event_of, fact.events):
                match event:
                    case SupplyDealt(seat, faces):
                        assert (HIDDEN in faces) == (viewer != SeatView(seat))
                    case TilesPlaced(seat, _, faces, beneath):
                        assert (HIDDEN in faces) == (viewer != SeatView(seat))
                        assert set(beneath) == {HIDDEN}, "once it lies, not even to the placer"
                    case SupplyScattered(_, _, beneath):
                        assert set(beneath) == {HIDDEN}
                    case TilesCovered(_, _, _, beneath):
                        assert set(beneath) == {HIDDEN}
                    case TilePeeked(seat, _, face):
                        assert (face == HIDDEN) == (viewer != SeatView(seat)), "the drawer's eyes only"
                    case TileRevealed(_, _, face, opening):
                        assert face != HIDDEN
                        assert opening == 0, "no number that could follow a tile"
                    case _:
                        pass


@every_match
def test_the_bytes_of_a_spectators_facts_hold_faces_only_where_a_tile_is_turned_up(which: int) -> None:
    """B5: who placed where is public, what was placed is not; the strange tile that ends an attack lay open."""
    played = match(which)
    for commit in played.commits:
        for event in fact_of(played.match, commit, Spectator()).events:
            shows = event.type in ("memcel.tile_revealed", "memcel.attack_ended", "memcel.play_ended")
            assert shows or b"tile:" not in bytes(event.data), event


def with_other_backs(state: State, dice: random.Random) -> State:
    """The same position with other faces under the backs, as many of each kind."""
    down = covered(state.board)
    faces: list[Face] = [tile.face for at in down if (tile := state.at(at)) is not None]
    dice.shuffle(faces)
    board = put(state.board, ((at, Tile(face)) for at, face in zip(down, faces, strict=True)))
    return replace(state, board=board)


@every_match
def test_what_lies_face_down_changes_nothing_for_anybody(which: int) -> None:
    """Views, menus, legal commands, defaults, scores, refusals, and who is to move: all equal, byte for byte."""
    played = match(which)
    dice = random.Random(which)
    for index, folded in played.sample(40):
        state: State = folded.game
        if is_over(state):
            continue
        twin = with_other_backs(state, dice)
        assert GAME.scores(twin) == GAME.scores(state)
        assert GAME.pending(twin) == GAME.pending(state)
        for viewer in watchers(played):
            view, other = GAME.view(state, viewer), GAME.view(twin, viewer)
            assert msgspec.json.encode(view) == msgspec.json.encode(other)
            assert GAME.board(view, viewer, "en") == GAME.board(other, viewer, "en")
            for past in range(0, index + 1, 7):
                for event in played.events(past):
                    told = (played.match.recall(event, viewer, replace(folded, game=one)) for one in (state, twin))
                    assert next(told) == next(told)
        pending = GAME.pending(state)
        if isinstance(pending, Seats):
            seat = pending.seats[0]
            assert list(GAME.legal(state, seat)) == list(GAME.legal(twin, seat))
            assert GAME.default(state, seat) == GAME.default(twin, seat)
            assert GAME.choices(state, seat, ()) == GAME.choices(twin, seat, ())
        for commit in played.commits[:: max(1, len(played.commits) // 20)]:
            if commit.command.type in GAME.commands.types:
                command = GAME.commands.decode(commit.command)
                for seat in state.seats:
                    assert refusal(state, command, seat) == refusal(twin, command, seat)


def refusal(state: State, command: Any, seat: int) -> str:
    try:
        GAME.decide(command, state, seat)
    except Refusal as refused:
        return str(refused)
    return ""


# -- looking back ------------------------------------------------------------------------------------------------------


@every_match
def test_looking_back_joins_no_place_to_a_face_that_lies_down_now(which: int) -> None:
    """B5.5, B5.6: at every revision, for everybody, all that is told of the past.

    What the past opened is told with its place only if it lies open now, and folding leads to where it lies.
    """
    played = match(which)
    for index, folded in played.sample(25):
        now: State = folded.game
        if is_over(now):
            continue
        up = {tile.opening: tile.face for _, tile in tiles(now) if tile.up}
        for viewer in watchers(played):
            view = None
            for past in range(index + 1):
                fact = fact_of(played.match, played.commits[past], viewer, now=folded)
                for event, true in zip(map(played.match.event_of, fact.events), played.events(past), strict=True):
                    view = played.match.evolve(view, event)
                    match event:
                        case TileRevealed(_, at, face, opening):
                            assert isinstance(true, TileRevealed)
                            assert opening == 0
                            known = (true.at, up[true.opening]) if true.opening in up else (NOWHERE, HIDDEN)
                            assert (at, face) == known
                        case TilesCovered(_, places, _, beneath):
                            assert set(places) <= {NOWHERE}
                            assert set(beneath) <= {HIDDEN}
                        case TilesPlaced(_, _, faces, beneath) | SupplyScattered(_, faces, beneath):
                            assert set(faces) <= {HIDDEN} or isinstance(event, SupplyScattered)
                            assert set(beneath) <= {HIDDEN}
                        case TilePeeked(_, _, face):
                            assert face == HIDDEN, "also to the drawer"
                        case SupplyDealt(seat, faces):
                            kept = now.supplies[seat] if viewer == SeatView(seat) else ()
                            assert sorted(face for face in faces if face != HIDDEN) == sorted(kept)
                        case _:
                            pass
            assert view == played.match.view(folded, viewer)


@every_match
def test_when_the_match_is_complete_the_past_is_told_as_it_was(which: int) -> None:
    played = match(which)
    end = played.states[-1]
    assert end.seed
    for viewer in viewers(played.seats):
        for commit in islice(played.commits, 0, None, 5):
            assert fact_of(played.match, commit, viewer, now=end) == fact_of(played.match, commit, viewer)


def test_a_tile_that_was_opened_is_told_where_it_was_opened_and_carried_to_where_it_lies() -> None:
    """Opened on sector 3, turned on by five: the past says 3, and leads to 8."""
    down = hunt(face_down=["tile:orange"] * 4, step="reveal", changes={"x": 1, "number": 1})
    revealed = TileRevealed(0, outer(3), "tile:orange", 1)
    turned = RingRotated(0, "cw", 5, "event:ring_step")
    now = after(down, (revealed, turned))
    assert now.at(outer(8)) == Tile("tile:orange", True, 1)
    told = GAME.recall(revealed, Spectator(), now)
    assert told == TileRevealed(0, outer(3), "tile:orange", 0)
    assert after(GAME.view(down, Spectator()), (told, turned)) == GAME.view(now, Spectator())


def test_the_same_tile_covered_and_opened_again_is_told_once() -> None:
    down = hunt(face_down=["tile:orange"], step="reveal", changes={"x": 1, "number": 1})
    first = TileRevealed(0, outer(0), "tile:orange", 1)
    over = TilesCovered(1, (outer(0),), "event:cover_rival", ("tile:orange",))
    again = TileRevealed(2, outer(0), "tile:orange", 2)
    now = after(down, (first, over, again))
    assert GAME.recall(first, SeatView(0), now) == TileRevealed(0, NOWHERE, HIDDEN, 0)
    assert GAME.recall(over, SeatView(0), now) == TilesCovered(1, (NOWHERE,), "event:cover_rival", (HIDDEN,))
    assert GAME.recall(again, SeatView(0), now) == TileRevealed(2, outer(0), "tile:orange", 0)
    assert GAME.recall(first, Referee(), now) == first


def test_a_second_window_that_is_told_a_placement_without_faces_knows_only_how_many_are_left() -> None:
    """B5.6: it gets no more than any spectator, and folds on all the same."""
    state = replace(opened(2), supplies=(("tile:imprevisto", "tile:red", "tile:red"), ()))
    bare = TilesPlaced(0, (outer(0), outer(1)), (HIDDEN, HIDDEN), (HIDDEN, HIDDEN))
    assert after(GAME.view(state, SeatView(0)), (bare,)).supplies[0] == (HIDDEN,)


@every_match
def test_a_peeked_face_is_told_to_its_drawer_in_one_fact_and_never_again(which: int) -> None:
    played = match(which)
    for index, commit in enumerate(played.commits):
        for event in played.events(index):
            if not isinstance(event, TilePeeked):
                continue
            for viewer in watchers(played):
                live = GAME.redact(event, viewer)
                assert isinstance(live, TilePeeked)
                assert (live.face == event.face) == (viewer == SeatView(event.seat))
                for later in played.states[index : index + 30]:
                    if not is_over(later.game):
                        told = fact_of(played.match, commit, viewer, now=later)
                        assert faces_in(told) == 0


@every_match
def test_words_say_no_colour_where_nothing_is_turned_up(which: int) -> None:
    """A sentence is made of the redacted event alone: others hear of a placement and a peek without a colour."""
    played = match(which)
    colours = ("red tile", "green tile", "blue tile", "orange tile", "event tile")
    for index, commit in enumerate(played.commits):
        if not any(isinstance(event, (TileRevealed, AttackEnded, PlayEnded)) for event in played.events(index)):
            for sentence in fact_of(played.match, commit, Spectator()).words:
                assert not any(colour in sentence for colour in colours), sentence
