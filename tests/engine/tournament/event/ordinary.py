"""An event that nothing happens to: what is asked next, and the laws that are checked after every step.

A refusal is an answer, and changes nothing. Whatever else goes wrong is a bug: of the event, or of a law.
"""

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from engine.kernel.commit import HOUSE, Commit, decode_line, encode_line
from engine.kernel.ledger import Duplicate
from engine.kernel.match import Request
from engine.kernel.refusal import Refusal
from engine.tournament import commands as c
from engine.tournament.drafting import stage_is_over
from engine.tournament.events import EVENTS
from engine.tournament.played import Entry
from engine.tournament.state import Phase, RoundPhase, RoundState, TablePhase, TableState, Tournament
from engine.tournament.tables import entries_at
from engine.tournament.whatif import placed, what_if
from tests.engine.tournament.event import checks
from tests.engine.tournament.event.worlds import FORMATS, worlds
from tests.kit.tournaments import ANA, Desk

T = TypeVar("T")
PICK = st.integers(0, 2**16)
SCORE_LISTS = st.lists(st.sampled_from((0, 1, 2, 3, 7, 50, -4)), min_size=6, max_size=6)


def one_of(things: Sequence[T], pick: int) -> T | None:
    return things[pick % len(things)] if things else None


class OrdinaryEvent(RuleBasedStateMachine):
    """One event. ``formats`` are those its first stage may have, ``seen`` counts what has happened in all events."""

    formats: ClassVar[tuple[str, ...]] = FORMATS
    seen: ClassVar[Counter[str]] = Counter()

    @initialize(data=st.data(), rounds=st.integers(0, 3), scores=SCORE_LISTS)
    def begin(self, data: st.DataObject, rounds: int, scores: list[int]) -> None:
        config, count = data.draw(worlds(data.draw(st.sampled_from(self.formats))))
        self.desk = Desk(config)
        self.states = [self.desk.state]
        self.requests: list[Request] = []
        self.ask(c.OpenRegistration())
        self.ask(c.Register(tuple(f"p{number}" for number in range(count))))
        self.ask(c.Register(("house-1", "house-2"), ranked=False))
        self.ask(c.OpenCheckIn())
        self.ask(c.CheckIn())
        for _ in range(rounds * 5):
            self.go_on(scores)

    # -- asking --------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Tournament:
        return self.desk.state

    def ask(self, command: c.Command, actor: str = ANA) -> bool:
        """Whether it was accepted; every law of a step is checked."""
        request = self.desk.request(command, actor)
        before, head = self.state, self.desk.ledger.head
        refused = None
        try:
            answer = self.desk.ask(request)
        except Refusal as refusal:
            refused = refusal
        if refused is not None:
            assert self.state is before
            assert self.desk.ledger.head == head
            assert refused.sentence.endswith(".")
            self.seen[f"refused: {refused.code}"] += 1
            return False
        assert not isinstance(answer, Duplicate)
        self.requests.append(request)
        self.states.append(self.state)
        events = [EVENTS.decode(each) for each in answer.commit.events]
        self.seen.update(each.name for each in events)
        checks.check_step(before, self.state, events)
        return True

    def entry(self, pick: int) -> Entry:
        """Somebody; now and then nobody's number."""
        return pick % (len(self.state.entrants) + 2)

    def at(self, pick: int, *phases: TablePhase) -> tuple[RoundState, TableState] | None:
        """A table in one of these phases; the newest round's come first."""
        rounds = [each for each in reversed(self.state.rounds) if each.phase is not RoundPhase.CANCELLED]
        return one_of([(played, table) for played in rounds for table in played.tables if table.phase in phases], pick)

    # -- what comes next -----------------------------------------------------------------------------------------------

    @rule(scores=SCORE_LISTS)
    def go_on(self, scores: list[int]) -> None:
        """The next step of an event that nothing happens to."""
        state, newest = self.state, self.state.newest
        if state.phase is Phase.CREATED:
            self.ask(c.OpenRegistration())
        elif state.phase is Phase.FINISHED:
            self.ask(c.Reopen())
        elif state.phase is Phase.REGISTRATION:
            self.ask(c.CloseRegistration())
        elif state.draft is not None:
            self.ask(c.PublishRound())
        elif newest is not None and newest.phase is RoundPhase.PUBLISHED:
            self.ask(c.StartRound())
        elif newest is not None and newest.phase is RoundPhase.RUNNING:
            self._play(newest, scores)
        elif not stage_is_over(state):
            self.ask(self.desk.next_draft())
        elif state.stage + 1 < len(state.config.stages):
            self.ask(c.MakeCut())

    @rule(scores=SCORE_LISTS)
    def go_on_a_round(self, scores: list[int]) -> None:
        for _ in range(5):
            self.go_on(scores)

    def _play(self, newest: RoundState, scores: list[int]) -> None:
        playing = [table for table in newest.tables if not table.settled]
        for number, table in enumerate(playing):
            if table.phase is TablePhase.DONE:
                self.ask(c.ConfirmResult(newest.number, table.number))
            else:
                came = entries_at(table)
                marks = [scores[(number + seat) % 6] for seat in range(len(came))]
                self.ask(c.ReportResult(newest.number, table.number, placed(came, marks)), HOUSE)
        arena = self.state.stage_now.format == "arena" and not playing
        if arena and not self.ask(c.SeatArena(newest.beat + 1), HOUSE):
            self.ask(c.CloseArena(), ANA)

    @rule(seconds=st.sampled_from((1, 30, 61, 700)))
    def time_passes(self, seconds: int) -> None:
        self.desk.passes(seconds)

    # -- laws ----------------------------------------------------------------------------------------------------------

    @invariant()
    def holds(self) -> None:
        if hasattr(self, "desk"):
            checks.check_state(self.state)

    @invariant()
    def stands(self) -> None:
        """After a step that could move somebody; the check is dear."""
        if hasattr(self, "desk") and self.state is not getattr(self, "_stood", None):
            self._stood = self.state
            checks.check_standings(self.state, self.state.stage)

    def teardown(self) -> None:
        if not hasattr(self, "desk"):
            return
        self._end()
        commits: list[Commit] = [decode_line(line) for line in self.desk.lines]
        assert [encode_line(commit) for commit in commits] == self.desk.lines
        ledger = self.desk.refolded(())
        for position, (line, state) in enumerate(zip(self.desk.lines, self.states, strict=True), 1):
            ledger.accept(line, position)
            assert ledger.state == state, f"revision {position} is folded to something else"
        assert ledger.head == self.desk.ledger.head
        checks.check_runs(self.desk.lines, ledger)
        checks.check_drafts(commits, self.states)
        outcome = what_if(self.state, commits, ())
        assert (outcome.state, outcome.changes) == (self.state, ())

    def _end(self) -> None:
        """Whatever has happened, an event can be brought to its end."""
        newest = self.state.newest
        if newest is None or self.state.phase is not Phase.RUNNING:
            return
        if self.state.draft is not None:
            assert self.ask(c.DiscardDraft())
        for played in self.state.rounds:
            for table in played.tables if played.phase is not RoundPhase.CANCELLED else ():
                if table.disputed:
                    assert self.ask(c.ConfirmResult(played.number, table.number))
        for table in newest.tables:
            if not table.settled and not table.disputed:
                assert self.ask(c.VoidTable(newest.number, table.number, replay=False, points="0"))
        if self.state.stage_now.format == "arena" and self.desk.round().phase is not RoundPhase.CLOSED:
            assert newest.phase is RoundPhase.RUNNING or self.ask(c.StartRound())
            assert self.ask(c.CloseArena())
        assert self.ask(c.Finish())
