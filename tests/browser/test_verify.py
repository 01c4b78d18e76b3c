"""The page that checks an exported match: in the browser what takes no rules, in the house the decisions."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from engine.games import find_game
from tests.browser.axe import fits, violations
from tests.browser.visitor import Visitor, Visitors
from tests.kit.forgery import with_other_event, with_swapped_outcome
from tests.kit.table import play

VECTORS: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "engine/vectors/luck-1.json").read_text("utf-8")
)
LINES: Final = play(find_game("just4fun"), 3, {}, 5).lines
LUCK_AGAIN: Final = """async ([seed, asked]) => {
  const base = document.querySelector("script[type=module]").src.replace(/js[/]pages.*/, "");
  const luck = await import(base + "js/lib/verify/luck.js");
  const bytes = luck.bytesOf(seed);
  const key = await luck.keyOf(bytes, []);
  const outcomes = [];
  for (const [id, spec] of asked) outcomes.push(await luck.outcome(key, id, spec));
  return [await luck.commitmentOf(bytes), outcomes];
}"""


def drop(page: Page, lines: Sequence[bytes]) -> None:
    page.get_by_label("An exported match").set_input_files(
        {"name": "match.jsonl", "mimeType": "application/x-ndjson", "buffer": b"\n".join(lines) + b"\n"}
    )


def state(page: Page, check: str) -> str:
    return page.locator(".check", has=page.get_by_role("heading", name=check)).get_attribute("data-state") or ""


def test_a_match_of_the_house_is_named_and_holds(visitor: Visitor) -> None:
    """From opening it to the verdict, as somebody does who has just seen it end."""
    opened = visitor.house.ask("match", "open", "just4fun", "--seats", "2", "--bots", "random", "--id", "named")
    assert opened.code == 0
    assert visitor.house.ask("watch", "named").code == 0  # returns when the match is complete
    page = visitor.goto("/verify?match=named")
    expect(page.get_by_role("heading", name="named holds")).to_be_visible()
    for check in ("The chain", "The promise", "The draws", "The decisions"):
        assert state(page, check) == "holds"


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_file_holds_and_axe_finds_nothing(visitors: Visitors, theme: str, width: int) -> None:
    page = visitors(theme=theme, width=width).goto("/verify")
    drop(page, LINES)
    expect(page.locator(".verdict.good")).to_be_visible()
    page.locator("summary").click()
    assert violations(page) == []
    assert fits(page)


def test_each_forgery_is_found_by_its_check(visitor: Visitor) -> None:
    page = visitor.goto("/verify")
    bad = page.get_by_role("heading", name="This file does not hold")
    cut = [*LINES[:4], *LINES[5:]]
    other = with_other_event(LINES, b'"reason":"line"', b'"reason":"points"')
    for lines, check in (
        (cut, "The chain"),
        (LINES[:-1], "The promise"),
        (with_swapped_outcome(LINES), "The draws"),
        (other, "The decisions"),
    ):
        drop(page, LINES)
        expect(page.locator(".verdict.good")).to_be_visible()
        drop(page, lines)
        expect(bad).to_be_visible()
        assert state(page, check) == "fails", check


def test_the_luck_of_the_page_is_that_of_the_vectors(visitor: Visitor) -> None:
    page = visitor.goto("/verify")
    for case in VECTORS["cases"]:
        asked: list[Any] = []
        told: list[Any] = []
        for roll in case["rolls"]:
            asked.append([roll["draw_id"], {"roll": {"sides": roll["sides"], "count": roll["count"]}}])
            told.append(roll["faces"])
        for draw in case["draws"]:
            first, _, last = draw["cards"].partition("..")
            cards = list(range(int(first), int(last) + 1))
            asked.append([draw["draw_id"], {"draw": {"cards": cards, "count": draw["count"]}}])
            told.append(draw["drawn"])
        assert page.evaluate(LUCK_AGAIN, [case["seed"], asked]) == [case["commitment"], told]
