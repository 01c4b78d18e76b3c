"""What no law can see of a game from outside: that redaction has no catch-all, and that rulings have tests."""

import ast
import re

import pytest

from engine.games import all_games
from engine.kernel.limits import COMMITS_MAX
from tests.tidy.tree import ROOT, nodes, parsed, python_files

KEYS = sorted(all_games())
RULING = re.compile(r"^\| ((?:[A-Z]-\d+)|(?:\d+\.\d+)|(?:UNKNOWN-\d+)) \|", re.MULTILINE)
"""A row of a ruling table: ``| J-01 |``, ``| 4.2 |``, ``| UNKNOWN-3 |``."""
EXHAUSTIVE = ("redact", "recall")


@pytest.mark.parametrize("key", KEYS)
def test_a_play_ends_long_before_a_match_is_too_long(key: str) -> None:
    """A match of ``COMMITS_MAX`` commits takes no more of them, not even its end."""
    assert all_games()[key].turns_max < COMMITS_MAX


@pytest.mark.parametrize("key", KEYS)
def test_what_redacts_names_every_event(key: str) -> None:
    """A ``match`` whose last case is ``assert_never``: a new event must not leak by default."""
    found = [
        (path, node)
        for path in python_files()
        if path.startswith(f"engine/games/{key}/") and not path.rpartition("/")[2].startswith("test_")
        for node in parsed(path).body
        if isinstance(node, ast.FunctionDef) and node.name in EXHAUSTIVE
    ]
    assert found, f"{key} has no function redact"
    for path, function in found:
        matches = [node for node in ast.walk(function) if isinstance(node, ast.Match)]
        assert matches, f"{path}: {function.name} is no match over the events"
        for match in matches:
            last = ast.unparse(match.cases[-1])
            assert "assert_never(" in last, f"{path}: {function.name} ends in {last!r}, not in assert_never"


@pytest.mark.parametrize("key", KEYS)
def test_every_ruling_of_the_readme_is_cited_by_a_test(key: str) -> None:
    folder = ROOT / "engine" / "games" / key
    rulings = RULING.findall((folder / "README.md").read_text("utf-8"))
    assert rulings, f"{key}/README.md has no table of rulings"
    tests = "\n".join(path.read_text("utf-8") for path in sorted(folder.glob("test_*.py")))
    missing = [ruling for ruling in rulings if not _is_cited(ruling, tests)]
    assert not missing, f"{key}: no test cites {missing}"


def _is_cited(ruling: str, tests: str) -> bool:
    """As ``J-01`` in a docstring, or as ``j01`` in the name of a test."""
    in_a_name = ruling.lower().replace("-", "").replace(".", "")
    return bool(re.search(rf"(?<![\w.-]){re.escape(ruling)}(?![\w-])", tests) or re.search(rf"_{in_a_name}_", tests))


def test_there_is_something_to_look_at() -> None:
    assert {"just4fun", "memcel", "welcome_to"} <= set(KEYS)
    assert any(isinstance(node, ast.Match) for path in python_files() for node in nodes(path))
