"""A board in another page, and what moves on a board."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import violations
from tests.browser.moves import asked_seat, first_move
from tests.browser.test_match import opened, over
from tests.browser.visitor import Visitor, Visitors
from tests.e2e.command import Up

MOVING = "() => document.getAnimations().map(each => each.effect.target.id)"


def test_a_board_follows_live_in_the_page_of_somebody_else(visitor: Visitor) -> None:
    opened(visitor.house, "framed")
    page = visitor.page
    page.set_content(f'<iframe src="{visitor.house.web}/embed/m/framed" width="600" height="456"></iframe>')
    board = page.frame_locator("iframe")
    expect(board.locator(".tag")).to_have_text("Live")
    first_move(page.request, "framed", asked_seat(page.request, "framed"))
    expect(board.locator("#last-token")).to_be_visible()
    link = board.get_by_role("link", name="Open the match")
    expect(link).to_have_attribute("href", re.compile("/m/framed$"))
    expect(link).to_have_attribute("target", "_blank")
    # The height that the page of the match names holds the picture and the bar, and nothing has to be scrolled.
    assert board.locator("html").evaluate("each => each.scrollHeight <= each.clientHeight")
    assert board.locator(".board svg").evaluate("each => each.clientWidth === 600 && each.clientHeight === 400")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_board_can_stand_at_a_turn(visitors: Visitors, theme: str) -> None:
    visitor = visitors(theme=theme, width=480)
    over(visitor.house, "stepped")
    page = visitor.goto("/embed/m/stepped?turn=4")
    expect(page.locator(".embed-said")).to_contain_text("places a token on")
    expect(page.locator(".tag")).to_have_text(re.compile("^Revision 4 of"))
    expect(page.get_by_role("link", name="Open the match")).to_have_attribute("href", re.compile(r"\?turn=4$"))
    assert violations(page) == []


@pytest.fixture
def lively(house: Up, chromium: Browser) -> Page:
    """Somebody who has not asked for less motion."""
    return chromium.new_page(base_url=house.web, reduced_motion="no-preference")


def test_a_ring_is_seen_to_turn(lively: Page, visitor: Visitor) -> None:
    """About the middle of the board, by as much as it was turned and the way it was; the tiles stay upright."""
    over(visitor.house, "rings", "memcel")
    facts = lively.request.get("/api/matches/rings/facts").json()["facts"]
    turned = next(
        (fact["revision"], event["data"])
        for fact in facts
        for event in fact["events"]
        if event["type"] == "memcel.ring_rotated"
    )
    revision, by = turned
    lively.goto(f"/m/rings#{revision - 1}")
    expect(lively.locator(".facts [aria-current=step]")).to_be_visible()
    expect(lively.locator(".board svg")).to_be_visible()
    lively.wait_for_timeout(200)
    assert lively.evaluate(MOVING) == []  # the first picture only appears
    lively.keyboard.press("ArrowRight")
    lively.wait_for_function("() => document.getAnimations().length > 0")
    ring = f"ring{by['ring']}"
    assert ring in lively.evaluate(MOVING)
    begins = lively.evaluate(
        "id => document.getAnimations().find(each => each.effect.target.id === id).effect.getKeyframes()[0].transform",
        ring,
    )
    degrees = 22.5 * by["steps"] * (-1 if by["direction"] == "cw" else 1)
    assert begins == f"rotate({degrees:g}deg)"
    assert lively.locator(f"#{ring}").evaluate("each => each.style.transformOrigin") == "540px 540px"
    lively.wait_for_function("() => document.getAnimations().length === 0")
    lively.keyboard.press("ArrowLeft")  # nothing is played backwards
    expect(lively).to_have_url(re.compile(f"#{revision - 1}$"))
    lively.wait_for_timeout(200)
    assert lively.evaluate(MOVING) == []


def test_a_token_is_seen_to_come_unless_less_motion_is_asked_for(lively: Page, visitor: Visitor) -> None:
    over(visitor.house, "stepped")
    for page, moving in ((lively, ["last-token"]), (visitor.page, [])):
        page.goto("/m/stepped#3")
        expect(page.locator(".facts [aria-current=step]")).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#last-token")).to_be_visible()
        assert page.evaluate(MOVING) == moving
