"""What a table pays: vectors of every scheme, and what no scheme may be."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from engine.kernel.refusal import Refusal
from engine.tournament.played import Seated, TableResult
from engine.tournament.schemes import SCHEMES, Wager, Win, check_fits, scheme_of, warnings
from engine.tournament.standings.points import round_points, shares, table_points, wager_points
from engine.tournament.standings.rules import rules_of


def at_places(*groups: int) -> TableResult:
    """2, 1, 1: two share the first place, then one, then one."""
    places = [1 + sum(groups[:index]) for index, size in enumerate(groups) for _ in range(size)]
    return TableResult(1, tuple(Seated(entry, place, -place) for entry, place in enumerate(places, 1)))


def with_scores(*scores: int, first_entry: int = 1) -> TableResult:
    return TableResult(
        1,
        tuple(
            Seated(entry, 1 + sum(other > score for other in scores), score)
            for entry, score in enumerate(scores, first_entry)
        ),
    )


def fractions(text: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, text.split()))


@pytest.mark.parametrize(
    ("name", "groups", "points"),
    [
        ("5-3-2-1", (1, 1, 1, 1), "5 3 2 1"),
        ("5-3-2-1", (2, 1, 1), "4 4 2 1"),
        ("5-3-2-1", (1, 2, 1), "5 2.5 2.5 1"),
        ("5-3-2-1", (4,), "2.75 2.75 2.75 2.75"),
        ("5-3-2-1", (3, 1), "10/3 10/3 10/3 1"),
        ("5-3-2-1", (1, 3), "5 2 2 2"),
        ("5-3-2-1", (1, 1, 1), "5 3 1"),
        ("six-per-seat", (2, 1, 1), "9 9 4 2"),
        ("six-per-seat", (1, 3), "11 13/3 13/3 13/3"),
        ("six-per-seat", (4,), "6 6 6 6"),
        ("six-per-seat", (4, 1), "7 7 7 7 2"),
        ("six-per-seat", (3,), "6 6 6"),
        ("six-per-seat", (5,), "6 6 6 6 6"),
        ("6-5-3-1", (1, 1, 1, 1), "6 5 3 1"),
        ("win-heavy", (1, 2, 1), "1000 55 55 1"),
        ("win-heavy", (1, 1, 1), "1000 100 10"),
        ("commander", (1, 3), "5 0 0 0"),
        ("commander", (4,), "1 1 1 1"),
        ("commander", (2, 2), "1 1 0 0"),
        ("commander", (1, 1), "5 0"),
        ("knock-out", (1, 1, 2), "6 3 1.5 1.5"),
        ("knock-out", (1, 1, 1), "6 3 2"),
        ("normalised-place", (1, 1, 1, 1), "100 200/3 100/3 0"),
        ("normalised-place", (2, 1, 1), "250/3 250/3 100/3 0"),
        ("normalised-place", (1,) * 12, " ".join(f"{100 * (12 - place)}/11" for place in range(1, 13))),
    ],
)
def test_what_places_pay(name: str, groups: tuple[int, ...], points: str) -> None:
    assert table_points(scheme_of(name), at_places(*groups)) == fractions(points)


def test_second_of_twelve_has_ten_elevenths() -> None:
    assert round(table_points(scheme_of("normalised-place"), at_places(*(1,) * 12))[1], 2) == Fraction("90.91")


def test_the_virtual_fourth_the_average_and_the_share_are_one_measure() -> None:
    """Carcassonne adds a fourth with the mean score to a table of three; Newport takes the distance from the mean."""
    scores = (12, 9, 6)
    normalised = table_points(scheme_of("share"), with_scores(*scores))
    assert [round(part, 4) for part in normalised] == [Fraction("1.3333"), 1, Fraction("0.6667")]
    total = sum(scores)
    with_fourth = [Fraction(score) / (total + Fraction(total, 3)) for score in scores]
    assert with_fourth == [Fraction(1, 3), Fraction(1, 4), Fraction(1, 6)] == [part / 4 for part in normalised]
    newport = [Fraction(score) / Fraction(total, 3) - 1 for score in scores]
    assert newport == [Fraction(1, 3), 0, Fraction(-1, 3)] == [part - 1 for part in normalised]


def test_a_share_of_nothing_is_even_and_a_negative_score_raises_all() -> None:
    assert table_points(scheme_of("share"), with_scores(0, 0, 0)) == fractions("1 1 1")
    assert shares([4, 1, -2]) == fractions("2/3 1/3 0")


def test_squares_of_seven_powers() -> None:
    found = table_points(scheme_of("squares"), with_scores(8, 7, 6, 5, 4, 4, 0))
    assert found == tuple(Fraction(100 * weight, 454) for weight in (112, 93, 76, 61, 48, 48, 16))
    assert " ".join(f"{round(part * 1000)}" for part in found) == "24670 20485 16740 13436 10573 10573 3524"
    assert sum(found) == 100


def test_a_wager_of_seven_hundredths() -> None:
    table = with_scores(9, 3, 2, 1)
    start = table_points(scheme_of("wager"), table)
    assert [1000 + won for won in start] == [1210, 930, 930, 930]
    again = wager_points(Wager(), table, dict.fromkeys(range(1, 5), Fraction(1210)))
    assert [1210 + won for won in again] == [Fraction("1464.1"), *[Fraction("1125.3")] * 3]


def test_a_drawn_wager_splits_the_pot_to_the_last_hundredth() -> None:
    """Stakes of 70.07 (rounded down from 70.0777), 70 and 70: 210.07 for three, one hundredth is left over."""
    held = {1: Fraction("1001.11"), 2: Fraction(1000), 3: Fraction(1000)}
    won = wager_points(Wager(), with_scores(5, 5, 5), held)
    assert won == fractions("-0.04 0.02 0.02")
    assert sum(won) == 0
    assert wager_points(Wager(), with_scores(5, 1), {1: Fraction(1000), 2: Fraction(-3)}) == fractions("0 0")


def test_match_points_count_the_whole_field() -> None:
    """Two tables, one field of five: 20 beats all, both 15 tie across the tables."""
    tables = (with_scores(20, 15, 3), with_scores(15, 9, first_entry=4))
    found = round_points(scheme_of("match-points"), tables, {})
    assert found == [(8, 5, 0), (5, 2)]
    assert sum(map(sum, found)) == 5 * 4


def test_match_points_keep_the_games_own_rule_for_ties() -> None:
    """Equal scores, but the game says who is first; against another table it is a tie all the same."""
    first = TableResult(1, (Seated(1, 1, 10), Seated(2, 2, 10)))
    assert round_points(scheme_of("match-points"), (first, with_scores(10, first_entry=3)), {}) == [(3, 1), (2,)]


def test_match_points_of_one_table_each_are_a_field_too() -> None:
    tables = tuple(with_scores(score, first_entry=score) for score in (3, 1, 2))
    assert round_points(scheme_of("match-points"), tables, {}) == [fractions("4"), fractions("0"), fractions("2")]


@pytest.mark.parametrize("name", SCHEMES)
def test_a_scheme_survives_json(name: str) -> None:
    data = msgspec.json.decode(msgspec.json.encode(scheme_of(name)))
    assert scheme_of(data) == scheme_of(name)


def test_a_scheme_is_written_out() -> None:
    scheme = scheme_of({"kind": "places", "places": [["3", "2", "1"], ["1", "0"]]})
    assert table_points(scheme, at_places(1, 2)) == fractions("3 1.5 1.5")
    assert table_points(scheme, at_places(2)) == fractions("0.5 0.5")
    assert rules_of({"scheme": "commander"}).scheme == Win("5", "1", "0")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("5-4-3", "'5-4-3' is no scheme"),
        ({}, "kind"),
        ({"kind": "lottery"}, "lottery"),
        ({"kind": "places", "places": []}, "one row for every table size"),
        ({"kind": "places", "places": [["1", "0"], ["2", "0"]]}, "one row for every table size"),
        ({"kind": "places", "places": [["1", "2"]]}, "a better place pays no less"),
        ({"kind": "places", "places": [["1.5", "1"]]}, "no integer and no fraction"),
        ({"kind": "places", "places": [[3, 2]]}, "Expected `str`, got `int`"),
        ({"kind": "places", "places": [["1"]], "ties": "high"}, "ties"),
        ({"kind": "win", "win": "1", "draw": "1", "loss": "0"}, "a win pays more"),
        ({"kind": "wager", "stake": "2"}, "at most 1"),
        ({"kind": "wager", "start": "-1"}, "0 or more"),
    ],
)
def test_a_scheme_that_cannot_be_is_refused_with_its_reason(data: str | dict[str, Any], told: str) -> None:
    with pytest.raises(Refusal, match="bad_scheme") as refused:
        scheme_of(data)
    assert told in refused.value.sentence


@pytest.mark.parametrize(("name", "size"), [("5-3-2-1", 5), ("knock-out", 2), ("normalised-place", 1)])
def test_a_size_without_points_is_found_before_anybody_sits_there(name: str, size: int) -> None:
    with pytest.raises(Refusal, match=f"at least 2|no points for tables of {size}"):
        check_fits(scheme_of(name), (3, 4, size) if name == "5-3-2-1" else (size,))
    with pytest.raises(Refusal, match="bad_scheme"):
        table_points(scheme_of(name), at_places(*(1,) * size))


def test_a_draw_that_pays_is_told() -> None:
    """With 3/1/0 at four seats, four draws have 4 points and one win in four has 3; with 5/1/0 it has 5."""
    assert [found.code for found in warnings(Win("3", "1", "0"), (4,))] == ["draw_pays"]
    assert "gives each player 1, playing on 0.75" in warnings(Win("3", "1", "0"), (4,))[0].sentence
    assert warnings(Win("3", "1", "0"), (2, 3)) == ()
    assert warnings(scheme_of("commander"), (2, 3, 4, 5)) == ()
    assert [found.code for found in warnings(scheme_of("commander"), (5, 6))] == ["draw_pays"]


def test_a_gift_for_sitting_at_a_short_table_is_told() -> None:
    assert [found.code for found in warnings(scheme_of("5-3-2-1"), (3, 4))] == ["uneven_sizes"]
    assert "3 at tables of 3, 2.75 at tables of 4" in warnings(scheme_of("5-3-2-1"), (3, 4))[0].sentence
    assert warnings(scheme_of("six-per-seat"), (3, 4, 5)) == ()
    assert warnings(scheme_of("5-3-2-1"), (4,)) == ()
