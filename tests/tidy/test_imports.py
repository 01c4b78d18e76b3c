"""The import law: who may know whom. The tables are the law; the tests below only read them.

To change the architecture, change a line here and its reason, in the same commit as the import that needs it.
"""

import ast
import sys
from fnmatch import fnmatch
from typing import NamedTuple

import pytest

from tests.tidy.tree import OURS, imports, is_in, nodes, python_files


class Knows(NamedTuple):
    """These files import nothing of ours but this. The first line that fits a file speaks for it."""

    files: str
    ours: str
    because: str


class Only(NamedTuple):
    """Nobody but these files imports this."""

    module: str
    files: str
    because: str


class Never(NamedTuple):
    """These files do not import these modules."""

    files: str
    modules: str
    because: str


# ``{3}`` is the third part of the path of the importing file: the name of the game or of the service.
KNOWS = (
    Knows("engine/kernel/*", "engine.kernel", "the kernel is the vocabulary of all; it knows nobody"),
    Knows("engine/luck/*", "engine.kernel engine.luck", "luck is checked with the kernel alone"),
    Knows(
        "engine/tournament/*",
        "engine.kernel engine.luck engine.tournament",
        "a tournament knows matches, not games; its lots are drawn with the luck of the house",
    ),
    Knows("engine/games/__init__.py", "engine.kernel engine.games", "games are found, never named"),
    Knows(
        "engine/games/*/test*.py",
        "engine.kernel engine.luck engine.games.{3} tests.kit",
        "a game is tested in its own folder, with the kit",
    ),
    Knows("engine/games/*", "engine.kernel engine.games.{3}", "a game knows the kernel and itself, no other game"),
    Knows("engine/*", "engine", "the engine is pure; services stand on it, not under it"),
    Knows("services/kit/*", "engine services.kit tavolata", "the kit serves every service and knows none"),
    Knows("services/local/*", "engine services tavolata", "the whole house in one process wires every service"),
    Knows("services/*", "engine services.kit services.{2} tavolata", "services meet on the wire, never by import"),
    Knows("cli/*", "engine services cli bots tavolata", "the command starts what it is asked to start"),
    Knows("bots/*", "engine services.kit bots tavolata", "a bot is a player: it has what a player has"),
)

ONLY = (
    Only(
        "nats nkeys",
        "services/kit/jetstream/* services/kit/jetstream*.py services/local/* tests/* deploy/* bench/*",
        "header names, sequences and errors of the broker are the business of one module",
    ),
    Only(
        "tavolata",
        "services/kit/wire/* services/kit/wire*.py services/kit/paper/* services/*/servicer*.py services/*/main*.py "
        "services/local/* services/gateway/* "
        "cli/* bots/* tests/* bench/* services/kit/clients*.py",
        "generated stubs stay at the edges; use cases speak the engine's words; paper shows what came over the wire",
    ),
    Only("grpc", "services/* cli/* bots/* tests/* bench/*", "the engine has no wire"),
    Only(
        "babel",
        "engine/kernel/catalogue.py tests/*",
        "catalogues are read in one place, and only when somebody asks for another language",
    ),
    Only(
        "numpy scipy",
        "engine/tournament/pairing/* engine/tournament/columns/* tests/* bench/*",
        "pairing and tables of thousands are reckoned with them; a match, its fold and its export without",
    ),
    Only(
        "fastapi starlette uvicorn pydantic",
        "services/gateway/* tests/* bench/*",
        "HTTP is the gateway's; every other service speaks gRPC",
    ),
    Only(
        "opentelemetry",
        "services/kit/spans.py tests/*",
        "a process that sends its traces nowhere does not load what would send them",
    ),
    Only("ortools", "tests/*", "the oracle of the pairing; no house needs it"),
    Only("openskill", "services/tournament/* tests/* bench/*", "ratings are floats, and a read model"),
    Only("sqlmodel sqlalchemy sqlite3", "services/* tests/* bench/*", "read models are the services'"),
)

NEVER = (
    Never(
        "engine/*",
        "asyncio time random secrets uuid os io socket threading multiprocessing subprocess logging tempfile shutil "
        "concurrent signal locale",
        "the engine has no I/O, no clock and no dice: ids, times and luck arrive in commands",
    ),
)

