"""Public bug reports about results, corrections, concurrency, standings and output. ``reports`` lists all."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.commit import HOUSE
from engine.kernel.ledger import BrokenLog, Duplicate, Proposal
from engine.kernel.refusal import Refusal
from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.changes import changes
from engine.tournament.exact import exact_of
from engine.tournament.played import Seated
from engine.tournament.ranking import ranking
from engine.tournament.record import rounds_counted
from engine.tournament.standings.explained import explain_line
from engine.tournament.state import Phase, RoundPhase, TablePhase
from engine.tournament.whatif import placed
from tests.kit.tournaments import ANA, Desk, event, result, stage, swiss


def test_an_event_does_not_end_while_a_table_plays_and_a_late_result_counts() -> None:
    """lila #7124, #7314, #12378, #19096: closed while a last game ran; both were absent, and the result was lost."""
    desk = Desk(event(swiss(1)))
    desk.gather(8)
    desk.begin()
    desk.do(desk.score(1, 4, 3, 2, 1), HOUSE)
    assert desk.refused(c.Finish()) == "round_open"
    last = desk.do(desk.score(2, 1, 2, 3, 4), HOUSE)
    assert isinstance(last[-1], e.RoundClosed)
    desk.do(c.Finish())
    table = desk.table(2)
    final = desk.state.final
    corrected = desk.do(c.CorrectResult(1, 2, placed(table.entries, (4, 3, 2, 1))))
    assert [type(each) for each in corrected] == [e.Reopened, e.ResultCorrected]
    desk.do(c.Finish())
    assert desk.state.final != final
    assert desk.points()[table.entries[0]] == "5"


def test_of_two_last_results_that_race_one_is_first_and_the_round_closes_once() -> None:
    """5stack #545: two last confirmations, two matches. Here a hundred hosts read one log, and each wants to append."""
    desk = Desk(event(swiss(1)))
    desk.gather(8)
    desk.begin()
    desk.do(desk.score(1, 4, 3, 2, 1), HOUSE)
    desk.do(c.Dispute(1, 1))
    hosts = [desk.refolded() for _ in range(100)]
    asked = [
        desk.request(c.ConfirmResult(1, 1), ANA, f"host-{number}")
        if number % 2
        else desk.request(desk.score(2, 4, 3, 2, 1), HOUSE, f"host-{number}")
        for number in range(100)
    ]
    proposals = [host.propose(request) for host, request in zip(hosts, asked, strict=True)]
    assert all(isinstance(each, Proposal) and e.RoundClosed.name not in str(each.commit) for each in proposals)
    log = list(desk.lines)
    codes: Counter[str] = Counter()
    for host, request, proposal in zip(hosts, asked, proposals, strict=True):
        while True:
            assert isinstance(proposal, Proposal)
            if len(log) == proposal.commit.revision - 1:
                log.append(proposal.line)
                host.accept(proposal.line, len(log), proposal)
                break
            with pytest.raises(BrokenLog):
                desk.refolded(log).accept(proposal.line, len(log) + 1, proposal)
            for position, line in enumerate(log[host.revision :], host.revision + 1):
                host.accept(line, position)
            try:
                proposal = host.propose(request)
            except Refusal as refusal:
                codes[refusal.code] += 1
                break
    ledger = desk.refolded(log)
    assert codes == {"not_disputed": 49, "round_closed": 49}
    assert ledger.state.rounds[0].phase is RoundPhase.CLOSED
    assert ledger.state.rounds[0].closings == 1
    assert sum(b"tournament.round_closed" in line for line in log) == 1


def test_the_same_last_confirmation_sent_twice_is_one_event() -> None:
    """5stack #545, the other half: one host, two clicks."""
    desk = Desk(event(swiss(1)))
    desk.gather(4)
    desk.begin()
    request = desk.request(desk.score(1, 4, 3, 2, 1), HOUSE, "click")
    assert isinstance(desk.ask(request), Proposal)
    assert desk.ask(request) == Duplicate(desk.ledger.revision)
    assert desk.happened(e.RoundClosed) == 1


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(entries=st.lists(st.integers(0, 9), min_size=1, max_size=5))
def test_persons_of_a_result_are_the_persons_at_the_table(entries: list[int]) -> None:
    """woogles #892: "p1 beat p1" was accepted."""
    desk = PLAYING
    table = desk.table(1)
    command = c.ReportResult(1, 1, tuple(Seated(entry, place, 0) for place, entry in enumerate(entries, 1)))
    if sorted(entries) == sorted(table.entries):
        assert isinstance(desk.ledger.propose(desk.request(command, HOUSE)), Proposal)
    else:
        assert desk.refused(command, HOUSE) == "other_entrants"


def _playing() -> Desk:
    desk = Desk(event(swiss(1)))
    desk.gather(8)
    desk.begin()
    return desk


PLAYING = _playing()


def test_an_old_result_that_is_edited_moves_every_later_standing() -> None:
    """woogles #762: later standings were not refreshed. Round 1 is corrected after round 4."""
    desk = Desk(event(swiss(4)))
    desk.gather(8)
    for _ in range(4):
        desk.play()
    before, table = desk.state, desk.table(1, 1)
    first, last = min(table.entries), max(table.entries)
    turned = result(table, {entry: entry for entry in table.entries})
    desk.do(c.CorrectResult(1, 1, turned))
    told = changes(before, desk.state)
    points = {(each.round, each.entry): (each.before, each.after) for each in told if each.what == "TP"}
    for number in range(1, 5):
        for entry, change in ((first, -4), (last, 4)):
            was, now = points[number, entry]
            assert int(now) - int(was) == change
            assert now == next(line.points for line in ranking(desk.state, 0, number).lines if line.entry == entry)
    assert [played.drafted for played in before.rounds] == [played.drafted for played in desk.state.rounds]


