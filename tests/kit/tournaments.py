"""An event in memory: what has happened, what somebody asks for, and what comes of it, or the refusal.

    desk = Desk(event(swiss(rounds=3)))
    desk.gather(8)
    desk.begin()
    assert desk.do(desk.score(1, 40, 30, 20, 10)) == (ResultReported(...),)
    assert desk.refused(PublishRound()) == "no_draft"

A ``Desk`` is what organisers have before them: the log, the seeds of the draws, and a clock that the test moves.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeAlias

import pytest

from engine.kernel.codec import Recorded
from engine.kernel.commit import HOUSE, decode_line
from engine.kernel.ledger import Duplicate, Proposal
from engine.kernel.match import Request
from engine.kernel.refusal import Refusal
from engine.luck.seed_chain import ROUNDS_DRAWN_MAX, chain_seed, commitment
from engine.tournament import commands as c
from engine.tournament.aggregate import TournamentLedger, tournament_ledger
from engine.tournament.config import Config, config_from
from engine.tournament.events import EVENTS, Event
from engine.tournament.exact import Exact
from engine.tournament.played import Entry, Seated
from engine.tournament.ranking import ranking, stage_order
from engine.tournament.state import RoundPhase, RoundState, TablePhase, TableState, Tournament, match_id
from engine.tournament.tables import entries_at
from engine.tournament.whatif import placed
from tests.kit.given import NOON

MASTER = bytes(range(32))
"""The secret of every test house."""
ANA = "organiser:ana"
SECOND = 1_000_000

Section: TypeAlias = dict[str, Any]
Scores: TypeAlias = Callable[[Entry], int]


def stage(format_: str, **settings: Any) -> Section:
    """One stage of a configuration; its game is "memcel" unless ``games`` says another."""
    return {"name": format_.title(), "format": format_, "games": ["memcel"], **settings}


def swiss(rounds: int = 3, **settings: Any) -> Section:
    return stage("swiss", rounds=rounds, **settings)


def event(*stages: Section, **sections: Section) -> Config:
    """A configuration as decoded TOML says it; registration, awards, scoring, clocks may be given as sections."""
    return config_from({"name": "Cup", "stages": list(stages), **sections})


@cache
def _seeds(tournament: str) -> tuple[str, ...]:
    return tuple(chain_seed(MASTER, tournament, index).hex() for index in range(30))


def seed_of(tournament: str, index: int) -> str:
    """The ``index``-th link of the chain of seeds of a test event, hex."""
    assert 0 <= index <= ROUNDS_DRAWN_MAX
    known = _seeds(tournament)
    return known[index] if index < len(known) else chain_seed(MASTER, tournament, index).hex()


def lower_is_better(entry: Entry) -> int:
    """The scores of a world in which the lower entry number always wins."""
    return 1_000 - entry


class Desk:
    """One event and everything to run it with. Every accepted command is a line, as a log would hold it."""

    def __init__(self, config: Config, identity: str = "cup") -> None:
        self.ledger = tournament_ledger(identity)
        self.lines: list[bytes] = []
        self.now = NOON
        self.asked = 0
        self.do(c.Create(identity, config, commitment(MASTER, identity).hex()))

    # -- asking --------------------------------------------------------------------------------------------------------

    def request(self, command: c.Command, actor: str = ANA, command_id: str = "") -> Request:
        self.asked += 1
        return Request(command_id or f"ask-{self.asked}", actor, self.now, c.COMMANDS.encode(command))

    def ask(self, request: Request, *, expected: int = 0) -> Proposal[Tournament] | Duplicate:
        """Propose, and append what is new. Raises ``Refusal``."""
        answer = self.ledger.propose(request, expected_revision=expected)
        if isinstance(answer, Proposal):
            self.ledger.accept(answer.line, len(self.lines) + 1, answer)
            self.lines.append(answer.line)
        return answer

    def do(self, command: c.Command, actor: str = ANA) -> tuple[Event, ...]:
        """The events of a command that is accepted."""
        answer = self.ask(self.request(command, actor))
        assert isinstance(answer, Proposal)
        return tuple(map(EVENTS.decode, answer.commit.events))

    def refused(self, command: c.Command, actor: str = ANA) -> str:
        """The code of the refusal of a command that is not; nothing has changed."""
        head = self.ledger.head
        with pytest.raises(Refusal) as refusal:
            self.do(command, actor)
        assert self.ledger.head == head
        assert refusal.value.sentence.endswith(".")
        return refusal.value.code

    def passes(self, seconds: int) -> None:
        """Time goes by."""
        self.now += seconds * SECOND

    def refolded(self, lines: Iterable[bytes] | None = None) -> TournamentLedger:
        """Another reader of the log, from its first line."""
        ledger = tournament_ledger(self.ledger.identity)
        for position, line in enumerate(self.lines if lines is None else lines, 1):
            ledger.accept(line, position)
        return ledger

    def happened(self, kind: type[Event]) -> int:
        """How many events of a kind the log holds."""
        recorded: Iterable[Recorded] = (each for line in self.lines for each in decode_line(line).events)
        return sum(each.type == kind.name for each in recorded)

    # -- an ordinary event ---------------------------------------------------------------------------------------------

    def gather(self, count: int) -> None:
        """So many register, all check in, and the registration closes."""
        self.do(c.OpenRegistration())
        self.do(c.Register(tuple(f"p{number}" for number in range(1, count + 1))))
        self.do(c.OpenCheckIn())
        self.do(c.CheckIn())
        self.do(c.CloseRegistration())

    def draft(self) -> tuple[Event, ...]:
        return self.do(self.next_draft())

    def next_draft(self) -> c.DraftRound:
        """The draft with the seed that is due."""
        return c.DraftRound(seed_of(self.ledger.identity, self.state.drafts + 1))

    def begin(self) -> RoundState:
        """The next round, up to its open tables."""
        if self.state.draft is None:
            self.draft()
        self.do(c.PublishRound())
        self.do(c.StartRound())
        self.open()
        return self.round()

    def open(self) -> None:
        """The house tells that all tables which wait have their matches now."""
        now = self.round()
        for table in now.tables:
            if table.phase is TablePhase.WAITING:
                self.do(c.TellOpened(now.number, (table.number,), table.attempt), HOUSE)

    def score(self, table: int, *scores: int, round_number: int = 0) -> c.ReportResult:
        """The scores of a table, in seat order of those who came, as its match tells them."""
        now = self.round(round_number)
        at = self.table(table, round_number)
        match = match_id(self.state.id, now.number, at.index, at.attempt)
        seated = placed(entries_at(at), scores)
        return c.ReportResult(now.number, table, seated, "end", match, 1)

    def finish_tables(self, scores: Scores = lower_is_better) -> None:
        """Every table that plays ends now."""
        for table in self.round().tables:
            if table.phase in (TablePhase.WAITING, TablePhase.OPEN):
                self.do(self.score(table.number, *map(scores, entries_at(table))), HOUSE)

    def play(self, scores: Scores = lower_is_better) -> RoundState:
        """The next round from its draft to its close."""
        self.begin()
        self.finish_tables(scores)
        assert self.round().phase is RoundPhase.CLOSED
        return self.round()

    # -- reading -------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Tournament:
        return self.ledger.state

    def round(self, number: int = 0) -> RoundState:
        """A round by its number; 0 is the newest that has not been cancelled."""
        if number:
            return self.state.rounds[number - 1]
        newest = self.state.newest
        assert newest is not None
        return newest

    def table(self, number: int, round_number: int = 0) -> TableState:
        now = self.round(round_number)
        return now.tables[now.place_of(number)]

    def table_of(self, entry: Entry, round_number: int = 0) -> TableState:
        return next(each for each in self.round(round_number).tables if entry in each.entries)

    def points(self, at_stage: int = 0) -> dict[Entry, Exact]:
        return {line.entry: line.points for line in ranking(self.state, at_stage).lines}

    def order(self, at_stage: int = 0) -> tuple[Entry, ...]:
        """The best first; who shares a place, by entry number."""
        return tuple(entry for group in stage_order(self.state, at_stage) for entry in group)


def result(table: TableState, scores: Mapping[Entry, int]) -> tuple[Seated, ...]:
    """What a table has when those who came score so much."""
    came = entries_at(table)
    return placed(came, [scores[entry] for entry in came])
