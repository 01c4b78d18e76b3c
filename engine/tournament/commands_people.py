"""Commands about who takes part."""

from typing import ClassVar

from engine.kernel.codec import Named
from engine.tournament.played import Entry, Exact


class OpenRegistration(Named, frozen=True):
    name: ClassVar[str] = "tournament.open_registration"
    reason: str = ""


class CloseRegistration(Named, frozen=True):
    name: ClassVar[str] = "tournament.close_registration"
    reason: str = ""


class Register(Named, frozen=True):
    """Opaque player ids, in the order of entry. Who is not ``ranked`` fills a table and wins nothing."""

    name: ClassVar[str] = "tournament.register"
    players: tuple[str, ...]
    ranked: bool = True
    reason: str = ""


class Admit(Named, frozen=True):
    """From the waiting list, once there is a place; by the rules for late entrants if a round has been published."""

    name: ClassVar[str] = "tournament.admit"
    entry: Entry
    reason: str = ""


class Withdraw(Named, frozen=True):
    """Before the first round: as if they had not come."""

    name: ClassVar[str] = "tournament.withdraw"
    entry: Entry
    reason: str = ""


class OpenCheckIn(Named, frozen=True):
    name: ClassVar[str] = "tournament.open_check_in"
    reason: str = ""


class CloseCheckIn(Named, frozen=True):
    name: ClassVar[str] = "tournament.close_check_in"
    reason: str = ""


class CheckIn(Named, frozen=True):
    """``entries`` empty: everybody."""

    name: ClassVar[str] = "tournament.check_in"
    entries: tuple[Entry, ...] = ()
    reason: str = ""


class CheckOut(Named, frozen=True):
    """They are not paired until they check in again."""

    name: ClassVar[str] = "tournament.check_out"
    entries: tuple[Entry, ...]
    reason: str = ""


class SetSeeds(Named, frozen=True):
    """The best first; who is not named follows in the order of entry."""

    name: ClassVar[str] = "tournament.set_seeds"
    order: tuple[Entry, ...]
    reason: str = ""


class KeepApart(Named, frozen=True):
    """``points`` of spread that keeping these two apart is worth; 0: never let them meet if it can be helped.

    Holds in the rounds from ``first`` to ``last`` (0: to the end).
    """

    name: ClassVar[str] = "tournament.keep_apart"
    entries: tuple[Entry, Entry]
    points: int = 0
    first: int = 1
    last: int = 0
    reason: str = ""


class LetMeet(Named, frozen=True):
    name: ClassVar[str] = "tournament.let_meet"
    entries: tuple[Entry, Entry]
    reason: str = ""


class FixTable(Named, frozen=True):
    """Always this table; 0: any."""

    name: ClassVar[str] = "tournament.fix_table"
    entry: Entry
    table: int
    reason: str = ""


class EnterHeats(Named, frozen=True):
    """Which heats of the stage, from 1, somebody plays."""

    name: ClassVar[str] = "tournament.enter_heats"
    entry: Entry
    heats: tuple[int, ...]
    reason: str = ""


class Drop(Named, frozen=True):
    """Not paired any more; what was played stays."""

    name: ClassVar[str] = "tournament.drop"
    entry: Entry
    reason: str = ""


class Return(Named, frozen=True):
    name: ClassVar[str] = "tournament.return"
    entry: Entry
    reason: str = ""


class Penalise(Named, frozen=True):
    """``kind``: warning, points (so many are taken away), table_loss (last at that round's table) or
    disqualification.
    """

    name: ClassVar[str] = "tournament.penalise"
    entry: Entry
    kind: str
    points: Exact = "0"
    round: int = 0
    """0: the newest."""
    reason: str = ""


class RevokePenalty(Named, frozen=True):
    name: ClassVar[str] = "tournament.revoke_penalty"
    number: int
    reason: str = ""
