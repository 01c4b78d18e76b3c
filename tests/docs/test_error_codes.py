"""Every code that a caller can be told stands in the table of docs/how-to/what-can-go-wrong.md, and no other.

A game's own refusals are its own affair: a new game need not touch the page. Those that stand there have to exist.
"""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatch

from tests.tidy.tree import ROOT, nodes, python_files

PAGE = "docs/how-to/what-can-go-wrong.md"
TOLD_BY = {
    "Refusal": 0,
    "Unavailable": 0,
    "Failed": 0,
    "VerificationFailed": 1,
    "_status": 1,
    "print_error": 0,
    "problem": 1,
}
"""What tells a caller, and which of its arguments is the code."""
CODE = re.compile(r"[a-z]+(_[a-z]+)*")
ROW = re.compile(r"^\| `([a-z_]+)` \|", re.MULTILINE)
TOP = ("engine/", "services/", "cli/", "bots/")


def is_product(path: str) -> bool:
    return path.startswith(TOP) and not fnmatch(path, "*/test_*.py") and not path.endswith("/testing.py")


def is_of_a_game(path: str) -> bool:
    return fnmatch(path, "engine/games/*/*")


def codes(path: str) -> Iterator[str]:
    """The codes in one file; where a part is filled in at run time it is ``*``."""
    for node in nodes(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TOLD_BY:
            place = TOLD_BY[node.func.id]
            if place < len(node.args):
                yield from _literals(node.args[place])
        elif isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == "code" for to in node.targets):
            yield from _literals(node.value)


def _literals(value: ast.expr) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(text)) if CODE.fullmatch(text):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in parts)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*_literals(body), *_literals(orelse))
        case _:
            return  # a variable: the code is told where it is made


def told() -> dict[str, set[str]]:
    """Code → files, of the house without its games."""
    found: dict[str, set[str]] = {}
    for path in filter(is_product, python_files()):
        for code in () if is_of_a_game(path) else codes(path):
            found.setdefault(code, set()).add(path)
    return found


def listed() -> list[str]:
    return ROW.findall((ROOT / PAGE).read_text("utf-8"))


def test_every_code_of_the_house_is_explained() -> None:
    page = listed()
    missing = {code: sorted(paths) for code, paths in told().items() if not any(fnmatch(row, code) for row in page)}
    assert not missing, f"{PAGE} does not say what these mean: {missing}"


def test_no_code_is_explained_that_nobody_tells() -> None:
    of_games = {code for path in filter(is_of_a_game, python_files()) for code in codes(path)}
    known = [*told(), *of_games]
    unknown = [row for row in listed() if not any(fnmatch(row, code) for code in known)]
    assert not unknown, f"{PAGE} explains what no code says any more: {unknown}"


def test_a_code_is_explained_once() -> None:
    page = listed()
    assert len(page) == len(set(page)), sorted({row for row in page if page.count(row) > 1})


def test_the_search_finds_codes() -> None:
    found = told()
    assert {"not_your_turn", "log_full", "chain_broken", "broken_log", "bad_*", "read_model_full"} <= found.keys()
