"""What has happened in an event, as its log keeps it. All of it may be shown; people are opaque ids and numbers."""

from typing import ClassVar, TypeAlias

from engine.kernel.codec import Codec, Named
from engine.kernel.value import Revision, Value
from engine.tournament.config import Config
from engine.tournament.events_people import (
    Admitted as Admitted,
)
from engine.tournament.events_people import (
    CheckedIn as CheckedIn,
)
from engine.tournament.events_people import (
    CheckedOut as CheckedOut,
)
from engine.tournament.events_people import (
    CheckInClosed as CheckInClosed,
)
from engine.tournament.events_people import (
    CheckInOpened as CheckInOpened,
)
from engine.tournament.events_people import (
    Dropped as Dropped,
)
from engine.tournament.events_people import (
    HeatsEntered as HeatsEntered,
)
from engine.tournament.events_people import (
    KeptApart as KeptApart,
)
from engine.tournament.events_people import (
    MayMeet as MayMeet,
)
from engine.tournament.events_people import (
    PenaltyGiven as PenaltyGiven,
)
from engine.tournament.events_people import (
    PenaltyRevoked as PenaltyRevoked,
)
from engine.tournament.events_people import (
    Registered as Registered,
)
from engine.tournament.events_people import (
    RegistrationClosed as RegistrationClosed,
)
from engine.tournament.events_people import (
    RegistrationOpened as RegistrationOpened,
)
from engine.tournament.events_people import (
    Returned as Returned,
)
from engine.tournament.events_people import (
    SeedsSet as SeedsSet,
)
from engine.tournament.events_people import (
    TableFixed as TableFixed,
)
from engine.tournament.events_people import (
    Withdrawn as Withdrawn,
)
from engine.tournament.played import Entry, Exact, Seated


class Pod(Value, frozen=True, array_like=True):
    """One table of a round: its number, and its entries in seat order."""

    table: int
    entries: tuple[Entry, ...]


class RoundQuality(Value, frozen=True):
    """How good a pairing is: ``repeats`` are meetings that have been before, ``spread`` is the sum over tables of the
    points between the best and the last. The bounds say what no pairing can beat.
    """

    repeats: int
    repeats_bound: int
    spread: Exact
    spread_bound: Exact
    broken: int = 0
    """Pairs that were to be kept apart and meet."""
    misplaced: int = 0
    """Entrants who are not at the table that they always have."""


class Created(Named, frozen=True):
    name: ClassVar[str] = "tournament.created"
    id: str
    config: Config
    commitment: str


class Configured(Named, frozen=True):
    name: ClassVar[str] = "tournament.configured"
    config: Config


class RoundDrafted(Named, frozen=True):
    """``stage`` counts from 0, ``stage_round`` from 1. ``engine`` made the pods, from ``seed`` and the log before."""

    name: ClassVar[str] = "tournament.round_drafted"
    round: int
    stage: int
    stage_round: int
    game: str
    seed: str
    engine: str
    pods: tuple[Pod, ...]
    byes: tuple[Entry, ...]
    quality: RoundQuality


class DraftEdited(Named, frozen=True):
    name: ClassVar[str] = "tournament.draft_edited"
    pods: tuple[Pod, ...]
    byes: tuple[Entry, ...]
    quality: RoundQuality


class DraftDiscarded(Named, frozen=True):
    name: ClassVar[str] = "tournament.draft_discarded"


class RoundPublished(Named, frozen=True):
    """The draft is the round now, for ever. ``absent``: who takes part in the stage and sits at no table."""

    name: ClassVar[str] = "tournament.round_published"
    round: int
    absent: tuple[Entry, ...]


class RoundStarted(Named, frozen=True):
    """``ends_at`` empty: no clock."""

    name: ClassVar[str] = "tournament.round_started"
    round: int
    at: str
    ends_at: str


class RoundClosed(Named, frozen=True):
    name: ClassVar[str] = "tournament.round_closed"
    round: int


class RoundReopened(Named, frozen=True):
    """A table of a closed round lacks its result again."""

    name: ClassVar[str] = "tournament.round_reopened"
    round: int


class RoundCancelled(Named, frozen=True):
    name: ClassVar[str] = "tournament.round_cancelled"
    round: int


class ClockPaused(Named, frozen=True):
    name: ClassVar[str] = "tournament.clock_paused"
    round: int
    left_ms: int


class ClockResumed(Named, frozen=True):
    name: ClassVar[str] = "tournament.clock_resumed"
    round: int
    ends_at: str


class ClockExtended(Named, frozen=True):
    """``table`` 0: the round."""

    name: ClassVar[str] = "tournament.clock_extended"
    round: int
    table: int
    ms: int


