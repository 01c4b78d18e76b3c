"""Pictures of every page, taken in a house that is put up for it: ``make screenshots``.

They are looked at before a page is called done. Each is what a visitor sees without scrolling. All lie in
``build/screenshots``; those that the README shows are kept, in ``docs/pictures/pages``.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.visitor import ARGUMENTS, program
from tests.e2e.command import Up, up

ROOT: Final = Path(__file__).parents[2]
PICTURES: Final = ROOT / "build/screenshots"
KEPT: Final = ROOT / "docs/pictures/pages"
EXAMPLES: Final = ROOT / "docs/examples"
WIDE: Final = (1280, 860)
PHONE: Final = (360, 780)
SETTLED_MS: Final = 1_500
"""For pictures and streams to arrive."""


class Shot(NamedTuple):
    """One picture."""

    name: str
    path: str
    theme: str = "light"
    size: tuple[int, int] = WIDE
    language: str = "en"
    is_kept: bool = False
    before: Callable[[Page], Any] = lambda page: None
    """What the visitor does first."""


def choose_first(page: Page) -> None:
    """The first step of a turn."""
    page.locator(".turn button").first.click()


def check_file(export: Path) -> Callable[[Page], Any]:
    return lambda page: page.locator("#file").set_input_files(export)


def shots(export: Path) -> list[Shot]:
    return [
        Shot("home", "/", is_kept=True),
        Shot("home-phone", "/", "dark", PHONE),
        Shot("match", "/m/grid#30"),
        Shot("match-dark", "/m/rings", "dark", is_kept=True),
        Shot("match-phone", "/m/streets", "light", PHONE, "it"),
        Shot("embed", "/embed/m/rings", size=(720, 620)),
        Shot("play", "/m/mine/seat/0", is_kept=True),
        Shot("play-phone", "/m/mine/seat/0", "dark", PHONE),
        Shot("play-solo", "/m/solo/seat/0", "light", WIDE, "fr"),
        Shot("tournament", "/t/spring", "dark"),
        Shot("tournament-standings", "/t/spring#standings", is_kept=True),
        Shot("tournament-phone", "/t/spring", "light", PHONE, "ko"),
        Shot("organise", "/organise/summer"),
        Shot("organise-phone", "/organise/summer", "dark", PHONE),
        Shot("verify", "/verify", before=check_file(export)),
    ]


def prepare(house: Up, folder: Path) -> Path:
    """Matches under way and over, an event that is over and one that runs; the export of a match."""

    def ask(*arguments: object) -> None:
        done = house.ask(*arguments)
        assert done.code == 0, done.err

    for match, game, seats in (("grid", "just4fun", 4), ("rings", "memcel", 3), ("streets", "welcome_to", 3)):
        ask("match", "open", game, "--seats", seats, "--bots", "greedy", "--id", match)
    ask("match", "open", "just4fun", "--seats", "3", "--bots", "1=greedy,2=greedy", "--id", "mine")
    ask("match", "open", "welcome_to", "--seats", "1", "--id", "solo")
    club_evening = (EXAMPLES / "club_evening.toml").read_text("utf-8")
    people = folder / "people.csv"
    people.write_text("name\n" + "".join(f"{name}\n" for name in NAMES), "utf-8")
    for event, rounds in (("spring", 2), ("summer", 1)):
        config = folder / f"{event}.toml"
        config.write_text(club_evening.replace("Club evening", f"{event.capitalize()} evening"), "utf-8")
        ask("tournament", "create", event, config)
        ask("tournament", "open", event)
        ask("tournament", "register", event, "--file", people)
        ask("tournament", "open-check-in", event)
        ask("tournament", "check-in", event, "--all")
        ask("tournament", "close", event)
        for number in range(1, rounds + 1):
            ask("tournament", "pair", event)
            ask("tournament", "publish", event)
            if number < rounds or event == "spring":
                play_round(house, event, number)
    ask("watch", "grid")
    export = folder / "grid.jsonl"
    ask("export", "grid", "-o", export)
    return export


NAMES: Final = (
    "Ada Moretti", "Bruno Keller", "Chiara Rossi", "Daniel Petit", "Elif Kaya", "Farid Haddad", "Giulia Conti",
    "Hana Kim", "Ivo Novak", "Jeanne Leroy", "Kenji Sato", "Lucia Ferrari", "Minjun Park", "Noor Aziz", "Otto Brandt",
    "Paula Silva", "Quentin Blanc", "Rosa Greco", "Seo-yeon Lee", "Tom Fischer", "Uma Rao", "Victor Dupont",
    "Wanda Zielinska", "Yara Costa",
)  # fmt: skip


def play_round(house: Up, event: str, number: int) -> None:
    """Results by hand: who entered earlier has the better score."""
    house.ask("tournament", "start", event)
    for table in house.ask("tournament", "round", event, number, "--json").document["tables"]:
        scores = ",".join(str(180 - 5 * place["entry"]) for place in table["places"])
        done = house.ask("tournament", "result", event, number, table["number"], scores)
        assert done.code == 0, done.err


def take(browser: Browser, house: Up, shot: Shot) -> None:
    scheme: Any = shot.theme
    context = browser.new_context(
        color_scheme=scheme,
        viewport={"width": shot.size[0], "height": shot.size[1]},
        locale=shot.language,
        base_url=house.web,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(shot.path)
    page.locator("h1").first.wait_for()
    shot.before(page)
    page.wait_for_timeout(SETTLED_MS)
    picture = (KEPT if shot.is_kept else PICTURES) / f"{shot.name}.png"
    page.screenshot(path=picture)
    print(picture)
    context.close()


def main() -> None:
    wanted = set(sys.argv[1:])
    for pictures in (PICTURES, KEPT):
        pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        browser = playwright.chromium.launch(executable_path=program(), args=list(ARGUMENTS))
        with up(folder / "house", "--exhibition") as house:
            for shot in shots(prepare(house, folder)):
                if not wanted or shot.name in wanted:
                    take(browser, house, shot)
        browser.close()


if __name__ == "__main__":
    main()
