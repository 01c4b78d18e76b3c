"""What happens. Where a viewer is told less, live (``views.py``) or looking back (``recall.py``), the event says so."""

from typing import ClassVar, TypeAlias

from engine.games.memcel.model import At, Cause, Faces, Reason, Stage, Step, Way
from engine.games.memcel.printed import Card, Complication, Direction, Face
from engine.kernel.codec import Codec, Named
from engine.kernel.value import Seat


class StartRolled(Named, frozen=True):
    """``seats`` have rolled ``numbers`` for the start; those with the highest roll again if they are several (M-04)."""

    name: ClassVar[str] = "memcel.start_rolled"
    seats: tuple[Seat, ...]
    numbers: tuple[int, ...]


class FirstChosen(Named, frozen=True):
    """``seat`` begins, and again in each round."""

    name: ClassVar[str] = "memcel.first_chosen"
    seat: Seat


class SupplyDealt(Named, frozen=True):
    """``seat`` gets these tiles, sorted; others see how many. Looked back at, those it has placed since are holes."""

    name: ClassVar[str] = "memcel.supply_dealt"
    seat: Seat
    faces: Faces


class TurnBegan(Named, frozen=True):
    """The turn is with ``seat``. ``round`` counts those of the hunt from 1, 0 before; ``extra`` by a card (M-36)."""

    name: ClassVar[str] = "memcel.turn_began"
    seat: Seat
    stage: Stage
    round: int
    extra: bool = False


class StepBegan(Named, frozen=True):
    """What the match waits for now, of ``seat`` or of its luck, and what has brought it about. Silent."""

    name: ClassVar[str] = "memcel.step_began"
    step: Step
    seat: Seat
    cause: Cause = ""


class TilesPlaced(Named, frozen=True):
    """``seat`` puts two tiles face down on ``at``.

    ``faces`` leave the supply, in the order of ``at``: the placer sees them in that moment and never again. ``beneath``
    is the same for the board, and so for nobody but a referee: once it lies, no tile is anybody's to know.
    """

    name: ClassVar[str] = "memcel.tiles_placed"
    seat: Seat
    at: tuple[At, ...]
    faces: Faces
    beneath: Faces


class SupplyScattered(Named, frozen=True):
    """``seat`` has left: its supply lies at random on ``at``, sorted, face down and known to nobody (M-38)."""

    name: ClassVar[str] = "memcel.supply_scattered"
    seat: Seat
    at: tuple[At, ...]
    beneath: Faces


class IconRolled(Named, frozen=True):
    """``seat`` rolled ``face`` 1 to 6 of the icon die, which shows ring, direction and inner circle (M-10)."""

    name: ClassVar[str] = "memcel.icon_rolled"
    seat: Seat
    face: int
    ring: int
    direction: Direction
    complication: Complication


class NumberRolled(Named, frozen=True):
    """``seat`` rolled the number die for an attack or for a movement."""

    name: ClassVar[str] = "memcel.number_rolled"
    seat: Seat
    number: int


class RingRotated(Named, frozen=True):
    """Every tile of ``ring`` moves by ``steps`` sectors."""

    name: ClassVar[str] = "memcel.ring_rotated"
    ring: int
    direction: Direction
    steps: int
    cause: Cause


class BoardRotated(Named, frozen=True):
    """All three rings turn together by ``steps`` sectors (M-11)."""

    name: ClassVar[str] = "memcel.board_rotated"
    direction: Direction
    steps: int
    cause: Cause


class TilesSwapped(Named, frozen=True):
    """``seat`` lets the tiles on these two positions change places, each as it lies (M-12)."""

    name: ClassVar[str] = "memcel.tiles_swapped"
    seat: Seat
    at: tuple[At, At]
    cause: Cause


class AttackDeclared(Named, frozen=True):
    """``seat`` attacks."""

    name: ClassVar[str] = "memcel.attack_declared"
    seat: Seat


class AttackAnnounced(Named, frozen=True):
    """``seat`` will find ``x`` own tiles one after the other; ``number`` was rolled."""

    name: ClassVar[str] = "memcel.attack_announced"
    seat: Seat
    number: int
    x: int


class TileRevealed(Named, frozen=True):
    """``seat`` turns up the tile on ``at``.

    Looked back at, a tile that has been covered since is told without its place and its face.
    """

    name: ClassVar[str] = "memcel.tile_revealed"
    seat: Seat
    at: At
    face: Face
    opening: int
    """Which turning-up of the match this is; the server's alone, 0 for viewers."""


