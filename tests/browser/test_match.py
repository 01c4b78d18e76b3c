"""The page of a match: live, at any revision, and when it is over."""

import re
from functools import cache

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import fits, violations
from tests.browser.moves import asked_seat, first_move
from tests.browser.visitor import Visitor, Visitors
from tests.e2e.command import Up


@cache
def opened(house: Up, match: str, game: str = "just4fun", *more: str, seats: int = 2) -> None:
    """The same match for every test that names it."""
    assert house.ask("match", "open", game, "--seats", seats, "--id", match, *more).code == 0


@cache
def over(house: Up, match: str, game: str = "just4fun", seats: int = 2) -> None:
    """A match that bots have played to its end."""
    opened(house, match, game, "--bots", "greedy", seats=seats)
    assert house.ask("watch", match).code == 0  # returns when the match is complete


def at(page: Page, match: str, revision: int, said: str) -> None:
    """The page is at a revision: address, title, bar, slider, sentence."""
    expect(page).to_have_url(re.compile(f"/m/{match}#{revision}$"))
    expect(page).to_have_title(re.compile(f"Revision {revision} of"))
    expect(page.get_by_text(re.compile(f"You are looking at revision {revision} of"))).to_be_visible()
    valuetext = re.compile(f"^Revision {revision} of [0-9]+: .*{re.escape(said)}")
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", valuetext)
    expect(page.locator(".last-said")).to_contain_text(said)
    expect(page.locator("[aria-current=step]")).to_contain_text(said)


def test_a_match_is_drawn_and_its_facts_are_told(visitor: Visitor) -> None:
    opened(visitor.house, "drawn")
    page = visitor.goto("/m/drawn")
    expect(page.locator(".board > svg")).to_be_visible()
    expect(page.get_by_role("link", name="The match is open with 2 seats.")).to_be_visible()
    expect(page.locator(".now .tag")).to_have_text("Live")
    expect(page).to_have_title(re.compile(r"^Just 4 Fun: Seat [01] to move · drawn"))
    expect(page.locator(".seat[data-asked=true]")).to_have_count(1)
    expect(page.locator(".seat .points")).to_have_text(["Points 0", "Points 0"])


def test_a_move_is_seen_and_said_once(visitor: Visitor) -> None:
    opened(visitor.house, "moved")
    page = visitor.goto("/m/moved")
    expect(page.locator("[aria-current=step]")).to_contain_text("draws 4 cards")
    polite = page.locator("[role=status][aria-live]")
    assert polite.inner_text().strip() == ""  # what had happened before is no news
    first_move(page.request, "moved", asked_seat(page.request, "moved"))
    expect(polite).to_have_text(
        re.compile(r"^Seat [01] plays [^.]+ and places a token on \d+\. Seat [01] draws \d cards?\.\s*$")
    )
    expect(page.locator(".facts").get_by_text("places a token on")).to_have_count(1)


def test_in_the_past_news_come_in_silence(visitor: Visitor) -> None:
    """They are in the list, and the way back leads to them."""
    opened(visitor.house, "silent")
    page = visitor.goto("/m/silent#2")
    at(page, "silent", 2, "begins")
    revision = first_move(page.request, "silent", asked_seat(page.request, "silent"))
    expect(page.locator(f".facts [data-revision='{revision}']")).to_be_visible()
    at(page, "silent", 2, "begins")
    assert page.locator("[role=status][aria-live]").inner_text().strip() == ""
    page.get_by_role("button", name="Back to live").click()
    expect(page.locator("#last-token")).to_be_visible()
    expect(page).to_have_url(re.compile("/m/silent$"))


@pytest.mark.parametrize("path", ["/m/stepped#3", "/m/stepped?turn=3"])
def test_a_link_to_a_revision_is_followed(visitor: Visitor, path: str) -> None:
    """By the hash, and by the query that a shared link has."""
    over(visitor.house, "stepped")
    page = visitor.goto(path)
    expect(page.get_by_text("You are looking at revision 3 of")).to_be_visible()
    expect(page.get_by_text("draws 4 cards.").last).to_be_visible()
    page.keyboard.press("ArrowRight")
    at(page, "stepped", 4, "places a token on")


def test_keys_and_the_back_button_step(visitor: Visitor) -> None:
    over(visitor.house, "stepped")
    page = visitor.goto("/m/stepped")
    expect(page.get_by_text("Final position")).to_be_visible()
    page.get_by_role("button", name="From the beginning").click()
    at(page, "stepped", 1, "The match is open with 2 seats.")
    page.keyboard.press("]")
    expect(page.get_by_text("You are looking at revision 11 of")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("You are looking at revision 10 of")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("Final position")).to_be_visible()
    expect(page).to_have_url(re.compile("/m/stepped$"))
    page.go_forward()
    expect(page.get_by_text("You are looking at revision 10 of")).to_be_visible()
    page.keyboard.press("End")
    expect(page.get_by_text("Final position")).to_be_visible()


def test_a_sentence_leads_to_its_revision_and_the_slider_on(visitor: Visitor) -> None:
    over(visitor.house, "stepped")
    page = visitor.goto("/m/stepped")
    page.locator(".facts").get_by_role("link", name="begins.").click()
    at(page, "stepped", 2, "begins")
    slider = page.get_by_role("slider")
    slider.focus()
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    at(page, "stepped", 4, "places a token on")


