"""The kernel's own commands and events: what happens in every match whatever game is played.

``tavolata.`` is what the house does, ``luck.`` what the deck answers. All of these events are public; the seed stands
in one only after the end.
"""

from typing import Any, ClassVar, TypeAlias, assert_never, get_args

from engine.kernel.chance import Spec
from engine.kernel.codec import Codec, Named
from engine.kernel.deal import Deal
from engine.kernel.language import CATALOGUE, listed
from engine.kernel.value import Seat, instant_of

DEFAULT = "default"
"""At a time-out the game's default move is played."""
FORFEIT = "forfeit"
"""At a time-out the seat leaves."""


class OpenMatch(Named, frozen=True, omit_defaults=True):
    """``nonces`` are hex in seat order, "" where a seat gave none; ``turn_ms`` and ``bank_ms`` 0 are no clock.

    A field with a default is not written while it has it, so that a match of before the field keeps its bytes.
    """

    name: ClassVar[str] = "tavolata.open_match"
    seats: int
    options: dict[str, Any]
    nonces: tuple[str, ...]
    players: tuple[str, ...]
    turn_ms: int
    commitment: str
    bank_ms: int = 0
    increment_ms: int = 0
    on_timeout: str = DEFAULT
    deal: Deal | None = None
    """The group of tables that meet the same luck, if this is one of them."""
    delay_ms: int = 0
    """How old a commit is when spectators are shown it."""


class Leave(Named, frozen=True, omit_defaults=True):
    """A seat leaves for good. The host may say why."""

    name: ClassVar[str] = "tavolata.leave"
    seat: Seat
    reason: str = ""


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


class Pause(Named, frozen=True):
    """Nobody may move, and the clocks stand still."""

    name: ClassVar[str] = "tavolata.pause"
    reason: str = ""


class Resume(Named, frozen=True):
    """A paused match goes on."""

    name: ClassVar[str] = "tavolata.resume"
    reason: str = ""


class Extend(Named, frozen=True):
    """One seat, or with ``null`` all that are still here, get more time: it goes into their banks."""

    name: ClassVar[str] = "tavolata.extend"
    ms: int
    seat: Seat | None = None
    reason: str = ""


class CallTime(Named, frozen=True):
    """Nobody has any time left: the house plays the match to its end, by default moves."""

    name: ClassVar[str] = "tavolata.call_time"
    reason: str = ""


class GiveBack(Named, frozen=True):
    """The house was away while the clock of ``turn`` ran; instants as in a commit."""

    name: ClassVar[str] = "tavolata.give_back"
    turn: int
    since: str
    until: str


Command: TypeAlias = (
    OpenMatch | Leave | Expire | Proceed | ResolveLuck | RevealSeed | Pause | Resume | Extend | CallTime | GiveBack
)
COMMANDS: Codec[Command] = Codec.of(Command)

Directing: TypeAlias = Pause | Resume | Extend | CallTime | Leave
DIRECTING: frozenset[str] = frozenset(kind.name for kind in get_args(Directing))
"""The stored names of what the director of an event may ask for, as the host."""


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
    bank_ms: int = 0
    increment_ms: int = 0
    on_timeout: str = DEFAULT
    deal: Deal | None = None
    delay_ms: int = 0


class LuckResolved(Named, frozen=True):
    """One draw id is spent. What was drawn is in the game's own events beside it."""

    name: ClassVar[str] = "tavolata.luck_resolved"
    draw_id: str


class ClockStarted(Named, frozen=True, omit_defaults=True):
    """The first of the pending seats has until ``deadline``; ``began`` is "" where it is that less the turn time."""

    name: ClassVar[str] = "tavolata.clock_started"
    turn: int
    deadline: str
    began: str = ""


class BankChanged(Named, frozen=True):
    """What is in the bank of a seat from now on, in microseconds."""

    name: ClassVar[str] = "tavolata.bank_changed"
    seat: Seat
    bank_us: int


class TurnExpired(Named, frozen=True):
    """These seats did not move in time. In the same commit the default move of each follows, or it leaves."""

    name: ClassVar[str] = "tavolata.turn_expired"
    turn: int
    seats: tuple[Seat, ...]


