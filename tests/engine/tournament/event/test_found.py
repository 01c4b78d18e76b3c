"""What the fuzzer has found, told plainly. Each was a crash, or a law broken, before it was a test."""

from engine.tournament import commands as c
from engine.tournament import events as e
from tests.kit.tournaments import Desk, event, swiss


def test_who_withdraws_takes_the_draft_with_them() -> None:
    """Else the round would be published with a table for somebody who never took part."""
    desk = Desk(event(swiss()))
    desk.gather(8)
    desk.draft()
    assert desk.do(c.Withdraw(3)) == (e.DraftDiscarded(), e.Withdrawn(3))
    assert desk.refused(c.PublishRound()) == "no_draft"


def test_new_seeds_throw_away_the_draft_that_knew_the_old_ones() -> None:
    desk = Desk(event(swiss(first_round="seed")))
    desk.gather(4)
    desk.draft()
    assert desk.do(c.SetSeeds((4, 1))) == (e.DraftDiscarded(), e.SeedsSet((4, 1, 2, 3)))


def test_a_penalty_counts_in_the_stage_of_its_round_alone() -> None:
    """Points taken from somebody who missed the cut stopped the next stage; from somebody in it they counted twice."""
    desk = Desk(event(swiss(rounds=1), swiss(rounds=1, entrants=4, cut_ties="lot")))
    desk.gather(8)
    desk.play()
    desk.do(c.MakeCut())
    out = desk.state.cuts[0].in_line[0]
    desk.do(c.Penalise(out, "points", "2", 1))
    desk.do(c.Penalise(desk.state.cuts[0].entries[0], "points", "2", 1))
    first = desk.play()
    assert sum(int(points) for points in desk.points(1).values()) == 11
    last = first.tables[0].entries[-1]
    desk.do(c.Penalise(last, "points", "2", 2))
    assert sum(int(points) for points in desk.points(1).values()) == 9
    assert sum(int(points) for points in desk.points(0).values()) == 18


def test_points_are_carried_into_a_stage_that_not_all_have_reached() -> None:
    """Opponents who missed the cut still count for the tie-breaks of those who made it, and have no line any more."""
    desk = Desk(event(swiss(rounds=2), swiss(rounds=1, entrants=4, carry=True, cut_ties="lot")))
    desk.gather(8)
    desk.play()
    desk.play()
    before = desk.points(0)
    desk.do(c.MakeCut())
    assert desk.points(1) == {entry: before[entry] for entry in desk.state.cuts[0].entries}
    desk.play()
    assert len(desk.points(1)) == 4
    won = {entry: int(points) - int(before[entry]) for entry, points in desk.points(1).items()}
    assert [won[entry] for entry in sorted(won)] == [5, 3, 2, 1]
