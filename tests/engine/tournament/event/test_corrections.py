"""What a correction changes, what would have changed it, and what never does: published pairings."""

import pytest

from engine.kernel.commit import decode_line
from engine.kernel.refusal import Refusal
from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.changes import Change, changes
from engine.tournament.drafting import draft_round
from engine.tournament.events import EVENTS
from engine.tournament.fold import evolve
from engine.tournament.played import Entry
from engine.tournament.ranking import ranking
from engine.tournament.whatif import Outcome, Supposed, placed, what_if
from tests.kit.tournaments import Desk, event, swiss

POINTS_ALONE = {"scheme": "5-3-2-1", "order": ["TP"]}


def supposing(desk: Desk, *supposed: Supposed, **overrides: object) -> Outcome:
    return what_if(desk.state, map(decode_line, desk.lines), supposed, overrides)


def draft_then(desk: Desk, number: int, corrected: e.ResultCorrected) -> tuple[e.Pod, ...]:
    """The pods of a round, had the correction come just before it was drafted."""
    ledger = desk.refolded(())
    for position, line in enumerate(desk.lines, 1):
        drafted = next(
            (EVENTS.decode(each) for each in decode_line(line).events if each.type == e.RoundDrafted.name), None
        )
        if isinstance(drafted, e.RoundDrafted) and drafted.round == number:
            return draft_round(evolve(ledger.state, corrected), drafted.seed).pods
        ledger.accept(line, position)
    raise AssertionError(f"round {number} was not drafted")


def company(pods: tuple[e.Pod, ...]) -> set[frozenset[Entry]]:
    return {frozenset(pod.entries) for pod in pods}


def test_a_correction_in_round_one_after_round_four_changes_these_figures() -> None:
    """Four players, 5-3-2-1, always in the order of their numbers; then round 1 is turned round. After r rounds they
    had 5r, 3r, 2r, r, and have 5r-4, 3r-1, 2r+1, r+4.
    """
    desk = Desk(event(swiss(4), scoring=POINTS_ALONE))
    desk.gather(4)
    for _ in range(4):
        desk.play()
    before = desk.state
    table = desk.table(1, 1)
    desk.do(c.CorrectResult(1, 1, placed(table.entries, table.entries)))
    places = {
        1: {1: ("1", "4"), 2: ("2", "3"), 3: ("3", "2"), 4: ("4", "1")},
        2: {2: ("2", "3"), 4: ("4", "1")},
        3: {4: ("4", "3")},
        4: {},
    }
    expected = []
    for number in range(1, 5):
        for entry, (each, moved) in enumerate(((5, -4), (3, -1), (2, 1), (1, 4)), 1):
            if entry in places[number]:
                expected.append(Change(number, entry, "place", *places[number][entry]))
            expected.append(Change(number, entry, "TP", str(each * number), str(each * number + moved)))
    assert changes(before, desk.state) == tuple(expected)
    assert changes(desk.state, desk.state) == ()


def test_a_correction_of_the_round_that_is_played_changes_nothing_that_was_published() -> None:
    desk = Desk(event(swiss(2)))
    desk.gather(8)
    desk.play()
    desk.begin()
    desk.do(desk.score(1, 4, 3, 2, 1), "house")
    before, entries = desk.state, desk.table(1).entries
    desk.do(c.CorrectResult(2, 1, placed(entries, (1, 2, 3, 4))))
    assert changes(before, desk.state) == ()


def test_the_next_round_is_drafted_from_what_is_corrected() -> None:
    """The draft that stood is thrown away; rounds that are published stay as they are."""
    desk = Desk(event(swiss(3)))
    desk.gather(8)
    published = desk.play().drafted
    desk.draft()
    entries = desk.table(1).entries
    events = desk.do(c.CorrectResult(1, 1, placed(entries, (1, 2, 3, 4))))
    assert [type(each) for each in events] == [e.DraftDiscarded, e.ResultCorrected]
    assert desk.round(1).drafted == published
    desk.draft()
    assert desk.state.drafts == 3


