"""The page of an organiser by ear, by keyboard and on a phone: axe finds nothing, and nothing sticks out."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import fits, violations
from tests.browser.organisers import Cup
from tests.browser.visitor import Visitors

TABS = ("people", "round", "results", "standings", "log", "archive", "settings")


def looked_at(page: Page, state: str) -> None:
    assert violations(page) == [], state
    assert fits(page), state


def open_dialog(page: Page, button: Callable[[], None]) -> None:
    button()
    expect(page.get_by_role("dialog")).to_be_visible()


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(visitors: Visitors, theme: str, width: int) -> None:
    visitor = visitors(theme=theme, width=width)
    cup = Cup(visitor.house)
    cup.ready(9)
    cup.do("keep_apart", entries=[1, 2], points=3)
    cup.play_round()
    cup.do("penalise", entry=4, kind="warning", reason="late")
    cup.draft()
    page = visitor.goto(f"/organise/{cup.event}#round")
    expect(page.get_by_role("heading", name="Draft of round 2")).to_be_visible()
    page.locator(".seat").first.click()
    looked_at(page, "a draft with somebody chosen")
    page.get_by_role("button", name="Publish round 2").click()
    page.get_by_role("button", name="Start round 2").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    for tab in TABS:
        page.goto(f"/organise/{cup.event}#{tab}")
        expect(page.get_by_role("heading", level=2)).not_to_have_count(1)
        for each in page.locator("main details").all():
            each.evaluate("each => { each.open = true }")
        looked_at(page, tab)
    page.goto(f"/organise/{cup.event}#results")
    page.get_by_label("Round", exact=True).select_option("1")
    open_dialog(page, page.get_by_role("button", name="Correct").first.click)
    page.get_by_role("spinbutton").first.fill("1")
    expect(page.get_by_text("numbers would change:")).to_be_visible()
    looked_at(page, "a correction before it is sent")
    page.get_by_role("dialog").get_by_role("button", name="Correct").click()
    expect(page.locator(".outcome table")).to_be_visible()
    looked_at(page, "a correction that was sent")
    page.goto("/organise")
    page.get_by_role("button", name="New event").click()
    expect(page.get_by_role("button", name="Create event")).to_be_visible()
    looked_at(page, "a new event")


@pytest.mark.parametrize("language", ["it", "fr", "ko"])
def test_every_language_fits_a_phone(visitors: Visitors, language: str) -> None:
    visitor = visitors(width=360, language=language)
    cup = Cup(visitor.house)
    cup.ready(8)
    cup.play_round()
    for tab in TABS:
        page = visitor.goto(f"/organise/{cup.event}#{tab}")
        expect(page.locator(".next p")).not_to_be_empty()
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert fits(page), tab
