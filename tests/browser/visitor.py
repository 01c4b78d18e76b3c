"""A person with a browser, who hears of every error that a script makes and keeps all that was received."""

import shutil
from typing import Any, Final, Protocol

from playwright.sync_api import Browser, Page, Response

from services.kit.access.grants import Grant
from tests.e2e.command import Up

ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS: Final = 15_000
"""For something to come about on a busy machine."""


def program() -> str:
    """Debian's Chromium."""
    found = shutil.which("chromium")
    assert found is not None, "the tests of the pages need Chromium: make test-tools"
    return found


class Visitors(Protocol):
    def __call__(self, *, theme: str = "light", width: int = 1200, language: str = "en") -> "Visitor": ...


class Enters(Protocol):
    """Somebody with a browser in a house with keys, by the link of a token if there is one."""

    def __call__(self, grant: Grant | None = None, language: str = "en") -> "Visitor": ...


class Visitor:
    """``page`` is the open page; ``goto`` takes a path of the house."""

    def __init__(self, house: Up, chromium: Browser, *, theme: str, width: int, language: str) -> None:
        self.house = house
        scheme: Any = theme
        self._context = chromium.new_context(
            color_scheme=scheme,
            viewport={"width": width, "height": 900},
            locale=language,
            base_url=house.web,
            reduced_motion="reduce",
        )
        self._context.set_default_timeout(PATIENCE_MS)
        self.page: Page = self._context.new_page()
        self.errors: list[str] = []
        self.told: list[str] = []
        """Every event that came on an open stream."""
        self._responses: list[Response] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note)
        self.page.on("response", lambda response: self._responses.append(response))
        wire = self._context.new_cdp_session(self.page)
        wire.send("Network.enable")
        wire.on("Network.eventSourceMessageReceived", lambda event: self.told.append(event["data"]))

    def goto(self, path: str) -> Page:
        self.page.goto(path)
        return self.page

    def received(self) -> str:
        """Everything that came from the house so far, but for files of the pages themselves."""
        answers = [
            each.text()
            for each in self._responses
            if "/assets/" not in each.url and each.ok and "event-stream" not in each.headers.get("content-type", "")
        ]
        return "\n".join([*answers, *self.told])

    def leave(self) -> None:
        self._context.close()
        assert not self.errors, self.errors

    def _note(self, message: Any) -> None:
        """A refused call is no error of a script; what the policy of the page forbids is."""
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.errors.append(message.text)
