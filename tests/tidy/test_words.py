"""What must not stand in a tracked file, and how long a file may be."""

import re

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


def test_no_registry_and_no_machine_stands_in_a_file() -> None:
    wrong = [
        f"{path}:{number} names a {what}: {line.strip()[:80]}"
        for path in text_files()
        for number, line in enumerate((ROOT / path).read_text("utf-8").splitlines(), 1)
        for what, pattern in (("registry", HOSTS), ("path of one machine", PATHS))
        if pattern.search(line)
    ]
    assert not wrong, "\n".join(wrong)


def test_a_python_file_fits_its_room() -> None:
    lines = {path: len((ROOT / path).read_text("utf-8").splitlines()) for path in python_files()}
    wrong = {path: count for path, count in lines.items() if count > LINES_MAX and path not in PYTHON_TOO_LONG}
    assert not wrong, f"find the second thing in them: {wrong}"


def test_a_python_file_says_first_what_its_rule_is() -> None:
    texts = {path: (ROOT / path).read_text("utf-8") for path in python_files()}
    first = {
        path: text.lstrip().removeprefix("#!/usr/bin/env python3").lstrip() for path, text in texts.items() if text
    }
    wrong = [path for path, text in first.items() if not text.startswith(('"""', 'r"""'))]
    assert not wrong, f"files without a header; what is their rule? {wrong}"
