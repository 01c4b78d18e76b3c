"""A house with bots, and a real Chromium in front of it. One of each for all tests of a process."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from services.kit.access.grants import Grant
from tests.access.keys import Keys
from tests.browser.visitor import ARGUMENTS, PATIENCE_MS, Enters, Visitor, Visitors, program
from tests.e2e.command import Up, up


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up(tmp_path_factory.mktemp("house")) as opened:
        yield opened


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Gone before the tests of another folder begin: while it is there its own loop runs in this thread, and no
    asynchronous test could.
    """
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def visitors(house: Up, chromium: Browser, tmp_path: Path) -> Iterator[Visitors]:
    """Makes people with a browser; each must have met no error of a script when the test ends."""
    made: list[Visitor] = []

    def visitor(*, theme: str = "light", width: int = 1200, language: str = "en") -> Visitor:
        made.append(Visitor(house, chromium, theme=theme, width=width, language=language))
        return made[-1]

    yield visitor
    for each in made:
        each.leave()


@pytest.fixture
def visitor(visitors: Visitors) -> Visitor:
    return visitors()


@pytest.fixture(scope="package")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return Keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="package")
def locked(keys: Keys, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """A house with keys."""
    with up(tmp_path_factory.mktemp("locked"), "--keys", str(keys.folder)) as opened:
        yield opened


@pytest.fixture
def enters(locked: Up, chromium: Browser, keys: Keys) -> Iterator[Enters]:
    made: list[Visitor] = []

    def visitor(grant: Grant | None = None, language: str = "en") -> Visitor:
        made.append(Visitor(locked, chromium, theme="light", width=1200, language=language))
        if grant is not None:
            page = made[-1].goto(f"/enter#{keys.token(grant)}")
            page.wait_for_url(lambda url: not urlsplit(url).path.startswith("/enter"))  # or the next page would meet it
        return made[-1]

    yield visitor
    for each in made:
        each.leave()
