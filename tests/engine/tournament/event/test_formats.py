"""Every format from its first draft to its final order, through commands alone."""

from itertools import combinations

import pytest

from engine.kernel.commit import HOUSE
from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.played import Entry
from engine.tournament.record import byes_had, met, seats_taken, short_tables
from engine.tournament.state import RoundPhase
from tests.kit.tournaments import Desk, event, lower_is_better, stage, swiss


def fields(desk: Desk) -> list[list[int]]:
    """The sizes of the tables of every round, and of its byes at the end."""
    return [
        [*sorted((len(table.entries) for table in played.tables), reverse=True), -len(played.drafted.byes)]
        for played in desk.state.rounds
    ]


@pytest.mark.parametrize(
    ("count", "advance", "sizes"),
    [
        (12, 1, [[4, 4, 4, 0], [3, 0]]),
        (16, 1, [[4, 4, 4, 4, 0], [4, 0]]),
        (16, 2, [[4, 4, 4, 4, 0], [4, 4, 0], [4, 0]]),
        (27, 2, [[4, 4, 4, 4, 4, 4, 3, 0], [4, 4, 3, 3, 0], [4, 4, 0], [4, 0]]),
    ],
)
def test_an_elimination_comes_down_to_one_table(count: int, advance: int, sizes: list[list[int]]) -> None:
    final = sizes[-1][0]
    desk = Desk(event(stage("elimination", advance=advance, final=final)))
    desk.gather(count)
    for _ in sizes:
        desk.play()
    assert desk.refused(desk.next_draft()) == "stage_over"
    desk.do(c.Finish())
    assert fields(desk) == sizes
    order = [entry for group in desk.state.final for entry in group]
    assert order[0] == 1
    assert sorted(order) == list(range(1, count + 1))
    assert sorted(order[:final]) == sorted(desk.round().tables[0].entries)


def test_sixteen_seeds_are_spread_by_the_snake() -> None:
    desk = Desk(event(stage("elimination")))
    desk.gather(16)
    desk.draft()
    assert desk.state.draft is not None
    pods = {frozenset(pod.entries) for pod in desk.state.draft.pods}
    assert pods == {frozenset(pod) for pod in ((1, 8, 9, 16), (2, 7, 10, 15), (3, 6, 11, 14), (4, 5, 12, 13))}


@pytest.mark.parametrize(
    ("count", "byes_to", "byes", "tables"), [(7, 4, 3, 1), (10, 4, 2, 2), (13, 4, 1, 3), (40, 16, 8, 8)]
)
def test_the_best_seeds_have_a_bye_into_the_next_round(count: int, byes_to: int, byes: int, tables: int) -> None:
    desk = Desk(event(stage("elimination", smallest=4, byes_to=byes_to)))
    desk.gather(count)
    first = desk.play()
    assert first.drafted.byes == tuple(range(1, byes + 1))
    assert [len(table.entries) for table in first.tables] == [4] * tables
    second = desk.play()
    assert sum(len(table.entries) for table in second.tables) == byes_to
    winners = {min(table.entries) for table in first.tables}
    assert {entry for table in second.tables for entry in table.entries} == {*range(1, byes + 1), *winners}
    while len(desk.round().tables) > 1:
        desk.play()
    desk.do(c.Finish())
    assert desk.state.final[0] == (1,)


def test_a_drawn_table_waits_for_the_referee_where_the_event_says_so() -> None:
    desk = Desk(event(stage("elimination", target=3, largest=3, final=3, on_draw="referee")))
    desk.gather(9)
    desk.play(lambda entry: 0 if entry in (1, 2, 3) else 10)
    assert desk.refused(desk.next_draft()) == "survivors_undecided"
    for table in desk.round().tables:
        assert desk.refused(c.NameSurvivors(1, table.number, (99,))) == "bad_entries"
        desk.do(c.NameSurvivors(1, table.number, (max(table.entries),)))
    chosen = {max(table.entries) for table in desk.round(1).tables}
    assert set(desk.play().tables[0].entries) == chosen


