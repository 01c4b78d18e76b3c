"""A deal names its tables, and nothing that looks like one of them is one."""

import pytest

from engine.kernel.deal import Deal, deal_named, deal_of
from engine.kernel.limits import DEAL_TABLES_MAX
from engine.kernel.refusal import Refusal

DEAL = Deal("spring-r3", 12)


def test_the_tables_are_named_without_asking_anybody() -> None:
    assert [DEAL.match(number) for number in (1, 12)] == ["spring-r3-t1", "spring-r3-t12"]
    assert [DEAL.table(DEAL.match(number)) for number in range(1, 13)] == list(range(1, 13))
    assert DEAL.id == "spring-r3/12"
    assert deal_named(DEAL.id) == DEAL


@pytest.mark.parametrize(
    "match",
    [
        *("spring-r3-t0", "spring-r3-t13", "spring-r3-t01", "spring-r3-t", "spring-r3-t-1", "spring-r3-t1x"),
        *("spring-r3", "t1", "1", "summer-t1", "spring-r3-t1-t1", "spring-r3-T1", "spring-r3-t١", "", "xspring-r3-t1"),
    ],
)
def test_what_looks_like_a_table_is_none(match: str) -> None:
    with pytest.raises(Refusal, match="not_of_deal"):
        DEAL.table(match)


@pytest.mark.parametrize(
    ("group", "tables"),
    [("", 2), ("a/b", 2), ("a.b", 2), ("g" * 62, 2), ("g" * 61, 10), ("g", 0), ("g", -1), ("g", DEAL_TABLES_MAX + 1)],
)
def test_a_deal_that_cannot_be_is_refused(group: str, tables: int) -> None:
    with pytest.raises(Refusal, match="bad_deal") as refused:
        deal_of(group, tables)
    assert refused.value.sentence.endswith(".")
    with pytest.raises(ValueError, match=r"deal|id"):
        Deal(group, tables)


def test_the_longest_names_fit() -> None:
    assert len(deal_of("g" * 61, 9).match(9)) == 64
    assert deal_of("g", DEAL_TABLES_MAX).tables == DEAL_TABLES_MAX


@pytest.mark.parametrize("text", ["", "g", "g/", "/2", "g/02", "g/+2", "g/0", "g/2/2", "g/2501", "g/999999", "g/²"])
def test_a_deal_has_one_name(text: str) -> None:
    with pytest.raises(Refusal, match="bad_deal"):
        deal_named(text)
