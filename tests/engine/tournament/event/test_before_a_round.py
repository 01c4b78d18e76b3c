"""Who may still change what before a round is played: a draft that stays, a first round that is cancelled, a place
that becomes free.
"""

from engine.kernel.commit import HOUSE
from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.director import Director, VacateSeats
from engine.tournament.state import Phase, Standing
from tests.kit.tournaments import Desk, event, swiss


def drafted(**sections: object) -> Desk:
    desk = Desk(event(swiss(), **sections))  # type: ignore[arg-type]  # sections of one form
    desk.gather(8)
    desk.draft()
    return desk


def test_checking_in_twice_does_not_throw_the_draft_away() -> None:
    desk = drafted()
    assert desk.do(c.CheckIn((3,)), "player:3") == (e.Commented(),)
    assert desk.state.draft is not None
    desk.do(c.CheckOut((3,)), "player:3")
    assert desk.state.draft is None


def test_a_warning_does_not_throw_the_draft_away_and_points_do() -> None:
    desk = drafted()
    desk.do(c.Penalise(3, "warning"))
    assert desk.state.draft is not None
    desk.do(c.Penalise(3, "points", "1"))
    assert desk.state.draft is None


def test_after_the_first_round_is_cancelled_all_is_as_before_it() -> None:
    """Seeds that were wrong, somebody who should not have been in it: it is put right, and the round is drawn again."""
    desk = drafted()
    desk.begin()
    assert desk.refused(c.SetSeeds((8, 1))) == desk.refused(c.Withdraw(4)) == "has_begun"
    desk.do(c.CancelRound())
    assert desk.state.phase is Phase.READY
    assert all(isinstance(step, VacateSeats) for step in Director().resume(desk.state))
    assert len(Director().resume(desk.state)) == 2
    assert desk.refused(c.Finish()) == "not_running"
    assert desk.refused(c.Drop(4)) == "not_begun"
    desk.do(c.SetSeeds((8, 1)))
    desk.do(c.Withdraw(4))
    desk.do(c.OpenRegistration())
    desk.do(c.Register(("p9",)))
    desk.do(c.CheckIn((9,)))
    desk.do(c.CloseRegistration())
    played = desk.play()
    assert played.number == 2
    assert {entry for table in played.tables for entry in table.entries} == {1, 2, 3, 5, 6, 7, 8, 9}


def test_a_second_round_that_is_cancelled_does_not_undo_the_first() -> None:
    desk = drafted()
    desk.play()
    desk.begin()
    desk.do(c.CancelRound())
    assert desk.state.phase is Phase.RUNNING
    assert desk.refused(c.SetSeeds((8, 1))) == "has_begun"


def test_a_cancelled_round_takes_nothing_from_the_time_for_late_entrants() -> None:
    desk = drafted(registration={"late_until": 2})
    desk.play()
    desk.begin()
    desk.do(c.CancelRound())
    assert desk.do(c.Register(("late",))) == (e.Registered(9, ("late",), True, False, 3),)
    desk.draft()
    desk.do(c.PublishRound())
    assert desk.refused(c.Register(("later",))) == "too_late"


def waiting(**registration: object) -> Desk:
    """Eight have places, the ninth and tenth wait."""
    desk = Desk(event(swiss(), registration={"cap": 8, **registration}))
    desk.gather(10)
    return desk


def test_nobody_overtakes_those_who_wait() -> None:
    """A place has become free by a disqualification; whoever comes now stands behind those who were there before."""
    desk = waiting()
    desk.do(c.Penalise(1, "disqualification"))
    desk.do(c.OpenRegistration())
    desk.do(c.Register(("p11",)))
    assert [each.standing for each in desk.state.entrants] == [
        Standing.DISQUALIFIED,
        *[Standing.IN] * 7,
        *[Standing.WAITING] * 3,
    ]
    desk.do(c.CloseRegistration())
    assert desk.do(c.Admit(9)) == (e.Admitted(9, 1),)
    assert desk.refused(c.Admit(10)) == "event_full"
    assert desk.refused(c.Admit(9)) == "not_waiting"
    assert desk.refused(c.Admit(12)) == "unknown_entrant"
    assert desk.refused(c.Admit(10), HOUSE) == desk.refused(c.Admit(10), "player:10") == "not_yours_to_do"


def test_who_waits_may_come_late_when_somebody_drops() -> None:
    desk = waiting(late_until=2)
    desk.play()
    desk.do(c.Drop(1))
    assert desk.do(c.Admit(9)) == (e.Admitted(9, 2),)
    desk.do(c.CheckIn((9,)))
    assert 9 in {entry for table in desk.play().tables for entry in table.entries}
    desk.do(c.Drop(2))
    assert desk.refused(c.Admit(10)) == "too_late"
