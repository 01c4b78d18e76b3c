"""What the house owes an event: given what has happened, these steps, and the same ones however often it asks."""

from engine.kernel.commit import HOUSE
from engine.tournament import commands as c
from engine.tournament.director import (
    AbandonMatch,
    AwaitResult,
    CallTimeAt,
    Director,
    ExpectPlayers,
    HoldMatch,
    HurryMatch,
    LookAtArena,
    OpenTable,
    Step,
    VacateSeats,
)
from tests.kit.given import NOON
from tests.kit.tournaments import SECOND, Desk, event, stage, swiss

GAME = "memcel"


def owed(desk: Desk) -> tuple[Step, ...]:
    """The steps; a reader who has crashed finds the same."""
    steps = Director().resume(desk.state)
    assert Director().resume(desk.refolded().state) == steps
    return steps


def test_nothing_is_owed_before_a_round_is_published() -> None:
    desk = Desk(event(swiss()))
    assert owed(desk) == ()
    desk.gather(4)
    desk.draft()
    assert owed(desk) == ()


def test_tables_of_a_published_round_are_opened_and_then_awaited() -> None:
    desk = Desk(event(swiss(options={GAME: {"pairs": 8}})))
    desk.gather(7)
    desk.draft()
    desk.do(c.PublishRound())
    first, second = desk.round().tables
    assert owed(desk) == tuple(
        OpenTable(
            1,
            table.number,
            1,
            f"cup-r1-t{table.index}",
            GAME,
            {"pairs": 8},
            tuple(f"p{entry}" for entry in table.entries),
        )
        for table in (first, second)
    )
    desk.do(c.StartRound())
    desk.do(c.TellOpened(1, (1,)), HOUSE)
    assert owed(desk)[0] == AwaitResult(1, 1, "cup-r1-t1")
    assert isinstance(owed(desk)[1], OpenTable)
    desk.do(desk.score(1, *range(len(first.entries))), HOUSE)
    assert [type(step) for step in owed(desk)] == [OpenTable]
    desk.do(c.TellOpened(1, (2,)), HOUSE)
    desk.do(desk.score(2, *range(len(second.entries))), HOUSE)
    assert owed(desk) == ()


def test_the_tables_of_a_duplicate_round_are_dealt_alike_and_a_replay_is_not() -> None:
    desk = Desk(event(swiss(duplicate=True)))
    desk.gather(8)
    desk.begin()
    desk.do(c.CancelRound())
    desk.draft()
    desk.do(c.PublishRound())
    opened = [step for step in owed(desk) if isinstance(step, OpenTable)]
    assert [(step.group, step.deal) for step in opened] == [("cup-r2", 2)] * 2
    desk.do(c.VoidTable(2, 1))
    again = next(step for step in owed(desk) if isinstance(step, OpenTable) and step.table == 1)
    assert (again.match, again.attempt, again.group, again.deal) == ("cup-r2-t1-x2", 2, "", 0)


def test_a_table_of_a_deal_that_does_not_play_is_opened_all_the_same() -> None:
    """Else the deal would never be complete, and no table of the round would ever have a result."""
    desk = Desk(event(swiss(rounds=1, duplicate=True)))
    desk.gather(8)
    desk.draft()
    desk.do(c.PublishRound())
    first, second = owed(desk)
    assert isinstance(second, OpenTable)
    desk.do(c.VoidTable(1, 2, replay=False))
    assert owed(desk) == (first, AbandonMatch(second))
    desk.do(c.CancelRound())
    assert isinstance(first, OpenTable)
    assert owed(desk) == (AbandonMatch(first), AbandonMatch(second))


def test_the_match_of_a_table_of_a_deal_that_is_replayed_stays_in_the_deal() -> None:
    desk = Desk(event(swiss(rounds=1, duplicate=True)))
    desk.gather(8)
    desk.begin()
    desk.do(c.VoidTable(1, 2, replay=True))
    abandoned, again = (step for step in owed(desk) if isinstance(step, AbandonMatch | OpenTable))
    assert isinstance(abandoned, AbandonMatch)
    assert (abandoned.opening.match, abandoned.opening.group, abandoned.opening.deal) == ("cup-r1-t2", "cup-r1", 2)
    assert isinstance(again, OpenTable)
    assert (again.match, again.group) == ("cup-r1-t2-x2", "")


def test_a_replay_empties_the_old_match_and_opens_another() -> None:
    desk = Desk(event(swiss()))
    desk.gather(4)
    desk.play()
    desk.do(c.VoidTable(1, 1))
    vacated, opened = owed(desk)
    assert vacated == VacateSeats("cup-r1-t1", GAME, (0, 1, 2, 3))
    assert isinstance(opened, OpenTable)
    assert opened.match == "cup-r1-t1-x2"


def test_a_void_table_and_a_cancelled_round_empty_their_matches() -> None:
    desk = Desk(event(swiss()))
    desk.gather(8)
    desk.begin()
    desk.do(c.VoidTable(1, 2, replay=False))
    assert owed(desk) == (
        AwaitResult(1, 1, "cup-r1-t1"),
        VacateSeats("cup-r1-t2", GAME, (0, 1, 2, 3)),
    )
    desk.do(c.CancelRound())
    assert owed(desk) == (
        VacateSeats("cup-r1-t1", GAME, (0, 1, 2, 3)),
        VacateSeats("cup-r1-t2", GAME, (0, 1, 2, 3)),
    )


