"""Commands about single tables."""

from typing import ClassVar

from engine.kernel.codec import Named
from engine.kernel.value import Revision
from engine.tournament.config import AwardText
from engine.tournament.played import Entry, Seated


class TellOpened(Named, frozen=True):
    """These tables' matches are open. The house's own."""

    name: ClassVar[str] = "tournament.tell_opened"
    round: int
    tables: tuple[int, ...]
    attempt: int = 1


class ReportResult(Named, frozen=True):
    """``match`` and ``revision`` name the commit that it was read from; an organiser leaves them empty."""

    name: ClassVar[str] = "tournament.report_result"
    round: int
    table: int
    seated: tuple[Seated, ...]
    ended: str = ""
    match: str = ""
    revision: Revision = 0
    reason: str = ""


class CorrectResult(Named, frozen=True):
    """In any round that has been published."""

    name: ClassVar[str] = "tournament.correct_result"
    round: int
    table: int
    seated: tuple[Seated, ...]
    ended: str = ""
    reason: str = ""


class Adjudicate(Named, frozen=True):
    """A referee's result for a table that has none."""

    name: ClassVar[str] = "tournament.adjudicate"
    round: int
    table: int
    seated: tuple[Seated, ...]
    reason: str = ""


class VoidTable(Named, frozen=True):
    """What was played does not count. ``replay``: another match is opened; else each has ``points`` for the round."""

    name: ClassVar[str] = "tournament.void_table"
    round: int
    table: int
    replay: bool = True
    points: AwardText = "average"
    reason: str = ""


class Dispute(Named, frozen=True):
    """The round stays open until a referee has corrected or confirmed the result; a closed round stays closed, and the
    stage does not end.
    """

    name: ClassVar[str] = "tournament.dispute"
    round: int
    table: int
    reason: str = ""


class ConfirmResult(Named, frozen=True):
    name: ClassVar[str] = "tournament.confirm_result"
    round: int
    table: int
    reason: str = ""


class NameSurvivors(Named, frozen=True):
    """Whom a referee sends on from a drawn table of an elimination."""

    name: ClassVar[str] = "tournament.name_survivors"
    round: int
    table: int
    entries: tuple[Entry, ...]
    reason: str = ""


class MarkNoShow(Named, frozen=True):
    """Not at the table: its seat leaves the match, and it is not paired until it checks in."""

    name: ClassVar[str] = "tournament.mark_no_show"
    round: int
    table: int
    entry: Entry
    reason: str = ""


class Substitute(Named, frozen=True):
    """``by`` takes the seat of ``entry``, or changes seats with them at the same table."""

    name: ClassVar[str] = "tournament.substitute"
    round: int
    table: int
    entry: Entry
    by: Entry
    reason: str = ""
