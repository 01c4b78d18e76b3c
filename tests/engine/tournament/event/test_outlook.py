"""Who is through and who is out before the last round: only what no round to come can change."""

from fractions import Fraction
from random import Random

import pytest

from engine.tournament import commands as c
from engine.tournament.config import Config
from engine.tournament.exact import exact_of
from engine.tournament.formats.chances import Chance
from engine.tournament.outlook import cut_after, outlook
from engine.tournament.ranking import cut_of, ranking, stage_order
from engine.tournament.state import Tournament
from tests.kit.tournaments import Desk, Section, event, stage, swiss

ONE_TABLE = {"smallest": 4, "target": 4, "largest": 4}
CUT_OF_TWO = stage("swiss", rounds=1, entrants=2, smallest=2, target=2, largest=2)
SCORING: Section = {"scheme": {"kind": "places", "places": [["4", "1"], ["5", "3", "1"], ["5", "3", "2", "1"]]}}
CLINCHED, ALIVE, ELIMINATED = Chance.CLINCHED, Chance.ALIVE, Chance.ELIMINATED


def chance_of(state: Tournament, at_stage: int = 0) -> dict[int, Chance]:
    lines = [line for line in ranking(state, at_stage).lines if line.place]
    places: dict[int, int] = {}
    for group in stage_order(state, at_stage):
        places |= dict.fromkeys(group, len(places) + 1)
    return outlook(state, at_stage, {line.entry: exact_of(line.points) for line in lines}, places)


def after(rounds: int, *stages: Section, count: int = 4, **sections: Section) -> Desk:
    """So many rounds of an event in which the lower number always wins: 5, 3, 2 and 1 points each."""
    return played(rounds, event(*stages, **{"scoring": SCORING, **sections}), count)


def played(rounds: int, config: Config, count: int = 4) -> Desk:
    desk = Desk(config)
    desk.gather(count)
    for _ in range(rounds):
        desk.play()
    return desk


@pytest.mark.parametrize(
    ("rounds", "expected"),
    [
        (0, {}),
        (1, dict.fromkeys((1, 2, 3, 4), ALIVE)),
        (2, {1: ALIVE, 2: ALIVE, 3: ELIMINATED, 4: ELIMINATED}),
        (3, {1: CLINCHED, 2: ELIMINATED, 3: ELIMINATED, 4: ELIMINATED}),
    ],
)
def test_the_title_of_three_rounds_at_one_table(rounds: int, expected: dict[int, Chance]) -> None:
    """After two, 10, 6, 4 and 2 points: 11 can be reached by the second, and 9 by the third."""
    desk = after(rounds, swiss(3, **ONE_TABLE))
    assert chance_of(desk.state) == expected
    assert cut_after(desk.state, 0) == 0


def test_a_title_is_won_a_round_early() -> None:
    """15, 9, 6 and 3 points, one round to come: the second can reach 14."""
    assert chance_of(after(3, swiss(4, **ONE_TABLE)).state)[1] is CLINCHED


def test_the_cut_of_two() -> None:
    """After three of four, 15, 9, 6 and 3 points: the third can reach 11, the fourth 8."""
    desk = after(3, swiss(4, **ONE_TABLE), CUT_OF_TWO)
    assert cut_after(desk.state, 0) == 2
    assert chance_of(desk.state) == {1: CLINCHED, 2: ALIVE, 3: ALIVE, 4: ELIMINATED}
    desk.play()
    assert chance_of(desk.state) == {1: CLINCHED, 2: CLINCHED, 3: ELIMINATED, 4: ELIMINATED}
    desk.do(c.MakeCut())
    assert chance_of(desk.state) == {1: CLINCHED, 2: CLINCHED, 3: ELIMINATED, 4: ELIMINATED}
    assert cut_after(desk.state, 0) == 2
    assert chance_of(desk.state, 1) == {}


def test_a_tie_at_the_line_is_open_when_all_rounds_are_played() -> None:
    desk = Desk(event(swiss(1, **ONE_TABLE), CUT_OF_TWO, scoring={**SCORING, "order": ["TP"]}))
    desk.gather(4)
    desk.play(lambda entry: {1: 9, 2: 5, 3: 5, 4: 1}[entry])
    assert chance_of(desk.state) == {1: CLINCHED, 2: ALIVE, 3: ALIVE, 4: ELIMINATED}