def test_nine_in_a_group_meet_exactly_once() -> None:
    desk = Desk(event(stage("groups", target=3, largest=3)))
    desk.gather(9)
    for _ in range(4):
        desk.play()
    assert desk.refused(desk.next_draft()) == "stage_over"
    assert met(desk.state) == dict.fromkeys(combinations(range(1, 10), 2), 1)


def test_the_firsts_of_all_groups_are_before_all_seconds_and_make_the_cut() -> None:
    groups = stage("groups", smallest=2, target=2, largest=2, group_size=4)
    desk = Desk(event(groups, swiss(1, entrants=4, smallest=2), scoring={"scheme": "win-heavy"}))
    desk.gather(8)
    for _ in range(3):
        desk.play()
    one, other = {1, 4, 5, 8}, {2, 3, 6, 7}
    assert all(set(pair) <= one or set(pair) <= other for pair in met(desk.state))
    assert desk.order()[:4] == (1, 2, 3, 4)
    assert desk.do(c.MakeCut()) == (e.CutMade(1, (1, 2, 3, 4), (5, 6, 7, 8)),)
    assert sorted(desk.play().tables[0].entries) == [1, 2, 3, 4]


def test_heats_seat_those_who_have_entered_and_rank_by_wins_and_places() -> None:
    desk = Desk(event(stage("heats", rounds=3)))
    desk.gather(8)
    assert desk.refused(c.EnterHeats(1, (4,))) == "bad_heats"
    desk.do(c.EnterHeats(1, (1,)), "player:1")
    for entry in (5, 6, 7, 8):
        desk.do(c.EnterHeats(entry, (2, 3)))
    seated = [sorted(entry for table in desk.play().tables for entry in table.entries) for _ in range(3)]
    assert seated == [[1, 2, 3, 4], [2, 3, 4, 5, 6, 7, 8], [2, 3, 4, 5, 6, 7, 8]]
    finishes: dict[Entry, list[int]] = {}
    for played in desk.state.rounds:
        for table in played.tables:
            assert table.result is not None
            for seat in table.result.seated:
                finishes.setdefault(seat.entry, []).append(seat.place)

    def worth(entry: Entry) -> tuple[int, int]:
        places = finishes[entry]
        return places.count(1), sum((1000, 100, 10, 1)[place - 1] for place in places)

    order = desk.order()
    assert sorted(order) == list(range(1, 9))
    assert [worth(entry) for entry in order] == sorted(map(worth, order), reverse=True)


def test_an_arena_seats_until_its_horizon_and_its_last_game_counts() -> None:
    desk = Desk(event(stage("arena", horizon_ms=1_800_000, typical_ms=300_000, wait_ms=60_000)))
    desk.gather(9)
    desk.begin()
    assert len(desk.round().tables) == 0
    desk.do(c.SeatArena(1), HOUSE)
    desk.passes(1_450)
    desk.finish_tables()
    desk.do(c.SeatArena(2), HOUSE)
    desk.passes(400)
    assert desk.refused(c.CloseArena(), HOUSE) == "round_open"
    assert desk.refused(c.SeatArena(3), HOUSE) == "nobody_waits"
    before = desk.points()
    desk.finish_tables()
    assert desk.round().phase is RoundPhase.RUNNING
    desk.do(c.CloseArena(), HOUSE)
    after = desk.points()
    tables = [table for table in desk.round().tables if table.result is not None]
    for entry in range(1, 10):
        places = [seat.place for table in tables if table.result for seat in table.result.seated if seat.entry == entry]
        sizes = [len(table.entries) for table in tables if entry in table.entries]
        rows = {3: (5, 3, 1), 4: (5, 3, 2, 1)}
        assert int(after[entry]) == sum(rows[size][place - 1] for size, place in zip(sizes, places, strict=True))
    assert set(before.values()) == {"0"}
    desk.do(c.Finish())
    best = max(map(int, after.values()))
    assert int(after[desk.state.final[0][0]]) == best


