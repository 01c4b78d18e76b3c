"""An event, folded: who takes part, the rounds with their tables, and what holds now.

Everything else (standings, who has met whom, what is owed) is computed from this; nothing computed is kept here, so
that a correction cannot leave anything stale behind.
"""

from enum import Enum

import msgspec

from engine.kernel.row import Row
from engine.kernel.value import Instant, Value
from engine.tournament.config import Config, Stage
from engine.tournament.events import Pod, RoundDrafted
from engine.tournament.played import Entry, Exact, TableResult


class Standing(Enum):
    """How an entrant stands to the event."""

    WAITING = "waiting"
    """On the waiting list."""
    IN = "in"
    WITHDRAWN = "withdrawn"
    """Before the first round: never took part."""
    DROPPED = "dropped"
    DISQUALIFIED = "disqualified"


class EntrantState(Value, frozen=True):
    """One who has entered. ``since`` is the first round that they can play."""

    entry: Entry
    player: str
    ranked: bool
    standing: Standing
    present: bool
    since: int
    seed: int = 0
    """1 is the best; 0 is none: after all who have one, in the order of entry."""
    fixed_table: int = 0
    heats: tuple[int, ...] = ()


class TablePhase(Enum):
    """How far a table has come."""

    WAITING = "waiting"
    """Its match is not open yet."""
    OPEN = "open"
    DONE = "done"
    """It has a result."""
    VOID = "void"
    """It counts as what was awarded, and is not replayed."""


class TableState(Value, frozen=True):
    """One table of a round. ``index`` counts the tables of the round from 1 and names the match; ``number`` is where
    it stands.
    """

    index: int
    number: int
    entries: tuple[Entry, ...]
    phase: TablePhase = TablePhase.WAITING
    attempt: int = 1
    result: TableResult | None = None
    match: str = ""
    """That the result was read from; empty for a referee's."""
    adjudicated: bool = False
    disputed: bool = False
    no_shows: tuple[Entry, ...] = ()
    survivors: tuple[Entry, ...] = ()
    awarded: Exact = "0"
    """Of a void table: to each entrant."""
    extended_ms: int = 0
    time_called: bool = False
    opened_at: Instant = 0
    done_at: Instant = 0

    @property
    def settled(self) -> bool:
        """Whether the round need not wait for it."""
        return self.phase in (TablePhase.DONE, TablePhase.VOID) and not self.disputed


class RoundPhase(Enum):
    PUBLISHED = "published"
    RUNNING = "running"
    CLOSED = "closed"
    CANCELLED = "cancelled"


class RoundState(Value, frozen=True):
    """One published round, as its draft was when it was published."""

    drafted: RoundDrafted
    phase: RoundPhase
    tables: Row[TableState]
    absent: tuple[Entry, ...]
    unsettled: int
    """Tables that the round waits for: counted as they change, since every result asks."""
    started_at: Instant = 0
    ends_at: Instant = 0
    """0: no clock runs."""
    left_ms: int = 0
    """Of a paused clock."""
    extended_ms: int = 0
    """By how much the whole round was made longer."""
    pauses: int = 0
    """Times that the clock was paused."""
    beat: int = 0
    """Of an arena: times that tables were seated."""
    closings: int = 0
    """Times that it was closed: 0 until its results count."""

    @property
    def number(self) -> int:
        return self.drafted.round

    def place_of(self, number: int) -> int:
        """Where in ``tables`` the table with this number stands; -1 if there is none."""
        guess = number - self.tables[0].number if len(self.tables) else 0
        if 0 <= guess < len(self.tables) and self.tables[guess].number == number:
            return guess
        return next((place for place, table in enumerate(self.tables) if table.number == number), -1)


class Apart(Value, frozen=True):
    """Two who are kept apart, and in which rounds (``last`` 0: to the end)."""

    entries: tuple[Entry, Entry]
    points: int
    first: int
    last: int


class Penalty(Value, frozen=True):
    number: int
    entry: Entry
    kind: str
    points: Exact
    round: int
    before: Standing
    """How the entrant stood to the event: so again, if a disqualification is revoked."""
    revoked: bool = False


class Cut(Value, frozen=True):
    """Who plays a stage, the best first, and who would follow."""

    stage: int
    entries: tuple[Entry, ...]
    in_line: tuple[Entry, ...]
    declined: tuple[Entry, ...] = ()


class Phase(Enum):
    """Of the whole event."""

    CREATED = "created"
    REGISTRATION = "registration"
    READY = "ready"
    """Registration is closed, no round has been published, or the only one was cancelled."""
    RUNNING = "running"
    FINISHED = "finished"


class Tournament(Value, frozen=True):
    """The event now."""

    id: str
    config: Config
    commitment: str
    phase: Phase = Phase.CREATED
    check_in_open: bool = False
    entrants: Row[EntrantState] = msgspec.field(default_factory=Row)
    rounds: tuple[RoundState, ...] = ()
    draft: RoundDrafted | None = None
    last_seed: str = ""
    """The newest link of the chain that has been revealed; empty before the first."""
    drafts: int = 0
    stage: int = 0
    cuts: tuple[Cut, ...] = ()
    apart: tuple[Apart, ...] = ()
    penalties: tuple[Penalty, ...] = ()
    final: tuple[tuple[Entry, ...], ...] = ()

    @property
    def first_seed(self) -> str:
        """Of the first draft: what lots among equals are drawn with; empty before."""
        return self.rounds[0].drafted.seed if self.rounds else ""

    @property
    def stage_now(self) -> Stage:
        return self.config.stages[self.stage]

    @property
    def newest(self) -> RoundState | None:
        """The newest round that has not been cancelled."""
        return next((each for each in reversed(self.rounds) if each.phase is not RoundPhase.CANCELLED), None)

    @property
    def next_round(self) -> int:
        return len(self.rounds) + 1

    def stage_rounds(self, stage: int) -> tuple[RoundState, ...]:
        """The rounds of a stage that have not been cancelled, in order."""
        return tuple(
            each for each in self.rounds if each.drafted.stage == stage and each.phase is not RoundPhase.CANCELLED
        )


def match_id(tournament: str, round_number: int, table_index: int, attempt: int = 1) -> str:
    """The match of a table; a replayed table has another one each time."""
    again = f"-x{attempt}" if attempt > 1 else ""
    return f"{deal_group(tournament, round_number)}-t{table_index}{again}"


def deal_group(tournament: str, round_number: int) -> str:
    """What the tables of a duplicate round have in common."""
    return f"{tournament}-r{round_number}"


def pods_of(round_state: RoundState) -> tuple[Pod, ...]:
    return tuple(Pod(table.number, table.entries) for table in round_state.tables)
