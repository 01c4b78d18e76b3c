"""``evolve`` believes: the position after a fact, the same for the full state and for a view with holes.

It holds no rules. What a viewer is not told comes as a hole, and a hole is folded like anything else: a hidden face
lies face down as hidden, a tile of a hidden supply is one hole less, and what happened ``NOWHERE`` changes no position.
"""

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from engine.games.memcel.events import (
    EVENTS,
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
from engine.games.memcel.rings import put, rotated, swapped
from engine.games.memcel.trace import MARKS, closed, opened
from engine.kernel.codec import Named
from engine.kernel.fold import Fold
from engine.kernel.seats import put as _set

K = TypeVar("K", bound=Named)


FOLD: Fold[State, Event] = Fold(EVENTS)


def on(kind: type[K]) -> Callable[[Callable[[State, K], State]], Callable[[State, K], State]]:
    """The function below folds events of this kind, but for the trace: the first of a commit begins it, some mark."""
    mark = MARKS.get(kind)

    def told(fold: Callable[[State, K], State]) -> Callable[[State, K], State]:
        @FOLD.on(kind)
        def _folded(state: State, event: K) -> State:
            after, trace = fold(state, event), opened(state.trace)
            if mark is not None:
                return replace(after, trace=mark(trace, event))
            return after if trace is state.trace else replace(after, trace=trace)

        return _folded

    return told


@FOLD.on(StepBegan)
def _step_began(state: State, event: StepBegan) -> State:
    """The last event of a commit, as a rule; whatever comes next begins another trace."""
    return replace(state, step=event.step, by=event.seat, cause=event.cause, trace=closed(state.trace))


@on(TurnBegan)
def _turn_began(state: State, event: TurnBegan) -> State:
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


@on(TilesPlaced)
def _tiles_placed(state: State, event: TilesPlaced) -> State:
    seat = event.seat
    supplies = _set(state.supplies, seat, _without(state.supplies[seat], event.faces))
    return replace(state, supplies=supplies, board=_laid(state.board, event.at, event.beneath))


@on(SupplyScattered)
def _supply_scattered(state: State, event: SupplyScattered) -> State:
    return replace(
        state, supplies=_set(state.supplies, event.seat, ()), board=_laid(state.board, event.at, event.beneath)
    )


@on(TileRevealed)
def _tile_revealed(state: State, event: TileRevealed) -> State:
    """``found`` grows by the seat's own tiles; one that is told without its place lies nowhere."""
    if event.at == NOWHERE:
        return state
    found = (*state.found, event.at) if event.face == state.colour(event.seat) else state.found
    tile = Tile(event.face, True, event.opening)
    return replace(state, board=put(state.board, ((event.at, tile),)), found=found, openings=event.opening)


@on(TilesCovered)
def _tiles_covered(state: State, event: TilesCovered) -> State:
    return replace(state, board=_laid(state.board, event.at, event.beneath))


@on(RingRotated)
def _ring_rotated(state: State, event: RingRotated) -> State:
    return replace(state, board=rotated(state.board, (event.ring,), event.direction, event.steps), icon=0, number=0)


@on(BoardRotated)
def _board_rotated(state: State, event: BoardRotated) -> State:
    return replace(state, board=rotated(state.board, (0, 1, 2), event.direction, event.steps), icon=0, number=0)


@on(TilesSwapped)
def _tiles_swapped(state: State, event: TilesSwapped) -> State:
    one, other = event.at
    return replace(state, board=swapped(state.board, one, other))


@on(IconRolled)
def _icon_rolled(state: State, event: IconRolled) -> State:
    return replace(state, icon=event.face)


@on(NumberRolled)
def _number_rolled(state: State, event: NumberRolled) -> State:
    return replace(state, number=event.number)


@on(AttackDeclared)
def _attack_declared(state: State, event: AttackDeclared) -> State:
    return replace(state, defended=_set(state.defended, event.seat, False), turns=state.turns + 1)


@on(AttackAnnounced)
def _attack_announced(state: State, event: AttackAnnounced) -> State:
    return replace(state, number=event.number, x=event.x)


@on(AttackEnded)
def _attack_ended(state: State, event: AttackEnded) -> State:
    return replace(state, number=0, x=0, found=(), cards=event.cards)


@on(DefenceDeclared)
def _defence_declared(state: State, event: DefenceDeclared) -> State:
    return replace(state, defended=_set(state.defended, event.seat, True), turns=state.turns + 1)


@on(DefenceChosen)
def _defence_chosen(state: State, event: DefenceChosen) -> State:
    return replace(state, cards=int(event.way == "card"))


@on(CardDrawn)
def _card_drawn(state: State, event: CardDrawn) -> State:
    return replace(state, cards=state.cards - 1, discard=(*state.discard, event.number))


@on(DeckReshuffled)
def _deck_reshuffled(state: State, event: DeckReshuffled) -> State:
    return replace(state, discard=())


@on(ExtraTurnGranted)
def _extra_turn_granted(state: State, event: ExtraTurnGranted) -> State:
    return replace(state, extra=state.extra + 1)


@on(TurnsLostAdded)
def _turns_lost_added(state: State, event: TurnsLostAdded) -> State:
    seat = event.seat
    return replace(state, lost=_set(state.lost, seat, state.lost[seat] + event.count))


@on(LostTurnsCut)
def _lost_turns_cut(state: State, event: LostTurnsCut) -> State:
    seat = event.seat
    return replace(state, lost=_set(state.lost, seat, state.lost[seat] - event.count), extra=state.extra - event.extra)


@on(TurnLost)
def _turn_lost(state: State, event: TurnLost) -> State:
    seat = event.seat
    lifted = _set(state.defended, seat, False) if event.lifts_ban else state.defended
    return replace(state, lost=_set(state.lost, seat, event.left), defended=lifted)


@on(TilePeeked)
def _tile_peeked(state: State, event: TilePeeked) -> State:
    return state  # who looked knows; nothing here does


@on(StartRolled)
def _start_rolled(state: State, event: StartRolled) -> State:
    numbers = event.numbers
    tied = tuple(seat for seat, number in zip(event.seats, numbers, strict=True) if number == max(numbers))
    return replace(state, contenders=tied, start_rolls=state.start_rolls + 1)


@on(FirstChosen)
def _first_chosen(state: State, event: FirstChosen) -> State:
    return replace(state, first=event.seat, contenders=())


@on(SupplyDealt)
def _supply_dealt(state: State, event: SupplyDealt) -> State:
    return replace(state, supplies=_set(state.supplies, event.seat, event.faces))


@on(SeatGone)
def _seat_gone(state: State, event: SeatGone) -> State:
    seat = event.seat
    contenders = tuple(one for one in state.contenders if one != seat)
    return replace(state, left=(*state.left, seat), contenders=contenders)


@on(PlayEnded)
def _play_ended(state: State, event: PlayEnded) -> State:
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


FOLD.complete()


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
