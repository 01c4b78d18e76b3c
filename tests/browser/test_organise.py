"""The page of an organiser: an event's life from its creation to its archive."""

import re

from playwright.sync_api import Page, expect

from tests.browser.organisers import Cup
from tests.browser.visitor import Visitor, Visitors
from tests.e2e.command import tavolata

PATIENCE_MS = 45_000
"""For a round of bots on a busy machine."""


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).first.click()


def says(page: Page, sentence: str | re.Pattern[str]) -> None:
    """It is seen, and heard by whoever listens."""
    expect(page.locator(".outcome")).to_contain_text(sentence)
    expect(page.get_by_role("status").filter(has_text=sentence).first).to_be_attached()


def go_to(page: Page, tab: str) -> None:
    page.get_by_role("navigation", name="Parts of the event").get_by_role("link", name=tab).click()


def enter_outstanding(page: Page, scores: tuple[int, ...]) -> int:
    """Results by hand at every table that a person sits at, once all others have theirs; how many that were."""
    by_hand = page.get_by_role("listitem").filter(has=page.get_by_role("button", name="Enter result"))
    bots_only = by_hand.filter(has_not_text=re.compile("Ada|Kurt"))
    expect(bots_only).to_have_count(0, timeout=PATIENCE_MS)
    tables = by_hand.count()
    for _ in range(tables):
        left = by_hand.count()
        press(page, "Enter result")
        dialog = page.get_by_role("dialog")
        for seat, score in enumerate(scores):
            dialog.get_by_role("spinbutton").nth(seat).fill(str(score))
        dialog.get_by_role("button", name="Enter result").click()
        expect(by_hand).to_have_count(left - 1)
    return tables


def test_an_event_from_its_creation_to_its_archive(visitor: Visitor) -> None:
    """24 players, two rounds: the draft is edited, results come from bots and by hand, one of them is corrected."""
    page = visitor.goto("/organise")
    page.get_by_label("Your name").fill("Ana")
    press(page, "New event")
    page.get_by_label("Name of the event").fill("Evening of Bots")
    page.get_by_label("Swiss rounds").fill("2")
    press(page, "Create event")
    page.wait_for_url("**/organise/evening-of-bots")

    press(page, "Open registration")
    says(page, "Registration is open.")
    people = [f"bot:random:{number}" for number in range(1, 23)]
    page.get_by_label("Paste names").fill(
        "\n".join([*people, "Ada Lovelace,ada@mail.example", "Kurt Gödel", "Ada Lovelace"])
    )
    page.get_by_role("button", name="Enter 25 people").click()
    says(page, "25 people have entered.")
    expect(page.get_by_role("listitem").filter(has_text="Kurt Gödel")).to_be_visible()
    press(page, "Open check-in")
    says(page, "Check-in is open.")
    press(page, "Everybody is here")
    says(page, "Everybody is here.")
    page.get_by_role("button", name="Ada Lovelace (25) is here").click()
    says(page, "Ada Lovelace (25) is not here.")
    expect(page.get_by_text("24 here", exact=True)).to_be_visible()
    press(page, "Close registration")

    press(page, "Draft round 1")
    says(page, "Round 1 is drafted.")
    seats = page.locator(".seat")
    expect(seats).to_have_count(24)
    first, fifth = seats.nth(0).inner_text(), seats.nth(4).inner_text()
    seats.nth(0).focus()
    page.keyboard.press("Enter")
    expect(seats.nth(0)).to_have_attribute("aria-pressed", "true")
    seats.nth(4).click()
    says(page, f"{first} and {fifth} have changed places.")
    assert (seats.nth(0).inner_text(), seats.nth(4).inner_text()) == (fifth, first)
    press(page, "Publish round 1")
    says(page, "Round 1 is published")
    press(page, "Start round 1")
    says(page, "Round 1 has started.")
    assert 1 <= enter_outstanding(page, (61, 58, 58, 12)) <= 2
    expect(page.get_by_text("Round 1 is closed: every result is in.")).to_be_visible()

    press(page, "Draft round 2")
    press(page, "Publish round 2")
    press(page, "Start round 2")
    says(page, "Round 2 has started.")
    enter_outstanding(page, (50, 40, 30, 20))
    expect(page.get_by_text("Everything has been played.")).to_be_visible()

    go_to(page, "Results")
    page.get_by_label("Round", exact=True).select_option("1")
    table = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="Table 1 result"))
    before = table.locator(".seats li").all_inner_texts()
    table.get_by_role("button", name="Correct").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("I say the places myself").uncheck()  # four in a row have won where another has more points
    last = max(range(4), key=lambda seat: before[seat])  # each begins with its place
    dialog.get_by_role("spinbutton").nth(last).fill("999")
    expect(dialog.get_by_text("published numbers would change:")).to_be_visible()
    dialog.get_by_label("Why").fill("recounted with both players")
    dialog.get_by_role("button", name="Correct").click()
    says(page, "Table 1, round 1, is corrected.")
    expect(page.locator(".outcome").get_by_text(re.compile(r"[0-9]+ published numbers have changed"))).to_be_visible()
    expect(page.locator(".outcome tbody tr").first).to_contain_text("→")
    expect(table.locator(".seats li").nth(last)).to_contain_text(re.compile(r"^1\."))

    press(page, "Finish the event")
    page.get_by_role("dialog").get_by_role("button", name="Finish the event").click()
    says(page, "The event is finished.")
    go_to(page, "Standings")
    expect(page.get_by_role("heading", name="Final standings")).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(1 + 25)
    go_to(page, "Log")
    corrected = page.locator(".log li").nth(1)
    for text in ("The result of table 1 of round 1 was corrected.", "“recounted with both players”", "Ana"):
        expect(corrected).to_contain_text(text)
    expect(page.get_by_text("changed places in the draft.")).to_be_visible()
    go_to(page, "Archive")
    with page.expect_download() as saved:
        page.get_by_role("link", name="evening-of-bots.jsonl").click()
    checked = tavolata("tournament", "verify", saved.value.path())
    assert checked.code == 0, checked.err


