"""The page of a player: what it asks, what it sends, and what it says when something is in the way."""

import json
import re
from typing import Any

import grpc
import pytest
from playwright.sync_api import Page, Request, Route, expect

from services.kit.wire.clients import MatchClient
from tests.browser.axe import fits, violations
from tests.browser.players import Player, any_of, aside
from tests.browser.visitor import Visitor, Visitors
from tests.e2e.command import Up


def opened(house: Up, match: str, *how: str, seat: int = 0) -> str:
    """The path of a seat at a table of its own; opened once, however often it is asked for."""
    assert house.ask("match", "open", *how, "--id", match).code == 0
    return f"/m/{match}/seat/{seat}"


def moves(page: Page, match: str) -> list[Any]:
    """The facts that seat 0 has made."""
    told = page.request.get(f"/api/matches/{match}/facts").json()["facts"]
    return [fact for fact in told if fact["actor"] == "seat:0"]


def direct(house: Up, match: str, command: str) -> None:
    """What the director of an event asks for."""

    async def ask() -> None:
        async with grpc.aio.insecure_channel(house.services["rules-welcome_to"]) as channel:
            body = json.dumps({"type": command, "v": 1, "data": {}})
            await MatchClient(channel).direct(match, command.replace(".", "-"), body)

    aside(ask)


def answer_one(page: Page) -> str:
    """Leads a solo turn of Welcome To... to its confirmation: the command is complete, and not sent."""
    panel = page.locator(".panel")
    for _ in range(6):
        expect(panel.locator(".choices button, .confirm button").first).to_be_enabled()
        if panel.locator(".confirm").count():
            break
        crumbs = panel.locator(".crumbs li").count()
        panel.locator(".choices button").first.click()
        expect(panel.locator(".crumbs li").nth(crumbs)).to_be_visible()
    return panel.locator(".prompt").inner_text()


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_while_a_turn_is_open(visitors: Visitors, theme: str, width: int) -> None:
    visitor = visitors(theme=theme, width=width)
    page = visitor.goto(opened(visitor.house, "axed", "welcome_to", "--seats", "1"))
    panel = page.locator(".panel")
    expect(panel.get_by_text("Choose the card for the number.")).to_be_visible()
    expect(page.locator(".board").get_by_role("button")).to_have_count(3)
    assert violations(page) == []
    panel.locator(".choices button").nth(0).click()
    panel.locator(".choices button").nth(1).click()
    expect(panel.get_by_text("Choose a house.")).to_be_visible()
    expect(page.locator(".board").get_by_role("button")).to_have_count(33)
    assert violations(page) == []
    assert fits(page)


def test_a_turn_is_called_and_can_be_taken_back_step_by_step(visitor: Visitor) -> None:
    page = visitor.goto(opened(visitor.house, "steps", "welcome_to", "--seats", "1"))
    panel = page.locator(".panel")
    expect(page.get_by_role("alert").filter(has_text="Your turn")).to_have_count(1)
    expect(page).to_have_title("● Your turn – Welcome To..., Seat 0 · Tavolata")
    first = panel.locator(".prompt").inner_text()
    summary = answer_one(page)
    assert summary.startswith("Write ")
    assert panel.locator(".crumbs li").count() >= 3
    panel.get_by_role("button", name="One step back").click()
    expect(panel.locator(".confirm")).to_have_count(0)
    answer_one(page)
    panel.get_by_role("button", name="Change").click()
    expect(panel.locator(".prompt")).to_have_text(first)
    expect(panel.locator(".crumbs")).to_have_count(0)


def test_a_place_can_be_chosen_by_keyboard_and_what_is_picked_has_the_focus_go_on(visitor: Visitor) -> None:
    page = visitor.goto(opened(visitor.house, "places", "just4fun", "--seats", "2"))
    panel = page.locator(".panel")
    expect(panel).to_have_attribute("data-standing", re.compile("yours|waiting"))
    if panel.get_attribute("data-standing") == "waiting":
        page = visitor.goto("/m/places/seat/1")
    expect(panel.locator(".prompt")).to_have_text("Choose a field.")
    place = page.locator(".board").get_by_role("button").first
    label = place.get_attribute("aria-label") or ""
    place.focus()
    page.keyboard.press("Space")
    expect(panel.locator(".crumbs li")).to_have_text([label])
    expect(panel.locator(".prompt")).to_be_focused()


