"""What a seat may ask for. A command carries no seat, and two that mean the same are written the same."""

from typing import ClassVar, TypeAlias

from msgspec.structs import force_setattr

from engine.games.memcel.model import At, Placement, Way
from engine.kernel.codec import Codec, Named


class PlaceTiles(Named, frozen=True):
    """Two tiles of one's supply face down on two empty positions; the order of the two is no matter (M-07)."""

    name: ClassVar[str] = "memcel.place_tiles"
    placements: tuple[Placement, Placement]

    def __post_init__(self) -> None:
        one, other = self.placements
        if other.at < one.at:
            force_setattr(self, "placements", (other, one))


class PlaceByLot(Named, frozen=True):
    """Leave it to the lot which two tiles go where (M-41)."""

    name: ClassVar[str] = "memcel.place_by_lot"


class DeclareAttack(Named, frozen=True):
    """Before the die is rolled, and not revocable (M-15)."""

    name: ClassVar[str] = "memcel.declare_attack"


class DeclareDefence(Named, frozen=True):
    """Not in two turns running (M-30)."""

    name: ClassVar[str] = "memcel.declare_defence"


class AnnounceCount(Named, frozen=True):
    """The attack will find ``x`` own tiles: at most the number rolled, and one's tiles face down (M-16, M-17)."""

    name: ClassVar[str] = "memcel.announce_count"
    x: int


class RevealTile(Named, frozen=True):
    """Turn up the tile on ``at``, which lies face down (M-33)."""

    name: ClassVar[str] = "memcel.reveal_tile"
    at: At


class ChooseDefence(Named, frozen=True):
    """Do nothing, roll a complication, or draw an event card."""

    name: ClassVar[str] = "memcel.choose_defence"
    way: Way


class SwapTiles(Named, frozen=True):
    """The tiles on two different positions change places unseen; the order of the two is no matter (M-12)."""

    name: ClassVar[str] = "memcel.swap_tiles"
    at: tuple[At, At]

    def __post_init__(self) -> None:
        force_setattr(self, "at", tuple(sorted(self.at)))


class PeekTile(Named, frozen=True):
    """Look alone at the tile on ``at``, which lies face down."""

    name: ClassVar[str] = "memcel.peek_tile"
    at: At


class CoverTiles(Named, frozen=True):
    """Turn these open tiles down, as the card says; their order is no matter."""

    name: ClassVar[str] = "memcel.cover_tiles"
    at: tuple[At, ...]

    def __post_init__(self) -> None:
        force_setattr(self, "at", tuple(sorted(self.at)))


Command: TypeAlias = (
    PlaceTiles
    | PlaceByLot
    | DeclareAttack
    | DeclareDefence
    | AnnounceCount
    | RevealTile
    | ChooseDefence
    | SwapTiles
    | PeekTile
    | CoverTiles
)
COMMANDS: Codec[Command] = Codec.of(Command)