class SeatLeft(Named, frozen=True, omit_defaults=True):
    name: ClassVar[str] = "tavolata.seat_left"
    seat: Seat
    reason: str = ""


class MatchEnded(Named, frozen=True):
    """The result. ``ranks`` and ``totals`` by seat; ties share a rank."""

    name: ClassVar[str] = "tavolata.match_ended"
    ranks: tuple[int, ...]
    totals: tuple[int, ...]
    reason: str


class SeedRevealed(Named, frozen=True):
    name: ClassVar[str] = "tavolata.seed_revealed"
    seed: str


class MatchPaused(Named, frozen=True):
    """The clocks show ``since`` until the match goes on."""

    name: ClassVar[str] = "tavolata.match_paused"
    since: str
    reason: str


class MatchResumed(Named, frozen=True):
    """The running turn, if there is one, is moved by the length of the pause; its clock follows."""

    name: ClassVar[str] = "tavolata.match_resumed"
    reason: str


class TimeExtended(Named, frozen=True):
    """These seats have ``ms`` more in their banks."""

    name: ClassVar[str] = "tavolata.time_extended"
    seats: tuple[Seat, ...]
    ms: int
    reason: str


class TimeCalled(Named, frozen=True):
    """From here on the house plays, by default moves."""

    name: ClassVar[str] = "tavolata.time_called"
    reason: str


class TimeGivenBack(Named, frozen=True):
    """The house was away from ``since`` until ``until`` while a clock ran, and the clock stood still."""

    name: ClassVar[str] = "tavolata.time_given_back"
    since: str
    until: str


Event: TypeAlias = (
    MatchOpened
    | LuckResolved
    | ClockStarted
    | TurnExpired
    | SeatLeft
    | MatchEnded
    | SeedRevealed
    | BankChanged
    | MatchPaused
    | MatchResumed
    | TimeExtended
    | TimeCalled
    | TimeGivenBack
)
EVENTS: Codec[Event] = Codec.of(Event)

COMMAND_TYPES: frozenset[type[Any]] = frozenset(get_args(Command))
EVENT_TYPES: frozenset[type[Any]] = frozenset(get_args(Event))
"""To tell the kernel's own from a game's at once; ``isinstance`` would ask one type after the other."""


_SILENT = frozenset((LuckResolved, ClockStarted, BankChanged))


def words(event: Event, language: str) -> str:
    """One sentence for people; empty where there is nothing to say."""
    if type(event) in _SILENT:  # the event of every draw, and the last one that the match below would come to
        return ""
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
        case SeatLeft(seat, reason):
            return _because(language, CATALOGUE.say(language, "Seat {seat} leaves the match.", seat=seat), reason)
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
        case MatchPaused(_, reason):
            return _because(language, CATALOGUE.say(language, "The match is paused."), reason)
        case MatchResumed(reason):
            return _because(language, CATALOGUE.say(language, "The match goes on."), reason)
        case TimeExtended(seats, ms, reason):
            sentence = CATALOGUE.count(
                language,
                "{n} second more for {seats}.",
                "{n} seconds more for {seats}.",
                -(-ms // 1000),
                seats=listed(language, (CATALOGUE.say(language, "seat {seat}", seat=seat) for seat in seats)),
            )
            return _because(language, sentence, reason)
        case TimeCalled(reason):
            sentence = CATALOGUE.say(language, "Time is called: the house plays the match to its end.")
            return _because(language, sentence, reason)
        case TimeGivenBack(since, until):
            return CATALOGUE.count(
                language,
                "The house was away for {n} second; the clocks stood still.",
                "The house was away for {n} seconds; the clocks stood still.",
                -(-(instant_of(until) - instant_of(since)) // 1_000_000),
            )
        case LuckResolved() | ClockStarted() | BankChanged():
            return ""
        case _:
            assert_never(event)


def _because(language: str, sentence: str, reason: str) -> str:
    """A sentence with the reason that somebody gave, in that person's words."""
    if not reason:
        return sentence
    return CATALOGUE.say(language, "{what} Reason: {reason}", what=sentence, reason=reason)
