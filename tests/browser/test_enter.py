"""A house with keys: people come in by their links, see who they are, and are told what to do where they may not."""

from playwright.sync_api import expect

from services.kit.access.grants import ALL, OrganiserGrant, SeatGrant
from tests.access.keys import Keys
from tests.browser.axe import violations
from tests.browser.organisers import Cup
from tests.browser.visitor import Enters
from tests.e2e.command import Up


def test_an_organiser_comes_in_and_gives_people_their_links(enters: Enters, locked: Up, keys: Keys) -> None:
    cup = Cup(locked, keys.token(OrganiserGrant(ALL)))
    cup.ready(people=4)
    organiser = enters(OrganiserGrant(cup.event)).page
    expect(organiser).to_have_url(f"{locked.web}organise/{cup.event}")
    expect(organiser.locator(".who")).to_contain_text("Organiser")
    organiser.get_by_role("link", name="People").click()
    organiser.get_by_text("Links to play").click()
    organiser.get_by_role("button", name="Make links").click()
    expect(organiser.get_by_text("4 links made.")).to_be_visible()
    lines = organiser.get_by_label("Name and link, a person a line").input_value().splitlines()
    assert [line.split("\t")[0] for line in lines] == [f"Person {number}" for number in range(1, 5)]
    assert violations(organiser) == []

    player = enters().goto(lines[1].split("\t")[1])
    expect(player).to_have_url(f"{locked.web}t/{cup.event}")
    expect(player.locator(".who")).to_contain_text("Player")
    expect(player.locator("#my-table")).to_have_text("Person 2")
    player.goto(f"/organise/{cup.event}")
    expect(player.locator(".notice.bad")).to_contain_text("not as an organiser of this event")
    player.get_by_role("button", name="Sign out").click()
    expect(player.locator(".who")).to_have_text("Sign in")


def test_a_substitute_is_given_a_link_to_the_seat(enters: Enters, locked: Up, keys: Keys) -> None:
    cup = Cup(locked, keys.token(OrganiserGrant(ALL)))
    cup.ready(people=5)
    cup.draft()
    cup.do("publish_round")
    cup.do("start_round")
    organiser = enters(OrganiserGrant(cup.event)).page
    organiser.goto(f"/organise/{cup.event}#round")
    table = organiser.locator(".card.table")
    expect(table).to_have_attribute("data-phase", "open")
    table.locator("summary").click()
    table.get_by_role("button", name="Substitute").click()
    dialog = organiser.get_by_role("dialog")
    expect(dialog).to_contain_text("give whoever comes a link to the seat")
    sitting = dialog.get_by_label("goes").locator("option").all_inner_texts()
    everybody = dialog.get_by_label("comes").locator("option").all_inner_texts()
    (comes,) = set(everybody) - set(sitting)
    dialog.get_by_label("comes").select_option(label=comes)
    dialog.get_by_role("button", name="Substitute").click()
    expect(organiser.locator(".outcome")).to_contain_text(comes)
    table.get_by_role("button", name="Link to a seat").click()
    dialog.get_by_label("For whom").select_option(label=comes)
    assert violations(organiser) == []
    dialog.get_by_role("button", name="Link to a seat").click()
    link = organiser.get_by_label("Give it to this person only").input_value()
    assert violations(organiser) == []
    substitute = enters().goto(link)
    expect(substitute).to_have_url(f"{locked.web}m/{cup.event}-r1-t1/seat/0")
    expect(substitute.locator(".board svg").first).to_be_visible()


def test_whoever_has_no_token_is_told_what_to_do_in_their_language(enters: Enters) -> None:
    for language, words in (("en", "who you are"), ("it", "chi sei"), ("fr", "qui vous êtes"), ("ko", "누구인지")):
        page = enters(language=language).goto("/m/m1/seat/0")
        expect(page.locator(".notice.bad")).to_contain_text(words)
        expect(page.locator(".notice.bad").get_by_role("link")).to_have_attribute("href", "/enter")


def test_a_seat_is_played_by_who_has_its_link_and_the_address_keeps_no_token(
    enters: Enters, locked: Up, keys: Keys
) -> None:
    Cup(locked, keys.token(OrganiserGrant(ALL))).post(
        "", {"match": "m2", "game": "just4fun", "seats": 2}, at="/api/matches"
    )
    first, second = (enters(SeatGrant("m2", seat)).page for seat in (0, 1))
    expect(first).to_have_url(f"{locked.web}m/m2/seat/0")
    for page in (first, second):
        expect(page.locator(".board svg").first).to_be_visible()
        assert "ey" not in page.url
    second.goto("/m/m2/seat/0")
    expect(second.locator(".notice.bad")).to_contain_text("this seat is not yours")


def test_a_link_that_was_cut_short_is_told(enters: Enters, keys: Keys) -> None:
    page = enters().goto(f"/enter#{keys.token(SeatGrant('m1', 0))[:-9]}")
    expect(page.locator(".notice.bad")).to_contain_text("no link of this house")
    page.get_by_label("Link or token").fill(f"https://elsewhere.example/enter#{keys.token(SeatGrant('m9', 0))}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/m/m9/seat/0")


def test_the_page_to_come_in_is_for_everybody(enters: Enters) -> None:
    page = enters().goto("/enter")
    expect(page.get_by_label("Link or token")).to_be_visible()
    assert violations(page) == []
