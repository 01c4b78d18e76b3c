"""Who goes on: the best of each table, wildcards by share, and never anybody by chance."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.refusal import Refusal
from engine.tournament.formats.advance import DrawnPlace, Undecided, advance, share_of_winner
from engine.tournament.formats.elimination import ladder, seeded_byes
from engine.tournament.played import Entrant, Seated, TableResult
from tests.engine.tournament.formats.seating import PAIRS, THREE_OR_FOUR


def table(number: int, *scores: tuple[int, int]) -> TableResult:
    """Entry and score, ties sharing a place."""
    return TableResult(
        number, tuple(Seated(entry, 1 + sum(other > score for _, other in scores), score) for entry, score in scores)
    )


def field(count: int) -> tuple[Entrant, ...]:
    """Entry n is seed n."""
    return tuple(Entrant(entry, entry) for entry in range(1, count + 1))


TWO_TABLES = (table(1, (1, 90), (2, 80), (3, 10)), table(2, (4, 60), (5, 58), (6, 57)))


def test_wildcards_are_second_places_by_their_share_of_the_winner() -> None:
    """58 of 60 is more than 80 of 90, though it is not the greater score; and third places come behind second ones."""
    found = advance(TWO_TABLES, field(6), 1, 4, drawn=DrawnPlace.SEED)
    assert found.survivors == (1, 4)
    assert found.wildcards == (5, 2)
    assert found.empty == 0
    assert advance(TWO_TABLES, field(6), 1, 5, drawn=DrawnPlace.SEED).wildcards == (5, 2, 6)


def test_equal_shares_are_settled_by_seed() -> None:
    tables = (table(1, (1, 100), (6, 80)), table(2, (2, 50), (3, 40)))
    assert advance(tables, field(6), 1, 3, drawn=DrawnPlace.SEED).wildcards == (3,)


def test_a_share_is_exact() -> None:
    assert share_of_winner(TWO_TABLES[0], TWO_TABLES[0].seated[1]) == Fraction(8, 9)
    by_a_line = TableResult(1, (Seated(1, 1, 30), Seated(2, 2, 45)))
    assert share_of_winner(by_a_line, by_a_line.seated[1]) == Fraction(3, 2)
    lost = table(1, (1, 0), (2, -3))
    assert [share_of_winner(lost, seated) for seated in lost.seated] == [1, 0]


DRAWN = (table(1, (3, 50), (1, 50), (2, 20)), table(2, (4, 9), (5, 7), (6, 5)))


def test_of_two_who_share_first_place_the_better_seed_advances() -> None:
    assert advance(DRAWN, field(6), 1, 2, drawn=DrawnPlace.SEED).survivors == (1, 4)


def test_without_that_rule_nobody_advances_before_it_is_decided() -> None:
    found = advance(DRAWN, field(6), 1, 4, drawn=DrawnPlace.SHARE)
    assert found.undecided == (Undecided(1, (1, 3), 1),)
    assert found.survivors == (4,)
    assert found.wildcards == ()
    decided = advance(DRAWN, field(6), 1, 4, drawn=DrawnPlace.SHARE, decided={1: (3,)})
    assert decided.survivors == (3, 4)
    assert decided.wildcards == (1, 5)
    assert not decided.undecided


def test_a_tie_that_decides_nothing_needs_no_decision() -> None:
    found = advance(DRAWN, field(6), 2, 4, drawn=DrawnPlace.SHARE)
    assert found.survivors == (1, 3, 4, 5)
    assert not found.undecided


@pytest.mark.parametrize("named", [(2,), (1, 3), (1, 1), ()])
def test_a_decision_names_only_who_is_tied(named: tuple[int, ...]) -> None:
    with pytest.raises(Refusal) as refused:
        advance(DRAWN, field(6), 1, 2, drawn=DrawnPlace.SHARE, decided={1: named})
    assert refused.value.code == "bad_decision"


def test_the_next_best_of_the_same_table_replaces_who_drops() -> None:
    assert advance(TWO_TABLES, field(6), 1, 2, drawn=DrawnPlace.SEED, withdrawn=(1,)).survivors == (2, 4)


def test_a_house_player_and_a_disqualified_one_win_no_place() -> None:
    entrants = (Entrant(1, 1, ranked=False), *field(6)[1:3], Entrant(4, 4, disqualified=True), *field(6)[4:])
    assert advance(TWO_TABLES, entrants, 1, 2, drawn=DrawnPlace.SEED).survivors == (2, 5)


def test_a_place_that_nobody_is_left_for_stays_empty() -> None:
    found = advance((table(1, (1, 3)), TableResult(2, ())), field(4), 1, 2, drawn=DrawnPlace.SEED)
    assert (found.everybody, found.empty) == ((1,), 1)


def test_a_table_that_nobody_came_to_is_filled_by_wildcards() -> None:
    found = advance((TWO_TABLES[0], TableResult(2, ())), field(6), 1, 2, drawn=DrawnPlace.SEED)
    assert found.everybody == (1, 2)


def test_a_drop_in_round_one_does_not_take_away_the_final() -> None:
    """Three entrants: one bye, one table of two, a final. One of the two drops; the final is there all the same."""
    plan = seeded_byes(3, 2, 2, 2)
    assert (plan.tables, plan.byes) == (1, 1)
    found = advance((table(1, (2, 5), (3, 9)),), field(3), 1, plan.tables, drawn=DrawnPlace.SEED, withdrawn=(3,))
    assert (1, *found.everybody) == (1, 2)
    assert [stage.count for stage in ladder(4, PAIRS, 1, 2)] == [4, 2]


def test_a_result_of_a_stranger_is_refused() -> None:
    with pytest.raises(Refusal) as refused:
        advance(TWO_TABLES, field(5), 1, 2, drawn=DrawnPlace.SEED)
    assert refused.value.code == "unknown_entrant"


def test_more_survivors_than_places_are_refused() -> None:
    with pytest.raises(Refusal) as refused:
        advance(TWO_TABLES, field(6), 2, 3, drawn=DrawnPlace.SEED)
    assert refused.value.code == "bad_format"


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(count=st.integers(6, 40), places=st.integers(1, 2), data=st.data())
def test_nobody_is_lost_or_doubled_between_stages_and_order_does_not_matter(
    count: int, places: int, data: st.DataObject
) -> None:
    stage = ladder(count, THREE_OR_FOUR, places, 4)[0]
    numbers = iter(range(1, count + 1))
    tables = [
        table(number, *((next(numbers), data.draw(st.integers(0, 5))) for _ in range(size)))
        for number, size in enumerate(stage.sizes, 1)
    ]
    withdrawn = data.draw(st.sets(st.integers(1, count)))
    found = advance(tables, field(count), places, stage.next_count, drawn=DrawnPlace.SEED, withdrawn=withdrawn)
    assert len(set(found.everybody)) == len(found.everybody)
    assert not set(found.everybody) & withdrawn
    assert len(found.everybody) + found.empty == stage.next_count
    assert found.empty == max(0, stage.next_count - (count - len(withdrawn)))
    mixed = [
        TableResult(of.number, tuple(data.draw(st.permutations(of.seated))))
        for of in data.draw(st.permutations(tables))
    ]
    assert found == advance(mixed, field(count), places, stage.next_count, drawn=DrawnPlace.SEED, withdrawn=withdrawn)
