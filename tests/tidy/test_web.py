"""The pages keep the habits of the house: every sentence in every language, colours in one place, files of a size."""

import json
import re
import string
import tomllib
from pathlib import Path
from typing import Final

import pytest

from engine.kernel.catalogue import LANGUAGES
from services.gateway.assets import LIBRARIES
from services.gateway.pages import CATALOGUES
from tests.tidy.tree import ROOT

WEB: Final = ROOT / "services/gateway/web"
SCRIPTS: Final = sorted(path.relative_to(WEB).as_posix() for path in (WEB / "js").rglob("*.js"))
STYLES: Final = sorted(path.relative_to(WEB).as_posix() for path in (WEB / "css").glob("*.css"))
PARTS: Final = sorted(path.stem for path in (WEB / "locale/en").glob("*.json"))
LINES_MAX: Final = 400
PLURAL: Final = re.compile(r"#(zero|one|two|few|many|other)$")
COLOUR: Final = re.compile(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(")
SPOKEN: Final = re.compile(r"""\bt\(\s*["']([^"'$]+)["']""")


def sentences(language: str, part: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((WEB / "locale" / language / f"{part}.json").read_text("utf-8"))
    return found


def fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_every_language_has_every_sentence(language: str, part: str) -> None:
    """With the same things filled in; plural forms are the language's own."""
    english, spoken = sentences("en", part), sentences(language, part)
    assert {PLURAL.sub("", key) for key in spoken} == {PLURAL.sub("", key) for key in english}
    for key, sentence in spoken.items():
        like = english.get(key) or english[f"{PLURAL.sub('', key)}#other"]
        assert sentence.strip(), f"{language}/{part}.json: {key} is empty"
        assert fields(sentence) - {"n"} == fields(like) - {"n"}, f"{language}/{part}.json: {key}"
    assert all(f"{PLURAL.sub('', key)}#other" in spoken for key in spoken if PLURAL.search(key))


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_says_only_sentences_that_there_are(script: str) -> None:
    known = {PLURAL.sub("", key) for part in PARTS for key in sentences("en", part)}
    said = set(SPOKEN.findall((WEB / script).read_text("utf-8")))
    assert said <= known, f"{script} says {sorted(said - known)}"


@pytest.mark.parametrize("page", sorted(CATALOGUES))
def test_a_page_has_its_catalogues(page: str) -> None:
    assert set(CATALOGUES[page]) <= set(PARTS)
    assert (WEB / "js/pages" / f"{page}.js").is_file()


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_fits_its_room_and_says_first_what_it_is(script: str) -> None:
    text = (WEB / script).read_text("utf-8")
    assert text.startswith("// "), f"{script} does not say what it is"
    assert len(text.splitlines()) <= LINES_MAX, f"{script} has become about two things"
    for never in ("innerHTML", "document.write", "eval(", "new Function"):
        assert never not in text, f"{script} uses {never}"


@pytest.mark.parametrize("style", [each for each in STYLES if each != "css/base.css"])
def test_colours_are_tokens(style: str) -> None:
    wrong = [line for line in Path(WEB / style).read_text("utf-8").splitlines() if COLOUR.search(line)]
    assert not wrong, f"{style}: colours stand in base.css, for both themes: {wrong}"


def test_the_wheel_takes_along_what_the_pages_import() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    taken = project["tool"]["hatch"]["build"]["targets"]["wheel"]["artifacts"]
    assert sorted(taken) == sorted(f"/services/gateway/web/node_modules/{file}" for file in LIBRARIES.values())
