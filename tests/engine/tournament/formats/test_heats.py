"""Heats: the orders of qualification, and that playing never hurts where it is promised."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.refusal import Refusal
from engine.tournament.formats.heats import (
    Record,
    best_of,
    wins_then_average,
    wins_then_points,
)

SEED = b"lots"
FINISHES = {1: (1, 2, 4), 2: (1, 2), 3: (1,), 4: (2, 2, 2), 5: (1, 3, 2, 2)}
RECORDS = tuple(Record(entry, finishes) for entry, finishes in FINISHES.items())
places = st.lists(st.integers(1, 6), max_size=5).map(tuple)
bounded = settings(max_examples=150, deadline=None, derandomize=True, database=None)


def test_wins_and_points_of_known_records() -> None:
    assert [record.points for record in RECORDS] == [1101, 1100, 1000, 300, 1210]
    assert [record.wins for record in RECORDS] == [1, 1, 1, 0, 1]


def test_most_wins_then_points() -> None:
    assert wins_then_points(RECORDS, SEED) == (5, 1, 2, 3, 4)


def test_a_win_is_worth_more_than_any_places() -> None:
    assert wins_then_points((Record(1, (2,) * 20), Record(2, (1,))), SEED) == (2, 1)


def test_the_older_order_looks_at_the_first_heat_first() -> None:
    records = (
        Record(1, (2, 1, 1)),
        Record(2, (1, 4)),
        Record(3, (1, 1)),
        Record(4, ()),
        Record(5, (2, 1, 3)),
        Record(6, (2, 3, 1)),
        Record(7, (3, 3)),
        Record(8, (3, 2)),
    )
    assert wins_then_average(records, SEED) == (3, 2, 1, 5, 6, 8, 7, 4)


def test_by_the_older_order_playing_can_hurt() -> None:
    before = (Record(1, (2,)), Record(2, (3,)))
    assert wins_then_average(before, SEED) == (1, 2)
    assert wins_then_average((Record(1, (2, 5)), before[1]), SEED) == (2, 1)


def test_the_best_two_heats() -> None:
    assert best_of((Record(1, (2, 2, 2)), Record(2, (1, 4)), Record(3, (1, 2)), Record(4, (3, 2, 1))), 2, SEED) == (
        4,
        3,
        2,
        1,
    )


@bounded
@given(
    records=st.lists(places, min_size=2, max_size=8),
    who=st.integers(0, 7),
    place=st.integers(1, 6),
    k=st.integers(1, 4),
)
def test_playing_never_hurts(records: list[tuple[int, ...]], who: int, place: int, k: int) -> None:
    who %= len(records)
    before = [Record(entry, finishes) for entry, finishes in enumerate(records)]
    after = [Record(r.entry, (*r.finishes, place)) if r.entry == who else r for r in before]
    assert wins_then_points(after, SEED).index(who) <= wins_then_points(before, SEED).index(who)
    assert best_of(after, k, SEED).index(who) <= best_of(before, k, SEED).index(who)


@bounded
@given(records=st.lists(places, min_size=2, max_size=8), data=st.data())
def test_the_order_of_records_does_not_matter(records: list[tuple[int, ...]], data: st.DataObject) -> None:
    numbered = [Record(entry, finishes) for entry, finishes in enumerate(records, 1)]
    mixed = data.draw(st.permutations(numbered))
    for order in (wins_then_points, wins_then_average):
        assert order(mixed, SEED) == order(numbered, SEED)
        assert sorted(order(mixed, SEED)) == [record.entry for record in numbered]
    assert best_of(mixed, 2, SEED) == best_of(numbered, 2, SEED)


def test_lots_are_those_of_the_seed() -> None:
    equal = [Record(entry, (2,)) for entry in range(1, 7)]
    orders = {wins_then_points(equal, b"%d" % seed) for seed in range(20)}
    assert len(orders) == 20


def test_nonsense_is_refused() -> None:
    for nonsense in (
        lambda: Record(1, (0,)),
        lambda: best_of(RECORDS, 0, SEED),
    ):
        with pytest.raises(Refusal) as refused:
            nonsense()
        assert refused.value.code == "bad_format"
