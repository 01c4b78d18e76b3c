"""The page of a match for its caster and its referee: they come by their links, see the hands, or what others see."""

import re

import pytest
from playwright.sync_api import Page, expect

from services.kit.access.grants import ALL, CasterGrant, OrganiserGrant, RefereeGrant, SeatGrant
from tests.access.keys import Keys
from tests.browser.axe import fits, violations
from tests.browser.organisers import Cup
from tests.browser.visitor import Enters
from tests.e2e.command import Up


@pytest.fixture(scope="module")
def match(locked: Up, keys: Keys) -> str:
    """A match with clocks, that nobody plays."""
    body = {"match": "cast", "game": "just4fun", "seats": 2, "turn_ms": 3_600_000}
    Cup(locked, keys.token(OrganiserGrant(ALL))).post("", body, at="/api/matches")
    return "cast"


def pictured(page: Page) -> str:
    expect(page.locator(".board > svg")).to_be_visible()
    return page.locator(".board > svg").inner_html()


def test_a_caster_sees_the_hands_and_may_look_as_a_spectator(enters: Enters, locked: Up, match: str) -> None:
    caster = enters(CasterGrant(match=match))
    page = caster.page
    expect(page).to_have_url(f"{locked.web}m/{match}")
    expect(page.get_by_role("navigation", name="View")).to_contain_text("no earlier than spectators")
    expect(page.get_by_role("link", name="As caster")).to_have_attribute("aria-current", "page")
    hands = pictured(page)
    assert violations(page) == []
    assert fits(page)
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)
    page.get_by_role("link", name="As spectator").click()
    expect(page.get_by_role("link", name="As spectator")).to_have_attribute("aria-current", "page")
    public = pictured(page)
    assert public != hands
    stranger = enters().goto(f"/m/{match}?as=caster")
    assert pictured(stranger) == public, "what the address says is no token"
    expect(stranger.get_by_role("navigation", name="View")).to_have_count(0)
    seated = enters(SeatGrant(match, 0))
    seated.goto(f"/m/{match}")
    assert pictured(seated.page) == public
    page.goto(f"/m/{match}")
    assert pictured(page) == hands


def test_a_caster_who_comes_from_elsewhere_is_known_all_the_same(enters: Enters, locked: Up, match: str) -> None:
    """The browser sends no cookie with a page that another site has led to."""
    page = enters(CasterGrant(event=ALL)).page
    expect(page).to_have_url(locked.web)
    page.goto("data:text/html,<title>elsewhere</title>")
    page.evaluate("to => { location.href = to }", f"{locked.web}m/{match}")
    expect(page).to_have_url(f"{locked.web}m/{match}?as=caster")
    expect(page.get_by_role("link", name="As caster")).to_have_attribute("aria-current", "page")


def test_a_referee_sees_the_hands_and_directs_the_clocks(enters: Enters, match: str) -> None:
    page = enters(RefereeGrant(match=match)).page
    expect(page.get_by_role("navigation", name="View")).to_contain_text("as it happens")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("The match is paused; the clocks stand still.")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.get_by_role("button", name="5 more minutes for all").click()
    expect(page.locator(".clock[data-state=runs]")).to_have_text(re.compile("1:0[0-9]:"))
    page.get_by_role("button", name="Call time").click()
    assert violations(page) == []
    page.get_by_role("dialog").get_by_role("button", name="Call time").click()
    expect(page.locator("p.state")).to_contain_text("Over: Seat")
    expect(page.get_by_role("link", name="Time is called: the house plays the match to its end.")).to_have_count(1)
    expect(page.get_by_role("button", name="Call time")).to_have_count(0)


@pytest.mark.parametrize(
    ("language", "words"), [("it", "Come commentatore"), ("fr", "Comme commentateur"), ("ko", "해설자로")]
)
def test_it_is_said_in_every_language(enters: Enters, match: str, language: str, words: str) -> None:
    page = enters(CasterGrant(match=match), language).page
    expect(page.get_by_role("link", name=words)).to_have_attribute("aria-current", "page")
    assert violations(page) == []


def test_the_token_of_an_event_leads_to_the_event(enters: Enters, locked: Up, keys: Keys) -> None:
    cup = Cup(locked, keys.token(OrganiserGrant(ALL)))
    page = enters(RefereeGrant(event=cup.event)).page
    expect(page).to_have_url(f"{locked.web}t/{cup.event}")
    expect(page.locator(".who")).to_contain_text("Referee")