def test_a_finished_match_has_ranks_and_proofs(visitor: Visitor) -> None:
    over(visitor.house, "stepped")
    page = visitor.goto("/m/stepped")
    expect(page.locator(".seat .tag").first).to_have_text("No. 1")
    expect(page.locator(".seat").first).to_contain_text("met")
    expect(page.get_by_role("link", name="Verify this match")).to_have_attribute("href", "/verify?match=stepped")
    expect(page).to_have_title(re.compile(r"^Just 4 Fun: Over: Seat \d comes first"))
    page.locator(".seat").first.get_by_text("How the points come about").click()
    total = page.locator(".seat").first.locator(".points").inner_text().split()[-1]
    expect(page.locator(".seat").first.locator(".sum td")).to_have_text(total)


def test_a_running_game_of_memory_shows_only_the_present(visitor: Visitor) -> None:
    opened(visitor.house, "memory", "memcel")
    page = visitor.goto("/m/memory#1")
    expect(page.get_by_text("This is a game of memory")).to_be_visible()
    expect(page.get_by_text("until it ends, only the present is shown.")).to_be_visible()
    expect(page.locator(".board > svg")).to_be_visible()
    expect(page.get_by_role("slider")).to_have_count(0)
    expect(page.locator(".facts a")).to_have_count(0)


def test_where_there_is_no_match_the_house_says_so(visitor: Visitor) -> None:
    page = visitor.goto("/m/nowhere")
    expect(page.get_by_role("alert").filter(has_text="There is no match nowhere.")).to_be_visible()
    expect(page.get_by_role("link", name="To the tables")).to_be_visible()
    expect(page).to_have_title("There is no such match here · Tavolata")


def test_clocks_run_where_it_is_ones_turn(visitor: Visitor) -> None:
    opened(visitor.house, "timed", "just4fun", "--turn", "10m")
    page = visitor.goto("/m/timed")
    running, standing = page.locator(".clock[data-state=runs]"), page.locator(".clock[data-state=stands]")
    expect(standing).to_contain_text("10:00")
    before = running.inner_text()
    expect(running).not_to_have_text(before)  # no frame comes meanwhile: the page counts itself
    assert page.locator("[role=status][aria-live]").inner_text().strip() == ""


def test_who_has_little_time_left_is_named_once(visitor: Visitor) -> None:
    """At 60, 30 and 10 seconds, and not each second."""
    opened(visitor.house, "warned", "just4fun", "--turn", "10m")
    visitor.page.clock.install()
    page = visitor.goto("/m/warned")
    polite = page.locator("[role=status][aria-live]")
    expect(page.locator(".clock[data-state=runs]")).to_be_visible()
    for seconds, said in ((545, 60), (25, 30), (20, 10)):
        page.clock.fast_forward(seconds * 1_000)
        expect(polite).to_have_text(re.compile(rf"^{said} seconds left: Seat [01]\s*$"))
    expect(page.locator(".clock[data-state=low]")).to_have_count(1)


def test_what_is_on_screen_can_be_shared(visitor: Visitor) -> None:
    over(visitor.house, "stepped")
    page = visitor.goto("/m/stepped#5")
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_label("Link to revision 5")).to_have_value(re.compile(r"^http://[^/]+/m/stepped\?turn=5$"))
    code = page.get_by_label("Code for a board in another page")
    expect(code).to_have_value(re.compile(r'/embed/m/stepped\?turn=5".* width="800" height="589"'))
    expect(page.get_by_text("height = width × 0.666 + 56 pixels")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_of_a_crowd_those_ahead_come_first(visitor: Visitor) -> None:
    opened(visitor.house, "crowd", "welcome_to", seats=30)
    page = visitor.goto("/m/crowd")
    seats = page.get_by_role("region", name="Seats and points").locator(".seat")
    expect(seats).to_have_count(12)
    page.get_by_role("button", name="Show all 30 seats").click()
    expect(seats).to_have_count(30)
    expect(page.get_by_role("heading", name="Seats and points")).to_be_focused()


def test_a_large_board_is_looked_at_closely_inside_its_own_region(visitors: Visitors) -> None:
    visitor = visitors(width=360)
    opened(visitor.house, "streets", "welcome_to", seats=6)
    page = visitor.goto("/m/streets")
    expect(page.locator(".board > svg")).to_be_visible()
    for _ in range(3):
        page.get_by_role("button", name="Larger").click()
    board = page.get_by_role("region", name="Board")
    board.focus()
    assert board.evaluate("each => each.scrollWidth > 2.5 * each.clientWidth")
    assert fits(page)
    assert violations(page) == []
    page.get_by_role("button", name="Fit").click()
    expect(board).to_have_count(0)


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(visitors: Visitors, theme: str, width: int) -> None:
    visitor = visitors(theme=theme, width=width)
    over(visitor.house, "stepped")
    opened(visitor.house, "timed", "just4fun", "--turn", "10m")
    page = visitor.goto("/m/timed")
    expect(page.locator(".clock").first).to_be_visible()
    assert violations(page) == []
    assert fits(page)
    page = visitor.goto("/m/stepped#4")
    expect(page.locator("[aria-current=step]")).to_be_visible()
    page.get_by_text("Keys", exact=True).click()
    assert violations(page) == []
    assert fits(page)
