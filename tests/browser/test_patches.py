"""Boards come as what has changed of the one before, and are put together as the house has drawn them."""

from typing import Any, Final

from tests.browser.visitor import Visitor

FOLLOW: Final = """async (match) => {
  const base = document.querySelector("script[type=module]").src.replace(/js[/]pages.*/, "");
  const { positionsTold } = await import(base + "js/lib/picture.js");
  const pictures = {};
  const kinds = { position: 0, patch: 0, reset: 0 };
  await new Promise((done) => {
    const source = new EventSource(`/api/matches/${match}/stream?patches=1`);
    const handlers = positionsTold((told) => { pictures[told.revision] = told.svg; });
    for (const [kind, act] of Object.entries(handlers)) {
      source.addEventListener(kind, (event) => { kinds[kind] += 1; act(JSON.parse(event.data)); });
    }
    source.addEventListener("end", () => { source.close(); done(); });
  });
  const drawn = {};
  for (const revision of Object.keys(pictures)) {
    drawn[revision] = (await (await fetch(`/api/matches/${match}?revision=${revision}`)).json()).svg;
  }
  return { kinds, wrong: Object.keys(pictures).filter((each) => pictures[each] !== drawn[each]) };
}"""


def test_every_picture_is_the_one_that_was_drawn(visitor: Visitor) -> None:
    opened = visitor.house.ask("match", "open", "just4fun", "--seats", "2", "--bots", "random@60", "--id", "patched")
    assert opened.code == 0, opened.err
    told: Any = visitor.goto("/verify").evaluate(FOLLOW, "patched")
    assert told["wrong"] == []
    assert told["kinds"]["patch"] > told["kinds"]["position"] > 0
