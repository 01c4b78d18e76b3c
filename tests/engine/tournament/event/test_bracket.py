"""The bracket: what is planned, who went where, and who goes on before the next round is published."""

from collections.abc import Iterable

import pytest

from engine.tournament import commands as c
from engine.tournament.bracket import BracketRound, Going, bracket_of
from engine.tournament.played import Entry
from engine.tournament.state import Tournament
from tests.kit.tournaments import Desk, Section, event, lower_is_better, stage, swiss

TWO_GO_ON = stage("elimination", advance=2, final=4)


def gathered(count: int, *stages: Section) -> Desk:
    desk = Desk(event(*stages))
    desk.gather(count)
    return desk


def figures(state: Tournament, at_stage: int = 0) -> list[tuple[int, tuple[int, ...], int, int]]:
    return [
        (each.entrants, tuple(sorted(each.sizes)), each.advance, each.wildcards) for each in bracket_of(state, at_stage)
    ]


def entries(going: Iterable[Going], by: str) -> set[Entry]:
    return {each.entry for each in going if each.by == by}


def went(desk: Desk, number: int) -> dict[Entry, tuple[str, int, int]]:
    return {each.entry: (each.by, each.from_table, each.to_table) for each in drawn(desk, number).going}


def drawn(desk: Desk, number: int) -> BracketRound:
    return bracket_of(desk.state, 0)[number - 1]


def test_the_whole_ladder_is_planned_before_it_begins() -> None:
    """27 at tables of three and four, two of each going on: 27, 14, 8 and the final of four."""
    desk = gathered(27, TWO_GO_ON)
    planned = [
        (27, (3, 4, 4, 4, 4, 4, 4), 2, 0),
        (14, (3, 3, 4, 4), 2, 0),
        (8, (4, 4), 2, 0),
        (4, (4,), 0, 0),
    ]
    assert figures(desk.state) == planned
    assert all(each.played is None for each in bracket_of(desk.state, 0))
    desk.play()
    assert figures(desk.state) == planned
    assert [each.played is None for each in bracket_of(desk.state, 0)] == [False, True, True, True]


def test_who_goes_on_is_told_when_a_round_is_closed_and_where_to_when_the_next_is_published() -> None:
    desk = gathered(16, TWO_GO_ON)
    desk.begin()
    assert drawn(desk, 1).going == ()
    desk.finish_tables()
    best = {entry for table in desk.round(1).tables for entry in sorted(table.entries)[:2]}
    assert entries(drawn(desk, 1).going, "place") == set(went(desk, 1)) == best
    assert {to for _, _, to in went(desk, 1).values()} == {0}
    before = drawn(desk, 1)
    desk.draft()
    desk.do(c.SwapInDraft((1, 2)))
    assert drawn(desk, 1) == before  # a draft tells nobody where they sit
    desk.begin()
    for entry, (by, from_table, to_table) in went(desk, 1).items():
        assert by == "place"
        assert entry in desk.table(from_table, 1).entries
        assert entry in desk.table(to_table, 2).entries
    assert set(went(desk, 1)) == best
    desk.finish_tables()
    desk.play()
    assert drawn(desk, 3).going == ()
    assert set(went(desk, 2)) == set(desk.round(3).tables[0].entries)


def test_byes_and_wildcards_are_told_apart() -> None:
    """Seven for a final of four: one table, of which one goes on, and the three best seeds wait. Twelve for a final of
    four: the winners of three tables, and the best of the others.
    """
    desk = gathered(7, stage("elimination", byes_to=4, final=4))
    assert figures(desk.state) == [(7, (4,), 1, 0), (4, (4,), 0, 0)]
    desk.play()
    assert (entries(drawn(desk, 1).going, "bye"), entries(drawn(desk, 1).going, "place")) == ({1, 2, 3}, {4})
    desk.begin()
    assert went(desk, 1) == {1: ("bye", 0, 1), 2: ("bye", 0, 1), 3: ("bye", 0, 1), 4: ("place", 1, 1)}

    desk = gathered(12, stage("elimination", final=4))
    assert figures(desk.state) == [(12, (4, 4, 4), 1, 1), (4, (4,), 0, 0)]
    desk.play()
    told = {by: entries(drawn(desk, 1).going, by) for by in ("place", "wildcard")}
    assert told["place"] == {min(table.entries) for table in desk.round(1).tables} == {1, 2, 3}
    assert len(told["wildcard"]) == 1
    desk.begin()
    assert {by: entries(drawn(desk, 1).going, by) for by in told} == told


def test_a_drawn_table_waits_for_a_referee() -> None:
    desk = gathered(16, stage("elimination", final=4, on_draw="referee"))
    desk.begin()
    first = desk.round().tables[0]
    tied = sorted(first.entries)[:3]
    desk.finish_tables(lambda entry: 999 if entry in tied else lower_is_better(entry))
    assert drawn(desk, 1).undecided == (first.number,)
    assert not set(tied) & set(went(desk, 1))
    desk.do(c.NameSurvivors(1, first.number, (tied[1],)))
    assert drawn(desk, 1).undecided == ()
    assert went(desk, 1)[tied[1]] == ("place", first.number, 0)
    desk.do(c.Drop(tied[1]))
    assert drawn(desk, 1).going == ()


def test_who_moves_up_for_somebody_who_has_dropped_goes_on_by_place() -> None:
    desk = gathered(16, TWO_GO_ON)
    desk.play()
    table = desk.table_of(1)
    desk.do(c.Drop(1))
    assert {entry for entry, (_, number, _) in went(desk, 1).items() if number == table.number} == set(
        sorted(table.entries)[1:3]
    )


@pytest.mark.parametrize(("entrants", "known"), [(4, [4]), (0, [])])
def test_a_bracket_to_come_is_known_when_its_cut_is(entrants: int, known: list[int]) -> None:
    desk = gathered(8, swiss(1), stage("elimination", final=4, entrants=entrants))
    assert [count for count, *_ in figures(desk.state, 1)][:1] == known
    desk.play()
    desk.do(c.MakeCut())
    assert figures(desk.state, 1)[0][0] == (entrants or 8)


def test_a_field_that_cannot_be_played_has_no_bracket() -> None:
    desk = Desk(event(stage("elimination", final=4)))
    assert bracket_of(desk.state, 0) == ()
    desk.do(c.OpenRegistration())
    desk.do(c.Register(("p1", "p2")))
    assert figures(desk.state) == [(2, (2,), 0, 0)]
    desk.do(c.Register(("p3", "p4", "p5")))
    assert bracket_of(desk.state, 0) == ()
