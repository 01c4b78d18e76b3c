"""The page of an event: where to sit, how everybody stands, why, and what goes on at the boards."""

import re
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import fits, violations
from tests.browser.event_at import NAMES, EventAt
from tests.browser.visitor import Visitor, Visitors
from tests.e2e.command import Up

TABS: Final = ("Pairings", "Standings", "Rounds", "Bracket", "Boards", "Archive")


@pytest.fixture(scope="module")
def played(house: Up) -> EventAt:
    """One round is over, the second is being played."""
    event = EventAt(house.url, "played")
    event.create()
    event.publish()
    event.report(1)
    event.report(2)
    event.publish()
    return event


def tab(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Parts of this page").get_by_role("link", name=name).click()


def test_who_waits_is_told_where_to_sit(house: Up, visitor: Visitor) -> None:
    """From a registration that is closed to the first result, without touching the page."""
    event = EventAt(house.url, "waited")
    event.create()
    page = visitor.goto("/t/waited")
    expect(page.get_by_text("The registration is closed; the first round is to come.")).to_be_visible()
    expect(page.get_by_text("No round is published yet.")).to_be_visible()
    page.get_by_label("Who are you?").fill("nobody")
    page.get_by_role("button", name="That is me").click()
    expect(page.get_by_text("Nobody here has just that name")).to_be_visible()
    page.get_by_label("Who are you?").fill("cyrille étienne")
    page.get_by_role("button", name="That is me").click()
    card = page.get_by_role("region", name="Cyrille Étienne")
    expect(card.get_by_role("heading")).to_be_focused()
    expect(card.get_by_text("You have no table at the moment.")).to_be_visible()

    event.publish()
    table, seat = event.seat_of("Cyrille Étienne")
    expect(page.get_by_role("status").filter(has_text=f"Round 1: Table {table}, seat {seat}")).to_have_count(1)
    expect(card.get_by_text(f"Table {table}, seat {seat}", exact=True)).to_be_visible()
    expect(card.get_by_role("link", name="To my seat")).to_have_attribute("href", f"/m/waited-r1-t{table}/seat/{seat}")
    expect(page).to_have_title("Pairings · Spring cup · Round 1 is being played. · Tavolata")
    expect(page.locator("tr.mine th.number")).to_have_text(str(table))
    expect(page.get_by_role("timer")).to_have_text(re.compile("^(50:00|49:[0-5][0-9])$"))

    event.report(table)
    row = page.locator("tr.mine")
    expect(row.get_by_text("done")).to_be_visible()
    expect(row.locator("li").nth(seat)).to_contain_text(f"place {seat + 1}, score {99 - seat}")
    expect(page.get_by_text("Tables with a result: 1 of 2")).to_be_visible()
    page.reload()
    expect(card.get_by_text(f"Table {table}, seat {seat}", exact=True)).to_be_visible()


def test_a_name_is_found_by_table_and_by_name(played: EventAt, visitor: Visitor) -> None:
    page = visitor.goto(f"/t/{played.event}")
    search = page.get_by_label("Find a name")
    for typed, found in (
        ("lukas", "Łukasz Nowak"),
        ("OYVIND", "Øyvind"),
        ("etienne", "Cyrille Étienne"),
        ("김", "김민준"),
    ):
        search.fill(typed)
        expect(page.get_by_text("Tables: 1 of 2")).to_be_visible()
        expect(page.locator(".pairings tbody tr")).to_contain_text(found)
    search.fill("")
    page.get_by_label("By name").check()
    names = page.locator(".names tbody th")
    expect(names).to_have_count(8)
    listed = names.all_inner_texts()
    assert set(listed) == set(NAMES)
    assert listed.index("Ana Rossi") < listed.index("Bo Lindqvist") < listed.index("Cyrille Étienne")
    table, seat = played.seat_of("<b>Eve</b>")
    row = page.locator(".names tr", has_text="<b>Eve</b>").locator("td")
    assert row.all_inner_texts() == [str(table), str(seat)]


def test_a_place_is_explained_in_terms_that_add_up(played: EventAt, visitor: Visitor) -> None:
    page = visitor.goto(f"/t/{played.event}#standings")
    expect(page.get_by_role("heading", name="Standings after round 1")).to_be_visible()
    places = page.locator(".standings tbody tr td:first-child").all_inner_texts()
    assert places[0] == "1"
    assert len(places) == 8
    expect(page.locator(".standings tr.cut")).to_have_count(1)
    assert page.locator(".standings tbody tr").nth(3).get_attribute("class") == " cut"
    third = page.locator(".standings tbody tr").nth(2)
    points = third.locator("td.n").nth(1).inner_text()
    why = third.get_by_role("button")
    why.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Behind ")).to_be_visible()
    expect(dialog.locator("tfoot td").first).to_have_text(points)
    expect(dialog.locator("summary").first).to_contain_text(f"TP {points}")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(why).to_be_focused()


def test_a_table_is_explained_for_each_who_sits_there(played: EventAt, visitor: Visitor) -> None:
    page = visitor.goto(f"/t/{played.event}")
    page.get_by_role("button", name="Why this table: 2").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("in the order of this round")).to_be_visible()
    first = dialog.get_by_text("in the order of this round").inner_text()
    dialog.get_by_label("For whom").select_option(index=1)
    expect(dialog.get_by_text("in the order of this round")).not_to_have_text(first)
    expect(dialog.locator("tbody").first.locator("tr")).to_have_count(3)


