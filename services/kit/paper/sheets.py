"""Tables as CSV that a spreadsheet opens by a double click and computes nothing of.

UTF-8 with a byte order mark, or Excel takes it for something else; ``;`` or ``,`` between cells, as the reader's
country has it. Names come from strangers: a cell that begins like a formula gets an apostrophe before it. A fraction is
written with its whole part, ``2 1/2``, because ``5/2`` would be the fifth of February.
"""

import csv
import io
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from tavolata.tournament.v1 import tournament_pb2 as pb

from services.kit.paper.figures import values_of

Separator: TypeAlias = Literal[";", ","]

FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a spreadsheet may take for the beginning of something to compute."""
_FRACTION = re.compile(r"-?[0-9]+(/[1-9][0-9]*|\.[0-9]+)")
_NUMBER = re.compile(r"-?[0-9]+( [0-9]+/[0-9]+)?")
"""Our own figures: an integer or a mixed number begins with a sign and computes nothing."""


def sheet(header: Sequence[str], rows: Sequence[Sequence[object]], separator: str) -> bytes:
    """A whole file."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\r\n")
    writer.writerow([harmless(cell) for cell in header])
    for row in rows:
        writer.writerow([harmless(str(cell)) for cell in row])
    return text.getvalue().encode("utf-8-sig")


def harmless(cell: str) -> str:
    """The cell so that nothing computes it. What looks like a formula behind spaces or quotes is one, too."""
    begins = cell.lstrip(" \"'\u00a0\ufeff")
    if _NUMBER.fullmatch(cell) or not (cell.startswith(FORMULAS) or begins.startswith(FORMULAS)):
        return cell
    return f"'{cell}"


def mixed(text: str) -> str:
    """``5/2`` and ``2.5`` → ``2 1/2``, ``-1/2`` → ``-0 1/2``: no country takes it for a date, or a point for a comma.

    Other texts stay as they are.
    """
    if not _FRACTION.fullmatch(text):
        return text
    number = Fraction(text)
    whole, rest = divmod(abs(number.numerator), number.denominator)
    sign = "-" if number < 0 else ""
    return f"{sign}{whole} {rest}/{number.denominator}" if rest else f"{sign}{whole}"


def standings_sheet(found: pb.GetStandingsResponse, separator: str) -> bytes:
    rows = [
        (
            line.place or "",
            line.entry,
            line.name,
            *map(mixed, values_of(line, found.keys)),
            line.decided_by,
            line.movement,
            line.standing,
            line.stage + 1,
        )
        for line in found.lines
    ]
    return sheet(
        ["place", "entrant", "name", *found.keys, "decided by", "movement", "standing", "stage"], rows, separator
    )


def pairings_sheet(found: pb.GetRoundResponse, separator: str) -> bytes:
    return results_sheet([found], separator)


def results_sheet(rounds: Sequence[pb.GetRoundResponse], separator: str) -> bytes:
    """One row a seat, round by round, the byes of each behind it; results where there are some."""
    header = ["round", "table", "seat", "entrant", "name", "place", "score", "points"]
    return sheet(header, [row for found in rounds for row in _seats(found)], separator)


def _seats(found: pb.GetRoundResponse) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = [
        (
            found.round,
            table.number,
            seat,
            place.entry,
            place.name or place.player,
            place.place or "",
            place.score if place.place else "",
            mixed(place.points),
        )
        for table in found.tables
        for seat, place in enumerate(table.places)
    ]
    rows.extend((found.round, "", "", each.entry, each.name or each.player, "bye", "", "") for each in found.byes)
    return rows