def test_a_planned_stage_keeps_its_plan_when_somebody_goes() -> None:
    desk = Desk(event(stage("planned", rounds=5, smallest=3)))
    desk.gather(16)
    desk.play()
    desk.play()
    assert set(met(desk.state).values()) == {1}
    desk.do(c.Drop(16))
    for _ in range(3):
        desk.play()
    assert set(met(desk.state).values()) == {1}
    assert [sum(len(table.entries) for table in played.tables) for played in desk.state.rounds] == [16, 16, 15, 15, 15]


def test_a_place_that_is_declined_goes_to_the_next_in_line_with_the_last_seed() -> None:
    desk = Desk(event(swiss(1), stage("elimination", entrants=4, cut_ties="lot")))
    desk.gather(12)
    desk.play()
    assert desk.refused(c.DeclinePlace(1)) == "no_place"
    desk.do(c.MakeCut())
    cut = desk.state.cuts[-1]
    gone, following = cut.entries[1], cut.in_line[0]
    assert desk.do(c.DeclinePlace(gone)) == (e.PlaceDeclined(gone, following),)
    now = desk.state.cuts[-1]
    assert now.entries == (cut.entries[0], *cut.entries[2:], following)
    assert (now.in_line, now.declined) == (cut.in_line[1:], (gone,))
    assert desk.refused(c.DeclinePlace(gone)) == "no_place"
    desk.do(c.DeclinePlace(following))
    assert desk.state.cuts[-1].declined == (gone, following)
    assert desk.state.cuts[-1].entries == (*now.entries[:3], cut.in_line[1])
    assert sorted(desk.play().tables[0].entries) == sorted(desk.state.cuts[-1].entries)


@pytest.mark.parametrize(("rule", "entrants"), [("refuse", 0), ("expand", 3), ("lot", 2)])
def test_a_tie_at_the_line_is_settled_by_the_rule_of_the_event(rule: str, entrants: int) -> None:
    """Twelve at three tables: three winners with equal figures, and a cut of two."""
    scoring = {"scheme": "5-3-2-1", "order": ["TP"]}
    desk = Desk(event(swiss(1), swiss(1, entrants=2, smallest=2, cut_ties=rule), scoring=scoring))
    desk.gather(12)
    desk.play(lower_is_better)
    if rule == "refuse":
        assert desk.refused(c.MakeCut()) == "tie_at_the_cut"
        return
    desk.do(c.MakeCut())
    winners = {min(table.entries) for table in desk.round(1).tables}
    assert len(desk.state.cuts[0].entries) == entrants
    assert set(desk.state.cuts[0].entries) <= winners


def test_who_played_the_final_is_before_everybody_else() -> None:
    desk = Desk(event(swiss(2), stage("elimination", entrants=4, cut_ties="lot")))
    desk.gather(12)
    desk.play()
    desk.play()
    order = desk.order(0)
    desk.do(c.MakeCut())
    finalists = desk.state.cuts[0].entries
    assert finalists == order[:4]
    last = desk.play(lambda entry: entry).tables[0]
    desk.do(c.Finish())
    final = [entry for group in desk.state.final for entry in group]
    assert final == [*sorted(last.entries, reverse=True), *order[4:]]


def test_a_cancelled_round_is_as_if_nobody_had_met() -> None:
    desk = Desk(event(swiss(3, smallest=4)))
    desk.gather(9)
    desk.play()
    before = met(desk.state), byes_had(desk.state), seats_taken(desk.state), short_tables(desk.state)
    desk.play()
    desk.do(c.CancelRound())
    assert (met(desk.state), byes_had(desk.state), seats_taken(desk.state), short_tables(desk.state)) == before
