"""``evolve`` believes: the position after a fact, the same for the full state and for a view with holes.

It holds no rules. What a viewer is not told comes as a hole, and a hole is folded like anything else: a hidden face
lies face down as hidden, a tile of a hidden supply is one hole less, and what happened ``NOWHERE`` changes no position.
"""

from typing import assert_never

from msgspec.structs import replace

from engine.games.memcel.events import (
    AttackAnnounced,
    AttackDeclared,
    AttackEnded,
    BoardRotated,
    CardDrawn,
    DeckReshuffled,
    DefenceChosen,
    DefenceDeclared,
    Event,
    ExtraTurnGranted,
    FirstChosen,
    IconRolled,
    LostTurnsCut,
    NumberRolled,
    PlayEnded,
    RingRotated,
    SeatGone,
    StartRolled,
    StepBegan,
    SupplyDealt,
    SupplyScattered,
    TilePeeked,
    TileRevealed,
    TilesCovered,
    TilesPlaced,
    TilesSwapped,
    TurnBegan,
    TurnLost,
    TurnsLostAdded,
)
from engine.games.memcel.model import HIDDEN, NOWHERE, At, Board, Faces, State, Tile
from engine.games.memcel.printed import Face
from engine.games.memcel.rings import put, rotated, swapped
from engine.games.memcel.trace import traced
from engine.kernel.ahead import Ahead
from engine.kernel.seats import put as _set
from engine.kernel.value import Seat


def evolve(state: State, event: Event) -> State:
    """The state after ``event``."""
    return replace(_evolved(state, event), trace=traced(state.trace, event))


FOLD = Ahead(evolve)


def _evolved(state: State, event: Event) -> State:
    match event:
        case StepBegan(step, seat, cause):
            return replace(state, step=step, by=seat, cause=cause)
        case TurnBegan():
            return _turn(state, event)
        case TilesPlaced(seat, at, faces, beneath):
            supplies = _set(state.supplies, seat, _without(state.supplies[seat], faces))
            return replace(state, supplies=supplies, board=_laid(state.board, at, beneath))
        case SupplyScattered(seat, at, beneath):
            return replace(state, supplies=_set(state.supplies, seat, ()), board=_laid(state.board, at, beneath))
        case TileRevealed(seat, at, face, opening):
            return _reveal(state, seat, at, face, opening)
        case TilesCovered(_, at, _, beneath):
            return replace(state, board=_laid(state.board, at, beneath))
        case RingRotated(ring, direction, steps):
            return replace(state, board=rotated(state.board, (ring,), direction, steps), icon=0, number=0)
        case BoardRotated(direction, steps):
            return replace(state, board=rotated(state.board, (0, 1, 2), direction, steps), icon=0, number=0)
        case TilesSwapped(_, (one, other)):
            return replace(state, board=swapped(state.board, one, other))
        case IconRolled(_, face):
            return replace(state, icon=face)
        case NumberRolled(_, number):
            return replace(state, number=number)
        case AttackDeclared(seat):
            return replace(state, defended=_set(state.defended, seat, False), turns=state.turns + 1)
        case AttackAnnounced(_, number, x):
            return replace(state, number=number, x=x)
        case AttackEnded(_, _, _, _, cards):
            return replace(state, number=0, x=0, found=(), cards=cards)
        case DefenceDeclared(seat):
            return replace(state, defended=_set(state.defended, seat, True), turns=state.turns + 1)
        case DefenceChosen(_, way):
            return replace(state, cards=int(way == "card"))
        case CardDrawn(_, number):
            return replace(state, cards=state.cards - 1, discard=(*state.discard, number))
        case DeckReshuffled():
            return replace(state, discard=())
        case ExtraTurnGranted():
            return replace(state, extra=state.extra + 1)
        case TurnsLostAdded(seat, count):
            return replace(state, lost=_set(state.lost, seat, state.lost[seat] + count))
        case LostTurnsCut(seat, count, _, extra):
            return replace(state, lost=_set(state.lost, seat, state.lost[seat] - count), extra=state.extra - extra)
        case TurnLost(seat, left, lifts_ban):
            lifted = _set(state.defended, seat, False) if lifts_ban else state.defended
            return replace(state, lost=_set(state.lost, seat, left), defended=lifted)
        case TilePeeked():
            return state  # who looked knows; nothing here does
        case StartRolled(seats, numbers):
            tied = tuple(seat for seat, number in zip(seats, numbers, strict=True) if number == max(numbers))
            return replace(state, contenders=tied, start_rolls=state.start_rolls + 1)
        case FirstChosen(seat):
            return replace(state, first=seat, contenders=())
        case SupplyDealt(seat, faces):
            return replace(state, supplies=_set(state.supplies, seat, faces))
        case SeatGone(seat):
            contenders = tuple(one for one in state.contenders if one != seat)
            return replace(state, left=(*state.left, seat), contenders=contenders)
        case PlayEnded():
            return _end(state, event)
        case _:
            assert_never(event)


def _turn(state: State, event: TurnBegan) -> State:
    """A new turn; whatever the last one left unfinished falls away."""
    return replace(
        state,
        stage=event.stage,
        active=event.seat,
        round=event.round,
        extra=state.extra - 1 if event.extra else 0,
        icon=0,
        number=0,
        x=0,
        found=(),
        cards=0,
    )


def _reveal(state: State, seat: Seat, at: At, face: Face, opening: int) -> State:
    """``found`` grows by the seat's own tiles; one that is told without its place lies nowhere."""
    if at == NOWHERE:
        return state
    found = (*state.found, at) if face == state.colour(seat) else state.found
    return replace(state, board=put(state.board, ((at, Tile(face, True, opening)),)), found=found, openings=opening)


def _end(state: State, event: PlayEnded) -> State:
    """Every tile is shown as it lies, up or down."""
    tiles = (
        (at, Tile(face, tile.up, tile.opening))
        for ring, faces in enumerate(event.board)
        for sector, face in enumerate(faces)
        if face is not None and (tile := state.at(at := At(ring, sector))) is not None
    )
    return replace(
        state,
        reason=event.reason,
        ranks=event.ranks,
        board=put(state.board, tiles),
        supplies=event.supplies,
    )


def _laid(board: Board, at: tuple[At, ...], beneath: Faces) -> Board:
    """Face down; what is laid ``NOWHERE`` is not told any more."""
    tiles = zip(at, beneath, strict=True)
    return put(board, ((one, Tile(face)) for one, face in tiles if one != NOWHERE))


def _without(supply: Faces, faces: Faces) -> Faces:
    """``supply`` after these tiles have left it.

    A hole goes first: it stands for a tile that has been placed since, or the whole supply is holes. Who is told of a
    placement without its faces, and knew the supply, knows from then on only how many are left.
    """
    rest = list(supply)
    for face in faces:
        if HIDDEN in rest:
            rest.remove(HIDDEN)
        elif face in rest:
            rest.remove(face)
        else:
            rest = [HIDDEN] * (len(rest) - 1)
    return tuple(rest)
