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
        "engine/tournament/pairing/* tests/* bench/*",
        "one assignment problem is solved with them; an export is checked without",
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


@pytest.mark.parametrize("path", python_files())
def test_a_file_knows_only_whom_it_may(path: str) -> None:
    rule = next((rule for rule in KNOWS if fnmatch(path, rule.files)), None)
    if rule is None:
        return
    allowed = named(path, rule.ours)
    for line, module in imports(path):
        if module.split(".")[0] in OURS:
            assert any(is_in(module, package) for package in allowed), f"{path}:{line} imports {module}: {rule.because}"


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


@pytest.mark.parametrize("path", engine_files())
def test_the_engine_stands_on_the_standard_library_and_msgspec(path: str) -> None:
    for line, module in imports(path):
        top = module.split(".")[0]
        if top in ("numpy", "scipy"):
            continue  # the table above says where
        assert top in sys.stdlib_module_names or top in ENGINE_THIRD_PARTY or top == "engine", (
            f"{path}:{line} imports {module}: whoever checks an export needs the engine and nothing else"
        )


@pytest.mark.parametrize("path", engine_files())
def test_the_engine_has_no_clock(path: str) -> None:
    for node in nodes(path):
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("now", "utcnow", "today", "monotonic", "perf_counter"), (
                f"{path}:{node.lineno} reads a clock: the same log must fold to the same state for ever"
            )


@pytest.mark.parametrize("path", engine_files())
def test_the_engine_has_no_floats(path: str) -> None:
    for node in nodes(path):
        wrong = isinstance(node, ast.Name) and node.id == "float"
        if not fits(path, PICTURES):
            wrong = wrong or (isinstance(node, ast.Constant) and isinstance(node.value, float))
        assert not wrong, f"{path}:{getattr(node, 'lineno', 0)} has a float: integers are equal on every machine"


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
