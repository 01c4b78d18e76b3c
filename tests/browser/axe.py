"""axe-core on an open page: the rules of WCAG 2.2 AA, and what is good practice beyond them."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page

SOURCE: Final = Path(__file__).parents[2] / "services/gateway/web/node_modules/axe-core/axe.min.js"

OPTIONS: Final[dict[str, Any]] = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations"],
}


@cache
def _source() -> str:
    return SOURCE.read_text("utf-8")


def violations(page: Page) -> list[str]:
    """A line for each rule that is broken: which, how, and where."""
    page.evaluate(_source())
    found: dict[str, Any] = page.evaluate("options => axe.run(document, options)", OPTIONS)
    return [
        f"{each['id']}: {each['help']}: {', '.join(str(node['target']) for node in each['nodes'][:3])}"
        for each in found["violations"]
    ]


def fits(page: Page) -> bool:
    """Whether nothing of the page sticks out to the side."""
    wide: bool = page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    return wide
