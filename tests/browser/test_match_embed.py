"""A board in another page, and what moves on a board."""

import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.kernel.picture import INK, circle, frame, group, marked, turned
from tests.browser.axe import violations
from tests.browser.moves import asked_seat, first_move
from tests.browser.test_match import opened, over
from tests.browser.visitor import Visitor, Visitors
from tests.e2e.command import Up

MOVE: Final = """async ([before, after, steps]) => {
  const base = document.querySelector("script[type=module]").src.replace(/js[/]pages.*/, "");
  const { svgOf } = await import(base + "js/lib/board.js");
  const { move } = await import(base + "js/lib/motion.js");
  const picture = svgOf(after);
  document.body.append(picture);
  move(svgOf(before), picture, steps);
  return document.getAnimations().map(({effect}) => [effect.target.id, effect.getKeyframes()[0].transform]);
}"""


@pytest.fixture
def somebody_else() -> Iterator[Callable[[str], str]]:
    """A site of its own with one page, told where it is."""
    body = b""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    def open_site(markup: str) -> str:
        nonlocal body
        body = markup.encode()
        return f"http://127.0.0.1:{server.server_port}/"

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield open_site
        server.shutdown()


def test_a_board_follows_live_in_the_page_of_somebody_else(
    visitor: Visitor, somebody_else: Callable[[str], str]
) -> None:
    opened(visitor.house, "framed")
    page = visitor.page
    source = f"{visitor.house.web.rstrip('/')}/embed/m/framed"
    page.goto(somebody_else(f'<iframe src="{source}" width="600" height="456"></iframe>'))
    board = page.frame_locator("iframe")
    expect(board.locator(".tag")).to_have_text("Live")
    first_move(page.request, "framed", asked_seat(page.request, "framed"))
    expect(board.locator("#last-token")).to_be_visible()
    link = board.get_by_role("link", name="Open the match")
    expect(link).to_have_attribute("href", re.compile("/m/framed$"))
    expect(link).to_have_attribute("target", "_blank")
    # The height that the page of the match names holds the picture and the bar, and nothing has to be scrolled.
    assert board.locator("html").evaluate("each => each.scrollHeight <= each.clientHeight")
    assert board.locator(".board > svg").evaluate("each => each.clientWidth === 600 && each.clientHeight === 400")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_board_can_stand_at_a_turn(visitors: Visitors, theme: str) -> None:
    visitor = visitors(theme=theme, width=480)
    over(visitor.house, "stepped")
    page = visitor.goto("/embed/m/stepped?turn=4")
    expect(page.locator(".embed-said")).to_contain_text("places a token on")
    expect(page.locator(".tag")).to_have_text(re.compile("^Revision 4 of"))
    expect(page.get_by_role("link", name="Open the match")).to_have_attribute("href", re.compile(r"\?turn=4$"))
    assert violations(page) == []


@pytest.fixture
def lively(house: Up, chromium: Browser) -> Iterator[Page]:
    """Somebody who has not asked for less motion."""
    page = chromium.new_page(base_url=house.web, reduced_motion="no-preference")
    yield page
    page.close()


def board_of(*parts: str) -> str:
    return frame(1600, 1080, "en", "A board", "With rings.", *parts)


TILE: Final = group("r1s0", "a tile", circle(540, 300, 30, INK))
RESTING: Final = board_of(turned("ring1", 0, 16, (540, 540), TILE), marked("touched", "r1s0", TILE))


@pytest.mark.parametrize(
    ("after", "steps", "moving"),
    [
        ((turned("ring1", 3, 16, (540, 540), TILE),), 1, [["ring1", "rotate(-67.5deg)"], ["r1s0", "rotate(67.5deg)"]]),
        ((turned("ring1", -3, 16, (540, 540)),), 2, [["ring1", "rotate(67.5deg)"]]),
        ((turned("ring1", 20, 16, (540, 540)),), 1, [["ring1", "rotate(-450deg)"]]),
        ((turned("ring1", 3, 16, (540, 540), TILE),), -1, []),
        ((turned("ring1", 3, 16, (540, 540), TILE),), 30, []),
        ((turned("ring1", 0, 16, (540, 540), TILE),), 1, []),
        ((marked("touched", "r1s0", TILE),), 1, []),
        ((marked("touched", "r2s5", TILE),), 1, [["touched", "scale(1.5)"]]),
        ((marked("other", "r1s0", TILE),), 1, [["other", "scale(1.5)"]]),
    ],
)
def test_a_board_moves_as_it_says(
    lively: Page, house: Up, after: tuple[str, ...], steps: int, moving: list[list[str]]
) -> None:
    """A ring turns about its centre the way it was turned, however far, and tiles stay upright; what is new appears.

    Nothing is played backwards, a leap is not a movement, and what was there before stands still.
    """
    lively.goto("/verify")
    assert lively.evaluate(MOVE, [RESTING, board_of(*after), steps]) == moving


def test_a_token_is_seen_to_come_unless_less_motion_is_asked_for(lively: Page, visitor: Visitor) -> None:
    over(visitor.house, "stepped")
    for page, moving in ((lively, ["last-token"]), (visitor.page, [])):
        page.goto("/m/stepped#3")
        expect(page.locator(".facts [aria-current=step]")).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#last-token")).to_be_visible()
        assert page.evaluate("() => document.getAnimations().map(each => each.effect.target.id)") == moving
