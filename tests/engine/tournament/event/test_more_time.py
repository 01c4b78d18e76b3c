"""Clocks that are paused and made longer: nobody waits for nothing, and no time that was given is taken back."""

from engine.kernel.commit import HOUSE
from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.arena import next_look
from engine.tournament.director import CallTimeAt, Director, HurryMatch
from engine.tournament.state import RoundPhase
from tests.kit.given import NOON
from tests.kit.tournaments import SECOND, Desk, event, stage, swiss

MINUTE = 60 * SECOND


def arena(people: int, *before: dict[str, object]) -> Desk:
    """Two hours, games of about half an hour, a table at once when eight wait."""
    hours = stage("arena", horizon_ms=7_200_000, typical_ms=1_800_000)
    desk = Desk(event(*before, {**hours, "entrants": 8} if before else hours))
    desk.gather(people)
    return desk


def look_at(desk: Desk) -> int:
    """When the house looks again, in minutes since noon."""
    look = next_look(desk.state, desk.round())
    assert look is not None
    return (look.at - NOON) // MINUTE


def test_an_arena_that_is_made_longer_goes_on_at_once() -> None:
    """Who waits has waited since it began, however much later it ends now."""
    desk = arena(8)
    desk.draft()
    desk.do(c.PublishRound())
    desk.do(c.StartRound())
    desk.do(c.ExtendClock(3_600_000))
    assert look_at(desk) == 0
    (seated,) = desk.do(c.SeatArena(1), HOUSE)
    assert isinstance(seated, e.ArenaSeated)
    assert sum(len(pod.entries) for pod in seated.pods) >= 4


def test_a_paused_arena_seats_nobody_and_does_not_close() -> None:
    desk = arena(8)
    desk.draft()
    desk.do(c.PublishRound())
    desk.do(c.StartRound())
    desk.passes(60)
    desk.do(c.PauseClock())
    assert next_look(desk.state, desk.round()) is None
    assert Director().resume(desk.state) == ()
    assert desk.refused(c.SeatArena(1), HOUSE) == "nobody_waits"
    desk.passes(600)
    desk.do(c.ResumeClock())
    desk.do(c.SeatArena(1), HOUSE)


def test_an_eighth_of_the_field_are_those_of_the_stage() -> None:
    """Eighty came, eight are left: a table is not kept waiting for ten."""
    desk = arena(80, swiss(rounds=1))
    desk.play()
    desk.do(c.MakeCut())
    desk.draft()
    desk.do(c.PublishRound())
    desk.do(c.StartRound())
    assert look_at(desk) == 0


def test_a_round_that_is_made_longer_gives_time_to_tables_that_had_none_left() -> None:
    desk = Desk(event(swiss(), clocks={"round_ms": 3_600_000, "on_round_end": "call"}))
    desk.gather(8)
    desk.begin()
    desk.passes(3600)
    desk.do(c.CallTime(1, (1, 2)), HOUSE)
    assert hurried(desk) == [0, 0]
    desk.do(c.ExtendClock(600_000))
    assert hurried(desk) == []
    assert CallTimeAt(NOON + 70 * MINUTE, 1, (1, 2)) in Director().resume(desk.state)
    desk.passes(600)
    desk.do(c.CallTime(1, (1, 2)), HOUSE)
    assert hurried(desk) == [600_000, 600_000], "another order than the first one"
    desk.finish_tables()
    assert desk.round().phase is RoundPhase.CLOSED


def hurried(desk: Desk) -> list[int]:
    return [step.extended_ms for step in Director().resume(desk.state) if isinstance(step, HurryMatch)]
