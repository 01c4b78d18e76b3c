"""Organisers, players and the house, all at once and in any order, against one event.

Most of what is drawn is what could sensibly be asked now, some of it is not.
"""

from collections import Counter

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from msgspec.structs import replace

from engine.kernel.commit import HOUSE
from engine.kernel.ledger import Duplicate
from engine.kernel.refusal import Kind, Refusal
from engine.tournament import commands as c
from engine.tournament.state import Standing, TablePhase
from engine.tournament.tables import entries_at
from engine.tournament.whatif import placed
from tests.engine.tournament.event import checks
from tests.engine.tournament.event.ordinary import PICK, SCORE_LISTS, OrdinaryEvent, one_of
from tests.engine.tournament.event.worlds import FORMATS
from tests.kit.tournaments import ANA

KINDS = st.sampled_from(("warning", "points", "points", "table_loss", "disqualification", "rudeness"))
UNSETTLED = (TablePhase.WAITING, TablePhase.OPEN)


class EventMachine(OrdinaryEvent):
    """What people do to it."""

    # -- people --------------------------------------------------------------------------------------------------------

    @rule(count=st.integers(1, 3), ranked=st.booleans())
    def somebody_is_late(self, count: int, ranked: bool) -> None:
        first = len(self.state.entrants)
        self.ask(c.Register(tuple(f"late-{first + number}" for number in range(count)), ranked))

    @rule(pick=PICK)
    def somebody_withdraws(self, pick: int) -> None:
        self.ask(c.Withdraw(self.entry(pick)))

    @rule(pick=PICK, own=st.booleans())
    def somebody_drops(self, pick: int, own: bool) -> None:
        entry = self.entry(pick)
        self.ask(c.Drop(entry), f"player:{entry}" if own else ANA)

    @rule(pick=PICK)
    def somebody_returns(self, pick: int) -> None:
        gone = [each.entry for each in self.state.entrants if each.standing is Standing.DROPPED]
        self.ask(c.Return(one_of(gone, pick) or self.entry(pick)))

    @rule(pick=PICK, own=st.booleans())
    def somebody_checks_in(self, pick: int, own: bool) -> None:
        away = [each.entry for each in self.state.entrants if not each.present]
        entry = one_of(away, pick) or self.entry(pick)
        self.ask(c.CheckIn((entry,)), f"player:{entry}" if own else ANA)

    @rule(pick=PICK)
    def somebody_checks_out(self, pick: int) -> None:
        self.ask(c.CheckOut((self.entry(pick),)))

    @rule()
    def all_check_in(self) -> None:
        self.ask(c.CheckIn())

    @rule(pick=PICK, kind=KINDS, points=st.sampled_from(("0", "1", "3/2", "-1", "2/4")), behind=st.integers(0, 3))
    def somebody_is_penalised(self, pick: int, kind: str, points: str, behind: int) -> None:
        self.ask(c.Penalise(self.entry(pick), kind, points if kind == "points" else "0", behind))

    @rule(pick=PICK)
    def a_penalty_is_revoked(self, pick: int) -> None:
        self.ask(c.RevokePenalty(pick % (len(self.state.penalties) + 2)))

    @rule(one=PICK, other=PICK, what=st.sampled_from(("apart", "never", "together", "seeds", "table", "heats")))
    def a_wish_is_granted(self, one: int, other: int, what: str) -> None:
        first, second = self.entry(one), self.entry(other)
        match what:
            case "apart" | "never":
                self.ask(c.KeepApart((first, second), 5 if what == "apart" else 0))
            case "together":
                self.ask(c.LetMeet((first, second)))
            case "seeds":
                self.ask(c.SetSeeds((first, second)))
            case "table":
                self.ask(c.FixTable(first, second))
            case _:
                self.ask(c.EnterHeats(first, (1 + other % 3,)))

    # -- rounds --------------------------------------------------------------------------------------------------------

    @rule()
    def a_round_is_drafted(self) -> None:
        self.ask(self.desk.next_draft())

    @precondition(lambda self: self.state.draft is not None)
    @rule(one=PICK, other=PICK)
    def a_draft_is_edited(self, one: int, other: int) -> None:
        draft = self.state.draft
        assert draft is not None
        inside = [*draft.byes, *(entry for pod in draft.pods for entry in pod.entries)]
        self.ask(c.SwapInDraft((one_of(inside, one) or 0, one_of(inside, other) or self.entry(other))))

    @precondition(lambda self: self.state.draft is not None)
    @rule()
    def a_draft_is_discarded(self) -> None:
        self.ask(c.DiscardDraft())

    @precondition(lambda self: bool(self.state.rounds))
    @rule(pick=PICK)
    def the_round_is_moved(self, pick: int) -> None:
        clock = c.ExtendClock(1_000, pick % 3), c.PauseClock(), c.ResumeClock()
        self.ask(one_of((c.PublishRound(), c.StartRound(), c.CancelRound(), *clock), pick) or c.StartRound())

    @precondition(lambda self: bool(self.state.rounds))
    @rule()
    def time_is_called(self) -> None:
        newest = self.state.newest
        if newest is not None:
            late = tuple(table.number for table in newest.tables if not table.settled and not table.time_called)
            self.ask(c.CallTime(newest.number, late), HOUSE)

    @precondition(lambda self: bool(self.state.rounds))
    @rule(pick=PICK)
    def the_event_is_moved(self, pick: int) -> None:
        steps: tuple[c.Command, ...] = (
            c.MakeCut(),
            c.RevokeCut(),
            c.DeclinePlace(self.entry(pick)),
            c.Admit(self.entry(pick)),
            self.other_rounds(pick),
            c.Finish(),
            c.Reopen(),
            c.Comment("So it is."),
        )
        steps += (c.OpenRegistration(), c.CloseRegistration(), c.OpenCheckIn(), c.CloseCheckIn(), c.CloseArena())
        self.ask(one_of(steps, pick) or c.Finish())

    def other_rounds(self, pick: int) -> c.Configure:
        """The configuration with another number of rounds in its first stage."""
        config = self.state.config
        first = replace(config.stages[0], rounds=1 + pick % 5)
        return c.Configure(replace(config, stages=(first, *config.stages[1:])))

    @precondition(lambda self: self.state.stage_now.format == "arena")
    @rule()
    def the_arena_is_looked_at(self) -> None:
        newest = self.state.newest
        beat = newest.beat + 1 if newest is not None else 1
        if not self.ask(c.SeatArena(beat), HOUSE):
            self.ask(c.CloseArena(), HOUSE)

    # -- tables --------------------------------------------------------------------------------------------------------

    @rule(pick=PICK)
    def a_match_is_opened(self, pick: int) -> None:
        if found := self.at(pick, TablePhase.WAITING):
            played, table = found
            self.ask(c.TellOpened(played.number, (table.number,), table.attempt), HOUSE)

    @rule(pick=PICK, scores=SCORE_LISTS, by=st.sampled_from((HOUSE, ANA, "referee")))
    def a_result_comes(self, pick: int, scores: list[int], by: str) -> None:
        if found := self.at(pick, *UNSETTLED, TablePhase.VOID):
            played, table = found
            came = entries_at(table)
            seated = placed(came, scores[: len(came)])
            if by == "referee":
                self.ask(c.Adjudicate(played.number, table.number, seated))
            else:
                self.ask(c.ReportResult(played.number, table.number, seated), by)

    @rule(pick=PICK, scores=SCORE_LISTS, back=st.booleans())
    def a_result_is_corrected(self, pick: int, scores: list[int], back: bool) -> None:
        """A correction and its inverse leave the standings as they were."""
        if found := self.at(pick, TablePhase.DONE):
            played, table = found
            assert table.result is not None
            before, was = self.state, table.result
            came = entries_at(table)
            if self.ask(c.CorrectResult(played.number, table.number, placed(came, scores[: len(came)]))) and back:
                assert self.ask(c.CorrectResult(played.number, table.number, was.seated, was.reason))
                if not table.disputed:
                    assert checks.same_standings(before, self.state)

    @rule(pick=PICK, replay=st.booleans(), points=st.sampled_from(("0", "average", "win", "1/2", "many")))
    def a_table_is_voided(self, pick: int, replay: bool, points: str) -> None:
        if found := self.at(pick, *TablePhase):
            self.ask(c.VoidTable(found[0].number, found[1].number, replay, points))

    @rule(pick=PICK, own=st.booleans())
    def a_result_is_disputed(self, pick: int, own: bool) -> None:
        if found := self.at(pick, TablePhase.DONE):
            actor = f"player:{found[1].entries[0]}" if own else ANA
            self.ask(c.Dispute(found[0].number, found[1].number), actor)

    @rule(pick=PICK)
    def a_result_is_confirmed(self, pick: int) -> None:
        disputed = [
            (played.number, table.number) for played in self.state.rounds for table in played.tables if table.disputed
        ]
        if found := one_of(disputed, pick):
            self.ask(c.ConfirmResult(*found))

    @rule(pick=PICK, skip=st.integers(0, 2))
    def survivors_are_named(self, pick: int, skip: int) -> None:
        if found := self.at(pick, *TablePhase):
            played, table = found
            going = table.entries[skip : skip + self.state.config.stages[played.drafted.stage].advance]
            self.ask(c.NameSurvivors(played.number, table.number, going))

    @rule(pick=PICK, who=PICK, house=st.booleans())
    def somebody_does_not_come(self, pick: int, who: int, house: bool) -> None:
        if found := self.at(pick, *UNSETTLED):
            entry = one_of(found[1].entries, who) or 0
            self.ask(c.MarkNoShow(found[0].number, found[1].number, entry), HOUSE if house else ANA)

    @rule(pick=PICK, who=PICK, by=PICK)
    def somebody_sits_in(self, pick: int, who: int, by: int) -> None:
        if found := self.at(pick, TablePhase.WAITING):
            entry = one_of(found[1].entries, who) or 0
            self.ask(c.Substitute(found[0].number, found[1].number, entry, self.entry(by)))

    # -- nonsense, repeats, crashes ------------------------------------------------------------------------------------

    @precondition(lambda self: bool(self.requests))
    @rule(pick=PICK)
    def a_command_comes_twice(self, pick: int) -> None:
        request = one_of(self.requests, pick)
        assert request is not None
        revision = 2 + self.requests.index(request)
        assert self.desk.ask(request) == Duplicate(revision)

    @rule(back=st.integers(1, 3))
    def a_command_is_stale(self, back: int) -> None:
        late = self.desk.request(c.Comment("Late."))
        with pytest.raises(Refusal) as refusal:
            self.desk.ask(late, expected=self.desk.ledger.revision + back)
        assert refusal.value.kind is Kind.STALE

    @rule(actor=st.sampled_from(("player:1", "player:01", "player:99", "viewer", "", "organiser", HOUSE)))
    def somebody_may_not(self, actor: str) -> None:
        assert not self.ask(c.Penalise(1, "warning"), actor)

    @rule()
    def the_desk_crashes(self) -> None:
        """And is set up again from its log."""
        before = self.desk.ledger
        self.desk.ledger = self.desk.refolded()
        assert (self.desk.ledger.head, self.desk.ledger.revision) == (before.head, before.revision)
        assert self.desk.state == before.state


def machine(*formats: str) -> type[EventMachine]:
    """A machine of its own for some formats, with a count of its own."""

    class Machine(EventMachine):
        pass

    Machine.formats = formats or FORMATS
    Machine.seen = Counter()
    return Machine
