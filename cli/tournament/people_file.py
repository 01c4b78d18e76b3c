"""People from a CSV file: ``name,contact,alias`` under a header, as spreadsheets save it.

UTF-8 with or without a byte order mark, commas or semicolons. Every row that cannot be taken is named by its line, all
at once, and nobody is entered before the file is right.
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip
from engine.tournament.limits import ENTRANTS_MAX

COLUMNS: Final = ("name", "contact", "alias")
LONGEST: Final = {"name": 100, "contact": 200, "alias": 40}
"""Characters, as the service keeps them."""
BYTES_MAX: Final = 8 * 1024 * 1024
"""400 bytes for each of as many people as an event can have."""
NAMED_MAX: Final = 20
"""Bad rows in one sentence; whoever has more looks at the file as a whole."""

assert BYTES_MAX >= 400 * ENTRANTS_MAX


def people_in(file: Path) -> list[pb.Person]:
    """In the order of the file. Raises ``Refusal`` (``bad_people``) naming every bad line."""
    if file.stat().st_size > BYTES_MAX:
        raise _bad(f"{file} has more than {BYTES_MAX} bytes")
    try:
        text = file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _bad(f"{file} is no UTF-8 text; save it as CSV UTF-8") from error
    rows = _rows(text)
    line, header = next(rows, (1, []))
    named = [cell.strip().lower() for cell in header]
    if "name" not in named or set(named) - set(COLUMNS) or len(set(named)) < len(named):
        raise _bad(f"{file}, line {line}: the header is name,contact,alias, of which name is needed")
    people: list[pb.Person] = []
    wrong: list[str] = []
    lines: dict[tuple[str, str], int] = {}
    for line, row in rows:
        cells = dict.fromkeys(COLUMNS, "") | dict(zip(named, map(str.strip, row), strict=False))
        problem = _problem(row, named, cells)
        same = lines.setdefault((cells["name"].casefold(), cells["contact"].casefold()), line)
        if not problem and same != line:
            problem = f"the same person as in line {same}"
        if problem:
            wrong.append(f"line {line}: {problem}")
        people.append(pb.Person(**cells))
    if wrong:
        more = f"; and {len(wrong) - NAMED_MAX} more" if len(wrong) > NAMED_MAX else ""
        raise _bad(f"{file} cannot be taken: {'; '.join(wrong[:NAMED_MAX])}{more}")
    if not people:
        raise _bad(f"{file} names nobody")
    return people


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and cells of what is not blank."""
    first = text.partition("\n")[0]
    reader = csv.reader(text.splitlines(keepends=True), delimiter=";" if ";" in first else ",", strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise _bad(f"line {line}: {error}") from error
        if row is None:
            return
        if any(cell.strip() for cell in row):
            yield line, row


def _problem(row: list[str], named: list[str], cells: dict[str, str]) -> str:
    """What is wrong with a row; empty if it can be taken."""
    if len(row) > len(named):
        return f"{len(row)} cells under {len(named)} columns"
    if not cells["name"]:
        return "no name"
    for column, text in cells.items():
        if len(text) > LONGEST[column]:
            return f"the {column} has more than {LONGEST[column]} characters"
        if not text.isprintable():
            return f"the {column} {clip(text)} has characters that cannot be printed"
    return ""


def _bad(sentence: str) -> Refusal:
    return Refusal("bad_people", f"{sentence}.", Kind.INVALID)
