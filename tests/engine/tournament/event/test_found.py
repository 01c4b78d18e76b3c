"""What the fuzzer has found, told plainly. Each was a crash, or a law broken, before it was a test."""

from engine.kernel.commit import HOUSE
from engine.tournament import commands as c
from engine.tournament import events as e
from tests.kit.tournaments import Desk, event, stage, swiss

ARENA = {"horizon_ms": 600_000, "typical_ms": 60_000, "wait_ms": 30_000, "pool": 4}


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


def test_who_has_a_bye_in_a_plan_changes_places_with_who_plays() -> None:
    desk = Desk(event(stage("groups", smallest=2, target=2, largest=2), scoring={"scheme": "win-heavy"}))
    desk.gather(5)
    desk.draft()
    draft = desk.state.draft
    assert draft is not None
    free, plays = draft.byes[0], draft.pods[0].entries[0]
    desk.do(c.SwapInDraft((free, plays)))
    assert desk.state.draft is not None
    assert desk.state.draft.byes == (plays,)
    assert desk.state.draft.pods[0].entries == (free, draft.pods[0].entries[1])


def test_a_table_of_an_arena_is_not_replayed_once_its_people_play_elsewhere() -> None:
    """They would sit at two tables at once."""
    desk = Desk(
        event(stage("arena", smallest=2, target=2, largest=2, **ARENA), scoring={"scheme": "win-heavy"}),
    )
    desk.gather(4)
    desk.begin()
    desk.do(c.SeatArena(1), HOUSE)
    desk.finish_tables()
    desk.passes(60)
    desk.do(c.SeatArena(2), HOUSE)
    assert desk.refused(c.VoidTable(1, 1)) == "too_late_to_replay"
    desk.do(c.VoidTable(1, 1, replay=False))


def test_a_disqualified_player_of_heats_has_the_last_place() -> None:
    desk = Desk(event(stage("heats", rounds=1)))
    desk.gather(6)
    desk.play()
    desk.do(c.Penalise(1, "disqualification"))
    desk.do(c.Finish())
    assert desk.state.final[-1] == (1,)
    assert len(desk.state.final) == 6


def test_who_was_not_there_when_the_groups_were_dealt_is_behind_them() -> None:
    """They are in no group, and yet took part: the final order lost them."""
    desk = Desk(event(stage("groups", smallest=2, target=2, largest=2), scoring={"scheme": "win-heavy"}))
    desk.gather(5)
    desk.do(c.CheckOut((1,)))
    desk.play()
    desk.do(c.CheckIn((1,)))
    desk.do(c.Finish())
    assert [entry for group in desk.state.final for entry in group][-1] == 1
    assert sum(map(len, desk.state.final)) == 5


def test_an_elimination_whose_byes_do_not_fit_the_field_does_not_begin() -> None:
    """It was found out after the first round, and then there was no way on."""
    desk = Desk(event(stage("elimination", smallest=3, target=3, largest=3, final=3, byes_to=9)))
    desk.gather(10)
    assert desk.refused(desk.next_draft()) == "byes_do_not_fit"


def test_a_field_no_larger_than_the_byes_lead_to_begins_without_them() -> None:
    desk = Desk(event(stage("elimination", byes_to=16)))
    desk.gather(12)
    assert [len(table.entries) for table in desk.play().tables] == [4, 4, 4]
    assert [len(table.entries) for table in desk.play().tables] == [4]
    desk.do(c.Finish())
    assert desk.state.final[0] == (1,)


def test_those_whose_planned_tables_are_given_up_sit_at_tables_of_the_right_size() -> None:
    """Three whose partners have gone made one table of three, where only two may sit."""
    pairs = stage("planned", rounds=2, smallest=2, target=2, largest=2)
    desk = Desk(event(pairs, scoring={"scheme": "win-heavy"}))
    desk.gather(8)
    desk.play()
    desk.draft()
    draft = desk.state.draft
    assert draft is not None
    for pod in draft.pods[:3]:
        desk.do(c.Drop(pod.entries[0]))
    desk.draft()
    assert desk.state.draft is not None
    assert [len(pod.entries) for pod in desk.state.draft.pods] == [2, 2]
    assert len(desk.state.draft.byes) == 1


def test_a_referee_names_all_who_go_on_also_those_who_do_anyhow() -> None:
    """Two of each table go on, and the second place is shared: to name both was refused, to name one as well."""
    desk = Desk(event(stage("elimination", advance=2, on_draw="referee", final=4)))
    desk.gather(8)
    desk.play(lambda entry: 9 if entry < 3 else 5)
    assert desk.refused(desk.next_draft()) == "survivors_undecided"
    going = set()
    for table in desk.round().tables:
        names = (min(table.entries), max(table.entries))
        desk.do(c.NameSurvivors(1, table.number, names))
        going |= set(names)
    assert set(desk.play().tables[0].entries) == going


def test_a_referee_names_the_one_winner_of_a_table_that_plays_for_byes() -> None:
    """Where later two go on, one does here."""
    desk = Desk(event(stage("elimination", smallest=4, advance=2, byes_to=8, on_draw="referee")))
    desk.gather(14)
    desk.play(lambda entry: 5)
    for table in desk.round().tables:
        desk.do(c.NameSurvivors(1, table.number, (max(table.entries),)))
    assert {13, 14} <= {entry for table in desk.play().tables for entry in table.entries}
