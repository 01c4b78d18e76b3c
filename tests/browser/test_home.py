"""The house as one comes in: tables that move, events, players, and a table of one's own in every variant."""

import json
import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.axe import fits, violations
from tests.browser.visitor import Visitor, Visitors
from tests.e2e.command import Up

EVENT = """
name = "Evening of the house"

[registration]
check_in = false

[[stages]]
name = "main"
format = "swiss"
games = ["just4fun"]
rounds = 2
smallest = 4
target = 4
largest = 4
"""
PEOPLE = "name\nAnnabel Lee\nJoanna May\nBob\nCid\n"


def practise(page: Page, game: str) -> None:
    page.locator("select[name=game]").select_option(label=game)


def table_opened(house: Up, match: str) -> None:
    """A table that somebody opens by the command, with nobody at it."""
    ran = house.ask("match", "open", "just4fun", "--seats", "2", "--id", match)
    assert ran.code == 0, ran.err


@pytest.fixture(scope="module")
def evening(house: Up, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An event whose first round is being played; the match of its one table."""
    folder: Path = tmp_path_factory.mktemp("evening")
    (folder / "event.toml").write_text(EVENT, "utf-8")
    (folder / "people.csv").write_text(PEOPLE, "utf-8")
    for arguments in (
        ("create", "evening", folder / "event.toml"),
        ("open", "evening"),
        ("register", "evening", "--file", folder / "people.csv"),
        ("close", "evening"),
        ("pair", "evening"),
        ("publish", "evening"),
        ("start", "evening"),
    ):
        ran = house.ask("tournament", *arguments)
        assert ran.code == 0, ran.err
    return "evening-r1-t1"


def test_a_table_that_is_opened_elsewhere_appears_and_its_moves_are_seen(visitor: Visitor) -> None:
    page = visitor.goto("/")
    expect(page.get_by_text(re.compile(r"^\d+ tables? playing$"))).to_be_visible()
    ran = visitor.house.ask("match", "open", "just4fun", "--seats", "2", "--id", "seen", "--bots", "1=greedy")
    assert ran.code == 0, ran.err
    card = page.locator("[data-match=seen]")
    expect(card.get_by_text("Bot (greedy)")).to_be_visible()
    expect(card.get_by_text(re.compile("^Revision [1-9]"))).to_be_visible()
    left = {"type": "tavolata.leave", "v": 1, "data": {"seat": 0}}
    answer = httpx.post(
        f"{visitor.house.web}api/matches/seen/commands", json={"seat": 0, "command": left},
        headers={"Idempotency-Key": "bye"},
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    expect(card.get_by_text("won", exact=True)).to_be_visible()
    card.get_by_role("link", name="Replay").click()
    expect(page).to_have_url(re.compile("/m/seen$"))


def test_nothing_changes_its_place_under_the_pointer(visitor: Visitor) -> None:
    for match in ("still-1", "still-2"):
        table_opened(visitor.house, match)
    page = visitor.goto("/")
    cards = page.locator(".cards > li")
    expect(cards.first).to_be_visible()
    cards.first.hover()
    before = cards.evaluate_all("cards => cards.map(card => card.dataset.match)")
    count = page.get_by_text(re.compile(r"^\d+ tables playing$"))
    playing = int(count.inner_text().split()[0])
    table_opened(visitor.house, "still-3")
    expect(count).to_have_text(f"{playing + 1} tables playing")
    assert cards.evaluate_all("cards => cards.map(card => card.dataset.match)") == before
    page.get_by_role("heading", name="The house").hover()
    expect(page.locator(".cards [data-match=still-3]")).to_be_visible()


@pytest.mark.parametrize(
    ("game", "variant", "option"),
    [
        ("Just 4 Fun", "The owner may add to a locked field", "owner_may_add_to_locked"),
        ("MEMCEL", "An event tile costs a card of its own", "imprevisto_tile_extra_card"),
        ("Welcome To...", "Advanced game", "advanced"),
    ],
)
def test_a_practice_table_of_each_game_is_opened_in_a_variant(
    visitor: Visitor, game: str, variant: str, option: str
) -> None:
    page = visitor.goto("/")
    practise(page, game)
    page.get_by_role("spinbutton", name="Seats").fill("3")
    page.get_by_text("Variants and options").click()
    box = page.get_by_label(variant)
    wanted = not box.is_checked()
    box.set_checked(wanted)
    with page.expect_request("**/api/practice") as asked:
        page.get_by_role("button", name="Sit down and play").click()
    body = json.loads(asked.value.post_data or "{}")
    assert (body["seats"], body["options"]) == (3, {option: wanted})
    expect(page).to_have_url(re.compile(r"/m/practice-[0-9a-f]{16}/seat/0$"))
    match = page.url.split("/")[-3]
    listed = httpx.get(f"{visitor.house.web}api/matches").json()["matches"]
    seats = next(each["seats"] for each in listed if each["match"] == match)
    assert [seat["player"] for seat in seats] == ["", *[f"bot:{body['level']}@700"] * 2]


def test_every_kind_of_option_can_be_chosen_and_what_cannot_be_is_said_beside_the_form(visitor: Visitor) -> None:
    page = visitor.goto("/")
    practise(page, "Just 4 Fun")
    page.get_by_text("Variants and options").click()
    page.get_by_role("combobox", name="Layout of the board", exact=True).select_option(label="your own, as JSON")
    own = page.get_by_role("textbox", name="Layout of the board: your own, as JSON")
    own.fill("[[1, 2")
    start = page.get_by_role("button", name="Sit down and play")
    start.click()
    form = page.locator("form.practice")
    expect(form.get_by_role("alert")).to_have_text("“Layout of the board” is not readable as JSON.")
    own.fill("[[1, 2], [3, 4]]")
    start.click()
    expect(form.get_by_role("alert")).to_contain_text("a layout is 6 rows of 6 numbers")
    own.fill(json.dumps([list(range(6 * row + 1, 6 * row + 7)) for row in range(6)]))
    page.get_by_role("combobox", name="Who begins", exact=True).select_option(label="a certain seat")
    page.get_by_role("spinbutton", name="Who begins: a certain seat").fill("1")
    page.get_by_role("combobox", name="The discard pile is shuffled").select_option(label="only when a card is missing")
    with page.expect_request("**/api/practice") as asked:
        start.click()
    options = json.loads(asked.value.post_data or "{}")["options"]
    assert options["layout"][5] == [31, 32, 33, 34, 35, 36]
    assert (options["first_player"], options["reshuffle"]) == (1, "when_needed")
    expect(page).to_have_url(re.compile("/seat/0$"))


def test_the_solo_game_is_reached_and_options_that_do_not_go_together_are_refused(visitor: Visitor) -> None:
    page = visitor.goto("/")
    practise(page, "Welcome To...")
    page.get_by_role("spinbutton", name="Seats").fill("1")
    expect(page.get_by_text("Alone: the solo game.")).to_be_visible()
    page.get_by_text("Variants and options").click()
    page.get_by_label("Expert game").check()
    start = page.get_by_role("button", name="Sit down and play")
    start.click()
    expect(page.locator("form.practice").get_by_role("alert")).to_contain_text("expert")
    page.get_by_label("Expert game").uncheck()
    start.click()
    expect(page).to_have_url(re.compile(r"/m/practice-[0-9a-f]{16}/seat/0$"))


def test_a_player_is_found_with_the_table_and_the_event_has_a_card(visitor: Visitor, evening: str) -> None:
    page = visitor.goto("/")
    card = page.locator(".event", has_text="Evening of the house")
    expect(card.get_by_text("Round 1 · being played")).to_be_visible()
    expect(card.get_by_text("4 entrants")).to_be_visible()
    expect(card.get_by_role("link")).to_have_attribute("href", "/t/evening")
    name = page.get_by_role("searchbox", name="Name, or a part of it")
    name.press_sequentially("anna")
    expect(page.get_by_text("2 players found")).to_be_attached()
    assert [each.inner_text() for each in page.locator(".found strong").all()] == ["Annabel Lee", "Joanna May"]
    table = page.locator(".found li", has_text="Annabel Lee").get_by_role("link", name="round 1, table 1")
    expect(table).to_have_attribute("href", f"/m/{evening}")
    name.fill("nobody like that")
    expect(page.get_by_text("Nobody of that name plays in an event here.")).to_be_visible()


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(visitors: Visitors, evening: str, theme: str, width: int) -> None:
    visitor = visitors(theme=theme, width=width)
    for match in ("axe-1", "axe-2"):
        table_opened(visitor.house, match)
    page = visitor.goto("/")
    expect(page.locator(".large .board svg")).to_be_visible()
    expect(page.locator(".cards > li").first).to_be_visible()
    assert violations(page) == []
    for game in ("Just 4 Fun", "MEMCEL"):
        practise(page, game)
    page.get_by_text("Variants and options").click()
    page.get_by_role("combobox", name="Event cards", exact=True).select_option(label="your own, as JSON")
    page.get_by_role("button", name="Show all tables").click()
    page.get_by_role("searchbox").fill("anna")
    expect(page.locator(".found li")).to_have_count(2)
    expect(page.locator("table.all")).to_be_visible()
    assert violations(page) == []
    assert fits(page)


def lobby_tells(page: Page, what: list[str]) -> None:
    """A stream that breaks off after ``what`` is in the list at the time; the page comes again at once."""

    def told(route: Route) -> None:
        body = f"retry: 100\n\nevent: begin\ndata: {{}}\n\n{''.join(what)}event: here\ndata: {{}}\n\n"
        route.fulfill(content_type="text/event-stream", body=body)

    page.route("**/api/lobby/stream", told)


def test_a_house_where_nobody_plays_says_what_can_be_done(visitor: Visitor) -> None:
    lobby_tells(visitor.page, [])
    page = visitor.goto("/")
    expect(page.get_by_text("No table is playing. Start one:")).to_be_visible()
    expect(page.get_by_text("No tournament yet.")).to_be_visible()
    assert violations(page) == []


def test_a_table_that_ended_while_nobody_was_told_is_gone(visitor: Visitor) -> None:
    seats = [{"seat": seat, "player": "bot:hard:7", "total": seat, "rank": 0, "left": False} for seat in (0, 1)]
    table = {"match": "gone", "game": "memcel", "status": "running", "revision": 4, "reason": "", "seats": seats,
             "opened_at": "2026-01-01T10:00:00.000000Z", "changed_at": "2026-01-01T10:00:00.000000Z"}  # fmt: skip
    going_on = [f"event: match\ndata: {json.dumps(table)}\n\n"]
    lobby_tells(visitor.page, going_on)
    page = visitor.goto("/")
    expect(page.locator("[data-match=gone]").get_by_text("Bot 7 (hard)").first).to_be_visible()
    going_on.clear()
    expect(page.get_by_text("No table is playing. Start one:")).to_be_visible()
    expect(page.locator("[data-match=gone]")).to_have_count(0)