ENGINE_THIRD_PARTY = ("msgspec", "babel")
"""Babel under the rule above: whoever checks an export asks for no language, and so does without it."""
ENVIRONMENT = "services/kit/config.py docs/examples/* tests/* bench/*"
"""An example is a program of somebody else's."""
PICTURES = "engine/games/*/board*.py engine/games/*/pieces*.py engine/games/*/panel*.py"
"""Where a number is a coordinate, and no state."""


def fits(path: str, patterns: str) -> bool:
    return any(fnmatch(path, pattern) for pattern in patterns.split())


def engine_files() -> list[str]:
    return [
        path for path in python_files() if path.startswith("engine/") and not fits(path, "*/test_*.py */testing.py")
    ]


def named(path: str, text: str) -> list[str]:
    """The names in a table's cell, with ``{n}`` filled from the path."""
    parts = ["", *(part.removesuffix(".py") for part in path.split("/"))]
    return [name.format(*parts) for name in text.split() if "{" not in name or len(parts) > int(name[-2])]


def test_a_file_knows_only_whom_it_may() -> None:
    wrong = []
    for path in python_files():
        rule = next((rule for rule in KNOWS if fnmatch(path, rule.files)), None)
        if rule is None:
            continue
        allowed = named(path, rule.ours)
        for line, module in imports(path):
            if module.split(".")[0] in OURS and not any(is_in(module, package) for package in allowed):
                wrong.append(f"{path}:{line} imports {module}: {rule.because}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("rule", ONLY, ids=lambda rule: rule.module)
def test_a_module_is_known_only_where_it_may(rule: Only) -> None:
    wrong = [
        f"{path}:{line} imports {module}"
        for path in python_files()
        if not fits(path, rule.files)
        for line, module in imports(path)
        if any(is_in(module, package) for package in rule.module.split())
    ]
    assert not wrong, f"{rule.because}: {wrong}"


@pytest.mark.parametrize("rule", NEVER, ids=lambda rule: rule.files)
def test_what_is_forbidden_is_not_imported(rule: Never) -> None:
    wrong = [
        f"{path}:{line} imports {module}"
        for path in engine_files()
        if fits(path, rule.files)
        for line, module in imports(path)
        if any(is_in(module, package) for package in rule.modules.split())
    ]
    assert not wrong, f"{rule.because}: {wrong}"


def test_the_engine_stands_on_the_standard_library_and_msgspec() -> None:
    """But for numpy and scipy: the table above says where."""
    known = {*sys.stdlib_module_names, *ENGINE_THIRD_PARTY, "engine", "numpy", "scipy"}
    wrong = [
        f"{path}:{line} imports {module}"
        for path in engine_files()
        for line, module in imports(path)
        if module.split(".")[0] not in known
    ]
    assert not wrong, f"whoever checks an export needs the engine and nothing else: {wrong}"


def test_the_engine_has_no_clock() -> None:
    clocks = ("now", "utcnow", "today", "monotonic", "perf_counter")
    wrong = [
        f"{path}:{node.lineno}"
        for path in engine_files()
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr in clocks
    ]
    assert not wrong, f"the same log must fold to the same state for ever, and here a clock is read: {wrong}"


def test_the_engine_has_no_floats() -> None:
    wrong = [
        f"{path}:{getattr(node, 'lineno', 0)}"
        for path in engine_files()
        for node in nodes(path)
        if _is_float(node, literal=not fits(path, PICTURES))
    ]
    assert not wrong, f"integers are equal on every machine, and here is a float: {wrong}"


def _is_float(node: ast.AST, *, literal: bool) -> bool:
    if isinstance(node, ast.Name):
        return node.id == "float"
    return literal and isinstance(node, ast.Constant) and isinstance(node.value, float)


def test_the_environment_is_read_in_one_place() -> None:
    wrong = [
        f"{path}:{node.lineno}"
        for path in python_files()
        if not fits(path, ENVIRONMENT)
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "environb", "putenv")
    ]
    assert not wrong, f"settings are read by services/kit/config.py, so that they can be listed: {wrong}"


def test_the_law_would_notice() -> None:
    assert named("engine/games/go/rules.py", "engine.kernel engine.games.{3}") == ["engine.kernel", "engine.games.go"]
    assert named("services/deck/app.py", "services.{2}") == ["services.deck"]
    assert is_in("engine.games.go.rules", "engine.games.go")
    assert not is_in("engine.games.gomoku", "engine.games.go")
    assert (1, "engine.games.all_games") in [(1, module) for _, module in imports("tests/conformance/test_laws.py")]
