"""What a token grants. Every kind is a value of its own, so a service that forgets one does not pass the type checker.

``ALL`` in the place of an event stands for every event and every match.
"""

from typing import Final, TypeAlias

from engine.kernel.limits import PLAYER_LENGTH_MAX, SEATS_MAX
from engine.kernel.value import Seat, Value, check_id

ALL: Final = "*"

BOTS: Final = "bots"
"""The service that speaks for the seats of bots."""


class SeatGrant(Value, frozen=True, tag="seat", tag_field="kind"):
    """Speaks for one seat of one match, and looks as it."""

    match: str
    seat: Seat

    def __post_init__(self) -> None:
        check_id("match id", self.match)
        if not 0 <= self.seat < SEATS_MAX:
            raise ValueError(f"a seat is 0 to {SEATS_MAX - 1}")


class PlayerGrant(Value, frozen=True, tag="player", tag_field="kind"):
    """Speaks for every seat that the opening of a match gives to this player, in one event or anywhere."""

    player: str
    event: str = ALL

    def __post_init__(self) -> None:
        if not 1 <= len(self.player) <= PLAYER_LENGTH_MAX:
            raise ValueError(f"a player id has 1 to {PLAYER_LENGTH_MAX} characters")
        if self.player.startswith(BOT_PREFIX):
            raise ValueError("bots are spoken for by their service")
        _check_scope(self.event)


class OrganiserGrant(Value, frozen=True, tag="organiser", tag_field="kind"):
    """Runs one event, or all."""

    event: str

    def __post_init__(self) -> None:
        _check_scope(self.event)


class RefereeGrant(Value, frozen=True, tag="referee", tag_field="kind"):
    """Directs matches and looks as their referee: of one event, of all, or one single match."""

    event: str = ""
    match: str = ""

    def __post_init__(self) -> None:
        _check_either(self.event, self.match)


class CasterGrant(Value, frozen=True, tag="caster", tag_field="kind"):
    """Sees what the referee sees, as late as a spectator does; speaks for nobody."""

    event: str = ""
    match: str = ""

    def __post_init__(self) -> None:
        _check_either(self.event, self.match)


class ServiceGrant(Value, frozen=True, tag="service", tag_field="kind"):
    """A service of the house itself: ``deck``, ``rules-just4fun``, ``bots`` ..."""

    service: str

    def __post_init__(self) -> None:
        if not self.service:
            raise ValueError("a service has a name")


Grant: TypeAlias = SeatGrant | PlayerGrant | OrganiserGrant | RefereeGrant | CasterGrant | ServiceGrant

KINDS: Final[tuple[str, ...]] = ("seat", "player", "organiser", "referee", "caster", "service")

BOT_PREFIX: Final = "bot:"
"""How the player id of a seat begins that asks for a bot."""


def kind_of(grant: Grant) -> str:
    """Its name in a token: ``seat``, ``player`` ..."""
    return str(grant.__struct_config__.tag)


def _check_either(event: str, match: str) -> None:
    if bool(event) == bool(match):
        raise ValueError("it is for an event or for a match")
    if match:
        check_id("match id", match)
    else:
        _check_scope(event)


def _check_scope(event: str) -> None:
    if event != ALL:
        check_id("event id", event)