class AttackEnded(Named, frozen=True):
    """``found`` of ``x`` were found. ``face`` is the strange tile that ended it, ``hidden`` where none did.

    ``cards`` event cards follow (M-25, M-26).
    """

    name: ClassVar[str] = "memcel.attack_ended"
    seat: Seat
    x: int
    found: int
    face: Face
    cards: int

    @property
    def missed(self) -> int:
        """M-18: what was not attempted any more is missed too."""
        return self.x - self.found


class TilesCovered(Named, frozen=True):
    """Open tiles are turned down. Looked back at, it is told how many, and not where.

    ``beneath`` are their faces for the board, and so, as when they were placed, for nobody but a referee.
    """

    name: ClassVar[str] = "memcel.tiles_covered"
    seat: Seat
    """Whose miss or card it was."""
    at: tuple[At, ...]
    cause: Cause
    beneath: Faces


class TurnsLostAdded(Named, frozen=True):
    """``seat`` loses the next ``count`` turns, on top of those that it loses already (M-23)."""

    name: ClassVar[str] = "memcel.turns_lost_added"
    seat: Seat
    count: int
    cause: Cause


class LostTurnsCut(Named, frozen=True):
    """``seat`` loses ``count`` turns less: pardoned, or instead of an extra turn (M-36)."""

    name: ClassVar[str] = "memcel.lost_turns_cut"
    seat: Seat
    count: int
    cause: Cause
    extra: int = 0
    """Extra turns that were granted already and are given up for it."""


class TurnLost(Named, frozen=True):
    """``seat`` loses the turn that has just begun; so many are left to lose (M-23)."""

    name: ClassVar[str] = "memcel.turn_lost"
    seat: Seat
    left: int
    lifts_ban: bool
    """Whether the next turn may be a defence again (M-30)."""


class DefenceDeclared(Named, frozen=True):
    """``seat`` defends."""

    name: ClassVar[str] = "memcel.defence_declared"
    seat: Seat


class DefenceChosen(Named, frozen=True):
    """``seat`` does nothing, rolls a complication, or draws an event card."""

    name: ClassVar[str] = "memcel.defence_chosen"
    seat: Seat
    way: Way


class CardDrawn(Named, frozen=True):
    """``seat`` draws an event card, which lies on the discard pile for all to see (M-34)."""

    name: ClassVar[str] = "memcel.card_drawn"
    seat: Seat
    number: int
    """Its place in the deck's list."""
    card: Card


class DeckReshuffled(Named, frozen=True):
    """The pile is empty: the ``count`` cards of the discard pile are the draw pile now (M-34)."""

    name: ClassVar[str] = "memcel.deck_reshuffled"
    count: int


class ExtraTurnGranted(Named, frozen=True):
    """``seat`` plays once more after this turn."""

    name: ClassVar[str] = "memcel.extra_turn_granted"
    seat: Seat


class TilePeeked(Named, frozen=True):
    """``seat`` alone has looked at the tile on ``at``; ``face`` passes by once and is stored nowhere."""

    name: ClassVar[str] = "memcel.tile_peeked"
    seat: Seat
    at: At
    face: Face


class SeatGone(Named, frozen=True):
    """``seat`` has left; its colour is neutral now and cannot win (M-38)."""

    name: ClassVar[str] = "memcel.seat_gone"
    seat: Seat


class PlayEnded(Named, frozen=True):
    """``ranks`` by seat, 1 for the best, ties share a rank. Every tile is shown, on the board and in supplies."""

    name: ClassVar[str] = "memcel.play_ended"
    reason: Reason
    ranks: tuple[int, ...]
    board: tuple[tuple[Face | None, ...], ...]
    """``None`` where nothing lies."""
    supplies: tuple[Faces, ...]


Event: TypeAlias = (
    StartRolled
    | FirstChosen
    | SupplyDealt
    | TurnBegan
    | StepBegan
    | TilesPlaced
    | SupplyScattered
    | IconRolled
    | NumberRolled
    | RingRotated
    | BoardRotated
    | TilesSwapped
    | AttackDeclared
    | AttackAnnounced
    | TileRevealed
    | AttackEnded
    | TilesCovered
    | TurnsLostAdded
    | LostTurnsCut
    | TurnLost
    | DefenceDeclared
    | DefenceChosen
    | CardDrawn
    | DeckReshuffled
    | ExtraTurnGranted
    | TilePeeked
    | SeatGone
    | PlayEnded
)
EVENTS: Codec[Event] = Codec.of(Event)
