"""Eight entrants, three rounds, every key of everybody: reckoned by hand and elsewhere before there was code."""

from fractions import Fraction

import pytest

from engine.tournament.standings.book import Book
from engine.tournament.standings.explained import explain
from engine.tournament.standings.ranking import standings
from engine.tournament.standings.rules import KEYS, Key, StandingRules
from engine.tournament.standings.tiebreaks import TIEBREAKS
from tests.engine.tournament.standings.results import (
    EXAMPLE_A,
    NAMES,
    PLACES_4,
    entrants,
    name,
    number,
    order,
    ranked,
    round_of,
    values,
)

FIELD = entrants(NAMES)
RULES = StandingRules(PLACES_4)
COLUMNS: tuple[Key, ...] = (
    "TP",
    "WINS",
    "RAW",
    "SHARE",
    "NORM",
    "VSWIN",
    "SOS",
    "SOS-C1",
    "SOS-M1",
    "XSOS",
    "PSB",
    "BEAT",
    "PROG",
    "AVGPLACE",
    "DROP1",
)
TABLE = """
C 12.5 2.0 265 .866667 3.466667 2.800000 7.888889 68.0 56.5 8.487654 56.25 7.5 22.5 1.500000 10.0
E 11.5 1.5 235 .905000 3.620000 2.833333 8.000000 69.0 56.5 8.425926 50.75 7.0 25.5 1.666667 9.0
A 10.0 1.5 230 .792500 3.170000 2.666667 9.611111 80.5 68.0 8.012346 49.25 5.5 24.0 2.166667 9.0
B 9.5 1.0 228 .890000 3.560000 2.657143 7.888889 68.0 55.5 8.376543 33.25 5.5 16.5 2.166667 7.5
G 7.5 0 210 .741667 2.966667 2.283626 8.444444 73.0 60.5 8.179012 27.75 4.5 14.5 2.500000 5.5
D 6.0 0 201 .737500 2.950000 2.139474 8.166667 70.5 58.0 8.185185 12.00 3.0 10.0 3.000000 5.0
F 6.0 0 164 .691667 2.766667 1.992063 7.944444 68.5 57.0 8.234568 13.50 3.0 13.0 3.000000 5.0
H 3.0 0 97 .375000 1.500000 1.057018 8.055556 66.5 54.0 8.098765 0.00 0.0 6.0 4.000000 2.0
"""
CELLS = [
    (row.split()[0], key, cell)
    for row in TABLE.strip().splitlines()
    for key, cell in zip(COLUMNS, row.split()[1:], strict=True)
]
BY_ROUND = {
    "C": "2.5 5 5",
    "E": "5 4 2.5",
    "A": "5 4 1",
    "B": "2.5 2 5",
    "G": "2 3 2.5",
    "D": "1 2 3",
    "F": "3 1 2",
    "H": "1 1 1",
}


@pytest.mark.parametrize(("one", "key", "cell"), CELLS, ids=lambda value: str(value))
def test_every_number_of_the_table(one: str, key: Key, cell: str) -> None:
    assert round(values(RULES, FIELD, *EXAMPLE_A).of(key, one), 6) == Fraction(cell)


@pytest.mark.parametrize("one", BY_ROUND)
def test_the_points_of_every_round_are_those_of_the_table(one: str) -> None:
    book = Book(RULES, FIELD, EXAMPLE_A)
    paid = [Fraction(term.amount, book.unit) for term in book.by_round(number(one))]
    assert paid == [Fraction(part) for part in BY_ROUND[one].split()]


def test_a_round_pays_what_the_scheme_has() -> None:
    found = values(RULES, FIELD, *EXAMPLE_A)
    assert sum(found.of("TP", one) for one in NAMES) == 6 * 11


def test_two_values_by_hand() -> None:
    found = values(RULES, FIELD, *EXAMPLE_A)
    assert found.of("SOS", "D") == Fraction("73.5") / 9
    assert found.of("PSB", "D") == 0 + 3 + (6 + 3)
    assert found.of("PSB", "F") == Fraction("7.5") + 3 + 0 + 3


@pytest.mark.parametrize(("key", "first"), [(key, "D") for key in ("SOS", "SHARE", "NORM", "RAW", "H2H")])
def test_d_is_before_f(key: Key, first: str) -> None:
    assert ranked(StandingRules(PLACES_4, ("TP", key)), FIELD, *EXAMPLE_A) == f"CEABG{first}FH"


@pytest.mark.parametrize("key", ["PSB", "XSOS", "PROG"])
def test_f_is_before_d(key: Key) -> None:
    assert ranked(StandingRules(PLACES_4, ("TP", key)), FIELD, *EXAMPLE_A) == "CEABGFDH"


@pytest.mark.parametrize("key", ["BEAT", "AVGPLACE", "PLACES", "DROP1", "WINS", "LINES"])
def test_d_and_f_stay_tied_and_share_the_place(key: Key) -> None:
    lines = standings(StandingRules(PLACES_4, ("TP", key)), FIELD, EXAMPLE_A)
    assert order(lines) == "CEABG(DF)H"
    assert [line.place for line in lines] == [1, 2, 3, 4, 5, 6, 6, 8]
    assert [line.sharing for line in lines] == [1, 1, 1, 1, 1, 2, 2, 1]


