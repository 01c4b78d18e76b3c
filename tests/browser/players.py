"""Helpers that play through the page, as a person would: they read the panel, and click or press keys."""

from collections.abc import Callable
from time import monotonic
from typing import Any, Final, NamedTuple, TypeAlias

from playwright.sync_api import Locator, Page

CONFIRM: Final = -1


class Asked(NamedTuple):
    """What the panel says when this seat is asked for something."""

    prompt: str
    labels: list[str]
    can_confirm: bool
    crumbs: int
    """Answers so far."""


Chooser: TypeAlias = Callable[[Asked], int]
"""Which of the labels; ``CONFIRM`` where that can be done."""

_LOOK = """() => {
    const panel = document.querySelector(".panel[data-standing=yours]");
    const prompt = panel?.querySelector(".prompt");
    const buttons = [...(panel?.querySelectorAll(".choices button") ?? [])];
    const confirm = panel?.querySelector(".confirm button.main");
    if (!prompt || ![...buttons, confirm].some((each) => each && !each.disabled)) return null;
    const crumbs = panel.querySelectorAll(".crumbs li").length;
    if (prompt.dataset.asked === String(crumbs)) return null;
    prompt.dataset.asked = String(crumbs);
    return [prompt.textContent, buttons.map((each) => each.ariaLabel ?? each.textContent.trim()), Boolean(confirm), crumbs];
}"""
"""All in one look; each question once: another one has another number of answers, or another element."""


class Player:
    """One seat at an open page."""

    def __init__(self, page: Page, choose: Chooser) -> None:
        self.page = page
        self.panel: Locator = page.locator(".panel")
        self.moves = 0
        self._choose = choose

    @property
    def standing(self) -> str:
        return self.panel.get_attribute("data-standing") or ""

    def to_the_end(self, seconds: float) -> None:
        """Plays until the match is over."""
        until = monotonic() + seconds
        while self.standing != "over":
            assert monotonic() < until, f"not over after {seconds} s and {self.moves} moves: {self.panel.inner_text()}"
            self.step()

    def move(self) -> None:
        """One whole move."""
        before = self.moves
        while self.moves == before:
            self.step()

    def step(self) -> None:
        """One answer or one confirmation, if this seat is asked for one now."""
        found: list[Any] | None = self.page.evaluate(_LOOK)
        if found is None:
            self.page.wait_for_timeout(20)
            return
        asked = Asked(*found)
        at = self._choose(asked)
        if at == CONFIRM:
            assert asked.can_confirm, f"{asked.prompt} cannot be confirmed"
            self.press(self.panel.locator(".confirm button.main"))
            self.moves += 1
        else:
            self.press(self.panel.locator(".choices button").nth(at))

    def press(self, button: Locator) -> None:
        button.click()


class Typist(Player):
    """The same without a mouse: by Tab to the button, and Enter."""

    def press(self, button: Locator) -> None:
        for _ in range(300):
            if button.evaluate("button => button === document.activeElement"):
                break
            self.page.keyboard.press("Tab")
        else:
            raise AssertionError(f"{button.inner_text()} cannot be reached by Tab")
        self.page.keyboard.press("Enter")


def first_of(asked: Asked) -> int:
    """Confirms as soon as it can, else takes the first."""
    return CONFIRM if asked.can_confirm else 0


def last_of(asked: Asked) -> int:
    return CONFIRM if asked.can_confirm else len(asked.labels) - 1
