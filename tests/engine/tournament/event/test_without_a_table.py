"""What a round counts for those who did not play in it."""

from engine.tournament import commands as c
from engine.tournament.state import RoundPhase
from tests.kit.tournaments import Desk, event, stage, swiss


def test_a_bye_is_worth_a_win_at_the_tables_of_its_own_stage() -> None:
    """Ten for a win at tables of three, twelve at tables of five."""
    threes = swiss(rounds=1, smallest=3, target=3, largest=3)
    fives = swiss(rounds=1, smallest=5, target=5, largest=5)
    desk = Desk(event(threes, fives, scoring={"scheme": "six-per-seat"}))
    desk.gather(7)
    first = desk.play()
    assert desk.points()[first.drafted.byes[0]] == "10"
    desk.do(c.MakeCut())
    second = desk.play()
    assert {desk.points(1)[entry] for entry in second.drafted.byes} == {"12"}


def test_a_void_table_pays_by_the_tables_of_its_own_stage() -> None:
    desk = Desk(
        event(
            swiss(rounds=1, smallest=3, target=3, largest=3),
            swiss(rounds=1, smallest=5, target=5, largest=5),
            scoring={"scheme": "six-per-seat"},
        )
    )
    desk.gather(6)
    desk.play()
    desk.do(c.MakeCut())
    desk.begin()
    desk.do(c.VoidTable(2, 1, replay=False, points="win"))
    assert desk.round().phase is RoundPhase.CLOSED
    assert desk.points(1)[desk.table(1).entries[0]] == "12"


def test_who_comes_when_the_groups_are_dealt_has_no_wins_without_playing() -> None:
    """Somebody who was not there for the first round of a group has no group: absent, and not a bye every round."""
    desk = Desk(event(stage("groups", smallest=3, target=3, largest=3)))
    desk.gather(10)
    desk.do(c.CheckOut((10,)))
    desk.play()
    desk.do(c.CheckIn((10,)))
    second = desk.play()
    assert (second.drafted.byes, second.absent) == ((), (10,))
    assert desk.points()[10] == "0"
    desk.play()
    desk.play()
    desk.do(c.Finish())
    assert desk.state.final[-1] == (10,)