@pytest.mark.parametrize("key", ["SHARE", "NORM", "PROG"])
def test_a_tiebreak_decides_only_among_equals(key: Key) -> None:
    """E is before C on each of them, and has fewer points."""
    found = values(RULES, FIELD, *EXAMPLE_A)
    assert found.of(key, "E") > found.of(key, "C")
    assert ranked(StandingRules(PLACES_4, ("TP", key)), FIELD, *EXAMPLE_A).startswith("CE")


def test_against_each_other_only_the_tables_they_share_count() -> None:
    lines = standings(StandingRules(PLACES_4, ("TP", "H2H")), FIELD, EXAMPLE_A)
    told = {name(line.entry): dict(line.keys)["H2H"] for line in lines}
    assert told == {"D": "3", "F": "2"} | dict.fromkeys("CEABGH")


def test_places_count_first_ones_first_and_ties_at_their_best() -> None:
    lines = standings(StandingRules(PLACES_4, ("PLACES", "TP")), FIELD, EXAMPLE_A)
    told = {name(line.entry): dict(line.keys)["PLACES"] for line in lines}
    assert told["C"] == ("2", "1", "0", "0")
    assert told["A"] == ("2", "0", "0", "1")
    assert told["E"] == ("2", "1", "0", "0")
    assert told["H"] == ("0", "0", "0", "3")
    assert order(lines) == "CEABG(DF)H"


def test_average_place_is_better_when_it_is_lower() -> None:
    assert ranked(StandingRules(PLACES_4, ("AVGPLACE",)), FIELD, *EXAMPLE_A) == "CE(AB)G(DF)H"


def test_the_best_opponent_is_the_measure_of_vsopp() -> None:
    """A won 100 to 80, tied 70 to 70 and had 60 against 90."""
    found = values(RULES, FIELD, *EXAMPLE_A)
    assert found.of("VSOPP", "A") == Fraction(100, 80) + 1 + Fraction(60, 90)


def test_an_explanation_says_where_every_part_comes_from() -> None:
    told = explain(RULES, FIELD, EXAMPLE_A, (), number("F"))
    psb = next(key for key in told.keys if key.key == "PSB")
    assert psb.value == "27/2"
    assert [(part.round, part.table, name(part.opponent), part.value, part.label) for part in psb.parts] == [
        (1, 2, "G", "15/2", "beaten"),
        (1, 2, "H", "3", "beaten"),
        (3, 2, "H", "3", "beaten"),
    ]


def test_an_explanation_says_why_somebody_is_behind() -> None:
    told = explain(RULES, FIELD, EXAMPLE_A, (), number("F"))
    assert told.behind is not None
    assert (told.place, name(told.behind.entry)) == (7, "D")
    assert (told.behind.equal, told.behind.decided_by) == (("TP",), "SOS")
    assert (told.behind.own, told.behind.theirs) == ("143/18", "49/6")
    assert told.behind.sentence == "Behind 4: equal on TP; SOS 7 17/18 against 8 1/6."


def test_the_first_is_behind_nobody_and_equals_share() -> None:
    assert explain(RULES, FIELD, EXAMPLE_A, (), number("C")).behind is None
    tied = explain(StandingRules(PLACES_4, ("TP", "BEAT")), FIELD, EXAMPLE_A, (), number("F")).behind
    assert tied is not None
    assert (tied.decided_by, tied.sentence) == (None, "Shares place 6 with 4.")


def test_all_keys_are_published_also_those_that_decide_nothing() -> None:
    lines = standings(StandingRules(PLACES_4, ("TP", "SOS", "BEAT")), FIELD, EXAMPLE_A)
    assert all([key for key, _ in line.keys] == ["TP", "SOS", "BEAT"] for line in lines)
    assert all(None not in dict(line.keys).values() for line in lines)
    assert [line.decided_by for line in lines] == [None, "TP", "TP", "TP", "TP", "TP", "SOS", "TP"]


def test_an_older_round_that_is_corrected_moves_everything_after_it() -> None:
    """Had D won the first table and A been last: their points, D's progress and E's opponents are others."""
    corrected = (round_of(1, "D100 B80 C80 A60", "E90 F70 G50 H30"), *EXAMPLE_A[1:])
    before, after = values(RULES, FIELD, *EXAMPLE_A), values(RULES, FIELD, *corrected)
    assert after.of("TP", "D") == 10
    assert after.of("TP", "A") == 6
    assert after.of("PROG", "D") == 5 + 7 + 10
    assert before.of("SOS", "E") - after.of("SOS", "E") == Fraction(2 * 4, 9)  # E met A twice


def test_every_key_has_a_definition_and_a_name() -> None:
    for tiebreak in TIEBREAKS.values():
        assert tiebreak.definition.startswith(f"{tiebreak.id}: "), tiebreak.id
        assert tiebreak.label
        assert "ward" in tiebreak.definition, f"{tiebreak.id} does not say what an award does to it"
    assert tuple(TIEBREAKS) == KEYS
