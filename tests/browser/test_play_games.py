"""People play whole matches through the page: by mouse, by keyboard alone, by themselves and against bots."""

import re

from playwright.sync_api import expect

from tests.browser.players import Player, Pointer, Typist, any_of
from tests.browser.visitor import Visitor
from tests.e2e.command import Up

PLAY_S = 38.0
"""For a whole match on a busy machine."""


def opened(house: Up, match: str, *how: str) -> str:
    """The path of seat 0 at a table of its own."""
    assert house.ask("match", "open", *how, "--id", match).code == 0
    return f"/m/{match}/seat/0"


def test_a_solo_game_of_welcome_to_by_clicking(visitor: Visitor) -> None:
    page = visitor.goto(opened(visitor.house, "solo", "welcome_to", "--seats", "1"))
    player = Pointer(page, any_of(3))
    player.to_the_end(PLAY_S)
    assert player.moves >= 15
    assert player.clicked > 2 * player.moves, "cards, houses and effects lie on the board"
    total = page.request.get("/api/matches/solo").json()["scores"][0]["total"]
    expect(player.panel).to_contain_text("The match is over")
    expect(player.panel).to_contain_text(f"You have {total} point")


def test_just_4_fun_against_bots_by_keyboard_alone(visitor: Visitor) -> None:
    path = opened(visitor.house, "typed", "just4fun", "--seats", "2", "--bots", "1=greedy")
    player = Typist(visitor.goto(path), any_of(4))
    player.to_the_end(PLAY_S)
    ranks = visitor.page.request.get("/api/matches/typed").json()["ranks"]
    expected = {1: "You have won!", 2: "You are number 2 of 2."}[ranks[0]]
    expect(player.panel).to_contain_text(expected)


def test_memcel_against_two_bots(visitor: Visitor) -> None:
    options = ("--option", "on_miss=keep", "--option", "max_rounds=2")
    path = opened(visitor.house, "hidden", "memcel", "--seats", "3", "--bots", "1=easy,2=easy", *options)
    player = Player(visitor.goto(path), any_of(5))
    player.to_the_end(PLAY_S)
    ranks = visitor.page.request.get("/api/matches/hidden").json()["ranks"]
    mine = "won|share" if ranks[0] == 1 else f"You are number {ranks[0]} of 3"
    expect(player.panel).to_contain_text(re.compile(mine))