def test_a_long_list_is_filtered_by_typing(visitor: Visitor) -> None:
    page = visitor.goto(opened(visitor.house, "typing", "welcome_to", "--seats", "1"))
    panel = page.locator(".panel")
    panel.locator(".choices button").nth(0).click()
    expect(panel.locator(".prompt")).to_have_text("Choose the card for the effect.")
    panel.locator(".choices button").nth(1).click()
    expect(panel.get_by_role("status").filter(has_text="33 choices")).to_be_visible()
    panel.get_by_label("Filter").fill("street 3 12")
    expect(panel.locator(".choices button")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(panel.locator(".crumbs li").nth(2)).to_have_text("Street 3, house 12")


def test_a_double_click_moves_once(visitor: Visitor) -> None:
    page = visitor.goto(opened(visitor.house, "double", "welcome_to", "--seats", "1"))
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request) if request.method == "POST" else None)
    answer_one(page)
    page.get_by_role("button", name="Confirm").dblclick()
    expect(page.locator(".panel .prompt")).to_have_text("Choose the card for the number.")
    assert len(sent) == 1
    assert len(moves(page, "double")) == 1


def test_a_page_that_is_loaded_again_in_the_middle_sends_the_same_once_more(visitor: Visitor) -> None:
    page = visitor.goto(opened(visitor.house, "middle", "welcome_to", "--seats", "1"))
    summary = answer_one(page)
    page.reload()
    expect(page.locator(".panel .prompt")).to_have_text(summary)
    keys: list[str] = []
    revisions: list[int] = []

    def lose_the_answer(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        revisions.append(route.fetch().json()["revision"])
        if len(keys) == 1:
            return
        route.continue_()

    page.route("**/commands", lose_the_answer)
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_function("() => document.querySelector('.panel').innerText.includes('Sending')")
    page.wait_for_timeout(500)
    page.reload()
    expect(page.locator(".panel").get_by_text("Choose the card for the number.")).to_be_visible()
    page.wait_for_function("() => sessionStorage.getItem('turn:middle:0') === null")
    assert len(set(keys)) == 1
    assert len(keys) == 2
    assert len(set(revisions)) == 1, "the second time it is only answered"
    assert len(moves(page, "middle")) == 1


def test_what_the_house_refuses_is_explained_beside_what_was_tried(visitor: Visitor) -> None:
    page = visitor.goto(opened(visitor.house, "refused", "welcome_to", "--seats", "1"))
    summary = answer_one(page)

    def another(route: Route) -> None:
        body: Any = route.request.post_data_json
        body["command"]["data"]["turn"]["street"] = 2
        body["command"]["data"]["turn"]["house"] = 99
        route.continue_(post_data=body)

    page.route("**/commands", another)
    page.get_by_role("button", name="Confirm").click()
    trouble = page.locator(".panel [role=alert]")
    expect(trouble).to_contain_text(f"Not done: {summary}")
    expect(trouble.locator("[lang=en]")).not_to_be_empty()
    expect(page.locator(".panel .prompt")).to_have_text("Choose the card for the number.")


def test_what_was_chosen_outlives_a_pause(visitor: Visitor) -> None:
    page = visitor.goto(opened(visitor.house, "paused", "welcome_to", "--seats", "1"))
    panel = page.locator(".panel")
    summary = answer_one(page)
    direct(visitor.house, "paused", "tavolata.pause")
    expect(panel.get_by_role("heading")).to_have_text("Paused")
    expect(page.locator(".board").get_by_role("button")).to_have_count(0)
    page.reload()
    expect(panel.get_by_role("heading")).to_have_text("Paused")
    direct(visitor.house, "paused", "tavolata.resume")
    expect(panel.locator(".prompt")).to_have_text(summary)
    page.get_by_role("button", name="Confirm").click()
    expect(panel.locator(".prompt")).to_have_text("Choose the card for the number.")
    direct(visitor.house, "paused", "tavolata.call_time")
    expect(panel.get_by_role("heading")).to_have_text(re.compile("Time is called|The match is over"))


def test_who_waits_is_told_for_whom_and_who_leaves_is_asked_twice(visitors: Visitors) -> None:
    visitor = visitors()
    page = visitor.goto(opened(visitor.house, "waits", "welcome_to", "--seats", "3"))
    panel = page.locator(".panel")
    player = Player(page, any_of(1))
    player.move()
    expect(panel).to_contain_text("The match waits for Seat 1 and Seat 2.")
    page.get_by_role("button", name="Leave the match").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("cannot be taken again")
    assert violations(page) == []
    dialog.get_by_role("button", name="Stay").click()
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Leave the match").click()
    dialog.get_by_role("button", name="Leave for good").click()
    expect(panel).to_contain_text("You have left")
    assert page.request.get("/api/matches/waits").json()["left"] == [0]
