"""Who takes part: the cap and the waiting list, late entry, the check-in, and who may ask for what."""

import pytest

from engine.kernel.commit import HOUSE
from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.state import Standing
from tests.kit.tournaments import ANA, Desk, event, swiss


def standings(desk: Desk) -> str:
    return "".join(each.standing.value[0] for each in desk.state.entrants)


def test_those_beyond_the_cap_wait_in_the_order_in_which_they_came() -> None:
    desk = Desk(event(swiss(), registration={"cap": 3}))
    desk.do(c.OpenRegistration())
    assert desk.do(c.Register(("a", "b", "c", "d"))) == (
        e.Registered(1, ("a", "b", "c"), True, False, 1),
        e.Registered(4, ("d",), True, True, 1),
    )
    assert desk.do(c.Register(("e",))) == (e.Registered(5, ("e",), True, True, 1),)
    assert desk.do(c.Withdraw(2)) == (e.Withdrawn(2), e.Admitted(4, 1))
    assert desk.do(c.Withdraw(5)) == (e.Withdrawn(5),)
    assert desk.do(c.Withdraw(1)) == (e.Withdrawn(1),)
    assert desk.do(c.Register(("f",))) == (e.Registered(6, ("f",), True, False, 1),)
    assert standings(desk) == "wwiiwi"
    assert desk.refused(c.Withdraw(1)) == "not_in"


def test_without_a_waiting_list_those_beyond_the_cap_are_refused_together() -> None:
    desk = Desk(event(swiss(), registration={"cap": 3, "waiting_list": False}))
    desk.do(c.OpenRegistration())
    assert desk.refused(c.Register(("a", "b", "c", "d"))) == "event_full"
    desk.do(c.Register(("a", "b", "c")))
    assert desk.refused(c.Register(("d",))) == "event_full"
    desk.do(c.Register(("house",), ranked=False))


def test_nobody_is_entered_twice_and_who_withdrew_may_come_again() -> None:
    desk = Desk(event(swiss()))
    assert desk.refused(c.Register(("a",))) == "registration_closed"
    desk.do(c.OpenRegistration())
    assert desk.refused(c.Register(("a", "a"))) == "registered_twice"
    desk.do(c.Register(("a",)))
    assert desk.refused(c.Register(("b", "a"))) == "registered_twice"
    desk.do(c.Withdraw(1))
    assert desk.do(c.Register(("a",))) == (e.Registered(2, ("a",), True, False, 1),)


@pytest.mark.parametrize("bad", [(), ("",), ("x" * 201,), ("tab\t",)])
def test_a_player_has_a_printable_id(bad: tuple[str, ...]) -> None:
    desk = Desk(event(swiss()))
    desk.do(c.OpenRegistration())
    assert desk.refused(c.Register(bad)) == "bad_player"


@pytest.mark.parametrize("late_until", range(4))
def test_late_entrants_begin_with_the_next_round_until_the_last_that_is_allowed(late_until: int) -> None:
    desk = Desk(event(swiss(3), registration={"late_until": late_until}))
    desk.gather(8)
    for number in range(1, 4):
        if number <= late_until:
            assert desk.do(c.Register((f"late-{number}",))) == (
                e.Registered(8 + number, (f"late-{number}",), True, False, number),
            )
            desk.do(c.CheckIn((8 + number,)))
        else:
            assert desk.refused(c.Register((f"late-{number}",))) in ("too_late", "registration_closed")
        seated = [entry for table in desk.play().tables for entry in table.entries]
        assert sorted(seated) == list(range(1, 9 + min(number, late_until)))


def test_only_those_who_have_checked_in_are_paired() -> None:
    desk = Desk(event(swiss()))
    desk.do(c.OpenRegistration())
    desk.do(c.Register(tuple("abcdefgh")))
    assert desk.refused(c.CheckIn((1,)), "player:1") == "check_in_closed"
    desk.do(c.OpenCheckIn())
    assert desk.refused(c.OpenCheckIn()) == "check_in_open"
    for entry in range(1, 5):
        assert desk.do(c.CheckIn((entry,)), f"player:{entry}") == (e.CheckedIn((entry,)),)
    assert desk.do(c.CheckIn((1,)), "player:1") == (e.Commented(),)
    desk.do(c.CloseCheckIn())
    desk.do(c.CloseRegistration())
    desk.begin()
    assert sorted(desk.table(1).entries) == [1, 2, 3, 4]
    assert desk.round().absent == (5, 6, 7, 8)
    desk.do(c.CheckIn(tuple(range(5, 9))))
    desk.finish_tables()
    assert len(desk.begin().tables) == 2