class TimeCalled(Named, frozen=True):
    name: ClassVar[str] = "tournament.time_called"
    round: int
    tables: tuple[int, ...]


class TablesOpened(Named, frozen=True):
    name: ClassVar[str] = "tournament.tables_opened"
    round: int
    tables: tuple[int, ...]
    attempt: int
    at: str


class ResultReported(Named, frozen=True):
    name: ClassVar[str] = "tournament.result_reported"
    round: int
    table: int
    seated: tuple[Seated, ...]
    ended: str
    match: str
    revision: Revision
    at: str


class ResultCorrected(Named, frozen=True):
    name: ClassVar[str] = "tournament.result_corrected"
    round: int
    table: int
    seated: tuple[Seated, ...]
    ended: str


class TableAdjudicated(Named, frozen=True):
    name: ClassVar[str] = "tournament.table_adjudicated"
    round: int
    table: int
    seated: tuple[Seated, ...]


class TableVoided(Named, frozen=True):
    """``points`` are each entrant's of the table where it is not replayed."""

    name: ClassVar[str] = "tournament.table_voided"
    round: int
    table: int
    replay: bool
    points: Exact


class ResultDisputed(Named, frozen=True):
    name: ClassVar[str] = "tournament.result_disputed"
    round: int
    table: int


class ResultConfirmed(Named, frozen=True):
    name: ClassVar[str] = "tournament.result_confirmed"
    round: int
    table: int


class SurvivorsNamed(Named, frozen=True):
    name: ClassVar[str] = "tournament.survivors_named"
    round: int
    table: int
    entries: tuple[Entry, ...]


class NoShowMarked(Named, frozen=True):
    name: ClassVar[str] = "tournament.no_show_marked"
    round: int
    table: int
    entry: Entry


class NoShowLifted(Named, frozen=True):
    """They have come after all, and sit at the table that is replayed."""

    name: ClassVar[str] = "tournament.no_show_lifted"
    round: int
    table: int
    entry: Entry


class Substituted(Named, frozen=True):
    name: ClassVar[str] = "tournament.substituted"
    round: int
    table: int
    entry: Entry
    by: Entry


class CutMade(Named, frozen=True):
    """These, the best first, play the stage; ``in_line`` would follow."""

    name: ClassVar[str] = "tournament.cut_made"
    stage: int
    entries: tuple[Entry, ...]
    in_line: tuple[Entry, ...]


class CutRevoked(Named, frozen=True):
    """As if it had not been made: the stage before goes on."""

    name: ClassVar[str] = "tournament.cut_revoked"
    stage: int


class PlaceDeclined(Named, frozen=True):
    """``by`` 0: nobody was left to take it."""

    name: ClassVar[str] = "tournament.place_declined"
    entry: Entry
    by: Entry


class ArenaSeated(Named, frozen=True):
    """More tables of the round that is being played."""

    name: ClassVar[str] = "tournament.arena_seated"
    round: int
    beat: int
    pods: tuple[Pod, ...]


class Finished(Named, frozen=True):
    """The final order, best first: who shares a place stands in one tuple."""

    name: ClassVar[str] = "tournament.finished"
    order: tuple[tuple[Entry, ...], ...]


class Reopened(Named, frozen=True):
    name: ClassVar[str] = "tournament.reopened"


class Commented(Named, frozen=True):
    """What was said is the reason of the command."""

    name: ClassVar[str] = "tournament.commented"


Event: TypeAlias = (
    Created
    | Configured
    | RegistrationOpened
    | RegistrationClosed
    | Registered
    | Admitted
    | Withdrawn
    | CheckInOpened
    | CheckInClosed
    | CheckedIn
    | CheckedOut
    | SeedsSet
    | KeptApart
    | MayMeet
    | TableFixed
    | HeatsEntered
    | RoundDrafted
    | DraftEdited
    | DraftDiscarded
    | RoundPublished
    | RoundStarted
    | RoundClosed
    | RoundReopened
    | RoundCancelled
    | ClockPaused
    | ClockResumed
    | ClockExtended
    | TimeCalled
    | TablesOpened
    | ResultReported
    | ResultCorrected
    | TableAdjudicated
    | TableVoided
    | ResultDisputed
    | ResultConfirmed
    | SurvivorsNamed
    | NoShowMarked
    | NoShowLifted
    | Substituted
    | Dropped
    | Returned
    | PenaltyGiven
    | PenaltyRevoked
    | CutMade
    | CutRevoked
    | PlaceDeclined
    | ArenaSeated
    | Finished
    | Reopened
    | Commented
)
EVENTS: Codec[Event] = Codec.of(Event)