@pytest.mark.parametrize("number", range(1, 5))
def test_what_if_says_what_a_correction_then_does(number: int) -> None:
    desk = Desk(event(swiss(4)))
    desk.gather(13)
    for _ in range(4):
        desk.play(lambda entry: entry * 7919 % 101)
    entries = desk.table(2, number).entries
    scores = tuple(-(entry * 7919 % 101) for entry in entries)
    outcome = supposing(desk, Supposed(number, 2, scores))
    before = desk.state
    desk.do(c.CorrectResult(number, 2, placed(entries, scores)))
    assert ranking(outcome.state, 0).lines == ranking(desk.state, 0).lines
    assert outcome.changes == changes(before, desk.state)
    assert outcome.changes[0].round == number
    assert [played.drafted for played in outcome.state.rounds] == [played.drafted for played in desk.state.rounds]
    drafted = {
        later: draft_then(desk, later, e.ResultCorrected(number, 2, placed(entries, scores), ""))
        for later in range(number + 1, 5)
    }
    moved = {later: pods for later, pods in drafted.items() if company(pods) != company(desk.round(later).drafted.pods)}
    assert {other.round: other.pods for other in outcome.rounds} == moved
    assert 2 in moved or number > 1


def test_what_if_nothing_were_different_nothing_is() -> None:
    desk = Desk(event(swiss(3)))
    desk.gather(9)
    for _ in range(3):
        desk.play()
    outcome = supposing(desk)
    assert outcome == Outcome(desk.state, (), ())


def test_what_if_the_rules_were_others() -> None:
    """Under commander only winners have points: the same results, another table."""
    desk = Desk(event(swiss(2), scoring=POINTS_ALONE))
    desk.gather(8)
    desk.play()
    desk.play()
    outcome = supposing(desk, scoring={"scheme": {"kind": "win", "win": "5", "draw": "1", "loss": "0"}})
    wins = [min(table.entries) for played in desk.state.rounds for table in played.tables]
    assert {line.entry: line.points for line in ranking(outcome.state, 0).lines} == {
        entry: str(5 * wins.count(entry)) for entry in range(1, 9)
    }
    with pytest.raises(Refusal, match="bad_config"):
        supposing(desk, scoring={"order": ["LUCK"]})


@pytest.mark.parametrize(
    ("supposed", "code"),
    [
        (Supposed(2, 1, (1, 2, 3, 4)), "unknown_table"),
        (Supposed(1, 9, (1, 2, 3, 4)), "unknown_table"),
        (Supposed(1, 1, (1, 2, 3)), "bad_scores"),
        (Supposed(1, 2, (1, 2, 3, 4)), "no_result"),
    ],
)
def test_only_results_that_there_are_can_be_supposed_to_be_others(supposed: Supposed, code: str) -> None:
    desk = Desk(event(swiss(2)))
    desk.gather(8)
    desk.begin()
    desk.do(desk.score(1, 4, 3, 2, 1), "house")
    with pytest.raises(Refusal) as refusal:
        supposing(desk, supposed)
    assert refusal.value.code == code


def test_disputes_hold_the_round_open_until_the_referee_has_spoken() -> None:
    desk = Desk(event(swiss(2)))
    desk.gather(8)
    desk.begin()
    desk.do(desk.score(1, 4, 3, 2, 1), "house")
    entry = desk.table(1).entries[3]
    assert desk.do(c.Dispute(1, 1), f"player:{entry}") == (e.ResultDisputed(1, 1),)
    assert desk.refused(c.Dispute(1, 1)) == "disputed"
    desk.do(desk.score(2, 4, 3, 2, 1), "house")
    assert desk.round().unsettled == 1
    assert desk.refused(desk.next_draft()) == "round_open"
    assert desk.do(c.ConfirmResult(1, 1)) == (e.ResultConfirmed(1, 1), e.RoundClosed(1))
    assert desk.refused(c.ConfirmResult(1, 1)) == "not_disputed"


def test_a_void_table_gives_everybody_what_was_awarded() -> None:
    desk = Desk(event(swiss(2)))
    desk.gather(8)
    desk.begin()
    desk.do(desk.score(1, 4, 3, 2, 1), "house")
    assert desk.do(c.VoidTable(1, 2, replay=False)) == (e.TableVoided(1, 2, False, "11/4"), e.RoundClosed(1))
    assert [desk.points()[entry] for entry in desk.table(2).entries] == ["11/4"] * 4
    assert desk.refused(c.VoidTable(1, 2, replay=False)) == "table_void"
    assert desk.refused(c.CorrectResult(1, 2, desk.score(1, 4, 3, 2, 1).seated)) == "no_result"
    seated = placed(desk.table(2).entries, (4, 3, 2, 1))
    desk.do(c.Adjudicate(1, 2, seated))
    assert sorted(desk.points().values()) == ["1", "1", "2", "2", "3", "3", "5", "5"]
