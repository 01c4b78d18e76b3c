"""Pages whatever the address: what a link is called by, and what somebody finds where there is nothing."""

from pathlib import Path

from tests.gateway.events import front
from tests.services.tournaments import T

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


async def test_a_link_to_an_event_is_called_by_its_name(tmp_path: Path) -> None:
    async with front(tmp_path) as house:
        await house.begin()
        name = (await house.get(""))["tournament"]["name"]
        for path in (f"/t/{T}", f"/organise/{T}"):
            page = await house.web.get(path, headers=BROWSER)
            assert page.status_code == 200
            assert f"<title>{name} · Tavolata</title>" in page.text
            assert f'<meta property="og:title" content="{name}">' in page.text


async def test_an_event_that_is_not_here_is_a_page_that_will_say_so(tmp_path: Path) -> None:
    async with front(tmp_path) as house:
        for path in ("/t/none", "/organise/none"):
            page = await house.web.get(path, headers=BROWSER)
            assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
            assert '"of":{"event":"none"}' in page.text


async def test_who_browses_to_no_page_is_shown_one_and_a_program_is_told_a_problem(tmp_path: Path) -> None:
    async with front(tmp_path) as house:
        for path, status in (("/nothing/here", 404), ("/m/not%20an%20id", 400), ("/m/some/seat/first", 400)):
            page = await house.web.get(path, headers=BROWSER | {"Accept-Language": "it"})
            assert page.status_code == status
            assert "<title>Questa pagina non c’è · Tavolata</title>" in page.text
            told = await house.web.get(path)
            assert (told.status_code, told.headers["content-type"]) == (status, "application/problem+json")
        for path in ("/api/nothing", "/assets/old/js/pages/home.js"):
            told = await house.web.get(path, headers=BROWSER)
            assert (told.status_code, told.json()["code"]) == (404, "no_such_page")