def test_a_result_of_the_referee_empties_the_match_that_still_plays() -> None:
    desk = Desk(event(swiss()))
    desk.gather(4)
    desk.begin()
    seated = desk.score(1, 4, 3, 2, 1).seated
    desk.do(c.Adjudicate(1, 1, seated))
    assert owed(desk) == (VacateSeats("cup-r1-t1", GAME, (0, 1, 2, 3)),)


def test_the_seat_of_a_no_show_is_emptied_and_the_table_plays_on() -> None:
    desk = Desk(event(swiss()))
    desk.gather(4)
    desk.begin()
    gone = desk.table(1).entries[2]
    desk.do(c.MarkNoShow(1, 1, gone), HOUSE)
    assert owed(desk) == (AwaitResult(1, 1, "cup-r1-t1"), VacateSeats("cup-r1-t1", GAME, (2,)))
    desk.do(desk.score(1, 3, 2, 1), HOUSE)
    assert desk.points()[gone] == "0"


def test_whoever_has_not_moved_by_then_is_expected_in_seat_order() -> None:
    desk = Desk(event(swiss(), clocks={"no_show_ms": 600_000}))
    desk.gather(4)
    desk.begin()
    expected = ExpectPlayers(NOON + 600 * SECOND, 1, 1, "cup-r1-t1", desk.table(1).entries)
    assert owed(desk) == (AwaitResult(1, 1, "cup-r1-t1"), expected)


def test_time_is_called_where_it_runs_out_and_later_where_more_was_given() -> None:
    desk = Desk(event(swiss(), clocks={"round_ms": 60_000, "on_round_end": "call"}))
    desk.gather(8)
    desk.begin()
    ends = NOON + 60 * SECOND
    assert owed(desk)[-1] == CallTimeAt(ends, 1, (1, 2))
    assert desk.refused(c.CallTime(1, (1,)), HOUSE) == "not_yet"
    desk.do(c.ExtendClock(30_000, 2))
    assert owed(desk)[-2:] == (CallTimeAt(ends, 1, (1,)), CallTimeAt(ends + 30 * SECOND, 1, (2,)))
    desk.passes(60)
    assert desk.refused(c.CallTime(1, (1, 2)), HOUSE) == "not_yet"
    desk.do(c.CallTime(1, (1,)), HOUSE)
    assert owed(desk) == (
        AwaitResult(1, 1, "cup-r1-t1"),
        HurryMatch("cup-r1-t1", GAME, 0),
        AwaitResult(1, 2, "cup-r1-t2"),
        CallTimeAt(ends + 30 * SECOND, 1, (2,)),
    )
    desk.do(c.ExtendClock(90_000, 1))
    assert owed(desk)[-1] == CallTimeAt(ends + 90 * SECOND, 1, (1,))
    assert not any(isinstance(step, HurryMatch) for step in owed(desk))


def test_matches_stand_still_with_the_clock_and_go_on_with_it() -> None:
    desk = Desk(event(swiss(), clocks={"round_ms": 60_000}))
    desk.gather(4)
    desk.begin()
    desk.passes(20)
    desk.do(c.PauseClock())
    assert desk.round().left_ms == 40_000
    assert owed(desk) == (AwaitResult(1, 1, "cup-r1-t1"), HoldMatch("cup-r1-t1", GAME, 1, held=True))
    desk.passes(1_000)
    desk.do(c.ExtendClock(5_000))
    desk.do(c.ResumeClock())
    assert owed(desk) == (
        AwaitResult(1, 1, "cup-r1-t1"),
        HoldMatch("cup-r1-t1", GAME, 1, held=False),
        CallTimeAt(NOON + 1_065 * SECOND, 1, (1,)),
    )
    assert desk.refused(c.ResumeClock()) == "no_clock"


def test_the_house_looks_at_an_arena_when_somebody_must_be_seated_and_when_it_ends() -> None:
    arena = stage("arena", horizon_ms=600_000, typical_ms=60_000, wait_ms=120_000, pool=6)
    desk = Desk(event(arena))
    desk.gather(5)
    desk.begin()
    assert owed(desk) == (LookAtArena(NOON + 120 * SECOND, 1, 1, closes=False),)
    assert desk.refused(c.SeatArena(1), HOUSE) == "nobody_waits"
    desk.passes(120)
    desk.do(c.SeatArena(1), HOUSE)
    assert [type(step) for step in owed(desk)] == [OpenTable]
    assert desk.refused(c.SeatArena(1), HOUSE) == "not_yet"
    desk.passes(400)
    desk.finish_tables()
    desk.do(c.SeatArena(2), HOUSE)
    desk.passes(10)
    desk.finish_tables()
    assert owed(desk) == (LookAtArena(NOON + 600 * SECOND, 1, 3, closes=True),)
    assert desk.refused(c.CloseArena(), HOUSE) == "not_yet"
    desk.passes(70)
    desk.do(c.CloseArena(), HOUSE)
    assert owed(desk) == ()
