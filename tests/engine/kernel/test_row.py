"""A row changes by making another, and says the same as a list would."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.row import PAGE, Row


@given(st.lists(st.integers(), max_size=3 * PAGE), st.lists(st.tuples(st.integers(0, 3 * PAGE), st.integers())))
def test_a_row_is_a_list_that_keeps_its_past(things: list[int], changes: list[tuple[int, int]]) -> None:
    row = Row(things)
    listed = list(things)
    for place, thing in changes:
        before, old = row, list(listed)
        if place < len(listed):
            row, listed[place] = row.set(place, thing), thing
        else:
            row = row.add(thing)
            listed.append(thing)
        assert list(before) == old
        assert list(row) == listed
        assert len(row) == len(listed)
    assert row == Row(listed)
    assert [row[place] for place in range(len(row))] == listed


@given(
    st.lists(st.integers(), max_size=3 * PAGE),
    st.dictionaries(st.integers(0, 3 * PAGE), st.integers()),
    st.lists(st.integers(), max_size=2 * PAGE),
)
def test_many_places_at_once_are_one_after_the_other(
    things: list[int], changes: dict[int, int], more: list[int]
) -> None:
    row = Row(things)
    one_by_one = row
    known = {place: thing for place, thing in changes.items() if place < len(things)}
    for place, thing in known.items():
        one_by_one = one_by_one.set(place, thing)
    assert row.put(known) == one_by_one
    for thing in more:
        one_by_one = one_by_one.add(thing)
    assert row.put(known).add(*more) == one_by_one
    assert list(row) == things
    with pytest.raises(IndexError):
        row.put({len(things): 0})


def test_a_place_that_is_not_there_is_an_error() -> None:
    with pytest.raises(IndexError):
        Row([1]).set(1, 2)
    with pytest.raises(IndexError):
        Row([1])[-1]
