"""What went wrong on a newcomer's first evening as an organiser."""

from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.ranking import ranking
from tests.kit.tournaments import Desk, event, stage, swiss


def test_who_only_waits_has_no_points_and_stops_nobody() -> None:
    """A late comer on the waiting list was given the award of a round that he was not in, and no standings followed."""
    late = {"cap": 4, "waiting_list": True, "check_in": False, "late_until": 2}
    desk = Desk(event(swiss(rounds=2), registration=late))
    desk.gather(4)
    desk.begin()
    (waits,) = desk.do(c.Register(("late",)))
    assert isinstance(waits, e.Registered)
    assert waits.waiting
    desk.finish_tables()
    assert [line.entry for line in ranking(desk.state, 0).lines] == [1, 2, 3, 4]
    desk.play()
    desk.do(c.Finish())


def cut_of_four() -> Desk:
    desk = Desk(
        event(swiss(rounds=1, first_round="seed"), stage("elimination", entrants=4, smallest=3, cut_ties="lot"))
    )
    desk.gather(8)
    desk.play()
    desk.do(c.MakeCut())
    return desk


def test_a_finalist_who_goes_leaves_the_place_to_the_next_in_line() -> None:
    desk = cut_of_four()
    cut = desk.state.cuts[-1]
    goes, comes = cut.entries[1], cut.in_line[0]
    assert desk.do(c.Drop(goes)) == (e.Dropped(goes), e.PlaceDeclined(goes, comes))
    assert comes in desk.state.cuts[-1].entries
    disqualified = desk.state.cuts[-1].entries[0]
    given, declined = desk.do(c.Penalise(disqualified, "disqualification"))
    assert isinstance(given, e.PenaltyGiven)
    assert declined == e.PlaceDeclined(disqualified, cut.in_line[1])
    desk.play()
    desk.do(c.Finish())
    assert desk.state.final[0][0] in desk.state.cuts[-1].entries


def test_a_final_with_fewer_than_it_takes_is_played_all_the_same() -> None:
    desk = Desk(event(swiss(rounds=1, smallest=3), stage("elimination", entrants=4, smallest=3, cut_ties="lot")))
    desk.gather(4)
    desk.play()
    desk.do(c.MakeCut())
    desk.do(c.Drop(desk.state.cuts[-1].entries[0]))
    desk.play()
    assert len(desk.round().tables[0].entries) == 3
    desk.do(c.Finish())


def test_an_event_that_ends_before_its_final_keeps_the_order_of_the_stage_that_was_played() -> None:
    desk = cut_of_four()
    order = desk.order()
    desk.do(c.Finish())
    assert tuple(entry for group in desk.state.final for entry in group) == order


def test_a_penalty_costs_nobody_else_a_tie_break() -> None:
    desk = Desk(event(swiss(rounds=2)))
    desk.gather(8)
    desk.play()
    before = {line.entry: dict(line.keys)["SOS"] for line in ranking(desk.state, 0).lines}
    desk.do(c.Penalise(3, "points", "2"))
    assert {line.entry: dict(line.keys)["SOS"] for line in ranking(desk.state, 0).lines} == before


def test_the_same_bot_does_not_enter_twice() -> None:
    desk = Desk(event(swiss()))
    desk.do(c.OpenRegistration())
    desk.do(c.Register(("bot:greedy:1", "bot:greedy:2")))
    assert desk.refused(c.Register(("bot:greedy:1",))) == "registered_twice"


def test_a_swap_says_whom_it_takes_from_their_table() -> None:
    desk = Desk(event(swiss()))
    desk.gather(8)
    desk.do(c.FixTable(8, 1))
    desk.draft()
    assert desk.state.draft is not None
    assert desk.state.draft.quality.misplaced == 0
    other = next(pod.entries[0] for pod in desk.state.draft.pods if 8 not in pod.entries)
    (edited,) = desk.do(c.SwapInDraft((8, other)))
    assert isinstance(edited, e.DraftEdited)
    assert edited.quality.misplaced == 1
