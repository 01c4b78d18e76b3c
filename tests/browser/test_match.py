"""The page of a match."""

from playwright.sync_api import expect

from tests.browser.visitor import Visitor


def test_a_match_is_drawn_and_its_facts_are_told(visitor: Visitor) -> None:
    assert visitor.house.ask("match", "open", "just4fun", "--seats", "2", "--id", "drawn").code == 0
    page = visitor.goto("/m/drawn")
    expect(page.locator(".board svg")).to_be_visible()
    expect(page.get_by_text("The match is open with 2 seats.")).to_be_visible()
