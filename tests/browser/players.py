"""Helpers that play through the page, as a person would: they read the panel, and click or press keys."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from playwright.sync_api import Locator, Page

T = TypeVar("T")

CONFIRM: Final = -1
TABS_MAX: Final = 200
"""From one end of a page to the other."""


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
    const labels = buttons.map((each) => each.ariaLabel ?? each.textContent.trim());
    return [prompt.textContent, labels, Boolean(confirm), crumbs];
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

    def answer(self) -> None:
        """One answer or one confirmation."""
        while not self.step():
            pass

    def step(self) -> bool:
        """The same if this seat is asked for something that it has not answered yet; whether it was."""
        found: list[Any] | None = self.page.evaluate(_LOOK)
        if found is None:
            self.page.wait_for_timeout(20)
            return False
        asked = Asked(*found)
        at = self._choose(asked)
        if at == CONFIRM:
            assert asked.can_confirm, f"{asked.prompt} cannot be confirmed"
            self.press(self.panel.locator(".confirm button.main"), "")
            self.moves += 1
        else:
            self.press(self.panel.locator(".choices button").nth(at), asked.labels[at])
        return True

    def press(self, button: Locator, label: str) -> None:
        """``label`` is empty for what is no choice."""
        button.click()


class Pointer(Player):
    """One who clicks on the board wherever the choice lies there alone."""

    clicked = 0
    """Clicks on the board."""

    def press(self, button: Locator, label: str) -> None:
        place = self.page.locator(".board").get_by_role("button", name=label, exact=True)
        if label and place.count() == 1:
            place.click()
            self.clicked += 1
        else:
            button.click()


class Typist(Player):
    """One without a mouse: by Tab to the button, and Enter."""

    def press(self, button: Locator, label: str) -> None:
        for _ in range(TABS_MAX):
            if button.evaluate("button => button === document.activeElement"):
                break
            self.page.keyboard.press("Tab")
        else:
            raise AssertionError(f"{label or 'the confirmation'} cannot be reached by Tab")
        self.page.keyboard.press("Enter")


def aside(ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs what needs a loop of its own; Playwright has one in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(ask())).result()


def any_of(seed: int) -> Chooser:
    """Anything, but the same every time; it confirms as soon as it can, and refuses nothing that it can build."""
    dice = random.Random(seed)

    def choose(asked: Asked) -> int:
        if asked.can_confirm:
            return CONFIRM
        wished = [at for at, label in enumerate(asked.labels) if "refus" not in label.lower()]
        return dice.choice(wished or range(len(asked.labels)))

    return choose
