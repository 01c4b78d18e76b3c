"""Two at a table: Buchholz and Sonneborn-Berger with byes, and opponents' match wins. Values from worked examples."""

from fractions import Fraction

import pytest

from engine.tournament.played import AwardKind
from engine.tournament.schemes import Places, scheme_of
from engine.tournament.standings.rules import Key, StandingRules
from tests.engine.tournament.standings.results import award, entrants, round_of, values

CHESS = Places((("1", "0"),))
FIELD = entrants("ABCDEF")
ROUNDS = (
    round_of(1, "A1 B0", "C1 D1", "E1 F0"),
    round_of(2, "A1 E0", "B1 C0", "D1 F0"),
    round_of(3, "A1 D1", "B1 E0", awards=(award("C", "1"), award("F", "0", AwardKind.ABSENT))),
)
"""C has a bye of a full point in round 3, F stays away."""


@pytest.mark.parametrize(
    ("one", "points", "played", "dummy", "cut", "played_sb", "dummy_sb"),
    [
        ("A", "2.5", "5", "5", "4", "4", "4"),
        ("B", "2", "5", "5", "4", "2.5", "2.5"),
        ("D", "2", "4", "4", "4", "2", "2"),
        ("C", "1.5", "4", "5.5", "4", "1", "2.5"),
        ("E", "1", "4.5", "4.5", "4.5", "0", "0"),
        ("F", "0", "3", "3", "3", "0", "0"),
    ],
)
def test_buchholz_and_sonneborn_berger(
    one: str, points: str, played: str, dummy: str, cut: str, played_sb: str, dummy_sb: str
) -> None:
    nobody = values(StandingRules(CHESS), FIELD, *ROUNDS)
    own = values(StandingRules(CHESS, bye_opponent="dummy"), FIELD, *ROUNDS)
    found = [nobody.of("TP", one), nobody.of("BH", one), own.of("BH", one), own.of("BH-C1", one)]
    found += [nobody.of("SB", one), own.of("SB", one)]
    assert found == [Fraction(text) for text in (points, played, dummy, cut, played_sb, dummy_sb)]


def test_the_virtual_opponent_of_a_bye() -> None:
    """C had half a point before the bye in the last round: 4 + 0.5."""
    assert values(StandingRules(CHESS, bye_opponent="virtual"), FIELD, *ROUNDS).of("BH", "C") == Fraction("4.5")


def test_the_virtual_opponent_of_a_win_by_default_in_the_third_of_nine_rounds() -> None:
    """2 points before, nothing lacking, half a point for each of six rounds: 5."""
    rounds = (round_of(1, "A1 B0"), round_of(2, "A1 C0"), round_of(3, awards=(award("A", "1"),)))
    rules = StandingRules(CHESS, bye_opponent="virtual")
    assert values(rules, entrants("ABC"), *rounds, planned=9).of("BH", "A") == 5
    assert values(rules, entrants("ABC"), *rounds).of("BH", "A") == 2


COMMANDER = StandingRules(scheme_of("commander"))
"""After three rounds B has 6, C 0 and D 15 points; A played them all in round 1, and has a bye in round 2."""
PODS = (
    round_of(1, "D9 A1 B1 C1", "E1 F1"),
    round_of(2, "D9 C0", "B1 E1", awards=(award("A", "5"),)),
    round_of(3, "D9 E1", "B9 C1"),
)


def test_opponents_match_wins_with_a_floor_and_a_bye() -> None:
    """(6/15 + the floor of 1/5 + 15/15 + three times 1/5 for the bye) / 6."""
    found = values(COMMANDER, FIELD, *PODS)
    assert [found.of("TP", one) for one in "BCD"] == [6, 0, 15]
    assert found.of("OMW", "A") == (Fraction(2, 5) + Fraction(1, 5) + 1 + 3 * Fraction(1, 5)) / 6
    assert round(found.of("OMW", "A"), 6) == Fraction("0.366667")


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"match_win_bye": "33/100"}, (Fraction(8, 5) + 3 * Fraction(33, 100)) / 6),
        ({"match_win_bye_opponents": 0}, Fraction(8, 15)),
        ({"match_win_floor": "0"}, (Fraction(7, 5) + Fraction(3, 5)) / 6),
    ],
)
def test_the_figures_of_match_wins_are_rules(rules: dict[str, str | int], expected: Fraction) -> None:
    changed = StandingRules(scheme_of("commander"), **rules)  # type: ignore[arg-type]  # fields by name
    assert values(changed, FIELD, *PODS).of("OMW", "A") == expected


@pytest.mark.parametrize("key", ["SOS", "BH", "OMW", "SB", "XSOS"])
def test_who_met_nobody_has_nothing_of_it(key: Key) -> None:
    assert values(StandingRules(CHESS), FIELD).of(key, "A") == 0
