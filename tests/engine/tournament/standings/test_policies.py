"""What an event may choose: penalties, disqualification, substitutes, best rounds, heats, lots."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from engine.kernel.chance import Roll
from engine.kernel.refusal import Refusal
from engine.luck.algorithm import outcome
from engine.tournament.played import AwardKind, Entrant, RoundResult, Seated, TableResult
from engine.tournament.schemes import Places, scheme_of
from engine.tournament.standings.explained import explain
from engine.tournament.standings.ranking import points_before, standings
from engine.tournament.standings.rules import StandingRules, rules_of
from tests.engine.tournament.standings.results import (
    EXAMPLE_A,
    NAMES,
    PLACES_4,
    award,
    deduction,
    entrants,
    name,
    number,
    order,
    points,
    ranked,
    round_of,
    table,
    values,
)

FIELD = entrants(NAMES)
RULES = StandingRules(PLACES_4)
SEED = "00" * 31 + "07"


def test_a_penalty_counts_for_the_standings_and_for_the_next_pairing_alike() -> None:
    taken = (deduction("C", 2, "3"), deduction("C", 4, "1/2"))
    lines = standings(RULES, FIELD, EXAMPLE_A, taken)
    assert points(lines)["C"] == Fraction("12.5") - Fraction("3.5")
    assert order(lines) == "EABCGDFH"  # and D, who met C twice, stays before F: it is not D's penalty
    before = points_before(RULES, FIELD, EXAMPLE_A, taken)
    assert {name(entry): held for entry, held in before.items()} == points(lines)


def test_a_penalty_counts_in_progress_from_its_round_and_is_no_worst_round() -> None:
    rules = StandingRules(PLACES_4, ("TP", "PROG", "DROP1"))
    line = standings(rules, FIELD, EXAMPLE_A, (deduction("C", 2, "3"),))
    told = next(dict(one.keys) for one in line if name(one.entry) == "C")
    assert told == {"TP": "19/2", "PROG": "33/2", "DROP1": "7"}  # 2.5 + 4.5 + 9.5; 10 - 3


def test_nobody_has_two_results_in_a_round() -> None:
    """A table that was stopped and played again must not count twice."""
    with pytest.raises(ValueError, match="entrant 1 has two results in round 1"):
        round_of(1, "A1 B0", "C1 A0")
    with pytest.raises(ValueError, match="entrant 2 has two results in round 1"):
        round_of(1, "A1 B0", awards=(award("B", "1"),))
    with pytest.raises(ValueError, match="entrant 1 has two results in table 1"):
        TableResult(1, (Seated(1, 1, 5), Seated(1, 2, 4)))


@pytest.mark.parametrize("places", [(1, 2, 2, 3), (2, 3), (1, 1, 2), (0, 1)])
def test_places_of_a_table_are_those_of_a_race(places: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="no places of one table"):
        TableResult(1, tuple(Seated(entry, place, 0) for entry, place in enumerate(places, 1)))


def test_the_disqualified_share_the_last_place_or_have_none() -> None:
    field = entrants(NAMES, disqualified="CE")
    lines = standings(RULES, field, EXAMPLE_A)
    assert order(lines) == "ABGDFH(CE)"
    assert [line.place for line in lines] == [1, 2, 3, 4, 5, 6, 7, 7]
    without = standings(StandingRules(PLACES_4, rank_disqualified=False), field, EXAMPLE_A)
    assert [line.place for line in without] == [1, 2, 3, 4, 5, 6, 0, 0]
    behind = explain(RULES, field, EXAMPLE_A, (), number("C")).behind
    assert behind is not None
    assert behind.sentence == "Disqualified."


def test_results_against_the_disqualified_stay_or_are_refunded() -> None:
    """C won at G, D and H: kept, they have 3, 2 and 1 there; refunded 5, 3 and 2, and C has the 1 of the last."""
    field = entrants(NAMES, disqualified="C")
    kept = values(RULES, field, *EXAMPLE_A)
    refunded = values(StandingRules(PLACES_4, refund_disqualified=True), field, *EXAMPLE_A)
    assert [kept.of("TP", one) for one in "CEABGDFH"] == list(
        map(Fraction, ["12.5", "11.5", "10", "9.5", "7.5", "6", "6", "3"])
    )
    assert refunded.of("TP", "C") == 3  # last three times
    assert refunded.of("TP", "B") == 3 + 2 + 5  # second alone in round 1
    assert refunded.of("TP", "G") == 2 + 5 + 4  # first in round 2, first with E in round 3
    assert refunded.of("RAW", "C") == 60 + 45 + 60  # no more than the lowest at each table
    assert sum(refunded.of("TP", one) for one in NAMES) == 6 * 11
    assert refunded.of("WINS", "G") == Fraction(3, 2)


def test_two_disqualified_at_one_table_tie_for_its_last_places() -> None:
    field = entrants("ABCD", disqualified="AB")
    found = values(StandingRules(PLACES_4, refund_disqualified=True), field, round_of(1, "A9 B8 C7 D6"))
    assert [found.of("TP", one) for one in "ABCD"] == [Fraction(3, 2), Fraction(3, 2), 5, 3]


def test_a_substitute_fills_a_table_and_wins_nothing() -> None:
    field = entrants(NAMES, unranked="C")
    lines = standings(RULES, field, EXAMPLE_A)
    assert order(lines) == "EABGDFHC"
    assert [line.place for line in lines] == [1, 2, 3, 4, 5, 6, 7, 0]
    told = explain(RULES, field, EXAMPLE_A, (), number("C")).behind
    assert told is not None
    assert told.sentence == "Not ranked."


def test_a_substitute_is_an_opponent_or_none() -> None:
    """D met C twice: 73.5/9 with C, (73.5 - 25)/7 without."""
    field = entrants(NAMES, unranked="C")
    none = values(StandingRules(PLACES_4, substitutes_count=False), field, *EXAMPLE_A)
    assert values(RULES, field, *EXAMPLE_A).of("SOS", "D") == Fraction("73.5") / 9
    assert none.of("SOS", "D") == Fraction("48.5") / 7
    assert none.of("BEAT", "E") == 7 - 0  # C was before E: nothing is lost
    assert none.of("BEAT", "A") == Fraction("5.5") - 1
    assert none.of("TP", "D") == 6


def test_only_the_best_rounds_count() -> None:
    found = values(StandingRules(PLACES_4, best_of=2), FIELD, *EXAMPLE_A)
    assert [found.of("TP", one) for one in "CEABG"] == [10, 9, 9, Fraction("7.5"), Fraction("5.5")]
    assert found.of("DROP1", "C") == 5
    assert values(StandingRules(PLACES_4, best_of=5), FIELD, *EXAMPLE_A).of("TP", "C") == Fraction("12.5")


def test_a_round_without_a_result_is_worth_nothing_and_is_the_worst() -> None:
    late = award("E", "1", AwardKind.LATE)
    rounds = (round_of(1, "A4 B3 C2 D1", awards=(late,)), round_of(2, "A4 E3 C2 D1"))
    found = values(RULES, entrants("ABCDE"), *rounds)
    assert [found.of("TP", one) for one in "ABCDE"] == [10, 3, 4, 2, 4]
    assert [found.of("DROP1", one) for one in "ABCDE"] == [5, 3, 2, 1, 3]
    assert found.of("PROG", "E") == 1 + 4
    assert found.of("SOS", "E") == Fraction(10 + 4 + 2, 3)
    assert found.of("AVGPLACE", "E") == 2


def test_who_never_sat_has_the_worst_mean_place() -> None:
    assert values(RULES, FIELD, round_of(1, "A4 B3 C2 D1")).of("AVGPLACE", "E") == 4


def test_heats_count_wins_first_and_then_points() -> None:
    """Finishes 1-3-2-2, 1-2-4, 1-2, 1 and 2-2-2 in this order: 1 win and 1210, 1101, 1100, 1000; 0 wins and 300."""
    finishes = {"A": (1, 3, 2, 2), "B": (1, 2, 4), "C": (1, 2), "D": (1,), "E": (2, 2, 2)}
    others = iter(range(100, 1000))
    rounds = []
    for heat in range(4):
        tables: list[TableResult] = []
        for one, places in finishes.items():
            if heat < len(places):
                seats = [number(one) if place == places[heat] else next(others) for place in range(1, 5)]
                tables.append(
                    TableResult(len(tables) + 1, tuple(Seated(seat, place, 0) for place, seat in enumerate(seats, 1)))
                )
        rounds.append(RoundResult(heat + 1, tuple(tables)))
    fillers = tuple(Entrant(entry, entry, ranked=False) for entry in range(100, 1000))
    lines = standings(
        StandingRules(scheme_of("win-heavy"), ("WINS", "TP")), (*entrants("EDCBA"), *fillers), tuple(rounds)
    )
    assert order(lines[:5]) == "ABCDE"
    assert [line.points for line in lines[:5]] == ["1210", "1101", "1100", "1000", "300"]


def test_wins_with_a_line_part_equals() -> None:
    rounds = (RoundResult(1, (table(1, {"A": 9, "B": 5}), table(2, {"C": 4, "D": 2}, "line"))),)
    rules = StandingRules(Places((("1", "0"),)), ("TP", "LINES"))
    assert ranked(rules, entrants("ABCD"), *rounds) == "CA(BD)"


def test_against_each_other_counts_only_if_all_who_are_equal_have_met() -> None:
    """A, B and C have one win each. In a circle of three all have met; without the last game A and C have not."""
    rules = StandingRules(Places((("1", "0"),)), ("TP", "H2H"))
    met = (round_of(1, "A1 B0"), round_of(2, "B1 C0"), round_of(3, "C1 A0"))
    lines = standings(rules, entrants("ABC"), met)
    assert [dict(line.keys)["H2H"] for line in lines] == ["1", "1", "1"]
    unmet = (round_of(1, "A1 B0", "C1 D0"), round_of(2, "B1 D0"))
    lines = standings(rules, entrants("ABCD"), unmet)
    assert order(lines) == "(ABC)D"
    assert {dict(line.keys)["H2H"] for line in lines} == {None}
    two = (round_of(1, "A1 B0", "C1 D0"), round_of(2, "B1 D0", "C1 A0"))
    assert order(standings(rules, entrants("ABCD"), two)) == "CABD"


def test_the_lot_is_drawn_from_the_published_seed() -> None:
    rules = StandingRules(PLACES_4, ("TP", "LOT"), lot_seed=SEED)
    lines = standings(rules, entrants("ABCDEFGH"), ())
    dice = {entry: outcome(bytes.fromhex(SEED), f"lot:{entry}", Roll(2**31, 2)) for entry in range(1, 9)}
    assert [line.entry for line in lines] == sorted(dice, key=lambda entry: dice[entry], reverse=True)
    assert order(lines) == "CBFGEHAD"
    assert order(standings(rules, entrants("BDFH"), ())) == "BFHD"  # nobody's lot depends on who else is there


def test_before_the_seed_is_known_the_lot_decides_nothing() -> None:
    lines = standings(StandingRules(PLACES_4, ("TP", "LOT")), entrants("AB"), ())
    assert order(lines) == "(AB)"
    assert [dict(line.keys)["LOT"] for line in lines] == [None, None]


def test_a_wager_stakes_what_one_has() -> None:
    """Awards and deductions of the rounds before are part of the stake."""
    rules = StandingRules(scheme_of("wager"), ("TP",))
    rounds = (round_of(1, "A4 B3 C2 D1"), round_of(2, "A4 B3 C2 D1"))
    lines = standings(rules, entrants("ABCD"), rounds)
    assert [line.points for line in lines] == ["14053/10", "8649/10", "8649/10", "8649/10"]
    assert sum(points(lines).values()) == 4000
    fined = standings(rules, entrants("ABCD"), rounds, (deduction("B", 1, "30"),))
    assert points(fined)["B"] == 900 - 63
    awarded = (round_of(1, "A4 B3 C2", awards=(award("D", "70"),)), round_of(2, "A4 B3 C2 D1"))
    assert points(standings(rules, entrants("ABCD"), awarded))["D"] == Fraction("1070") - Fraction("74.9")


def test_zero_scores_and_negative_ones_have_a_share() -> None:
    found = values(RULES, entrants("ABCD"), round_of(1, "A0 B0 C0 D0"), round_of(2, "A5 B0 C0 D-5"))
    assert found.of("SHARE", "A") == Fraction(1, 4) + Fraction(10, 20)
    assert found.of("VSWIN", "B") == 1 + Fraction(5, 10)
    assert found.of("VSOPP", "A") == 1 + Fraction(10, 5)
    alone = values(RULES, entrants("ABCD"), round_of(1, "A7 B0 C0 D0"))
    assert alone.of("VSOPP", "A") == 7
    assert alone.of("VSOPP", "B") == 0


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"scheme": "5-3-2-1", "order": []}, "at least one key"),
        ({"scheme": "5-3-2-1", "order": ["TP", "TP"]}, "none of them twice"),
        ({"scheme": "5-3-2-1", "order": ["LUCK"]}, "LUCK"),
        ({"scheme": "5-3-2-1", "best_of": -1}, "0 or more"),
        ({"scheme": "5-3-2-1", "match_win_floor": "2"}, "parts from 0 to 1"),
        ({"scheme": "5-3-2-1", "bye_opponent": "ghost"}, "ghost"),
        ({"scheme": "wager", "best_of": 3}, "a wager is played"),
        ({"scheme": "share", "bye_opponent": "dummy"}, "a win has fixed points"),
        ({"scheme": "match-points", "order": ["TP", "OMW"]}, "a win has fixed points"),
        ({"scheme": "5-3-2-1", "lot_seed": "FF" * 32}, "hex digits"),
        ({"scheme": "5-3-2-1", "colour": "red"}, "colour"),
        ({}, "scheme"),
        ({"scheme": 5}, "scheme"),
    ],
)
def test_rules_that_cannot_be_are_refused_with_their_reason(data: dict[str, Any], told: str) -> None:
    with pytest.raises(Refusal, match="bad_standing_rules") as refused:
        rules_of(data)
    assert told in refused.value.sentence


def test_rules_survive_json() -> None:
    rules = rules_of({"scheme": "six-per-seat", "order": ["WINS", "TP", "LOT"], "lot_seed": SEED, "best_of": 4})
    assert rules_of(msgspec.json.decode(msgspec.json.encode(rules))) == rules
