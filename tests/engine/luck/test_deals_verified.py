"""Exports of one deal, given together, have met the same cards, or it is said that they have not."""

import pytest

from engine.games import game_of_rules
from engine.kernel.deal import Deal
from engine.luck.verifier import DealReport, Report, VerificationFailed, compare, verify
from tests.kit.deals import deal_export
from tests.kit.given import SEED

DEAL = Deal("g", 3)
OTHER = bytes([7] * 32)


def report(match: str, deal: Deal | None = DEAL, seed: bytes = SEED) -> Report:
    return verify(deal_export(match, deal, seed), game_of_rules)


def test_a_table_of_a_deal_says_so() -> None:
    assert report("g-t2").deal == DEAL
    assert report("g-t2", deal=None).deal is None


def test_a_match_that_is_no_table_of_its_deal_does_not_hold() -> None:
    for match in ("g-t4", "h-t1", "g-t01"):
        with pytest.raises(VerificationFailed) as failed:
            report(match)
        assert (failed.value.line_number, failed.value.code) == (1, "not_of_deal")


def test_tables_that_met_the_same_cards_are_told_together() -> None:
    ordinary, other = report("m-1", deal=None), report("h-t1", deal=Deal("h", 1), seed=OTHER)
    reports = [report("g-t3"), ordinary, report("g-t1"), other, report("g-t1")]
    assert compare(reports) == (
        DealReport(DEAL, ("g-t3", "g-t1"), same_cards=True),
        DealReport(Deal("h", 1), ("h-t1",), same_cards=True),
    )


def test_a_table_that_met_other_cards_is_noticed() -> None:
    assert compare([report("g-t1"), report("g-t2", seed=OTHER), report("g-t3")]) == (
        DealReport(DEAL, ("g-t1", "g-t2", "g-t3"), same_cards=False),
    )
    assert [each.same_cards for each in compare([report("g-t1"), report("g-t2", deal=Deal("g", 2), seed=OTHER)])] == [
        True,
        True,
    ], "two deals may differ"
