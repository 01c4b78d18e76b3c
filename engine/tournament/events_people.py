"""What has happened to those who take part."""

from typing import ClassVar

from engine.kernel.codec import Named
from engine.tournament.played import Entry, Exact


class RegistrationOpened(Named, frozen=True):
    name: ClassVar[str] = "tournament.registration_opened"


class RegistrationClosed(Named, frozen=True):
    name: ClassVar[str] = "tournament.registration_closed"


class Registered(Named, frozen=True):
    """These players have the entry numbers from ``first`` on. ``since``: the first round that they can play."""

    name: ClassVar[str] = "tournament.registered"
    first: Entry
    players: tuple[str, ...]
    ranked: bool
    waiting: bool
    since: int


class Admitted(Named, frozen=True):
    """From the waiting list. ``since``: the first round that they can play."""

    name: ClassVar[str] = "tournament.admitted"
    entry: Entry
    since: int


class Withdrawn(Named, frozen=True):
    name: ClassVar[str] = "tournament.withdrawn"
    entry: Entry


class CheckInOpened(Named, frozen=True):
    name: ClassVar[str] = "tournament.check_in_opened"


class CheckInClosed(Named, frozen=True):
    name: ClassVar[str] = "tournament.check_in_closed"


class CheckedIn(Named, frozen=True):
    name: ClassVar[str] = "tournament.checked_in"
    entries: tuple[Entry, ...]


class CheckedOut(Named, frozen=True):
    name: ClassVar[str] = "tournament.checked_out"
    entries: tuple[Entry, ...]


class SeedsSet(Named, frozen=True):
    """Everybody, the best first."""

    name: ClassVar[str] = "tournament.seeds_set"
    order: tuple[Entry, ...]


class KeptApart(Named, frozen=True):
    name: ClassVar[str] = "tournament.kept_apart"
    entries: tuple[Entry, Entry]
    points: int
    first: int
    last: int


class MayMeet(Named, frozen=True):
    name: ClassVar[str] = "tournament.may_meet"
    entries: tuple[Entry, Entry]


class TableFixed(Named, frozen=True):
    name: ClassVar[str] = "tournament.table_fixed"
    entry: Entry
    table: int


class HeatsEntered(Named, frozen=True):
    name: ClassVar[str] = "tournament.heats_entered"
    entry: Entry
    heats: tuple[int, ...]


class Dropped(Named, frozen=True):
    name: ClassVar[str] = "tournament.dropped"
    entry: Entry


class Returned(Named, frozen=True):
    name: ClassVar[str] = "tournament.returned"
    entry: Entry


class PenaltyGiven(Named, frozen=True):
    name: ClassVar[str] = "tournament.penalty_given"
    number: int
    entry: Entry
    kind: str
    points: Exact
    round: int


class PenaltyRevoked(Named, frozen=True):
    name: ClassVar[str] = "tournament.penalty_revoked"
    number: int
