"""Public bug reports about byes, absences, late entry, each as the sentence that holds here; ``reports`` lists all."""

from collections import Counter

import pytest

from engine.kernel.commit import HOUSE
from engine.tournament import commands as c
from engine.tournament.drafting import problem_of
from engine.tournament.pairing import pair
from engine.tournament.pairing.explain import explain
from engine.tournament.played import AwardKind
from engine.tournament.record import byes_had, met, rounds_counted
from engine.tournament.state import RoundPhase, TablePhase
from tests.kit.tournaments import Desk, Section, event, swiss

PAIRS: Section = {"smallest": 2, "target": 2, "largest": 2}
FOURS: Section = {"smallest": 4}
WINS = {"scheme": "win-heavy"}


@pytest.mark.parametrize(
    ("count", "sizes", "rounds"), [(5, PAIRS, 9), (7, PAIRS, 8), (9, FOURS, 5), (11, FOURS, 4), (13, FOURS, 3)]
)
def test_nobody_has_a_second_bye_before_everybody_had_one(count: int, sizes: Section, rounds: int) -> None:
    """lila #6619: one player was given three walkovers, two of them in a row."""
    desk = Desk(event(swiss(rounds, **sizes), scoring=WINS))
    desk.gather(count)
    for number in range(1, rounds + 1):
        desk.play(lambda entry: entry * 7919 % 101)
        had = byes_had(desk.state)
        byes = [had[entry] for entry in range(1, count + 1)]
        assert max(byes) - min(byes) <= 1
        assert sum(byes) == number * (count % sizes["smallest"])


def test_who_comes_and_goes_around_the_pairings_is_absent_and_has_no_byes() -> None:
    """lila #12497: leaving and joining again at the right moment gave a point a round, for ever."""
    desk = Desk(event(swiss(4, **FOURS)))
    desk.gather(9)
    for leave, join in (
        (c.CheckOut((9,)), c.CheckIn((9,))),
        (c.Drop(9), c.Return(9)),
        (c.CheckOut((9,)), c.CheckIn((9,))),
    ):
        if isinstance(leave, c.Drop):
            desk.do(leave)
        else:
            desk.do(leave, "player:9")
        desk.begin()
        desk.do(join)
        desk.finish_tables()
        assert desk.points()[9] == "0"
        assert byes_had(desk.state)[9] == 0
    assert desk.play().drafted.byes != ()


@pytest.mark.parametrize("rounds", range(1, 13))
def test_the_last_round_to_begin_with_is_a_number_and_missed_rounds_have_a_reason(rounds: int) -> None:
    """lila #8613, #15450: "until half of the rounds" meant something else for odd counts."""
    until = (rounds + 1) // 2
    desk = Desk(event(swiss(rounds), registration={"late_until": until}, awards={"late": "1/2"}))
    desk.gather(4)
    for number in range(1, until + 1):
        desk.do(c.Register((f"late-{number}",)))
        assert desk.state.entrants[3 + number].since == number
        assert desk.points()[4 + number] == (
            "0" if number == 1 else str(f"{number - 1}/2" if number % 2 == 0 else number // 2)
        )
        awards = [each for played in rounds_counted(desk.state, 0) for each in played.awards]
        kinds = [each.kind for each in awards if each.entry == 4 + number]
        assert kinds == [AwardKind.LATE] * (number - 1)
        desk.play()
    assert desk.refused(c.Register(("too-late",))) == "too_late"


def test_the_reason_of_a_bye_names_what_kept_others_from_it() -> None:
    """bbpPairings #27: a second bye, though somebody else had none, and no word of why."""
    desk = Desk(event(swiss(2, **FOURS), awards={"bye": "0"}))
    desk.gather(9)
    first = desk.play().drafted.byes[0]
    desk.draft()
    assert desk.state.draft is not None
    problem = problem_of(desk.state, desk.state.draft)
    second = desk.state.draft.byes[0]
    told = explain(problem, pair(problem), second)
    assert [each.entry for each in told.passed_over if each.because == "had_more_byes"] == [first]
    assert all(each.change.total >= 0 for each in told.passed_over)


@pytest.mark.parametrize("number", range(4))
def test_no_equal_candidate_for_the_bye_would_have_made_better_tables(number: int) -> None:
    """ANRTournament #22: the bye was chosen first, and the tables had to live with it. By force: tests of pairing."""
    desk = Desk(event(swiss(3, **FOURS)), f"cup-{number}")
    desk.gather(9)
    for _ in range(2):
        desk.play(lambda entry: entry * (number + 3) % 7)
    desk.draft()
    assert desk.state.draft is not None
    problem = problem_of(desk.state, desk.state.draft)
    pairing = pair(problem)
    assert pairing.byes == desk.state.draft.byes
    told = explain(problem, pairing, pairing.byes[0])
    assert all(each.change.total >= 0 for each in told.passed_over if each.because == "pods_cost_more")


def test_those_who_had_a_bye_together_have_not_met() -> None:
    """cobra #521: players with byes were held for each other's opponents, and kept meeting."""
    desk = Desk(event(swiss(4, **FOURS)))
    desk.gather(27)
    out = desk.play().drafted.byes
    assert len(out) == 3
    assert all(met(desk.state)[one, other] == 0 for one in out for other in out)
    for _ in range(3):
        desk.play()
    assert max(met(desk.state)[one, other] for one in out for other in out if one < other) <= 1


@pytest.mark.parametrize("count", range(3, 31))
def test_who_is_at_no_table_has_a_bye_and_nobody_is_forgotten(count: int) -> None:
    """Cockatrice PR #7199: a greedy pairing left people over, and did not say so."""
    desk = Desk(event(swiss()))
    desk.gather(count)
    desk.draft()
    draft = desk.state.draft
    assert draft is not None
    placed = Counter([*draft.byes, *(entry for pod in draft.pods for entry in pod.entries)])
    assert placed == Counter(range(1, count + 1))
    assert len(draft.byes) == (1 if count == 5 else 0)


@pytest.mark.parametrize(("first", "second"), [(True, True), (True, False), (False, True), (False, False)])
def test_absence_is_of_each_person_and_not_of_the_table(first: bool, second: bool) -> None:
    """lila #12286: whoever had waited was punished, because the opponent had resigned first."""
    desk = Desk(event(swiss(2, **PAIRS), scoring=WINS, awards={"no_show": "-1"}))
    desk.gather(2)
    table = desk.begin().tables[0]
    came = [entry for entry, here in zip(table.entries, (first, second), strict=True) if here]
    for entry in table.entries:
        if entry not in came:
            desk.do(c.MarkNoShow(1, 1, entry), HOUSE)
    if came:
        desk.do(desk.score(1, *(10 - seat for seat in range(len(came)))), HOUSE)
    assert desk.round().phase is RoundPhase.CLOSED
    assert desk.table(1).phase is (TablePhase.DONE if came else TablePhase.VOID)
    for place, entry in enumerate(came):
        assert desk.points()[entry] == ("1000", "100")[place]
        assert desk.state.entrants[entry - 1].present
    for entry in set(table.entries) - set(came):
        assert desk.points()[entry] == "-1"
        assert not desk.state.entrants[entry - 1].present
