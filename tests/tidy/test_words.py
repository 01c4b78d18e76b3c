"""What must not stand in a tracked file, and how long a file may be."""

import re

import pytest

from tests.tidy.tree import ROOT, python_files, tracked

LINES_MAX = 400
"""Past it a file is about two things."""
PYTHON_TOO_LONG = frozenset[str]()
"""Files that are longer for a reason; with the reason."""

HOSTS = re.compile("|".join((r"files\.python" r"hosted\.org", r"\bpypi\.", r"artifactory", r"/simple/")), re.IGNORECASE)
"""Hosts of package registries: which one is the business of whoever installs."""
PATHS = re.compile(r"(?<![\w.$}~-])/(?:home|root|work|Users|workspace)/[\w.]")
"""Paths of somebody's machine."""
SELF = "tests/tidy/test_words.py"
TEXT = (
    ".py",
    ".md",
    ".toml",
    ".txt",
    ".in",
    ".yml",
    ".yaml",
    ".json",
    ".proto",
    ".cfg",
    ".html",
    ".css",
    ".js",
    ".sh",
    "",
)


def text_files() -> list[str]:
    return [path for path in tracked() if (path != SELF and "." + path.rpartition(".")[2] in TEXT) or "." not in path]


@pytest.mark.parametrize("path", text_files())
def test_no_registry_and_no_machine_stands_in_a_file(path: str) -> None:
    text = (ROOT / path).read_text("utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        assert not HOSTS.search(line), f"{path}:{number} names a registry: {line.strip()[:80]}"
        assert not PATHS.search(line), f"{path}:{number} names a path of one machine: {line.strip()[:80]}"


@pytest.mark.parametrize("path", python_files())
def test_a_python_file_fits_its_room(path: str) -> None:
    lines = len((ROOT / path).read_text("utf-8").splitlines())
    assert lines <= LINES_MAX or path in PYTHON_TOO_LONG, f"{path} has {lines} lines: find the second thing in it"


@pytest.mark.parametrize("path", [path for path in python_files() if (ROOT / path).stat().st_size])
def test_a_python_file_says_first_what_its_rule_is(path: str) -> None:
    first = (ROOT / path).read_text("utf-8").lstrip().removeprefix("#!/usr/bin/env python3").lstrip()
    assert first.startswith(('"""', 'r"""')), f"{path} has no header: what is the rule of this file?"
