"""The page of a match."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import fits, violations
from tests.browser.visitor import Visitor, Visitors


def test_a_match_is_drawn_and_its_facts_are_told(visitor: Visitor) -> None:
    assert visitor.house.ask("match", "open", "just4fun", "--seats", "2", "--id", "drawn").code == 0
    page = visitor.goto("/m/drawn")
    expect(page.locator(".board svg")).to_be_visible()
    expect(page.get_by_text("The match is open with 2 seats.")).to_be_visible()


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(visitors: Visitors, theme: str, width: int) -> None:
    visitor = visitors(theme=theme, width=width)
    visitor.house.ask("match", "open", "just4fun", "--seats", "2", "--id", "drawn")
    page = visitor.goto("/m/drawn")
    expect(page.locator(".board svg")).to_be_visible()
    assert violations(page) == []
    assert fits(page)
