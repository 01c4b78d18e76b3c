"""What an organiser takes back: a cut that stood on a wrong result, a tie that only a play-off settles, a no-show who
came, a void table that is played after all.
"""

from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.state import RoundPhase, TablePhase
from tests.kit.tournaments import Desk, event, result, stage, swiss

TIED = {"scheme": "5-3-2-1", "order": ["TP"]}
"""Nothing parts those who have as many points."""


def cut_event(entrants: int = 4, **settings: object) -> Desk:
    """Eight have played one round of two tables; each place was had twice. The cut is due."""
    final = stage("swiss", entrants=entrants, **settings)
    desk = Desk(event(swiss(rounds=1, first_round="seed"), final, scoring=TIED))
    desk.gather(8)
    desk.play()
    return desk


def test_a_cut_is_made_again_after_a_correction() -> None:
    desk = cut_event()
    desk.do(c.MakeCut())
    before = desk.state.cuts[0].entries
    table = desk.table(1, 1)
    turned = {entry: place for place, entry in enumerate(sorted(table.entries))}
    desk.do(c.CorrectResult(1, 1, result(table, turned)))
    desk.draft()
    assert desk.do(c.RevokeCut()) == (e.DraftDiscarded(), e.CutRevoked(1))
    assert (desk.state.stage, desk.state.cuts) == (0, ())
    desk.do(c.MakeCut())
    assert set(desk.state.cuts[0].entries) != set(before)
    desk.play()
    assert desk.refused(c.RevokeCut()) == "no_cut"
    desk.do(c.Finish())
    assert len(desk.state.final) > 1


def test_there_is_no_cut_to_revoke_before_one_is_made() -> None:
    assert cut_event().refused(c.RevokeCut()) == "no_cut"


def test_a_tie_at_the_line_is_settled_by_a_play_off() -> None:
    """The event has no rule for it; without this it could never go on."""
    desk = cut_event(entrants=3)
    assert desk.refused(c.MakeCut()) == "tie_at_the_cut"
    firsts, seconds = desk.order()[:2], desk.order()[2:4]
    assert desk.refused(c.MakeCut(tied=firsts)) == "bad_decision"
    assert desk.refused(c.MakeCut(tied=(seconds[0],))) == "bad_decision"
    (made,) = desk.do(c.MakeCut(tied=(seconds[1], seconds[0])))
    assert isinstance(made, e.CutMade)
    assert (made.entries, made.in_line[0]) == ((*firsts, seconds[1]), seconds[0])


def test_where_nobody_is_tied_there_is_nothing_to_decide() -> None:
    desk = cut_event(entrants=4)
    assert desk.refused(c.MakeCut(tied=desk.order()[2:4])) == "bad_decision"


def test_who_came_after_all_sits_at_the_replayed_table() -> None:
    desk = Desk(event(swiss()))
    desk.gather(8)
    desk.begin()
    one, two, *_ = desk.table(1).entries
    desk.do(c.MarkNoShow(1, 1, one))
    desk.do(c.MarkNoShow(1, 1, two))
    desk.do(c.CheckIn((one,)))
    voided, lifted = desk.do(c.VoidTable(1, 1))
    assert isinstance(voided, e.TableVoided)
    assert lifted == e.NoShowLifted(1, 1, one)
    assert (desk.table(1).no_shows, desk.table(1).attempt) == ((two,), 2)
    desk.open()
    desk.finish_tables()
    assert desk.round().phase is RoundPhase.CLOSED


def test_a_void_table_is_replayed_if_that_was_the_mistake() -> None:
    desk = Desk(event(swiss()))
    desk.gather(8)
    desk.play()
    desk.do(c.VoidTable(1, 1, replay=False))
    assert desk.refused(c.VoidTable(1, 1, replay=False)) == "table_void"
    assert desk.do(c.VoidTable(1, 1))[-1] == e.RoundReopened(1)
    assert (desk.table(1).phase, desk.table(1).attempt) == (TablePhase.WAITING, 2)
    desk.finish_tables()
    assert desk.round().phase is RoundPhase.CLOSED


def test_a_table_is_not_replayed_behind_a_cut() -> None:
    """Who plays on stands on its result; the cut is revoked first."""
    desk = cut_event()
    desk.do(c.MakeCut())
    assert desk.refused(c.VoidTable(1, 1)) == "too_late_to_replay"
    desk.do(c.RevokeCut())
    desk.do(c.VoidTable(1, 1))
    assert desk.refused(c.MakeCut()) == "round_open"
