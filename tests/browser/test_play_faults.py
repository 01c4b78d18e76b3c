"""The page of a player over a gateway that dies and comes back."""

import os
import signal
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.players import Player, any_of
from tests.browser.visitor import Visitor
from tests.e2e.command import Up


def gateway(house: Up) -> int:
    """The process id of the one of this house."""
    for pid, _ in house.descendants():
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        if words[-3:-1] == ["serve", "gateway"]:
            return pid
    raise AssertionError("this house has no gateway")


def test_a_turn_outlives_a_gateway_that_is_killed(visitor: Visitor) -> None:
    house = visitor.house
    assert house.ask("match", "open", "welcome_to", "--seats", "1", "--id", "killed").code == 0
    page = visitor.goto("/m/killed/seat/0")
    player = Player(page, any_of(2))
    player.answer()
    crumb = player.panel.locator(".crumbs li")
    expect(crumb).to_have_count(1)
    chosen = crumb.inner_text()
    killed = gateway(house)
    os.kill(killed, signal.SIGKILL)
    expect(player.panel).to_contain_text("The line to the house is down.")
    expect(player.panel.locator(".choices button").first).to_be_disabled()
    expect(page.locator(".board").get_by_role("button")).to_have_count(0)
    expect(player.panel).not_to_contain_text("The line to the house is down.")
    assert gateway(house) != killed
    expect(crumb).to_have_text([chosen])
    player.move()
    expect(player.panel.locator(".prompt")).to_have_text("Choose the card for the number.")
    facts = page.request.get("/api/matches/killed/facts").json()["facts"]
    assert [fact["actor"] for fact in facts].count("seat:0") == 1


def test_what_was_sent_into_a_gateway_that_dies_is_done_once(visitor: Visitor) -> None:
    house = visitor.house
    assert house.ask("match", "open", "welcome_to", "--seats", "1", "--id", "dying").code == 0
    page = visitor.goto("/m/dying/seat/0")
    player = Player(page, any_of(2))
    page.on("request", lambda request: os.kill(gateway(house), signal.SIGKILL) if first(request.url) else None)
    asked: list[str] = []

    def first(url: str) -> bool:
        if url.endswith("/commands"):
            asked.append(url)
        return url.endswith("/commands") and len(asked) == 1

    player.move()
    expect(player.panel.locator(".prompt")).to_have_text("Choose the card for the number.")
    expect(player.panel.locator(".crumbs")).to_have_count(0)
    facts = page.request.get("/api/matches/dying/facts").json()["facts"]
    assert [fact["actor"] for fact in facts].count("seat:0") == 1
    assert len(asked) >= 1