def test_what_was_done_can_be_taken_back(visitor: Visitor) -> None:
    cup = Cup(visitor.house)
    cup.ready(8)
    cup.play_round()
    page = visitor.goto(f"/organise/{cup.event}#people")
    row = page.get_by_role("listitem").filter(has_text="Person 3")
    row.get_by_label("More about Person 3 (3)").click()
    row.get_by_role("button", name="Drop out").click()
    dialog = page.get_by_role("dialog", name="Person 3 (3) drops out?")
    expect(dialog.get_by_text("what was played stays")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(row.get_by_role("button", name="Drop out")).to_be_focused()
    page.keyboard.press("Enter")
    dialog.get_by_label("Why").fill("ill")
    page.keyboard.press("Enter")
    says(page, "Person 3 (3) has dropped out.")
    expect(row.get_by_text("dropped", exact=True)).to_be_visible()
    press(page, "Undo")
    says(page, "Person 3 (3) has returned.")
    expect(row.get_by_text("dropped", exact=True)).to_be_hidden()
    assert cup.desk()["entrants"][2]["standing"] == "in"


def test_who_was_overtaken_sees_what_the_other_has_done(visitors: Visitors) -> None:
    """Bo's page hears of nothing; then Ana withdraws somebody. What Bo asks for is not done before he has seen it."""
    bo = visitors()
    cup = Cup(bo.house)
    cup.ready(8)
    bo.page.route(re.compile(r"/api/.*/stream"), lambda route: route.abort())
    page = bo.goto(f"/organise/{cup.event}#people")
    row = page.get_by_role("listitem").filter(has_text="Person 5")
    row.get_by_label("More about Person 5 (5)").click()
    cup.do("withdraw", entry=5, reason="called")
    row.get_by_role("button", name="Withdraw").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Withdraw").click()
    expect(dialog).to_contain_text("Meanwhile somebody else has done this.")
    expect(dialog).to_contain_text("Person 5 (5) withdrew. (ana)")


def test_a_list_is_looked_at_before_it_is_sent(visitor: Visitor) -> None:
    """As a spreadsheet copies it: names with commas in quotes, a header; what cannot be taken is named by its line."""
    cup = Cup(visitor.house)
    cup.do("open_registration")
    page = visitor.goto(f"/organise/{cup.event}")
    pasted = page.get_by_label("Paste names")
    pasted.fill('name;contact\n"Rossi; Ana";ana@mail.example\nBo;\n\nBo;\n;nobody@mail.example')
    expect(page.get_by_text("Line 5: this person is in the list already.")).to_be_visible()
    expect(page.get_by_text("Line 6: there is no name.")).to_be_visible()
    expect(page.get_by_role("button", name="Enter 2 people")).to_be_disabled()
    pasted.fill('name;contact\n"Rossi; Ana";ana@mail.example\nBo;')
    page.get_by_role("button", name="Enter 2 people").click()
    says(page, "2 people have entered.")
    assert [each["name"] for each in cup.desk()["entrants"]] == ["Rossi; Ana", "Bo"]


def test_a_configuration_is_checked_while_one_types(visitor: Visitor) -> None:
    page = visitor.goto("/organise")
    press(page, "New event")
    page.get_by_label("Name of the event").fill("Wrong")
    page.get_by_label("Usual table").fill("9")
    expect(page.get_by_label("Usual table")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Usual table")).to_have_accessible_description("3 ≤ target ≤ 4 must hold, not 9.")
    expect(page.get_by_role("button", name="Create event")).to_be_disabled()
    page.get_by_label("Begin with").select_option("day_with_clocks")
    expect(page.get_by_text("This configuration holds.")).to_be_visible()
    expect(page.get_by_label("Short name for addresses")).to_have_value("tavolata-day")
    expect(page.get_by_role("button", name="Create event")).to_be_enabled()


def test_a_stack_of_slips_is_entered_at_once(visitor: Visitor) -> None:
    cup = Cup(visitor.house)
    cup.ready(8)
    cup.draft()
    cup.do("publish_round")
    cup.do("start_round")
    page = visitor.goto(f"/organise/{cup.event}")
    expect(page.get_by_text("2 tables of round 1 have no result yet.")).to_be_visible()
    press(page, "Enter slips")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("A table a line").fill("1,61,58,58,12\n2,7,8,9")
    expect(dialog.get_by_text("These lines cannot be read: 2")).to_be_visible()
    dialog.get_by_label("A table a line").fill("1,61,58,58,12\n2 7 8 9 -10")
    dialog.get_by_role("button", name="Enter slips").click()
    says(page, "2 results of round 1 are in.")
    tables = cup.desk()["round"]["tables"]
    assert [[seat["place"] for seat in table["places"]] for table in tables] == [[1, 2, 2, 4], [3, 2, 1, 4]]
    assert [seat["score"] for seat in tables[1]["places"]] == [7, 8, 9, -10]
    expect(page.get_by_text("Round 1 is closed: every result is in.")).to_be_visible()


def test_what_was_typed_stays_when_it_is_refused(visitor: Visitor) -> None:
    cup = Cup(visitor.house)
    cup.ready(8)
    page = visitor.goto(f"/organise/{cup.event}")
    page.get_by_label("More about Person 2 (2)").click()
    page.get_by_role("button", name="Penalty").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Kind").select_option("points")
    dialog.get_by_label("Points").fill("half")
    dialog.get_by_label("Why").fill("came late")
    dialog.get_by_role("button", name="Penalty").click()
    expect(dialog.get_by_role("alert")).to_contain_text("is no integer and no fraction in lowest terms.")
    expect(dialog.get_by_label("Kind")).to_have_value("points")
    expect(dialog.get_by_label("Points")).to_have_value("half")
    expect(dialog.get_by_label("Why")).to_have_value("came late")
    dialog.get_by_label("Points").fill("1/2")
    dialog.get_by_role("button", name="Penalty").click()
    says(page, "Person 2 (2): points taken away.")
    assert [(each["entry"], each["points"]) for each in cup.desk()["penalties"]] == [(2, "1/2")]
