"""Names, ids, instants and quoted input, also from those who mean no good."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel import limits
from engine.kernel.limits import ID_LENGTH_MAX
from engine.kernel.refusal import Refusal
from engine.kernel.value import (
    Referee,
    SeatView,
    Spectator,
    check_id,
    clip,
    instant_of,
    instant_text,
    viewer_name,
    viewer_named,
)


@pytest.mark.parametrize(
    ("text", "viewer"),
    [
        ("spectator", Spectator()),
        ("", Spectator()),
        ("referee", Referee()),
        ("seat:0", SeatView(0)),
        ("seat:99", SeatView(99)),
    ],
)
def test_viewers_have_names(text: str, viewer: Spectator | SeatView | Referee) -> None:
    assert viewer_named(text) == viewer
    assert viewer_named(viewer_name(viewer)) == viewer


@pytest.mark.parametrize(
    "text",
    ["seat", "seat:", "seat:-1", "seat:1.0", "seat:٣", "seat:²", "seat:1:2", "Referee", "seat:" + "9" * 5000, "\n"],
)
def test_nobody_else_is_a_viewer(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        viewer_named(text)
    assert caught.value.code == "unknown_viewer"
    assert caught.value.sentence.isprintable()
    assert len(caught.value.sentence) < 200


@pytest.mark.parametrize("text", ["a", "A-z_09", "x" * ID_LENGTH_MAX])
def test_a_plain_id_is_taken(text: str) -> None:
    assert check_id("match id", text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "a b",
        "a\n",
        "\n",
        "a.b",
        "a*",
        ">",
        "a/b",
        "..",
        "luck:seed",
        "é",
        "٣",
        "²",
        "а",
        "a\x00",
        "\ud800",
        "\u202ea",
    ],
)
def test_what_is_no_token_is_no_id(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        check_id("match id", text)
    assert caught.value.code == "id_malformed"
    assert caught.value.sentence.isprintable()


@pytest.mark.parametrize("length", [ID_LENGTH_MAX + 1, 10**6])
def test_a_long_id_is_refused_and_not_repeated(length: int) -> None:
    with pytest.raises(Refusal) as caught:
        check_id("command id", "x" * length)
    assert caught.value.code == "id_too_long"
    assert len(caught.value.sentence) < 100


@given(st.text(), st.integers(1, 60))
def test_quoted_input_is_short_and_printable(text: str, length: int) -> None:
    shown = clip(text, length)
    assert shown.isprintable()
    assert len(shown) <= length + 3


def test_quoted_input_says_that_it_goes_on() -> None:
    assert clip("abc", 3) == "'abc'"
    assert clip("abcd", 3) == "'abc…'"
    assert clip("a\x1b[31m\n") == "'a�[31m�'"


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (1, "1970-01-01T00:00:00.000001Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
        (1764449289123456, "2025-11-29T20:48:09.123456Z"),
        (951782400000000, "2000-02-29T00:00:00.000000Z"),
    ],
)
def test_instants_are_written_with_six_decimals(at: int, text: str) -> None:
    assert instant_text(at) == text
    assert instant_of(text) == at


@given(st.integers(-(10**16), 10**17), st.integers(-(10**16), 10**17))
def test_instants_sort_as_their_texts_do(one: int, other: int) -> None:
    assert instant_of(instant_text(one)) == one
    assert (one < other) == (instant_text(one) < instant_text(other))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2025-11-29",
        "2025-11-29T20:48:09Z",
        "2025-11-29T20:48:09.123Z",
        "2025-11-29T20:48:09.1234567Z",
        "2025-11-29T20:48:09.123456",
        "2025-11-29T20:48:09.123456z",
        "2025-11-29T20:48:09.123456+00:00",
        "2025-11-29T21:48:09.123456+01:00",
        "2025-11-29 20:48:09.123456Z",
        "20251129T204809.123456Z",
        "2025-W48-6T20:48:09.123456Z",
        "2025-02-29T00:00:00.000000Z",
        "2025-11-29T24:00:00.000000Z",
        "2025-11-29T20:48:60.000000Z",
        " 2025-11-29T20:48:09.123456Z",
        "2025-11-29T20:48:09.123456Z\n",
        "２０２５-11-29T20:48:09.123456Z",
        "0000-01-01T00:00:00.000000Z",
        "0001-01-01T00:00:00.000000+23:59",
    ],
)
def test_other_spellings_are_no_instant(text: str) -> None:
    with pytest.raises(ValueError):
        instant_of(text)


def test_limits_hold_together() -> None:
    """The relations are asserted where the limits stand; here only that there is no unbounded one."""
    named = {name: value for name, value in vars(limits).items() if name.isupper()}
    assert named
    assert all(isinstance(value, int) and 0 < value < 2**40 for value in named.values())