def test_who_has_dropped_stands_in_the_way_and_puts_nobody_out() -> None:
    desk = after(3, swiss(4, **ONE_TABLE))
    assert set(chance_of(desk.state).values()) == {CLINCHED, ELIMINATED}
    desk.do(c.Drop(1))
    assert chance_of(desk.state) == {2: ALIVE, 3: ALIVE, 4: ELIMINATED}  # with 9, 6 and 3 points
    desk.do(c.Drop(2))
    assert chance_of(desk.state) == {3: ALIVE, 4: ALIVE}


def test_a_bye_that_is_worth_more_than_a_win_is_reckoned_with() -> None:
    """9 points behind with one round to come, and nobody is out if a bye is worth 20."""
    desk = after(3, swiss(4, **ONE_TABLE), awards={"bye": "20"})
    assert set(chance_of(desk.state).values()) == {ALIVE}


@pytest.mark.parametrize(
    ("section", "settings"),
    [
        ("scoring", {"scheme": "share"}),
        ("scoring", {"scheme": "wager"}),
        ("scoring", {**SCORING, "best_of": 2}),
        ("scoring", {**SCORING, "order": ["WINS", "TP"]}),
        ("registration", {"late_until": 3}),
    ],
)
def test_where_points_have_no_known_bounds_nothing_is_said(section: str, settings: Section) -> None:
    numbers = {"bye": "1", "absent": "0", "late": "0", "no_show": "0"}
    config = event(swiss(3, **ONE_TABLE), **{"awards": numbers, section: settings})
    assert chance_of(played(2, config).state) == {}


@pytest.mark.parametrize("of", [stage("heats", rounds=3), stage("groups")])
def test_formats_of_another_order_say_nothing(of: Section) -> None:
    assert chance_of(after(1, {**of, **ONE_TABLE}).state) == {}


def test_an_elimination_keeps_those_of_its_newest_round() -> None:
    desk = after(1, stage("elimination", advance=1, final=4), count=16)
    assert set(chance_of(desk.state).values()) == {ALIVE}  # a wildcard may still be called
    desk.begin()
    assert {entry for entry, chance in chance_of(desk.state).items() if chance is ALIVE} == {1, 2, 3, 4}
    desk.finish_tables()
    assert [entry for entry, chance in chance_of(desk.state).items() if chance is CLINCHED] == [1]
    assert sum(chance is ELIMINATED for chance in chance_of(desk.state).values()) == 15


@pytest.mark.parametrize("chosen", range(12))
def test_nobody_is_called_through_or_out_who_is_not(chosen: int) -> None:
    """Events of chance results, some who do not come: what was certain after any round is so at the end."""
    luck = Random(chosen)
    size, count = luck.choice((1, 2, 3)), luck.choice((5, 8, 9, 12))
    config = event(
        swiss(4, smallest=3, target=4, largest=4),
        stage("swiss", rounds=1, entrants=size + 1, smallest=2, target=3, largest=4, cut_ties="lot"),
        scoring=SCORING,
    )
    desk = Desk(config)
    desk.gather(count)
    said: dict[int, set[Chance]] = {entry: set() for entry in range(1, count + 1)}
    for _ in range(4):
        desk.play(lambda entry: luck.choice((50, 40, 30, 20)) + (count - entry) * 4)
        for entry, chance in chance_of(desk.state).items():
            said[entry].add(chance)
    through = cut_of(desk.state).entries
    assert [entry for entry, chances in said.items() if CLINCHED in chances and entry not in through] == []
    assert [entry for entry, chances in said.items() if ELIMINATED in chances and entry in through] == []
    assert {chance for chances in said.values() for chance in chances} == set(Chance)


def test_points_may_be_fractions() -> None:
    desk = after(2, swiss(3, **ONE_TABLE))
    places = {1: 1, 2: 2, 3: 3, 4: 4}
    points = {1: Fraction(10), 2: Fraction(5), 3: Fraction(9, 2), 4: Fraction(2)}
    assert outlook(desk.state, 0, points, places)[2] is ALIVE  # it may be a tie
    assert outlook(desk.state, 0, {**points, 2: Fraction(49, 10)}, places)[1] is CLINCHED