def test_a_bye_is_explained_too(house: Up, visitor: Visitor) -> None:
    event = EventAt(house.url, "uneven")
    event.create([*NAMES, "Tomás García"])
    event.publish()
    page = visitor.goto("/t/uneven")
    out = page.locator("p", has_text=re.compile("^Bye: ")).inner_text().removeprefix("Bye: ")
    assert out in {*NAMES, "Tomás García"}
    page.get_by_role("button", name="Why a bye").click()
    dialog = page.get_by_role("dialog", name="Why a bye")
    expect(dialog.get_by_label("For whom").locator("option")).to_have_text([out])
    expect(dialog.get_by_text("(points: 0)")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_label("By name").check()
    row = page.locator(".names tr", has_text=out).first
    assert row.locator("td").all_inner_texts() == ["bye", ""]


def test_a_place_on_the_page_survives_a_reload_and_another_language(played: EventAt, visitor: Visitor) -> None:
    page = visitor.goto(f"/t/{played.event}#standings/1/1")
    expect(page.get_by_label("After round", exact=True)).to_have_value("1")
    page.reload()
    expect(page.get_by_role("heading", name="Standings after round 1")).to_be_visible()
    page.get_by_label("Language").select_option("ko")
    expect(page.get_by_role("heading", name="1라운드 후 순위")).to_be_visible()
    expect(page.get_by_label("기준 라운드")).to_have_value("1")


def test_boards_of_several_tables_follow_one_person(played: EventAt, visitor: Visitor) -> None:
    page = visitor.goto(f"/t/{played.event}#boards")
    expect(page.locator(".live-board img")).to_have_count(2)
    page.get_by_role("checkbox", name="Table 2").uncheck()
    expect(page.locator(".live-board")).to_have_count(1)
    name = "김민준"
    table, _ = played.seat_of(name)
    page.get_by_role("checkbox", name="Table 1").uncheck()
    expect(page.get_by_text("No table to show.")).to_be_visible()
    page.get_by_label("Follow the table of").select_option(label=name)
    expect(page.get_by_role("heading", name=f"Table {table}")).to_be_visible()
    expect(page.locator(".live-board img")).to_have_attribute("alt", re.compile(name))


def test_a_page_to_print_is_dressed_by_its_own_policy(played: EventAt, visitor: Visitor) -> None:
    page = visitor.goto(f"/t/{played.event}/print/2")
    expect(page.get_by_role("heading", name="Result slips")).to_be_visible()
    assert page.locator(".slips").evaluate("element => getComputedStyle(element).display") == "grid"
    expect(page.locator(".slip")).to_have_count(2)
    assert violations(page) == []
    assert fits(page)
    page.goto(f"/t/{played.event}/print/standings")
    expect(page.get_by_role("columnheader", name="TP")).to_be_visible()
    assert violations(page) == []


def test_an_event_that_is_not_here_is_told_and_leads_back(house: Up, visitor: Visitor) -> None:
    for path in ("/t/nowhere", "/organise/nowhere"):
        page = visitor.goto(path)
        expect(page.get_by_role("heading", name="There is no such event here")).to_be_visible()
        expect(page.get_by_role("main")).to_contain_text("There is no tournament nowhere.")
        expect(page).to_have_title("There is no such event here · Tavolata")
        expect(page.locator(".connection")).to_have_count(0)
        expect(page.get_by_role("link", name="To the tables")).to_have_attribute("href", "/")
    page = visitor.goto("/no/page")
    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()


@pytest.mark.parametrize(("theme", "width"), [("light", 360), ("dark", 1200)])
def test_axe_finds_nothing(played: EventAt, visitors: Visitors, theme: str, width: int) -> None:
    page = visitors(theme=theme, width=width).goto(f"/t/{played.event}")
    page.get_by_label("Who are you?").fill("Zoë")
    page.get_by_role("button", name="That is me").click()
    for name in TABS:
        tab(page, name)
        expect(page.locator(".part h2")).to_be_visible()
        expect(page.get_by_text("Loading …")).to_have_count(0)
        assert violations(page) == [], name
        assert fits(page), name
    tab(page, "Standings")
    page.locator(".standings button").nth(1).click()
    expect(page.get_by_role("dialog").locator("tfoot").first).to_be_visible()
    assert violations(page) == []
    assert fits(page)
