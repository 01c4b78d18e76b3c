"""Exact numbers have one text each, and a readable one."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tournament.exact import LENGTH_MAX, exact_of, exact_text, shown


@given(st.fractions())
def test_a_number_comes_back_from_its_text(number: Fraction) -> None:
    assert exact_of(exact_text(number)) == number


@pytest.mark.parametrize(
    "text",
    ["", "2/4", "1/-2", "-0", "0/3", "01", "+1", "1.5", "1e3", " 1", "1\n", "3/1", "1/0", "٣", "9" * (LENGTH_MAX + 1)],
)
def test_no_number_has_a_second_text(text: str) -> None:
    with pytest.raises(ValueError, match="no integer and no fraction in lowest terms"):
        exact_of(text)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("7", "7"),
        ("25/2", "12.5"),
        ("1/8", "0.125"),
        ("-1/2", "-0.5"),
        ("-5/2", "-2.5"),
        ("1/16", "1/16"),
        ("49/6", "8 1/6"),
        ("-73/9", "-8 1/9"),
        ("20/1000", "0.02"),
        ("0", "0"),
    ],
)
def test_people_read_decimals_that_end_soon_and_else_fractions(number: str, text: str) -> None:
    assert shown(Fraction(number)) == text


def test_three_thirds_of_ten_are_ten() -> None:
    assert sum([exact_of("10/3")] * 3) == 10
