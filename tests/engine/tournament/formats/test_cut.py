"""The cut: ties at the line are shown, and only a rule settles them; and who is through or out already."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.refusal import Refusal
from engine.tournament.formats.chances import Chance, chances
from engine.tournament.formats.cut import Cut, Line, Ties, cut
from engine.tournament.formats.lots import shuffled

LINES = tuple(Line(entry, place) for entry, place in ((7, 1), (3, 2), (5, 3), (1, 3), (2, 3), (6, 6)))


@pytest.mark.parametrize("ties", Ties)
def test_without_a_tie_at_the_line_no_rule_is_needed(ties: Ties) -> None:
    assert cut(LINES, 2, ties) == Cut((7, 3), (), 0, (5, 1, 2, 6))
    assert cut(LINES, 5, ties) == Cut((7, 3, 5, 1, 2), (), 0, (6,))


def test_the_cut_expands() -> None:
    assert cut(LINES, 3, Ties.EXPAND).through == (7, 3, 5, 1, 2)


def test_a_play_off_is_awaited_and_then_decides() -> None:
    waits = cut(LINES, 4, Ties.PLAYOFF)
    assert (waits.through, waits.tied, waits.places, waits.reserve) == ((7, 3), (5, 1, 2), 2, (6,))
    assert not waits.is_made
    made = cut(LINES, 4, Ties.PLAYOFF, playoff=(2, 5, 1))
    assert (made.through, made.reserve) == ((7, 3, 2, 5), (1, 6))
    assert made.is_made


def test_a_play_off_ranks_all_who_are_tied() -> None:
    with pytest.raises(Refusal) as refused:
        cut(LINES, 4, Ties.PLAYOFF, playoff=(2, 5))
    assert refused.value.code == "bad_decision"


def test_a_play_off_of_others_leaves_this_tie_open() -> None:
    assert not cut(LINES, 4, Ties.PLAYOFF, playoff=(6, 7)).is_made


def test_lots_are_those_of_the_recorded_seed() -> None:
    drawn = shuffled((1, 2, 3, 5, 6, 7), b"seed", "cut.lots")
    winner = next(entry for entry in drawn if entry in (5, 1, 2))
    assert cut(LINES, 3, Ties.LOT, lot_seed=b"seed").through == (7, 3, winner)
    assert len({cut(LINES, 3, Ties.LOT, lot_seed=b"%d" % n).through for n in range(30)}) == 3


def test_whoever_declines_changes_nobodys_lot() -> None:
    first = cut(LINES, 3, Ties.LOT, lot_seed=b"seed")
    again = cut(LINES, 3, Ties.LOT, lot_seed=b"seed", declined=(7,))
    assert again.through == (3, first.through[2], first.reserve[0])


def test_the_cut_is_refused_at_a_tie() -> None:
    with pytest.raises(Refusal) as refused:
        cut(LINES, 4, Ties.REFUSE)
    assert refused.value.code == "tie_at_the_cut"


def test_a_place_that_is_declined_goes_to_the_next_in_line() -> None:
    assert cut(LINES, 2, Ties.EXPAND, declined=(3,)).through == (7, 5, 1, 2)
    assert cut(LINES, 5, Ties.REFUSE, declined=(3,)).through == (7, 5, 1, 2, 6)


def test_a_cut_is_not_larger_than_the_field() -> None:
    with pytest.raises(Refusal) as refused:
        cut(LINES, 6, Ties.EXPAND, declined=(1,))
    assert refused.value.code == "cut_too_large"


@pytest.mark.parametrize(
    ("lines", "size"), [(LINES, 0), (LINES[::-1], 2), ((Line(1, 1), Line(1, 2)), 1)], ids=["none", "order", "twice"]
)
def test_standings_that_are_none_are_refused(lines: Sequence[Line], size: int) -> None:
    with pytest.raises(Refusal) as refused:
        cut(lines, size, Ties.EXPAND)
    assert refused.value.code == "bad_format"


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(groups=st.lists(st.integers(1, 4), min_size=1, max_size=6), data=st.data())
def test_a_cut_loses_nobody(groups: list[int], data: st.DataObject) -> None:
    lines: list[Line] = []
    for group in groups:
        lines += [Line(len(lines) + k + 1, len(lines) + 1) for k in range(group)]
    size = data.draw(st.integers(1, len(lines)))
    for ties in (Ties.EXPAND, Ties.PLAYOFF, Ties.LOT):
        found = cut(lines, size, ties, lot_seed=b"s")
        assert sorted((*found.through, *found.tied, *found.reserve)) == [line.entry for line in lines]
        assert len(found.through) + found.places == size or (ties is Ties.EXPAND and len(found.through) > size)
        places = {line.entry: line.place for line in lines}
        behind = min((places[entry] for entry in (*found.tied, *found.reserve)), default=len(lines))
        assert all(places[entry] <= behind for entry in found.through)


def test_who_is_through_out_or_neither_with_one_round_to_come() -> None:
    points = {entry: Fraction(points) for entry, points in ((1, 20), (2, 14), (3, 13), (4, 10), (5, 8))}
    found = chances(points, 2, 1, Fraction(5))
    assert found == {
        1: Chance.CLINCHED,
        2: Chance.ALIVE,
        3: Chance.ALIVE,
        4: Chance.ALIVE,
        5: Chance.ELIMINATED,
    }


def test_what_can_still_be_a_tie_is_open() -> None:
    points = {1: Fraction(10), 2: Fraction(5), 3: Fraction(5)}
    assert chances(points, 1, 1, Fraction(5))[1] is Chance.ALIVE
    assert chances(points, 1, 1, Fraction(5))[2] is Chance.ALIVE
    assert chances(points, 1, 1, Fraction(9, 2))[1] is Chance.CLINCHED
    assert chances(points, 1, 0, Fraction(5))[1] is Chance.CLINCHED


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(now=st.lists(st.integers(0, 8), min_size=2, max_size=5), size=st.integers(1, 3), least=st.integers(0, 1))
def test_bounds_agree_with_every_future(now: list[int], size: int, least: int) -> None:
    """All futures of one round, everybody free to have ``least`` to three points."""
    found = chances({n: Fraction(p) for n, p in enumerate(now)}, size, 1, Fraction(3), Fraction(least))
    futures = [
        [p + more for p, more in zip(now, each, strict=True)] for each in product(range(least, 4), repeat=len(now))
    ]
    for who, chance in found.items():
        not_below = max(sum(p >= end[who] for p in end) for end in futures)
        above = min(sum(p > end[who] for p in end) for end in futures)
        assert (chance is Chance.CLINCHED) == (not_below <= size)
        assert (chance is Chance.ELIMINATED) == (above >= size and chance is not Chance.CLINCHED)


def test_chances_of_nonsense_are_refused() -> None:
    for size, rounds, most in ((0, 1, 5), (1, -1, 5), (1, 1, -1)):
        with pytest.raises(Refusal) as refused:
            chances({1: Fraction(0)}, size, rounds, Fraction(most))
        assert refused.value.code == "bad_format"
