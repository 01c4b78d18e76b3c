"""The kernel's own commands and events: what happens in every match whatever game is played.

``tavolata.`` is what the house does, ``luck.`` what the deck answers. All of these events are public; the seed stands
in one only after the end.
"""

from typing import Any, ClassVar, TypeAlias, assert_never

from engine.kernel.chance import Spec
from engine.kernel.codec import Codec, Named
from engine.kernel.deal import Deal
from engine.kernel.language import CATALOGUE, listed
from engine.kernel.value import Seat


class OpenMatch(Named, frozen=True, omit_defaults=True):
    """``nonces`` are hex in seat order, "" where a seat gave none; ``turn_ms`` 0 is no clock.

    What has a default is not written where it holds, so that older openings keep their bytes.
    """

    name: ClassVar[str] = "tavolata.open_match"
    seats: int
    options: dict[str, Any]
    nonces: tuple[str, ...]
    players: tuple[str, ...]
    turn_ms: int
    commitment: str
    deal: Deal | None = None
    """The group of tables that meet the same luck, if this is one of them."""
    delay_ms: int = 0
    """How old a commit is when spectators are shown it."""


class Leave(Named, frozen=True):
    """A seat leaves for good."""

    name: ClassVar[str] = "tavolata.leave"
    seat: Seat


class Expire(Named, frozen=True):
    """The clock of ``turn`` has run out; a repeat, or one that came too late, is refused."""

    name: ClassVar[str] = "tavolata.expire"
    turn: int


class Proceed(Named, frozen=True):
    """The rules go on by themselves."""

    name: ClassVar[str] = "tavolata.proceed"


class ResolveLuck(Named, frozen=True):
    """The deck's answer, with what was asked, so that an export can be checked in any language."""

    name: ClassVar[str] = "luck.resolve"
    draw_id: str
    spec: Spec
    outcome: tuple[int, ...]


class RevealSeed(Named, frozen=True):
    """The closing command; after it everybody can check every draw."""

    name: ClassVar[str] = "luck.reveal_seed"
    seed: str


Command: TypeAlias = OpenMatch | Leave | Expire | Proceed | ResolveLuck | RevealSeed
COMMANDS: Codec[Command] = Codec.of(Command)


class MatchOpened(Named, frozen=True, omit_defaults=True):
    """``options`` are complete: defaults of the day stand written out, so a later default changes no old match.

    The fields with a default came later; they are not written where it holds.
    """

    name: ClassVar[str] = "tavolata.match_opened"
    game: str
    version: int
    seats: int
    options: dict[str, Any]
    players: tuple[str, ...]
    turn_ms: int
    commitment: str
    nonces: tuple[str, ...]
    deal: Deal | None = None
    delay_ms: int = 0


class LuckResolved(Named, frozen=True):
    """One draw id is spent. What was drawn is in the game's own events beside it."""

    name: ClassVar[str] = "tavolata.luck_resolved"
    draw_id: str


class ClockStarted(Named, frozen=True):
    """The pending seats have until ``deadline``."""

    name: ClassVar[str] = "tavolata.clock_started"
    turn: int
    deadline: str


class TurnExpired(Named, frozen=True):
    """These seats did not move in time; the game's default move for each follows in the same commit."""

    name: ClassVar[str] = "tavolata.turn_expired"
    turn: int
    seats: tuple[Seat, ...]


class SeatLeft(Named, frozen=True):
    name: ClassVar[str] = "tavolata.seat_left"
    seat: Seat


class MatchEnded(Named, frozen=True):
    """The result. ``ranks`` and ``totals`` by seat; ties share a rank."""

    name: ClassVar[str] = "tavolata.match_ended"
    ranks: tuple[int, ...]
    totals: tuple[int, ...]
    reason: str


class SeedRevealed(Named, frozen=True):
    name: ClassVar[str] = "tavolata.seed_revealed"
    seed: str


Event: TypeAlias = MatchOpened | LuckResolved | ClockStarted | TurnExpired | SeatLeft | MatchEnded | SeedRevealed
EVENTS: Codec[Event] = Codec.of(Event)


def words(event: Event, language: str) -> str:
    """One sentence for people; empty where there is nothing to say."""
    match event:
        case MatchOpened():
            return CATALOGUE.count(
                language, "The match is open with {n} seat.", "The match is open with {n} seats.", event.seats
            )
        case TurnExpired(_, seats):
            return CATALOGUE.count(
                language,
                "Time ran out for seat {seats}.",
                "Time ran out for seats {seats}.",
                len(seats),
                seats=listed(language, seats),
            )
        case SeatLeft(seat):
            return CATALOGUE.say(language, "Seat {seat} leaves the match.", seat=seat)
        case MatchEnded(ranks):
            winners = [seat for seat, rank in enumerate(ranks) if rank == 1]
            return CATALOGUE.count(
                language,
                "The match is over: seat {seats} wins.",
                "The match is over: seats {seats} share the win.",
                len(winners),
                seats=listed(language, winners),
            )
        case SeedRevealed():
            return CATALOGUE.say(language, "The seed is revealed: every draw can be checked.")
        case LuckResolved() | ClockStarted():
            return ""
        case _:
            assert_never(event)
