"""What a viewer is told of the past of a running match: no more than lies open now.

A memory game is lost to whoever can ask what was. So a past event is told with its faces only where they can be seen
now, and with its positions only where they tell no face: "seat 0 turned up three tiles and missed one" says of the
first two whose they were, and "seat 0 missed and turned its tiles down" of all of them, even without a face. Both keep
their number and lose their places. Dice, cards, movements, who placed and who was the first, all that stays.

What is recalled still leads to the present. Each turning-up has a number that the server keeps with the tile while it
lies open: a past one whose number lies on the board is told in full, and the movements behind it carry the tile to
where it lies now. A supply is dealt with holes for what has been placed since, and placements take those.
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
from engine.games.memcel.model import HIDDEN, NOWHERE, Faces, State
from engine.games.memcel.rings import positions
from engine.games.memcel.views import holes
from engine.kernel.value import Referee, Viewer, speaks_for


def recall(event: Event, viewer: Viewer, now: State) -> Event:
    """The past event as ``viewer`` may know it in the position ``now``. No catch-all, as in ``views.redact``."""
    if isinstance(viewer, Referee):
        return event
    match event:
        case SupplyDealt(seat, faces):
            kept = now.supplies[seat] if speaks_for(viewer, seat) else ()
            return replace(event, faces=_dealt(kept, len(faces)))
        case TilesPlaced(_, _, faces, beneath):
            return replace(event, faces=holes(faces), beneath=holes(beneath))
        case SupplyScattered(_, _, beneath):
            return replace(event, beneath=holes(beneath))
        case TileRevealed(_, _, _, opening):
            if opening == 0 or _is_open(now, opening):
                return replace(event, opening=0)  # 0 has been through here, or through ``redact``, before
            return replace(event, at=NOWHERE, face=HIDDEN, opening=0)
        case TilesCovered(_, at, _, beneath):
            return replace(event, at=(NOWHERE,) * len(at), beneath=holes(beneath))
        case TilePeeked():
            return replace(event, face=HIDDEN)
        case (
            StartRolled()
            | FirstChosen()
            | TurnBegan()
            | StepBegan()
            | IconRolled()
            | NumberRolled()
            | RingRotated()
            | BoardRotated()
            | TilesSwapped()
            | AttackDeclared()
            | AttackAnnounced()
            | AttackEnded()
            | TurnsLostAdded()
            | LostTurnsCut()
            | TurnLost()
            | DefenceDeclared()
            | DefenceChosen()
            | CardDrawn()
            | DeckReshuffled()
            | ExtraTurnGranted()
            | SeatGone()
            | PlayEnded()
        ):
            return event
        case _:
            assert_never(event)


def _dealt(kept: Faces, count: int) -> Faces:
    """A supply of ``count`` tiles of which these are still there."""
    return tuple(sorted(kept + (HIDDEN,) * (count - len(kept))))


def _is_open(now: State, opening: int) -> bool:
    """Whether the tile of that turning-up has lain open ever since."""
    return any(tile is not None and tile.up and tile.opening == opening for _, tile in positions(now.board))
