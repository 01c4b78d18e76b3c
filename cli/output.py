"""What a command prints: tables and sentences for people, one JSON document (or one a line) for programs.

Results go to stdout, everything else to stderr. An error has a code and a sentence, never a traceback; the exit code
says that there was one.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Server = Annotated[
    str, typer.Option("--server", envvar="TAVOLATA_URL", help="The house to ask, host:port.", show_default=True)
]
DEFAULT_SERVER = "127.0.0.1:7400"
Language = Annotated[
    str, typer.Option("--language", envvar="TAVOLATA_LANGUAGE", help="Of the sentences: en, it, fr or ko.")
]
DEFAULT_LANGUAGE = "en"

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

FAILED = 1


def print_json(value: object) -> None:
    """One document on one line."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    console.print(table_of(title, columns, rows))


def table_of(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """What is in a cell is shown as it is: a name like ``[bold]`` is a name."""
    table = Table(title=Text(title), title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(Text(column))
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    return table


def print_error(code: str, sentence: str, *, as_json: bool, more: Mapping[str, Any] | None = None) -> None:
    if as_json:
        sys.stderr.write(json.dumps({"error": {"code": code, "sentence": sentence, **(more or {})}}) + "\n")
    else:
        errors.print(f"[bold red]{code}[/]: ", end="")
        errors.print(sentence, markup=False, soft_wrap=True)


def note(sentence: str) -> None:
    """Something for a person to know that is no result."""
    errors.print(sentence, markup=False, soft_wrap=True)
