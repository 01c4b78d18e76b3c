"""Disqualified, gone, disputed: who is out stays out, who is let back is what they were, and no result is left open."""

from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.state import RoundPhase, Standing
from tests.kit.tournaments import Desk, event, swiss


def test_whoever_had_dropped_is_not_brought_back_by_a_penalty_that_is_revoked() -> None:
    desk = Desk(event(swiss()))
    desk.gather(8)
    desk.play()
    desk.do(c.Drop(5))
    desk.do(c.Penalise(5, "disqualification"))
    desk.do(c.RevokePenalty(1))
    assert desk.state.entrants[4].standing is Standing.DROPPED


def test_a_disqualification_stands_alone() -> None:
    """Two of them, one revoked, would leave somebody in who is disqualified."""
    desk = Desk(event(swiss()))
    desk.gather(8)
    desk.do(c.Penalise(5, "disqualification"))
    assert desk.refused(c.Penalise(5, "disqualification")) == "not_in"
    desk.do(c.Penalise(5, "points", "1"))
    desk.do(c.RevokePenalty(1))
    assert desk.state.entrants[4].standing is Standing.IN


def test_nobody_comes_past_the_waiting_list_by_a_penalty() -> None:
    desk = Desk(event(swiss(), registration={"cap": 8}))
    desk.gather(10)
    assert desk.refused(c.Penalise(9, "disqualification")) == desk.refused(c.Penalise(10, "warning")) == "not_in"
    desk.do(c.Withdraw(1))
    assert desk.refused(c.Penalise(1, "disqualification")) == "not_in"


def test_a_place_goes_to_the_next_in_line_who_is_still_there() -> None:
    desk = Desk(event(swiss(rounds=1), swiss(rounds=1, entrants=4)))
    desk.gather(8)
    desk.play()
    desk.do(c.MakeCut())
    first, second, *_ = desk.state.cuts[0].in_line
    desk.do(c.Drop(first))
    going = desk.state.cuts[0].entries[0]
    assert desk.do(c.DeclinePlace(going)) == (e.PlaceDeclined(going, second),)
    assert len(desk.state.cuts[0].entries) == 4


def test_neither_a_cut_nor_the_end_comes_before_a_dispute_is_settled() -> None:
    """The last result of a round closes it; whoever disputes it does so afterwards."""
    desk = Desk(event(swiss(rounds=1), swiss(rounds=1, entrants=4)))
    desk.gather(8)
    assert desk.play().phase is RoundPhase.CLOSED
    entry = desk.table(2).entries[0]
    desk.do(c.Dispute(1, 2), f"player:{entry}")
    assert desk.refused(c.MakeCut()) == desk.refused(c.Finish()) == "disputed"
    desk.do(c.ConfirmResult(1, 2))
    desk.do(c.MakeCut())
    desk.play()
    desk.do(c.Dispute(2, 1))
    assert desk.refused(c.Finish()) == "disputed"
    desk.do(c.VoidTable(2, 1, replay=False))
    desk.do(c.Finish())


def test_the_next_round_does_not_wait_for_a_late_dispute() -> None:
    desk = Desk(event(swiss()))
    desk.gather(8)
    desk.play()
    desk.do(c.Dispute(1, 1))
    desk.play()
    desk.play()
    assert desk.refused(c.Finish()) == "disputed"
