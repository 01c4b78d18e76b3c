"""The project's own files, and what each Python file imports."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from subprocess import run

ROOT = Path(__file__).parents[2]
OURS = ("engine", "services", "cli", "bots", "tests", "bench", "deploy", "tavolata")


@cache
def tracked() -> tuple[str, ...]:
    """Every file that is or will be in the repository, as ``engine/luck/seeds.py``; ignored files are not."""
    listed = run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return tuple(sorted(path for path in listed.stdout.splitlines() if (ROOT / path).is_file()))


def python_files() -> tuple[str, ...]:
    return tuple(path for path in tracked() if path.endswith(".py"))


@cache
def parsed(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text("utf-8"), path)


def nodes(path: str) -> Iterator[ast.AST]:
    return ast.walk(parsed(path))


@cache
def imports(path: str) -> tuple[tuple[int, str], ...]:
    """Every import of a file, wherever it stands in it: line and dotted name, down to the imported name."""
    found: list[tuple[int, str]] = []
    package = path.removesuffix(".py").removesuffix("/__init__").split("/")
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found.extend((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            depth = node.level - path.endswith("/__init__.py")
            base = ".".join(package[: len(package) - depth]) + "." if node.level else ""
            found.extend((node.lineno, f"{base}{node.module or ''}.{alias.name}".strip(".")) for alias in node.names)
    return tuple(found)


def is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")