def test_a_table_that_is_played_again_counts_once() -> None:
    """FTC scorekeeper #271: an aborted match and its replay both counted."""
    desk = Desk(event(swiss(1)))
    desk.gather(8)
    desk.begin()
    desk.do(desk.score(1, 4, 3, 2, 1), HOUSE)
    voided = desk.score(1, 4, 3, 2, 1)
    desk.do(c.VoidTable(1, 1))
    assert desk.table(1).phase is TablePhase.WAITING
    desk.do(desk.score(2, 4, 3, 2, 1), HOUSE)
    assert desk.round().phase is RoundPhase.RUNNING
    assert desk.refused(voided, HOUSE) == "other_match"
    desk.do(desk.score(1, 1, 2, 3, 4), HOUSE)
    games = Counter(
        seat.entry for played in rounds_counted(desk.state, 0) for table in played.tables for seat in table.seated
    )
    assert games == Counter(range(1, 9))
    assert [desk.points()[entry] for entry in desk.table(1).entries] == ["1", "2", "3", "5"]


@pytest.mark.parametrize("format_", ["swiss", "planned", "elimination", "heats"])
def test_a_round_that_is_published_has_no_results(format_: str) -> None:
    """OpenTourney #103: pairing a round filled its results in."""
    desk = Desk(event(stage(format_, **({} if format_ == "elimination" else {"rounds": 2}))))
    desk.gather(16)
    desk.play()
    desk.begin()
    assert all(table.result is None and table.phase is TablePhase.OPEN for table in desk.round().tables)
    assert ranking(desk.state, 0).lines == ranking(desk.state, 0, 1).lines


@pytest.mark.parametrize("reached", ["drafted", "published", "running", "half", "closed", "next drafted", "finished"])
def test_the_newest_round_can_be_cancelled_until_the_next_is_drafted(reached: str) -> None:
    """Pantheon #319: a last round could not be cancelled once it was complete."""
    desk = Desk(event(swiss(2)))
    desk.gather(8)
    points = desk.points()
    desk.draft()
    steps: dict[str, Callable[[], object]] = {
        "drafted": lambda: None,
        "published": lambda: desk.do(c.PublishRound()),
        "running": desk.begin,
        "half": lambda: (desk.begin(), desk.do(desk.score(1, 4, 3, 2, 1), HOUSE)),
        "closed": desk.play,
        "next drafted": lambda: (desk.play(), desk.draft()),
        "finished": lambda: (desk.play(), desk.do(c.Finish())),
    }
    steps[reached]()
    refused = {"drafted": "draft_exists", "next drafted": "draft_exists", "finished": "finished"}
    if reached in refused:
        assert desk.refused(c.CancelRound()) == refused[reached]
        return
    assert desk.do(c.CancelRound()) == (e.RoundCancelled(1),)
    assert desk.points() == points
    desk.draft()
    assert desk.state.draft is not None
    assert (desk.state.draft.round, desk.state.draft.stage_round) == (2, 1)


@pytest.mark.parametrize("goes", ["drops", "is disqualified", "checks out"])
def test_a_drop_in_round_one_leaves_the_final_where_it_was(goes: str) -> None:
    """phase-rs #8234: the number of rounds was computed again, and the final was gone."""
    desk = Desk(event(stage("elimination", target=3, largest=3, final=3)))
    desk.gather(9)
    desk.begin()
    winner = min(desk.round().tables[0].entries)
    second = sorted(desk.round().tables[0].entries)[1]
    if goes == "drops":
        desk.do(c.Drop(winner))
    desk.finish_tables()
    if goes == "is disqualified":
        desk.do(c.Penalise(winner, "disqualification"))
    if goes == "checks out":
        desk.do(c.CheckOut((winner,)))
    assert desk.refused(c.MakeCut()) == "last_stage"
    final = desk.play()
    assert len(final.tables) == 1
    assert len(final.tables[0].entries) == 3
    assert second in final.tables[0].entries
    desk.do(c.Finish())
    assert desk.state.phase is Phase.FINISHED


def test_a_drop_at_the_only_table_of_three_leaves_its_round() -> None:
    """phase-rs #8234: three players, one of them goes while they play."""
    desk = Desk(event(stage("elimination", target=3, largest=3, final=3)))
    desk.gather(3)
    desk.begin()
    desk.do(c.Drop(3))
    desk.finish_tables()
    assert desk.refused(desk.next_draft()) == "stage_over"
    desk.do(c.Finish())
    assert desk.state.final == ((1,), (2,), (3,))


def test_only_closed_rounds_count_and_every_figure_is_a_sum_of_what_is_told() -> None:
    """scalachess #737, Liquipedia #6772, lila #13694, #7426, tournament-js #11: tie-breaks that nobody could check."""
    order = ("TP", "SOS", "SOS-C1", "SOS-M1", "XSOS", "PSB", "BEAT", "PROG", "RAW", "BH", "BH-C1", "SB", "DROP1")
    scoring = {"scheme": "5-3-2-1", "order": order, "bye_opponent": "virtual"}
    desk = Desk(event(swiss(3, smallest=4), scoring=scoring))
    desk.gather(9)
    desk.play(lambda entry: entry % 4)
    closed = ranking(desk.state, 0)
    desk.begin()
    desk.do(desk.score(1, 4, 3, 2, 1), HOUSE)
    running = ranking(desk.state, 0)
    assert running.lines == closed.lines
    for line in running.lines:
        told = explain_line(running, line.entry)
        assert tuple(each.key for each in told.keys) == order
        assert tuple(key for key, _ in line.keys) == order
        for each in told.keys:
            assert isinstance(each.value, str)
            assert sum(exact_of(part.value) for part in each.parts) == exact_of(each.value)
