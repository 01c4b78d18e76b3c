"""What may be asked of an event. Who asks is the actor of the commit, why is the ``reason`` that commands carry.

An organiser's action is a command with a reason; the house sends what follows from matches and clocks. ``decider``
says who may ask for what, and when.
"""

from typing import ClassVar, TypeAlias

from engine.kernel.codec import Codec, Named
from engine.tournament.commands_people import (
    Admit as Admit,
)
from engine.tournament.commands_people import (
    CheckIn as CheckIn,
)
from engine.tournament.commands_people import (
    CheckOut as CheckOut,
)
from engine.tournament.commands_people import (
    CloseCheckIn as CloseCheckIn,
)
from engine.tournament.commands_people import (
    CloseRegistration as CloseRegistration,
)
from engine.tournament.commands_people import (
    Drop as Drop,
)
from engine.tournament.commands_people import (
    EnterHeats as EnterHeats,
)
from engine.tournament.commands_people import (
    FixTable as FixTable,
)
from engine.tournament.commands_people import (
    KeepApart as KeepApart,
)
from engine.tournament.commands_people import (
    LetMeet as LetMeet,
)
from engine.tournament.commands_people import (
    OpenCheckIn as OpenCheckIn,
)
from engine.tournament.commands_people import (
    OpenRegistration as OpenRegistration,
)
from engine.tournament.commands_people import (
    Penalise as Penalise,
)
from engine.tournament.commands_people import (
    Register as Register,
)
from engine.tournament.commands_people import (
    Return as Return,
)
from engine.tournament.commands_people import (
    RevokePenalty as RevokePenalty,
)
from engine.tournament.commands_people import (
    SetSeeds as SetSeeds,
)
from engine.tournament.commands_people import (
    Withdraw as Withdraw,
)
from engine.tournament.commands_tables import (
    Adjudicate as Adjudicate,
)
from engine.tournament.commands_tables import (
    ConfirmResult as ConfirmResult,
)
from engine.tournament.commands_tables import (
    CorrectResult as CorrectResult,
)
from engine.tournament.commands_tables import (
    Dispute as Dispute,
)
from engine.tournament.commands_tables import (
    MarkNoShow as MarkNoShow,
)
from engine.tournament.commands_tables import (
    NameSurvivors as NameSurvivors,
)
from engine.tournament.commands_tables import (
    ReportResult as ReportResult,
)
from engine.tournament.commands_tables import (
    Substitute as Substitute,
)
from engine.tournament.commands_tables import (
    TellOpened as TellOpened,
)
from engine.tournament.commands_tables import (
    VoidTable as VoidTable,
)
from engine.tournament.config import Config
from engine.tournament.played import Entry


class Create(Named, frozen=True):
    """``commitment`` is the end of the chain of pairing seeds, hex: each draft reveals the link before it."""

    name: ClassVar[str] = "tournament.create"
    id: str
    config: Config
    commitment: str


class Configure(Named, frozen=True):
    """Another configuration from now on: the whole of it, defaults written out."""

    name: ClassVar[str] = "tournament.configure"
    config: Config
    reason: str = ""


class DraftRound(Named, frozen=True):
    """``seed``: the next link of the chain, hex."""

    name: ClassVar[str] = "tournament.draft_round"
    seed: str
    reason: str = ""


class SwapInDraft(Named, frozen=True):
    """Two who change places; one of them may have a bye."""

    name: ClassVar[str] = "tournament.swap_in_draft"
    entries: tuple[Entry, Entry]
    reason: str = ""


class DiscardDraft(Named, frozen=True):
    name: ClassVar[str] = "tournament.discard_draft"
    reason: str = ""


class PublishRound(Named, frozen=True):
    name: ClassVar[str] = "tournament.publish_round"
    reason: str = ""


class StartRound(Named, frozen=True):
    name: ClassVar[str] = "tournament.start_round"
    reason: str = ""


class CancelRound(Named, frozen=True):
    """The newest published round, before the next is published: it will not have been."""

    name: ClassVar[str] = "tournament.cancel_round"
    reason: str = ""


class PauseClock(Named, frozen=True):
    name: ClassVar[str] = "tournament.pause_clock"
    reason: str = ""


class ResumeClock(Named, frozen=True):
    name: ClassVar[str] = "tournament.resume_clock"
    reason: str = ""


class ExtendClock(Named, frozen=True):
    """``table`` 0: the whole round."""

    name: ClassVar[str] = "tournament.extend_clock"
    ms: int
    table: int = 0
    reason: str = ""


class CallTime(Named, frozen=True):
    """The clock of the round, or of tables with more time, has run out. The house's own."""

    name: ClassVar[str] = "tournament.call_time"
    round: int
    tables: tuple[int, ...]


class MakeCut(Named, frozen=True):
    """End the stage; the best of it make up the next.

    ``tied``: those who are tied at the line, in the order of their play-off or of a referee's decision. It takes the
    place of the event's rule for such a tie.
    """

    name: ClassVar[str] = "tournament.make_cut"
    tied: tuple[Entry, ...] = ()
    reason: str = ""


class RevokeCut(Named, frozen=True):
    """Before a round of the new stage is published: the cut is made again, for instance after a correction."""

    name: ClassVar[str] = "tournament.revoke_cut"
    reason: str = ""


class DeclinePlace(Named, frozen=True):
    """Somebody who made the cut does not want it: the next in line does."""

    name: ClassVar[str] = "tournament.decline_place"
    entry: Entry
    reason: str = ""


class SeatArena(Named, frozen=True):
    """Tables for those who wait long enough now. The house's own."""

    name: ClassVar[str] = "tournament.seat_arena"
    beat: int
    """Counts these commands."""


class CloseArena(Named, frozen=True):
    """The horizon is past and the last table has its result. The house's own, or an organiser's to end it early."""

    name: ClassVar[str] = "tournament.close_arena"
    reason: str = ""


class Finish(Named, frozen=True):
    name: ClassVar[str] = "tournament.finish"
    reason: str = ""


class Reopen(Named, frozen=True):
    name: ClassVar[str] = "tournament.reopen"
    reason: str = ""


class Comment(Named, frozen=True):
    """A note in the log of the event."""

    name: ClassVar[str] = "tournament.comment"
    reason: str


Command: TypeAlias = (
    Create
    | Configure
    | OpenRegistration
    | CloseRegistration
    | Register
    | Admit
    | Withdraw
    | OpenCheckIn
    | CloseCheckIn
    | CheckIn
    | CheckOut
    | SetSeeds
    | KeepApart
    | LetMeet
    | FixTable
    | EnterHeats
    | DraftRound
    | SwapInDraft
    | DiscardDraft
    | PublishRound
    | StartRound
    | CancelRound
    | PauseClock
    | ResumeClock
    | ExtendClock
    | CallTime
    | TellOpened
    | ReportResult
    | CorrectResult
    | Adjudicate
    | VoidTable
    | Dispute
    | ConfirmResult
    | NameSurvivors
    | MarkNoShow
    | Substitute
    | Drop
    | Return
    | Penalise
    | RevokePenalty
    | MakeCut
    | RevokeCut
    | DeclinePlace
    | SeatArena
    | CloseArena
    | Finish
    | Reopen
    | Comment
)
COMMANDS: Codec[Command] = Codec.of(Command)
