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