def test_who_drops_keeps_what_was_played_and_comes_back_with_it() -> None:
    desk = Desk(event(swiss(3)))
    desk.gather(8)
    assert desk.refused(c.Drop(1)) == "not_begun"
    desk.play()
    desk.do(c.Drop(1), "player:1")
    assert desk.points()[1] == "5"
    seven = desk.play()
    assert 1 not in {entry for table in seven.tables for entry in table.entries}
    assert seven.absent == ()
    assert desk.do(c.Return(1)) == (e.Returned(1),)
    desk.play()
    assert desk.points()[1] == "10"
    assert desk.refused(c.Return(1)) == "not_dropped"


ASKED: tuple[tuple[c.Command, str], ...] = (
    (c.CheckIn((1,)), "organiser player:1"),
    (c.CheckOut((1,)), "organiser player:1"),
    (c.CheckIn(), "organiser"),
    (c.CheckOut((1, 2)), "organiser"),
    (c.Drop(1), "organiser player:1"),
    (c.Dispute(1, 1), "organiser player:at-table"),
    (c.Register(("z",)), "organiser"),
    (c.Penalise(1, "warning"), "organiser"),
    (c.PublishRound(), "organiser"),
    (c.Finish(), "organiser"),
    (c.Comment("Hello."), "organiser"),
    (c.MarkNoShow(1, 1, 1), "organiser house"),
    (c.ReportResult(1, 1, ()), "organiser house"),
    (c.CloseArena(), "organiser house"),
    (c.TellOpened(1, (1,)), "house"),
    (c.CallTime(1, (1,)), "house"),
    (c.SeatArena(1), "house"),
)


@pytest.mark.parametrize(("command", "allowed"), ASKED, ids=[command.name for command, _ in ASKED])
def test_everybody_may_ask_for_what_is_theirs(command: c.Command, allowed: str) -> None:
    """Whoever may ask is answered; what the answer is depends on the event, and is not asked here."""
    desk = Desk(event(swiss()))
    desk.gather(8)
    desk.play()
    at_table = desk.table(1).entries
    away = desk.table(2).entries
    actors = {
        "organiser": ANA,
        "house": HOUSE,
        "player:1": "player:1",
        "player:2": "player:2",
        "player:at-table": f"player:{at_table[0]}",
        "player:away": f"player:{away[0]}",
        "player:01": "player:01",
        "nobody": "",
    }
    may = set(allowed.split())
    if isinstance(command, c.Dispute):
        may |= {name for name in ("player:1", "player:2") if int(actors[name].removeprefix("player:")) in at_table}
    else:
        may |= {name for name, actor in actors.items() if "player:1" in may and actor == "player:1"}
    for name, actor in actors.items():
        request = desk.request(command, actor)
        try:
            desk.ledger.propose(request)
            code = ""
        except Exception as refusal:  # only refusals have a code
            code = refusal.code  # type: ignore[attr-defined]  # refusals have codes
        assert (code == "not_yours_to_do") == (name not in may), f"{name}: {code or 'accepted'}"


def test_the_disqualified_are_out_until_it_is_revoked() -> None:
    desk = Desk(event(swiss(3)))
    desk.gather(8)
    desk.play()
    assert desk.do(c.Penalise(1, "disqualification")) == (e.PenaltyGiven(1, 1, "disqualification", "0", 1),)
    assert desk.state.entrants[0].standing is Standing.DISQUALIFIED
    assert desk.order()[-1] == 1
    assert desk.refused(c.CheckIn((1,))) == "not_in"
    assert desk.refused(c.Return(1)) == "not_dropped"
    desk.do(c.RevokePenalty(1))
    assert desk.refused(c.RevokePenalty(1)) == "penalty_revoked"
    assert desk.order()[0] == 1


@pytest.mark.parametrize(
    ("kind", "points", "code"),
    [
        ("points", "0", "bad_points"),
        ("points", "-1", "bad_points"),
        ("points", "2/4", "bad_points"),
        ("warning", "1", "bad_points"),
        ("flogging", "0", "bad_penalty"),
    ],
)
def test_a_penalty_that_cannot_be_is_refused(kind: str, points: str, code: str) -> None:
    desk = Desk(event(swiss()))
    desk.gather(4)
    desk.play()
    assert desk.refused(c.Penalise(1, kind, points)) == code


def test_a_table_loss_puts_the_loser_last_and_lifts_the_others() -> None:
    desk = Desk(event(swiss()))
    desk.gather(4)
    desk.play()
    desk.do(c.Penalise(1, "table_loss"))
    assert desk.points() == {1: "1", 2: "5", 3: "3", 4: "2"}
